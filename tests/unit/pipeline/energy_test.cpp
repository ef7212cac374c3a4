// SPDX-License-Identifier: MIT
// Tests the counters of energy on a folder of power caps that the test makes.
#include "pipeline/energy/energy_meter.hpp"
#include "pipeline/energy/rapl.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gannet::pipeline {
namespace {
namespace fs = std::filesystem;

class PowerCaps : public ::testing::Test {
  protected:
    PowerCaps() { fs::create_directories(root()); }
    void write(const std::string& zone, const std::string& file, const std::string& text) {
        fs::create_directories(root() / zone);
        std::ofstream(root() / zone / file) << text << "\n";
    }
    void make_zone(const std::string& zone, const std::string& name, const std::string& used) {
        write(zone, "name", name);
        write(zone, "max_energy_range_uj", "1000000000");
        write(zone, "energy_uj", used);
    }
    fs::path root() const { return folder_.path("powercap"); }

    tests::TemporaryFolder folder_;
};

TEST_F(PowerCaps, packages_and_memory_are_added_up) {
    make_zone("intel-rapl:0", "package-0", "5000000");
    make_zone("intel-rapl:1", "package-1", "7000000");
    make_zone("intel-rapl:1:0", "dram", "0");
    make_zone("intel-rapl:0:0", "core", "1000000");          // a part of package-0
    make_zone("intel-rapl-mmio:0", "package-0", "5000000");  // package-0 once more
    fs::create_directories(root() / "intel-rapl");
    Rapl rapl(root().string());
    EXPECT_EQ(rapl.fault(), "");
    EXPECT_EQ(rapl.zones(), "package-0, package-1, dram");
    EXPECT_DOUBLE_EQ(rapl.joules(), 0);
    write("intel-rapl:0", "energy_uj", "6000000");
    write("intel-rapl:1:0", "energy_uj", "250000");
    write("intel-rapl:0:0", "energy_uj", "9000000");
    write("intel-rapl-mmio:0", "energy_uj", "9000000");
    EXPECT_DOUBLE_EQ(rapl.joules(), 1.25);
    EXPECT_DOUBLE_EQ(rapl.joules(), 1.25);
}

TEST_F(PowerCaps, a_counter_that_begins_anew_loses_nothing) {
    make_zone("intel-rapl:0", "package-0", "999000000");
    Rapl rapl(root().string());
    write("intel-rapl:0", "energy_uj", "3000000");
    EXPECT_DOUBLE_EQ(rapl.joules(), 4);
    write("intel-rapl:0", "energy_uj", "2000000");
    EXPECT_DOUBLE_EQ(rapl.joules(), 4 + 999);
}

TEST_F(PowerCaps, what_is_missing_is_said) {
    EXPECT_NE(Rapl(root().string()).fault().find("no RAPL counters in " + root().string()),
              std::string::npos);
    EXPECT_NE(Rapl((root() / "nothing").string()).fault().find("no RAPL counters"), std::string::npos);
    write("intel-rapl:0", "name", "package-0");
    write("intel-rapl:0", "max_energy_range_uj", "1000");
    EXPECT_NE(Rapl(root().string()).fault().find("only be read by root"), std::string::npos);
}

TEST_F(PowerCaps, phases_add_up_to_all) {
    make_zone("intel-rapl:0", "package-0", "0");
    EnergyMeter meter(root().string());
    write("intel-rapl:0", "energy_uj", "1000000");
    meter.begin_phase("align");
    write("intel-rapl:0", "energy_uj", "3000000");
    meter.begin_phase("call");
    write("intel-rapl:0", "energy_uj", "7000000");
    const EnergyMeter::Report report = meter.report();
    ASSERT_EQ(report.phases.size(), 2);
    EXPECT_EQ(report.phases[0].name, "align");
    EXPECT_DOUBLE_EQ(*report.phases[0].energy.host_joules, 2);
    EXPECT_DOUBLE_EQ(*report.phases[1].energy.host_joules, 4);
    EXPECT_DOUBLE_EQ(*report.total.host_joules, 7);
    EXPECT_GE(report.total.seconds, report.phases[0].energy.seconds + report.phases[1].energy.seconds);
    EXPECT_TRUE(report.total.device_joules.empty());
    EXPECT_EQ(report.device_fault, "");
}

TEST_F(PowerCaps, nothing_is_estimated) {
    EnergyMeter meter(root().string());
    meter.add_devices({"GPU-there-is-none"});
    const EnergyMeter::Report report = meter.report();
    EXPECT_FALSE(report.total.host_joules);
    ASSERT_EQ(report.total.device_joules.size(), 1);
    EXPECT_FALSE(report.total.device_joules[0]);
    EXPECT_NE(report.host_fault, "");
    EXPECT_NE(report.device_fault, "");
}

}  // namespace
}  // namespace gannet::pipeline
