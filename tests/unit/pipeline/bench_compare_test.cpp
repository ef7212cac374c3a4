// SPDX-License-Identifier: MIT
// Checks comparisons of benchmark files: planted changes are found, a build does not differ from itself, and
// files that do not belong together are refused.
#include "data/error.hpp"
#include "data/simulate/random.hpp"
#include "pipeline/bench/compare.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace gannet::pipeline::bench {
namespace {

using data::simulate::Random;

constexpr size_t k_pairs = 20;
constexpr size_t k_results = 6;
constexpr size_t k_samples = 5;

/// The speed of a shared machine: slow for a while, now and then, and noise on top.
class Machine {
  public:
    explicit Machine(uint64_t seed, double slowness = 1.6)
        : random_(seed, data::simulate::Stream::sequencing, 3), slowness_(slowness) {}
    double seconds(double work) {
        if (random_.below(40) == 0) slow_ = !slow_;
        return work * (slow_ ? slowness_ : 1.0) * (1 + 0.1 * random_.uniform() * random_.uniform());
    }

  private:
    Random random_;
    double slowness_;
    bool slow_ = false;
};

BenchFile empty_file(const std::string& path) {
    BenchFile file;
    file.path = path;
    file.commit = "c";
    file.machine = "m";
    file.backend = "simd (avx2)";
    file.input = "i";
    for (size_t result = 0; result < k_results; ++result)
        file.results.push_back({"stage" + std::to_string(result), "", {}, {}});
    return file;
}

void add_sample(BenchFile& file, size_t result, double seconds) {
    file.results[result].cpu_s.push_back(seconds);
    file.results[result].wall_s.push_back(seconds);
}

BenchFile file_of(Machine& machine, const std::string& path, double work) {
    BenchFile file = empty_file(path);
    for (size_t sample = 0; sample < k_samples; ++sample) {
        for (size_t result = 0; result < k_results; ++result) add_sample(file, result, machine.seconds(work));
    }
    return file;
}

/// Both files of a pair, sample by sample.
std::pair<BenchFile, BenchFile> files_in_turns(Machine& machine, double base_work, double new_work) {
    std::pair<BenchFile, BenchFile> files{empty_file("a"), empty_file("b")};
    for (size_t sample = 0; sample < k_samples; ++sample) {
        for (size_t result = 0; result < k_results; ++result) {
            add_sample(files.first, result, machine.seconds(base_work));
            add_sample(files.second, result, machine.seconds(new_work));
        }
    }
    files.first.in_turns = files.second.in_turns = true;
    return files;
}

Comparison compare_work(Machine machine, bool in_turns, double base_work, double new_work,
                        const CompareOptions& options = {}) {
    std::vector<BenchFile> base;
    std::vector<BenchFile> fresh;
    for (size_t pair = 0; pair < k_pairs; ++pair) {
        if (in_turns) {
            auto files = files_in_turns(machine, base_work, new_work);
            base.push_back(std::move(files.first));
            fresh.push_back(std::move(files.second));
        } else {
            base.push_back(file_of(machine, "a", base_work));
            fresh.push_back(file_of(machine, "b", new_work));
        }
    }
    return compare(base, fresh, options);
}

size_t count(const Comparison& comparison, Verdict verdict) {
    size_t found = 0;
    for (const Compared& result : comparison.results) found += result.verdict == verdict;
    return found;
}

/// A text with one result, whose samples and other fields may be changed.
std::string text_of(const std::function<void(std::string&)>& change = {}) {
    std::string text = R"({"schema": "gannet-bench", "schema_version": 2, "commit": "c",
        "machine": {"cpu": "x", "usable_cores": 2}, "backend": {"name": "simd", "simd": "avx2"},
        "options": {"threads": 1, "handicap": 0.0, "in_turns": false}, "input": {"kind": "none"},
        "results": [{"name": "r", "work": {"reads": 2, "bytes": 9}, "digest": "d",
                     "wall_s": {"samples": [4, 6]}, "cpu_s": {"samples": [2, 3]}}]})";
    if (change) change(text);
    return text;
}

std::function<void(std::string&)> replacing(const std::string& what, const std::string& by) {
    return [what, by](std::string& text) {
        const size_t at = text.find(what);
        ASSERT_NE(at, std::string::npos) << what;
        text.replace(at, what.size(), by);
    };
}

/// The message and kind of what `body` throws.
std::string failure(const std::function<void()>& body, data::ErrorKind kind) {
    try {
        body();
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    return "nothing thrown";
}

TEST(Compare, planted_slowdown_of_20_percent_is_found_in_every_result) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const Comparison in_turns = compare_work(Machine(seed), true, 1.0, 1.2);
        EXPECT_EQ(count(in_turns, Verdict::slower), k_results) << "seed " << seed;
        EXPECT_NEAR(in_turns.results.front().ratio.estimate, 1.2, 0.04);
        // One file after the other asks for a quieter machine.
        const Comparison in_files = compare_work(Machine(seed, 1.1), false, 1.0, 1.2);
        EXPECT_EQ(count(in_files, Verdict::slower), k_results) << "seed " << seed;
    }
}

TEST(Compare, build_with_itself_is_silent) {
    for (const bool in_turns : {false, true}) {
        size_t loud = 0;
        for (uint64_t seed = 1; seed <= 400; ++seed) {
            const Comparison comparison = compare_work(Machine(seed), in_turns, 1.0, 1.0);
            loud += comparison.any(Verdict::slower) || comparison.any(Verdict::faster);
        }
        EXPECT_LE(loud, 4u) << in_turns;  // 99 % confidence over all results together
    }
}

