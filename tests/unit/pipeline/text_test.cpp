// SPDX-License-Identifier: MIT
// Checks what outputs and messages say: recorded commands, exit codes, resumed facts, formats by name.
#include "data/error.hpp"
#include "kernels/backend.hpp"
#include "pipeline/exit.hpp"
#include "pipeline/jobs/alignment_output.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/report.hpp"

#include <gtest/gtest.h>

#include <new>

namespace gannet::pipeline {
namespace {

template <class Fault>
int code_of(const Fault& fault) {
    return describe(std::make_exception_ptr(fault)).exit_code;
}

TEST(ExitCode, each_fault_has_its_own) {
    EXPECT_EQ(code_of(data::Error(data::ErrorKind::usage, "x")), 2);
    EXPECT_EQ(code_of(data::Error(data::ErrorKind::malformed_input, "x")), 3);
    EXPECT_EQ(code_of(data::Error(data::ErrorKind::disk_space, "x")), 9);
    EXPECT_EQ(code_of(kernels::DeviceUnfit("x")), 5);
    EXPECT_EQ(code_of(kernels::DeviceOutOfMemory("x")), 6);
    EXPECT_EQ(code_of(std::bad_alloc()), 7);
    EXPECT_EQ(code_of(std::logic_error("x")), 1);
    EXPECT_EQ(code_of(42), 1);
}

// log_error() shows it in one line.
TEST(ExitCode, message_keeps_the_names_in_it) {
    const Failure failure =
        describe(std::make_exception_ptr(data::Error(data::ErrorKind::usage, "a\nb\r\nc")));
    EXPECT_EQ(failure.message, "a\nb\r\nc");
}

TEST(CommandText, quotes_what_a_shell_would_need) {
    CommandText command("run");
    command.word("ref.fa").option("-R", "@RG\tID:x").option("--sample", "").flag("--hard-clip", true);
    EXPECT_EQ(command.text(), "gannet run ref.fa -R '@RG\\tID:x' --hard-clip");
}

TEST(OutputFormat, by_name_then_by_kind) {
    using Format = data::bam::RecordWriter::Format;
    EXPECT_EQ(output_format("x.cram", "", true), Format::cram);
    EXPECT_EQ(output_format("x.sam", "", true), Format::sam);
    EXPECT_EQ(output_format("-", "", true), Format::bam);
    EXPECT_EQ(output_format("-", "", false), Format::sam);
    EXPECT_EQ(output_format("-", "bam", false), Format::bam);
    EXPECT_EQ(output_format("x.bam", "sam", false), Format::sam);
}

TEST(AlignFacts, come_back_from_json_only_for_the_same_run) {
    AlignFacts facts;
    facts.counts.reads = 12;
    facts.duplicates_marked = true;
    facts.duplicates = 3;
    facts.models = {{true, 400, 90, 100, 700}};
    const std::string text = facts_to_json(facts, "inputs", 1000);
    const auto back = facts_from_json(text, "inputs", 1000);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->counts.reads, 12u);
    EXPECT_EQ(back->duplicates, 3u);
    EXPECT_TRUE(back->duplicates_marked);
    EXPECT_EQ(back->models.at(0).high_bp, 700);
    EXPECT_FALSE(facts_from_json(text, "other inputs", 1000));
    EXPECT_FALSE(facts_from_json(text, "inputs", 999));
    EXPECT_FALSE(facts_from_json("{", "inputs", 1000));
}

}  // namespace
}  // namespace gannet::pipeline
