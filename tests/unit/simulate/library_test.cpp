// SPDX-License-Identifier: MIT
// Tests the JSON of libraries: presets, refusals, the way there and back, and that the documentation's table
// is that of the code.
#include "data/simulate/library.hpp"

#include "data/error.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace gannet::data::simulate {
namespace {

std::string refusal(const std::string& text) {
    try {
        parse_library(text, "x.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        return error.what();
    }
    return "accepted";
}

TEST(SimulateLibrary, clean_preset_is_what_nothing_said_gives) {
    EXPECT_EQ(load_library("clean"), Library());
    EXPECT_EQ(parse_library("{}", "x"), Library());
    EXPECT_EQ(complaint_about(Library()), "");
}

TEST(SimulateLibrary, presets_differ_and_are_within_their_ranges) {
    for (const std::string_view name : k_presets) {
        const Library library = load_library(std::string(name));
        EXPECT_EQ(complaint_about(library), "") << name;
        for (const std::string_view other : k_presets)
            EXPECT_EQ(library == load_library(std::string(other)), name == other) << name << " " << other;
    }
}

TEST(SimulateLibrary, written_library_reads_back_as_the_same) {
    for (const std::string_view name : k_presets) {
        Library library = load_library(std::string(name));
        library.systematic_rate = 0.1 / 3;
        EXPECT_EQ(parse_library(library_text(library), "x"), library) << name;
    }
}

TEST(SimulateLibrary, fields_not_given_are_those_of_the_preset) {
    Library wanted = load_library("pcr");
    wanted.contamination_share = 0.05;
    EXPECT_EQ(parse_library(R"({"contamination_share": 0.05, "preset": "pcr"})", "x"), wanted);
}

TEST(SimulateLibrary, what_is_not_a_library_is_refused_with_file_and_key) {
    EXPECT_EQ(refusal("{"), "x.json: the library is not JSON (at its byte 2)");
    EXPECT_EQ(refusal("[1]"), "x.json: the library is not a JSON object");
    EXPECT_EQ(refusal(R"({"slip_factr": 1})"),
              "x.json: \"slip_factr\" is not a field of a library; docs/simulate.md lists them");
    EXPECT_EQ(refusal(R"({"slip_factor": 1, "slip_factor": 2})"),
              "x.json: the library has the key \"slip_factor\" twice");
    EXPECT_EQ(refusal(R"({"slip_factor": "1"})"), "x.json: \"slip_factor\" is not a number");
    EXPECT_EQ(refusal(R"({"slip_factor": -1})"), "x.json: \"slip_factor\" is -1; it must be 0 to 30");
    EXPECT_EQ(refusal(R"({"quality_values": 5})"),
              "x.json: \"quality_values\" is 5; it must be 41, 8, 4 or 3");
    EXPECT_EQ(refusal(R"({"preset": "new"})"), "x.json: \"preset\" is not one of clean, pcr-free, pcr, old");
    EXPECT_EQ(refusal(R"({"hidden_copy_min_bp": 9000, "hidden_copy_max_bp": 2000})"),
              "x.json: \"hidden_copy_min_bp\" is above \"hidden_copy_max_bp\"");
}

TEST(SimulateLibrary, every_field_is_refused_beyond_its_range) {
    for (const LibraryField& field : library_fields()) {
        Library library;
        library.*field.value = field.high * 1.01 + 1e-9;
        EXPECT_NE(complaint_about(library), "") << field.key;
        library.*field.value = field.low - 0.01;
        EXPECT_NE(complaint_about(library), "") << field.key;
    }
}

TEST(SimulateLibrary, missing_file_is_refused_with_the_presets) {
    try {
        load_library("/nowhere/pcrfree");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        EXPECT_STREQ(
            error.what(),
            "/nowhere/pcrfree: No such file or directory; a library is one of clean, pcr-free, pcr, old, "
            "or a JSON file");
    }
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
    return cells;
}

/// field, unit, low to high, clean, pcr-free, pcr, old, what it does, source.
TEST(SimulateLibrary, documented_table_is_that_of_the_code) {
    std::ifstream in(GANNET_SOURCE_FOLDER "/data/simulate/library_fields.tsv");
    ASSERT_TRUE(in);
    std::string line;
    std::getline(in, line);  // the header
    size_t i = 0;
    for (; std::getline(in, line); ++i) {
        const std::vector<std::string> cells = cells_of(line);
        ASSERT_EQ(cells.size(), 9U) << line;
        ASSERT_LT(i, library_fields().size());
        const LibraryField& field = library_fields()[i];
        EXPECT_EQ(cells[0], field.key);
        std::istringstream range(cells[2]);
        double low = -1;
        double high = -1;
        std::string to;
        range >> low >> to >> high;
        EXPECT_EQ(low, field.low) << field.key;
        EXPECT_EQ(high, field.high) << field.key;
        for (size_t k = 0; k < k_presets.size(); ++k)
            EXPECT_EQ(std::stod(cells[3 + k]), field.presets[k]) << field.key << " " << k_presets[k];
        EXPECT_GT(cells[7].size(), 10U) << field.key;
        EXPECT_GT(cells[8].size(), 3U) << field.key << ": no source";
    }
    EXPECT_EQ(i, library_fields().size());
}

}  // namespace
}  // namespace gannet::data::simulate
