// SPDX-License-Identifier: MIT
// Provides the parity suite's program: --jobs N (of each op), --backends NAME,..., --shard K/N, --replay
// OP:CASE:SEED, and GoogleTest's own options.
#include "tests/parity/parity.hpp"

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace gannet::parity {

Options& options() {
    static Options instance;
    return instance;
}

kernels::OpTable reference_table() {
    return kernels::make_op_table(kernels::Backend::reference, std::nullopt);
}

std::vector<Target> targets() {
    using kernels::Backend;
    using kernels::SimdLevel;
    const auto has = [](const std::string& names, const std::string& name) {
        return ("," + names + ",").find("," + name + ",") != std::string::npos;
    };
    const char* const required_text = std::getenv("GANNET_REQUIRE_BACKENDS");
    const std::string required(required_text == nullptr ? "" : required_text);
    std::vector<Target> result;
    for (const kernels::BackendStatus& status : kernels::backend_status()) {
        const std::string name(kernels::name(status.backend));
        if (!status.available) {
            EXPECT_FALSE(has(required, name))
                << "backend " << name << " is required, but not available: " << status.detail;
        } else if (!options().backends.empty() && !has(options().backends, name)) {
            continue;
        } else if (status.backend == Backend::simd) {
            for (const SimdLevel level : {SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512}) {
                if (level > kernels::detected_simd_level()) continue;
                result.push_back({kernels::make_op_table(Backend::simd, level),
                                  name + " (" + std::string(kernels::name(level)) + ")"});
            }
        } else if (status.backend != Backend::reference) {
            result.push_back({kernels::make_op_table(status.backend, std::nullopt), name});
        }
    }
    EXPECT_FALSE(result.empty()) << "no backend to compare with the reference";
    return result;
}

kernels::Stream& stream_of(const kernels::OpTable& table) {
    constexpr int k_batches = 64;
    struct Kept {
        std::unique_ptr<kernels::Stream> stream;
        int batches = 0;
    };
    static std::map<kernels::Backend, Kept> all;
    Kept& kept = all[table.backend];
    if (kept.batches++ % k_batches == 0) kept.stream = table.make_stream();
    return *kept.stream;
}

namespace {

/// "1/4": the second of four.
bool parse_shard(std::string_view value) {
    char* end = nullptr;
    options().shard = std::strtoull(value.data(), &end, 10);
    if (*end != '/') return false;
    options().shards = std::strtoull(end + 1, nullptr, 10);
    return options().shard < options().shards;
}

bool parse(std::string_view option, std::string_view value) {
    if (option == "--jobs") {
        options().jobs = std::strtoull(value.data(), nullptr, 10);
        return options().jobs > 0;
    }
    if (option == "--shard") return parse_shard(value);
    if (option == "--backends") {
        options().backends = value;
        return true;
    }
    if (option != "--replay") return false;
    const size_t colon = value.rfind(':');
    if (colon == std::string_view::npos) return false;
    options().replay_case = value.substr(0, colon);
    options().replay_seed = std::strtoull(value.data() + colon + 1, nullptr, 10);
    return options().replay_seed > 0;
}

}  // namespace

}  // namespace gannet::parity

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int k = 1; k < argc; k += 2) {
        if (k + 1 == argc || !gannet::parity::parse(argv[k], argv[k + 1])) {
            std::cerr << "usage: parity_test [--jobs N] [--backends NAME,...] [--shard K/N] "
                         "[--replay OP:CASE:SEED]\n";
            return 2;
        }
    }
    gannet::parity::register_banded_sw();
    gannet::parity::register_banded_sw_windows();
    gannet::parity::register_candidates();
    gannet::parity::register_deflate();
    gannet::parity::register_find_candidates();
    gannet::parity::register_inflate();
    gannet::parity::register_pair_hmm();
    gannet::parity::register_pairing();
    gannet::parity::register_pileup_network();
    gannet::parity::register_rescue();
    gannet::parity::register_seeds();
    const int failed = RUN_ALL_TESTS();
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
        std::cerr << "no such case\n";
        return 2;
    }
    return failed;
}
