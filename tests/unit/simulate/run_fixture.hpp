// SPDX-License-Identifier: MIT
// Provides a folder for whole simulations, and what their files hold.
#pragma once

#include "data/simulate/simulate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <zlib.h>

namespace gannet::data::simulate {

class SimulateRun : public testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    Options options(const std::string& name) const {
        Options out;
        out.size_mb = 0.3;
        out.coverage = 5;
        out.seed = 11;
        out.output = folder_ + "/" + name;
        return out;
    }
    std::string file(const std::string& name) const { return folder_ + "/" + name; }

    std::string folder_ = testing::TempDir() + "gannet_simulate_" +
                          testing::UnitTest::GetInstance()->current_test_info()->name();
};

inline std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string inflated(const std::string& path) {
    std::string out;
    gzFile in = gzopen(path.c_str(), "rb");
    std::array<char, 65536> buffer;
    for (int n; (n = gzread(in, buffer.data(), buffer.size())) > 0;)
        out.append(buffer.data(), static_cast<size_t>(n));
    gzclose(in);
    return out;
}

inline std::string body(const std::string& vcf) {
    std::string out;
    std::istringstream in(vcf);
    for (std::string line; std::getline(in, line);)
        if (line[0] != '#') out += line + "\n";
    return out;
}

}  // namespace gannet::data::simulate
