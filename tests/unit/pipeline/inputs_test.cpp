// SPDX-License-Identifier: MIT
// Checks lanes, read groups and sample names from what the user gives.
#include "pipeline/jobs/inputs.hpp"

#include "data/error.hpp"
#include "pipeline/jobs/text_output.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace gannet::pipeline {
namespace {

class InputsTest : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("gannet-inputs-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        for (const char* name : {"a_1.fq", "a_2.fq", "b_1.fq", "b_2.fq"})
            write_text_file(path(name), "@r\nA\n+\nI\n");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    data::ErrorKind kind_of(const InputOptions& options) {
        try {
            resolve_inputs(options);
        } catch (const data::Error& fault) {
            return fault.kind();
        }
        ADD_FAILURE() << "nothing was refused";
        return data::ErrorKind::internal;
    }
    std::filesystem::path folder_;
};

TEST(SampleOfFile, drops_endings_mates_and_lane) {
    EXPECT_EQ(sample_of_file("x/NA12878_S1_L001_R1_001.fastq.gz"), "NA12878_S1");
    EXPECT_EQ(sample_of_file("reads_1.fq.gz"), "reads");
    EXPECT_EQ(sample_of_file("HG002.bam"), "HG002");
    EXPECT_EQ(sample_of_file("HG002.R2.fastq"), "HG002");
    EXPECT_EQ(sample_of_file("plain"), "plain");
}

TEST_F(InputsTest, one_pair_gets_the_files_name) {
    InputOptions options;
    options.reads = {path("a_1.fq"), path("a_2.fq")};
    const Inputs inputs = resolve_inputs(options);
    ASSERT_EQ(inputs.lanes.size(), 1u);
    ASSERT_EQ(inputs.read_groups.size(), 1u);
    EXPECT_EQ(inputs.sample, "a");
    EXPECT_EQ(inputs.read_groups[0].id, "a");
    EXPECT_EQ(inputs.read_groups[0].library, "a");
}

TEST_F(InputsTest, lanes_by_option_and_by_file) {
    InputOptions options;
    options.lanes = {path("a_1.fq") + "," + path("a_2.fq") + ",L1"};
    write_text_file(path("lanes.tsv"), "# comment\n" + path("b_1.fq") + "\t" + path("b_2.fq") + "\tL2\n");
    options.lanes_file = path("lanes.tsv");
    options.sample = "S";
    const Inputs inputs = resolve_inputs(options);
    ASSERT_EQ(inputs.lanes.size(), 2u);
    EXPECT_EQ(inputs.read_groups[0].id, "L1");
    EXPECT_EQ(inputs.read_groups[1].id, "L2");
    EXPECT_EQ(inputs.read_groups[1].sample, "S");
    EXPECT_EQ(inputs.lanes[1].read_group, 1u);
}

TEST_F(InputsTest, contradicting_samples_are_refused) {
    InputOptions options;
    options.reads = {path("a_1.fq"), path("a_2.fq")};
    options.read_group = "@RG\\tID:x\\tSM:one";
    options.sample = "two";
    EXPECT_EQ(kind_of(options), data::ErrorKind::usage);
}

TEST_F(InputsTest, one_id_with_two_meanings_is_refused) {
    InputOptions options;
    options.lanes = {path("a_1.fq") + "," + path("a_2.fq") + ",@RG\\tID:x\\tPU:1",
                     path("b_1.fq") + "," + path("b_2.fq") + ",@RG\\tID:x\\tPU:2"};
    EXPECT_EQ(kind_of(options), data::ErrorKind::usage);
}

TEST_F(InputsTest, a_file_given_twice_is_refused) {
    InputOptions options;
    options.reads = {path("a_1.fq"), path("a_1.fq")};
    EXPECT_EQ(kind_of(options), data::ErrorKind::usage);
}

TEST_F(InputsTest, a_missing_file_is_refused) {
    InputOptions options;
    options.reads = {path("none.fq")};
    EXPECT_EQ(kind_of(options), data::ErrorKind::malformed_input);
}

TEST_F(InputsTest, nothing_given_is_refused) { EXPECT_EQ(kind_of({}), data::ErrorKind::usage); }

}  // namespace
}  // namespace gannet::pipeline