TEST(Compare, speedup_is_told_and_is_no_regression) {
    const Comparison comparison = compare_work(Machine(3), true, 1.2, 1.0);
    EXPECT_EQ(count(comparison, Verdict::faster), k_results);
    EXPECT_FALSE(comparison.any(Verdict::slower));
}

TEST(Compare, change_below_the_minimum_effect_is_no_change) {
    EXPECT_EQ(count(compare_work(Machine(1), true, 1.0, 1.02), Verdict::slower), 0u);
    CompareOptions options;
    options.minimum_effect = 0.3;
    EXPECT_EQ(count(compare_work(Machine(1), true, 1.0, 1.2, options), Verdict::slower), 0u);
}

TEST(Compare, few_pairs_are_said_to_be_too_few) {
    Machine machine(1);
    const std::vector<BenchFile> base{file_of(machine, "a", 1), file_of(machine, "a", 1)};
    const std::vector<BenchFile> fresh{file_of(machine, "b", 2), file_of(machine, "b", 2)};
    const Comparison comparison = compare(base, fresh, {});
    EXPECT_EQ(count(comparison, Verdict::too_few), k_results);
    EXPECT_FALSE(comparison.any(Verdict::slower));
    EXPECT_EQ(comparison.pairs_needed, min_pairs(0.01 / k_results));
}

TEST(Compare, missing_result_is_noted_and_others_are_compared) {
    Machine machine(1);
    std::vector<BenchFile> base{file_of(machine, "a", 1)};
    std::vector<BenchFile> fresh{file_of(machine, "b", 1)};
    fresh[0].results.erase(fresh[0].results.begin());
    fresh[0].results.back().name = "another";
    const Comparison comparison = compare(base, fresh, {});
    EXPECT_EQ(comparison.results.size(), k_results - 2);
    std::string notes;
    for (const std::string& note : comparison.notes) notes += note + "\n";
    EXPECT_NE(notes.find("stage0 is not compared: b lacks it"), std::string::npos) << notes;
    EXPECT_NE(notes.find("another is not compared: a lacks it"), std::string::npos) << notes;
}

TEST(Compare, files_that_do_not_belong_together_are_refused) {
    Machine machine(1);
    const BenchFile file = file_of(machine, "a", 1);
    BenchFile other = file;
    other.input = "j";
    const auto compared = [](const BenchFile& a, const BenchFile& b, bool any_machine = false) {
        return [=] {
            CompareOptions options;
            options.any_machine = any_machine;
            compare({a}, {b}, options);
        };
    };
    EXPECT_NE(failure(compared(file, other), data::ErrorKind::usage).find("different inputs"),
              std::string::npos);
    other.input.clear();
    EXPECT_EQ(failure(compared(file, other), data::ErrorKind::usage), "nothing thrown");
    other = file;
    other.machine = "n";
    EXPECT_NE(failure(compared(file, other), data::ErrorKind::usage).find("different machines"),
              std::string::npos);
    EXPECT_EQ(failure(compared(file, other, true), data::ErrorKind::usage), "nothing thrown");
    other = file;
    other.results.clear();
    EXPECT_NE(failure(compared(file, other), data::ErrorKind::usage).find("no result in common"),
              std::string::npos);
    EXPECT_NE(failure(
                  [&] {
                      compare({file, file}, {file}, {});
                  },
                  data::ErrorKind::usage)
                  .find("pairs"),
              std::string::npos);
}

TEST(Compare, wall_time_is_taken_for_a_device) {
    Machine machine(1);
    BenchFile file = file_of(machine, "a", 1);
    EXPECT_FALSE(compare({file}, {file}, {}).by_wall);
    file.backend = "cuda (avx2)";
    EXPECT_TRUE(compare({file}, {file}, {}).by_wall);
    CompareOptions options;
    options.clock = Clock::cpu;
    EXPECT_FALSE(compare({file}, {file}, options).by_wall);
}

TEST(BenchFile, seconds_are_by_unit_of_the_first_work) {
    const BenchFile file = parse_bench_file("f", text_of());
    ASSERT_EQ(file.results.size(), 1u);
    EXPECT_EQ(file.results[0].name, "r");
    EXPECT_EQ(file.results[0].cpu_s, (std::vector<double>{1, 1.5}));
    EXPECT_EQ(file.results[0].wall_s, (std::vector<double>{2, 3}));
}

TEST(BenchFile, what_is_none_is_refused_in_one_line) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {text_of([](std::string& text) { text.resize(text.size() / 2); }), "not whole JSON"},
        {"", "not whole JSON"},
        {"[1]", "not of gannet bench"},
        {text_of(replacing("gannet-bench", "other")), "not of gannet bench"},
        {text_of(replacing("\"schema_version\": 2", "\"schema_version\": 3")), "version 3"},
        {text_of(replacing("\"work\": {\"reads\": 2, \"bytes\": 9}", "\"work\": {}")),
         "result 1 has no work"},
        {text_of(replacing("\"reads\": 2", "\"reads\": 0")), "result 1 has no work"},
        {text_of(replacing("[4, 6]", "[]")), "no samples"},
        {text_of(replacing("[4, 6]", "[4, -6]")), "no time"},
        {text_of(replacing("[4, 6]", "[4]")), "more samples of one clock"},
        {text_of(replacing("[4, 6]", "[4, \"x\"]")), "result 1: a field is missing or of the wrong kind"},
        {text_of(replacing("\"commit\": \"c\",", "")), "header: a field is missing"}};
    for (const auto& [text, expected] : cases) {
        const std::string message =
            failure([&text = text] { parse_bench_file("f.json", text); }, data::ErrorKind::malformed_input);
        EXPECT_EQ(message.find("f.json"), 0u) << message;
        EXPECT_NE(message.find(expected), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace gannet::pipeline::bench
