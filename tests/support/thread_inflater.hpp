// SPDX-License-Identifier: MIT
// Provides a data::BatchInflater on threads of its own for tests, which can go wrong at a batch.
#pragma once

#include "data/batch_inflater.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <zlib.h>

namespace gannet::tests {

class ThreadInflater final : public data::BatchInflater {
  public:
    enum class Fault {
        none,
        denies,  ///< every third block that is good is said to be bad
        stops,   ///< from this batch on it does not work
        throws
    };
    struct Plan {
        size_t pieces = 2;
        size_t places = 2;
        std::chrono::microseconds latency{0};
        Fault fault = Fault::none;
        size_t at = 0;  ///< the first batch of the fault
    };
    explicit ThreadInflater(Plan plan) : plan_(plan), places_(plan.places), threads_(plan.places) {
        for (size_t k = 0; k < plan.places; ++k) free_.push_back(k);
    }
    ThreadInflater(const ThreadInflater&) = delete;
    ThreadInflater& operator=(const ThreadInflater&) = delete;

    size_t batch_pieces() const override { return plan_.pieces; }
    bool works() const override {
        const std::lock_guard lock(mutex_);
        return works_;
    }
    bool has_room() const override {
        const std::lock_guard lock(mutex_);
        return works_ && !free_.empty();
    }
    std::optional<size_t> reserve() override {
        const std::lock_guard lock(mutex_);
        if (!works_ || free_.empty()) return std::nullopt;
        const size_t place = free_.back();
        free_.pop_back();
        return place;
    }
    void release(size_t place) override {
        const std::lock_guard lock(mutex_);
        free_.push_back(place);
    }
    void begin(size_t place, std::span<const Block> blocks, std::function<void()> done) override {
        Place& own = places_[place];
        {
            const std::lock_guard lock(mutex_);
            own.number = seen_.batches++;
            seen_.blocks += blocks.size();
        }
        own.good.assign(blocks.size(), false);
        threads_.submit([this, &own, blocks, done = std::move(done)] {
            std::this_thread::sleep_for(plan_.latency);
            for (size_t k = 0; k < blocks.size(); ++k)
                own.good[k] = inflate(blocks[k]) && !(is_faulty(own, Fault::denies) && k % 3 == 0);
            done();
        });
    }
    void collect(size_t place, std::vector<bool>& good, const std::function<void()>& use) override {
        Place& own = places_[place];
        good = own.good;
        const bool stops = is_faulty(own, Fault::stops);
        const bool throws = is_faulty(own, Fault::throws);
        if (stops) good.assign(good.size(), false);
        if (!stops && !throws) use();
        {
            const std::lock_guard lock(mutex_);
            ++seen_.collected;
            works_ = works_ && !stops;
            free_.push_back(place);
        }
        if (throws) throw std::runtime_error("the inflater is lost");
    }

    struct Seen {
        size_t batches = 0;
        size_t blocks = 0;
        size_t collected = 0;
    };
    Seen seen() const {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

  private:
    struct Place {
        size_t number = 0;
        std::vector<bool> good;
    };
    bool is_faulty(const Place& place, Fault fault) const {
        return plan_.fault == fault && place.number >= plan_.at;
    }
    /// As on a device, a bad block is not written.
    static bool inflate(const Block& block) {
        z_stream stream = {};
        inflateInit2(&stream, -15);
        std::vector<uint8_t> in(block.stream.begin(), block.stream.end());
        std::vector<uint8_t> out(block.out.size() + 1);
        stream.next_in = in.data();
        stream.avail_in = static_cast<unsigned>(in.size());
        stream.next_out = out.data();
        stream.avail_out = static_cast<unsigned>(out.size());
        const int result = ::inflate(&stream, Z_FINISH);
        const size_t size = stream.total_out;
        inflateEnd(&stream);
        if (result != Z_STREAM_END || size != block.out.size() ||
            crc32(crc32(0, nullptr, 0), out.data(), static_cast<unsigned>(size)) != block.crc32)
            return false;
        std::copy(out.begin(), out.end() - 1, block.out.begin());
        return true;
    }

    const Plan plan_;
    mutable std::mutex mutex_;
    bool works_ = true;
    std::vector<size_t> free_;
    Seen seen_;
    std::vector<Place> places_;
    data::ThreadPool threads_;  // last: its tasks use the others
};

}  // namespace gannet::tests
