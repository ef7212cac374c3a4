// SPDX-License-Identifier: MIT
// Provides the threads that make simulated reads.
#include "data/simulate/read_files.hpp"

#include "data/output_file.hpp"
#include "data/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace gannet::data::simulate {

namespace {

constexpr uint64_t k_chunk_pairs = 2048;

/// What the threads share: the next chunk to make, the next to write, and the first failure.
class Shop {
  public:
    Shop(const ReadMaker& maker, uint64_t pairs, const std::string& folder)
        : maker_(maker),
          pairs_(pairs),
          files_{OutputFile(folder + "/reads_1.fq.gz"), OutputFile(folder + "/reads_2.fq.gz")} {}

    void work() noexcept {
        try {
            std::array<std::vector<uint8_t>, 2> text;
            std::array<std::vector<uint8_t>, 2> blocks;
            bgzf::BlockCompressor compressor(k_compression_level);
            for (uint64_t chunk = 0; take(chunk);) {
                ReadCounts counts;
                const uint64_t begin = chunk * k_chunk_pairs;
                for (auto* buffers : {&text, &blocks})
                    for (std::vector<uint8_t>& buffer : *buffers) buffer.clear();
                maker_.append(begin, std::min(pairs_, begin + k_chunk_pairs), text, counts);
                for (size_t mate = 0; mate < 2; ++mate) append_blocks(compressor, text[mate], blocks[mate]);
                put(chunk, blocks, counts);
            }
        } catch (...) {
            fail(std::current_exception());
        }
    }

    ReadCounts finish() {
        if (failure_) std::rethrow_exception(failure_);
        for (OutputFile& file : files_) {
            file.write(bgzf::k_end_of_file);
            file.commit();
        }
        return counts_;
    }

  private:
    bool take(uint64_t& chunk) {
        const std::lock_guard lock(mutex_);
        if (failure_ || next_to_make_ * k_chunk_pairs >= pairs_) return false;
        chunk = next_to_make_++;
        return true;
    }

    /// Waits for its turn, so that at most one completed chunk per thread is held.
    void put(uint64_t chunk, const std::array<std::vector<uint8_t>, 2>& blocks, const ReadCounts& counts) {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return failure_ || next_to_write_ == chunk; });
        if (failure_) return;
        for (size_t mate = 0; mate < 2; ++mate) files_[mate].write(blocks[mate]);
        counts_.add(counts);
        ++next_to_write_;
        turn_.notify_all();
    }

    void fail(std::exception_ptr failure) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::move(failure);
        turn_.notify_all();
    }

    const ReadMaker& maker_;
    uint64_t pairs_;
    std::array<OutputFile, 2> files_;
    std::mutex mutex_;
    std::condition_variable turn_;
    uint64_t next_to_make_ = 0;
    uint64_t next_to_write_ = 0;
    ReadCounts counts_;
    std::exception_ptr failure_;
};

}  // namespace

void append_blocks(bgzf::BlockCompressor& compressor, std::span<const uint8_t> text,
                   std::vector<uint8_t>& out) {
    for (size_t at = 0; at < text.size(); at += bgzf::k_max_payload_bytes)
        compressor.append(text.subspan(at, std::min(bgzf::k_max_payload_bytes, text.size() - at)), out);
}

ReadCounts write_reads(const ReadMaker& maker, uint64_t pairs, const std::string& folder, int threads) {
    Shop shop(maker, pairs, folder);
    {
        std::vector<std::jthread> helpers;
        start_helpers(helpers, static_cast<size_t>(threads > 1 ? threads - 1 : 0),
                      [&shop](size_t) { shop.work(); });
        shop.work();
    }
    return shop.finish();
}

}  // namespace gannet::data::simulate
