// SPDX-License-Identifier: MIT
// Provides what single PTX instructions do (tests/device/ptx_instructions.py says which). Where C++ leaves a
// result open, as of sums that overflow and of long shifts, it is PTX's. All are inline by force: translated
// files are compiled with hardly any optimisation, which would call each.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace gannet::ptx {

/// A register's bits, or a number, as a value of the type T.
template <class T, class Bits>
[[gnu::always_inline]] inline T as(Bits bits) {
    if constexpr (std::is_same_v<T, Bits>)
        return bits;
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<uint32_t>(bits));
    else
        return static_cast<T>(bits);
}
/// Into a register: what is signed fills a wider one with its sign.
template <class Register, class T>
[[gnu::always_inline]] inline void put(Register& to, T value) {
    if constexpr (std::is_same_v<T, float>)
        to = static_cast<Register>(std::bit_cast<uint32_t>(value));
    else
        to = static_cast<Register>(value);
}

template <class T>
[[gnu::always_inline]] inline T get(const uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class T>
[[gnu::always_inline]] inline void set(uint8_t* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

template <class T>
[[gnu::always_inline]] inline T sum(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}
template <class T>
[[gnu::always_inline]] inline T difference(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
}
template <class T>
[[gnu::always_inline]] inline T product(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
[[gnu::always_inline]] inline uint32_t wide_product(uint16_t a, uint16_t b) { return uint32_t{a} * b; }
[[gnu::always_inline]] inline int32_t wide_product(int16_t a, int16_t b) { return int32_t{a} * b; }
[[gnu::always_inline]] inline uint64_t wide_product(uint32_t a, uint32_t b) { return uint64_t{a} * b; }
[[gnu::always_inline]] inline int64_t wide_product(int32_t a, int32_t b) { return int64_t{a} * b; }
template <class T>
[[gnu::always_inline]] inline T high_product(T a, T b) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> 8 * sizeof(T));
}
template <class T>
[[gnu::always_inline]] inline T quotient(T a, T b) {
    if (b == 0) throw std::runtime_error("a division by zero, whose result PTX leaves open");
    return std::is_signed_v<T> && b == static_cast<T>(-1) ? difference(T{0}, a) : static_cast<T>(a / b);
}
template <class T>
[[gnu::always_inline]] inline T remainder(T a, T b) {
    if (b == 0) throw std::runtime_error("a division by zero, whose result PTX leaves open");
    return std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0} : static_cast<T>(a % b);
}
template <class T>
[[gnu::always_inline]] inline T lesser(T a, T b) {
    return b < a ? b : a;
}
template <class T>
[[gnu::always_inline]] inline T greater(T a, T b) {
    return a < b ? b : a;
}
template <class T>
[[gnu::always_inline]] inline T magnitude(T a) {
    return a < 0 ? difference(T{0}, a) : a;
}

/// A function of the low halves and of the high ones.
template <class Function>
[[gnu::always_inline]] inline uint32_t in_halves(uint32_t a, uint32_t b, const Function& function) {
    const uint16_t low = function(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
    const uint16_t high = function(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16));
    return low | uint32_t{high} << 16;
}

/// Distances are not taken modulo the width.
template <class T>
[[gnu::always_inline]] inline T shifted_left(T a, uint32_t by) {
    return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << by);
}
template <class T>
[[gnu::always_inline]] inline T shifted_right(T a, uint32_t by) {
    if (by >= 8 * sizeof(T)) return static_cast<T>(std::is_signed_v<T> && a < 0 ? -1 : 0);
    return static_cast<T>(a >> by);
}
template <class T>
[[gnu::always_inline]] inline T turned(T a) {
    T result = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k) result = static_cast<T>(result << 1 | (a >> k & 1));
    return result;
}
/// The low `length` bits of a in b, from `position` on.
template <class T>
[[gnu::always_inline]] inline T inserted(T a, T b, uint32_t position, uint32_t length) {
    constexpr uint32_t k_width = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    const T ones = length >= k_width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
    const T mask = shifted_left(ones, position);
    return static_cast<T>((b & ~mask) | (shifted_left(a, position) & mask));
}
/// The bytes of a (0-3) and b (4-7) that four digits name; with bit 3 a byte's sign in all its bits.
[[gnu::always_inline]] inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t digits) {
    const uint64_t bytes = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t digit = digits >> 4 * k & 15;
        const auto byte = static_cast<uint8_t>(bytes >> 8 * (digit & 7));
        const uint8_t chosen = digit < 8 ? byte : byte < 128 ? 0 : 255;
        result |= uint32_t{chosen} << 8 * k;
    }
    return result;
}
/// Unsigned bytes of a by signed bytes of b.
[[gnu::always_inline]] inline int32_t dot_product(uint32_t a, uint32_t b, int32_t total) {
    for (uint32_t k = 0; k < 4; ++k) {
        const int32_t one = static_cast<uint8_t>(a >> 8 * k) * static_cast<int8_t>(b >> 8 * k);
        total = sum(total, one);
    }
    return total;
}

}  // namespace gannet::ptx
