// SPDX-License-Identifier: MIT
// Provides plain values as bytes, written and read back in the same order by the same build of gannet.
#pragma once

#include "data/error.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gannet::data {

class StateWriter {
  public:
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* raw = reinterpret_cast<const uint8_t*>(&value);
        bytes_.insert(bytes_.end(), raw, raw + sizeof value);
    }
    template <class T>
    void put_all(const std::vector<T>& values) {
        put(uint64_t{values.size()});
        for (const T& value : values) put(value);
    }
    const std::vector<uint8_t>& bytes() const { return bytes_; }

  private:
    std::vector<uint8_t> bytes_;
};

/// Throws Error(malformed_input) where the bytes end early. `name`: the file they come from, for the message.
class StateReader {
  public:
    StateReader(std::span<const uint8_t> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        if (bytes_.size() < sizeof value) fail();
        std::memcpy(&value, bytes_.data(), sizeof value);
        bytes_ = bytes_.subspan(sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> get_all() {
        const auto count = get<uint64_t>();
        if (count > bytes_.size() / sizeof(T)) fail();
        std::vector<T> values(count);
        for (T& value : values) value = get<T>();
        return values;
    }
    bool empty() const { return bytes_.empty(); }
    size_t left_bytes() const { return bytes_.size(); }
    [[noreturn]] void fail() const {
        throw Error(ErrorKind::malformed_input,
                    name_ + ": is not what an earlier run wrote there: remove the folder " +
                        name_.substr(0, name_.rfind('/')) + " and run again");
    }

  private:
    std::span<const uint8_t> bytes_;
    std::string name_;
};

}  // namespace gannet::data
