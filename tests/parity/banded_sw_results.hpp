// SPDX-License-Identifier: MIT
// Provides the run of both forms of banded_sw on outputs that held something else, and the comparison of
// their results.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "tests/parity/parity.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>

namespace gannet::parity {

/// `run(stream, results)`: the op, on `jobs` jobs, whose CIGARs have at most `elements` elements in all.
template <class Run>
kernels::BandedSwResults run_banded_sw(const kernels::OpTable& table, size_t jobs, size_t elements,
                                       const Run& run) {
    kernels::BandedSwResults results;
    dirty(results.score, jobs);
    dirty(results.query_end, jobs);
    dirty(results.target_end, jobs);
    dirty(results.to_end, jobs);
    dirty(results.cigar_offset, jobs + 1);
    dirty(results.cigar, elements);
    kernels::Stream& stream = stream_of(table);
    run(stream, results);
    stream.wait();
    EXPECT_TRUE(guarded(results.score, jobs) && guarded(results.query_end, jobs) &&
                guarded(results.target_end, jobs) && guarded(results.to_end, jobs) &&
                guarded(results.cigar_offset, jobs + 1))
        << "an output has the wrong size, or was written beyond its end";
    return results;
}

inline std::string banded_sw_text(const kernels::BandedSwResults& results, size_t job) {
    std::ostringstream text;
    text << "score " << results.score[job] << " at (" << results.query_end[job] << ", "
         << results.target_end[job] << "), to_end " << int{results.to_end[job]} << ", cigar ";
    for (uint32_t k = results.cigar_offset[job]; k < results.cigar_offset[job + 1]; ++k) {
        text << (results.cigar[k] >> 4) << "MID?"[std::min(results.cigar[k] & 0xf, 3U)];
    }
    return text.str();
}

inline std::string banded_sw_difference(const kernels::BandedSwResults& expected,
                                        const kernels::BandedSwResults& actual,
                                        std::span<const uint32_t> order) {
    if (actual.cigar_offset.back() != actual.cigar.size()) return "the offsets do not cover the cigars";
    for (size_t k = 0; k < order.size(); ++k) {
        const std::string wanted = banded_sw_text(expected, order[k]);
        const std::string given = banded_sw_text(actual, k);
        if (wanted != given)
            return "job " + std::to_string(order[k]) + ": reference " + wanted + "; here " + given;
    }
    return "";
}

}  // namespace gannet::parity
