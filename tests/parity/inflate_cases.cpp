// SPDX-License-Identifier: MIT
// Provides the parity cases of inflate: what zlib and the op deflate make, whole, cut and damaged.
#include "kernels/deflate/deflate.hpp"
#include "kernels/inflate/inflate.hpp"
#include "tests/parity/parity.hpp"

#include <array>
#include <zlib.h>

namespace gannet::parity {

namespace {

using kernels::InflateBlock;
using kernels::InflateStatus;
using kernels::k_inflate_max_bytes;
using Bytes = std::vector<uint8_t>;

struct StreamJob {
    Bytes stream;
    uint32_t size = 0;
    uint32_t crc32 = 0;
};
using StreamJobs = std::vector<StreamJob>;

Bytes random_bytes(Random& random, size_t count, uint32_t kinds) {
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.below(kinds));
    return bytes;
}

/// Noise and repeats, of every distance and length.
Bytes text(Random& random, size_t count) {
    Bytes bytes = random_bytes(random, 10, 60);
    const uint32_t most = random.chance(50) ? 12 : 300;
    while (bytes.size() < count) {
        const auto reach = static_cast<uint32_t>(std::min<size_t>(bytes.size(), 32'768));
        const uint32_t distance = random.chance(30)   ? std::min(reach, random.between(1, 40))
                                  : random.chance(10) ? reach
                                                      : random.between(1, reach);
        for (uint32_t k = random.between(3, most); k > 0; --k)
            bytes.push_back(bytes[bytes.size() - distance]);
        const Bytes some = random_bytes(random, random.below(12), random.chance(50) ? 5 : 256);
        bytes.insert(bytes.end(), some.begin(), some.end());
    }
    bytes.resize(count);
    return bytes;
}

/// Of parts, each at a level of its own.
Bytes deflated(Random& random, const std::vector<Bytes>& parts, int strategy) {
    z_stream state{};
    EXPECT_EQ(deflateInit2(&state, 6, Z_DEFLATED, -15, static_cast<int>(random.between(1, 9)), strategy),
              Z_OK);
    Bytes stream;
    for (size_t k = 0; k < parts.size(); ++k) {
        Bytes out(2 * parts[k].size() + 4'000);
        state.next_out = out.data();
        state.avail_out = static_cast<uInt>(out.size());
        deflateParams(&state, static_cast<int>(random.below(10)), strategy);
        state.next_in = const_cast<uint8_t*>(parts[k].data());
        state.avail_in = static_cast<uInt>(parts[k].size());
        deflate(&state, k + 1 == parts.size() ? Z_FINISH
                        : random.chance(50)   ? Z_SYNC_FLUSH
                                              : Z_PARTIAL_FLUSH);
        stream.insert(stream.end(), out.begin(), out.end() - state.avail_out);
    }
    deflateEnd(&state);
    return stream;
}

void add(StreamJobs& jobs, Bytes stream, const Bytes& bytes) {
    if (stream.size() > k_inflate_max_bytes) return;
    stream.shrink_to_fit();  // so that a sanitizer sees reads beyond the end
    jobs.push_back({std::move(stream), static_cast<uint32_t>(bytes.size()),
                    static_cast<uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())))});
}

void add(Random& random, StreamJobs& jobs, const std::vector<Bytes>& parts,
         int strategy = Z_DEFAULT_STRATEGY) {
    Bytes all;
    for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    add(jobs, deflated(random, parts, strategy), all);
}

void make_none(Random&, StreamJobs&) {}

void make_short(Random& random, StreamJobs& jobs) {
    for (uint32_t k = 0; k < 40; ++k) {
        const Bytes bytes = random.chance(50)
                                ? random_bytes(random, random.below(300), random.between(1, 256))
                                : text(random, random.below(300));
        add(random, jobs, {bytes});
    }
}

void make_levels(Random& random, StreamJobs& jobs) {
    for (uint32_t k = 0; k < 4; ++k) add(random, jobs, {text(random, random.between(1, 8'000))});
}

void make_fixed(Random& random, StreamJobs& jobs) {
    for (uint32_t k = 0; k < 4; ++k) add(random, jobs, {text(random, random.between(1, 3'000))}, Z_FIXED);
}

/// Of literals only, from one kind to all.
void make_literals(Random& random, StreamJobs& jobs) {
    for (const uint32_t kinds : {1U, 2U, 5U, 41U, 256U})
        add(random, jobs, {random_bytes(random, random.between(1, 4'000), kinds)}, Z_HUFFMAN_ONLY);
}

/// Repeats of one distance: a code of distances with one word, and long matches.
void make_runs(Random& random, StreamJobs& jobs) {
    for (uint32_t k = 0; k < 4; ++k)
        add(random, jobs, {Bytes(random.between(1, 5'000), static_cast<uint8_t>(random.next()))}, Z_RLE);
}

void make_parts(Random& random, StreamJobs& jobs) {
    std::vector<Bytes> parts;
    for (uint32_t k = random.between(1, 12); k > 0; --k)
        parts.push_back(random.chance(60) ? text(random, random.below(900))
                                          : random_bytes(random, random.below(900), 256));
    add(random, jobs, parts);
}

/// Counts of symbols that grow as Fibonacci's numbers: words of up to 15 bits, also of distances.
void make_deep(Random& random, StreamJobs& jobs) {
    Bytes bytes = random_bytes(random, random.chance(50) ? 40 : 5'000, 256);
    uint32_t count = 1;
    uint32_t next = 1;
    for (uint32_t symbol = 0; bytes.size() + 5 * count < 60'000 && symbol < 22; ++symbol) {
        for (uint32_t k = 0; k < count; ++k) {
            const auto reach =
                static_cast<uint32_t>(std::min<size_t>(bytes.size(), 1u << (15 - symbol % 15)));
            const uint32_t distance = random.between((reach + 1) / 2, reach);
            bytes.push_back(static_cast<uint8_t>(symbol * 11));
            for (uint32_t at = random.below(5); at > 0; --at) bytes.push_back(bytes[bytes.size() - distance]);
        }
        std::swap(count, next);
        next += count;
    }
    add(random, jobs, {bytes});
}

void make_largest(Random& random, StreamJobs& jobs) {
    const size_t size = k_inflate_max_bytes - random.below(3);
    add(random, jobs,
        {random.chance(70) ? text(random, size) : random_bytes(random, size, random.between(1, 200))});
}

void make_by_deflate(Random& random, StreamJobs& jobs) {
    kernels::DeflateBatch batch;
    for (uint32_t k = 0; k < 4; ++k) {
        const Bytes bytes = text(random, random.below(5'000));
        batch.bytes.insert(batch.bytes.end(), bytes.begin(), bytes.end());
        batch.end_block();
    }
    kernels::DeflateResults results;
    const auto stream = reference_table().make_stream();
    reference_table().deflate(*stream, batch, results);
    for (size_t k = 0; k < batch.size(); ++k)
        add(jobs, {results.stream(k).begin(), results.stream(k).end()},
            {batch.block(k).begin(), batch.block(k).end()});
}

void make_small(Random& random, StreamJobs& jobs) {
    add(random, jobs, {text(random, random.between(1, 400))},
        random.chance(20) ? Z_FIXED : Z_DEFAULT_STRATEGY);
}

void make_truncated(Random& random, StreamJobs& jobs) {
    make_small(random, jobs);
    const StreamJob whole = jobs.back();
    for (size_t size = 0; size < whole.stream.size(); size += 1 + whole.stream.size() / 200) {
        jobs.push_back(whole);
        jobs.back().stream.resize(size);
        jobs.back().stream.shrink_to_fit();
    }
}

void make_damaged(Random& random, StreamJobs& jobs) {
    for (uint32_t k = 0; k < 40; ++k) {
        make_small(random, jobs);
        Bytes& stream = jobs.back().stream;
        for (uint32_t flips = random.between(1, 3); flips > 0; --flips) {
            const size_t reach = random.chance(50) ? stream.size() : std::min<size_t>(stream.size(), 70);
            stream[random.below(reach)] ^= static_cast<uint8_t>(1u << random.below(8));
        }
    }
}

void make_noise(Random& random, StreamJobs& jobs) {
    for (uint32_t k = 0; k < 40; ++k) {
        Bytes stream = random_bytes(random, random.between(1, 200), 256);
        stream[0] = static_cast<uint8_t>((stream[0] & ~7u) | random.below(6));
        add(jobs, std::move(stream), Bytes(random.below(2'000)));
    }
}

/// Good streams that should be longer, shorter or have another checksum.
void make_other_sizes(Random& random, StreamJobs& jobs) {
    for (uint32_t k = 0; k < 12; ++k) {
        make_small(random, jobs);
        StreamJob& job = jobs.back();
        if (k % 3 == 0) job.size += random.between(1, 300);
        if (k % 3 == 1) job.size -= std::min(job.size, random.between(1, 300));
        if (k % 3 == 2) job.crc32 ^= 1u << random.below(32);
    }
}

const std::array<Maker<StreamJobs>, 15> k_makers{{{{"none", 0}, make_none},
                                                  {{"short", 8}, make_short},
                                                  {{"levels", 4}, make_levels},
                                                  {{"fixed", 4}, make_fixed},
                                                  {{"literals", 3}, make_literals},
                                                  {{"runs", 2}, make_runs},
                                                  {{"parts", 4}, make_parts},
                                                  {{"deep", 2}, make_deep},
                                                  {{"longest", 1}, make_largest},
                                                  {{"by_deflate", 4}, make_by_deflate},
                                                  {{"truncated", 16}, make_truncated},
                                                  {{"damaged", 16}, make_damaged},
                                                  {{"noise", 16}, make_noise},
                                                  {{"other_sizes", 8}, make_other_sizes},
                                                  {{"small", 4}, make_small}}};

struct InflateOp : MadeByTable<StreamJobs, k_makers> {
    struct Result {
        InflateStatus status;
        Bytes bytes;
        bool operator==(const Result&) const = default;
    };
    using Results = std::vector<Result>;

    static std::string name() { return "inflate"; }
    static uint64_t cost() { return 10; }
    static bool has(const kernels::OpTable& table) { return table.inflate != nullptr; }
    static size_t size(const StreamJobs& jobs) { return jobs.size(); }

    static StreamJobs select(const StreamJobs& jobs, std::span<const uint32_t> order) {
        StreamJobs result;
        for (const uint32_t job : order) result.push_back(jobs[job]);
        return result;
    }

    static Results run(const kernels::OpTable& table, const StreamJobs& jobs) {
        std::vector<Bytes> out(jobs.size());
        std::vector<InflateBlock> blocks;
        for (size_t k = 0; k < jobs.size(); ++k) {
            out[k].assign(jobs[k].size + k_guard_elements, 0x5a);
            blocks.push_back({jobs[k].stream, std::span(out[k]).first(jobs[k].size), jobs[k].crc32});
        }
        std::vector<InflateStatus> statuses;
        dirty(statuses, jobs.size());
        kernels::Stream& stream = stream_of(table);
        table.inflate(stream, blocks, statuses);
        stream.wait();
        EXPECT_EQ(statuses.size(), jobs.size());
        statuses.resize(jobs.size());
        Results results;
        for (size_t k = 0; k < jobs.size(); ++k) {
            for (size_t guard = jobs[k].size; guard < out[k].size(); ++guard) EXPECT_EQ(out[k][guard], 0x5a);
            out[k].resize(jobs[k].size);
            results.push_back({statuses[k], out[k]});
            if (statuses[k] != InflateStatus::ok) {
                EXPECT_EQ(out[k], Bytes(jobs[k].size, 0x5a));
            }
        }
        return results;
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        for (size_t k = 0; k < order.size(); ++k) {
            const Result& wanted = expected[order[k]];
            const Result& here = actual[k];
            if (here == wanted) continue;
            const auto at =
                std::mismatch(wanted.bytes.begin(), wanted.bytes.end(), here.bytes.begin(), here.bytes.end());
            return "stream " + std::to_string(order[k]) + ": reference status " +
                   std::to_string(static_cast<uint32_t>(wanted.status)) + ", here " +
                   std::to_string(static_cast<uint32_t>(here.status)) + ", first difference at " +
                   std::to_string(at.first - wanted.bytes.begin());
        }
        return "";
    }
};

}  // namespace

void register_inflate() { register_op<InflateOp>(); }

}  // namespace gannet::parity
