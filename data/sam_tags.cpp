// SPDX-License-Identifier: MIT
// Provides the parsing of optional fields as SAM writes them, and the choice of those that are carried on.
#include "data/sam_tags.hpp"

#include "data/record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace gannet::data {
namespace {

/// Sorted. Of the SAM specification, bwa, Bowtie2, minimap2, samtools markdup and Picard MarkDuplicates.
constexpr std::array<std::string_view, 61> k_not_carried{
    "AM", "AS", "BQ", "CC", "CG", "CM", "CP", "DI", "DT", "E2", "FI", "H0", "H1", "H2", "HI", "IH",
    "MC", "MD", "MQ", "NH", "NM", "OA", "OC", "OP", "OQ", "PG", "PQ", "Q2", "R2", "RG", "SA", "SM",
    "TC", "U2", "UQ", "X0", "X1", "XA", "XG", "XM", "XN", "XO", "XS", "YF", "YS", "YT", "cg", "cm",
    "cs", "de", "do", "dt", "dv", "ms", "nn", "pa", "rl", "s1", "s2", "tp", "zd"};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class T>
void append(std::vector<uint8_t>& out, T value) {
    const auto* raw = reinterpret_cast<const uint8_t*>(&value);
    out.insert(out.end(), raw, raw + sizeof value);
}

template <class T>
bool parse(std::string_view text, T& value) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc{} && end == text.data() + text.size();
}

bool append_integer(std::string_view text, std::vector<uint8_t>& out) {
    int64_t value = 0;
    if (!parse(text, value) || value < std::numeric_limits<int32_t>::min() ||
        value > std::numeric_limits<uint32_t>::max())
        return false;
    append_integer_value(value, out);
    return true;
}

template <class T>
bool append_element(std::string_view text, std::vector<uint8_t>& out) {
    T value{};
    if constexpr (sizeof(T) == 1) {
        int wide = 0;
        if (!parse(text, wide) || wide < std::numeric_limits<T>::min() ||
            wide > std::numeric_limits<T>::max())
            return false;
        value = static_cast<T>(wide);
    } else if (!parse(text, value)) {
        return false;
    }
    append(out, value);
    return true;
}

bool append_element(char type, std::string_view text, std::vector<uint8_t>& out) {
    switch (type) {
        case 'c':
            return append_element<int8_t>(text, out);
        case 'C':
            return append_element<uint8_t>(text, out);
        case 's':
            return append_element<int16_t>(text, out);
        case 'S':
            return append_element<uint16_t>(text, out);
        case 'i':
            return append_element<int32_t>(text, out);
        case 'I':
            return append_element<uint32_t>(text, out);
        case 'f':
            return append_element<float>(text, out);
        default:
            return false;
    }
}

/// "c,1,2": an array.
bool append_array(std::string_view text, std::vector<uint8_t>& out) {
    if (text.empty()) return false;
    const char type = text.front();
    text.remove_prefix(1);
    out.push_back('B');
    out.push_back(static_cast<uint8_t>(type));
    const auto count = static_cast<uint32_t>(std::count(text.begin(), text.end(), ','));
    append(out, count);
    if (!text.empty() && text.front() != ',') return false;
    while (!text.empty()) {
        text.remove_prefix(1);
        const size_t comma = std::min(text.find(','), text.size());
        if (!append_element(type, text.substr(0, comma), out)) return false;
        text.remove_prefix(comma);
    }
    return std::string_view("cCsSiIf").find(type) != std::string_view::npos;
}

bool append_value(char type, std::string_view text, std::vector<uint8_t>& out) {
    const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!printable) return false;
    switch (type) {
        case 'A':
            if (text.size() != 1) return false;
            break;
        case 'i':
            return append_integer(text, out);
        case 'f': {
            out.push_back('f');
            return append_element<float>(text, out);
        }
        case 'B':
            return append_array(text, out);
        case 'H':
            if (text.size() % 2 != 0 || !std::all_of(text.begin(), text.end(), [](char c) {
                    return is_digit(c) || (c >= 'A' && c <= 'F');
                }))
                return false;
            break;
        case 'Z':
            break;
        default:
            return false;
    }
    out.push_back(static_cast<uint8_t>(type));
    out.insert(out.end(), text.begin(), text.end());
    if (type != 'A') out.push_back(0);
    return true;
}

/// "1:N:0:ACGT", as Illumina's software writes behind the name.
bool is_casava(std::string_view field) {
    return field.size() >= 5 && is_digit(field[0]) && field[1] == ':' &&
           (field[2] == 'N' || field[2] == 'Y') && field[3] == ':' && is_digit(field[4]);
}

/// Text would end a field or a line of SAM if it held a tab or a newline.
bool is_printable(std::span<const uint8_t> field) {
    const auto shown = [](uint8_t c) { return c >= ' ' && c <= '~'; };
    const uint8_t type = field[2];
    const size_t text = type == 'A' || type == 'Z' || type == 'H' ? field.size() - (type == 'A' ? 0 : 1) : 3;
    return std::all_of(field.begin(), field.begin() + static_cast<std::ptrdiff_t>(text), shown);
}

/// Whether a record's fields have this tag, which may be there once (SAM specification 1.5).
bool holds_tag(std::span<const uint8_t> fields, char first, char second) {
    for (size_t at = 0; at + 3 <= fields.size();) {
        if (fields[at] == static_cast<uint8_t>(first) && fields[at + 1] == static_cast<uint8_t>(second))
            return true;
        const size_t size = tag_value_bytes(fields, at + 2);
        if (size == 0) return false;
        at += 2 + size;
    }
    return false;
}

}  // namespace

bool is_carried_tag(char first, char second) {
    const std::array<char, 2> name{first, second};
    return !std::binary_search(k_not_carried.begin(), k_not_carried.end(),
                               std::string_view(name.data(), name.size()));
}

std::string append_sam_tags(std::string_view comment, std::vector<uint8_t>& out) {
    const size_t before = out.size();
    bool first = true;
    while (!comment.empty()) {
        const size_t tab = std::min(comment.find('\t'), comment.size());
        const std::string_view field = comment.substr(0, tab);
        comment.remove_prefix(std::min(tab + 1, comment.size()));
        if (field.empty() || (first && is_casava(field))) {
            first = false;
            continue;
        }
        first = false;
        const bool shaped = field.size() >= 5 && is_letter(field[0]) &&
                            (is_letter(field[1]) || is_digit(field[1])) && field[2] == ':' && field[4] == ':';
        const size_t begin = out.size();
        if (shaped && holds_tag(std::span(out).subspan(before), field[0], field[1]))
            return "it has the tag " + std::string(field.substr(0, 2)) + " twice";
        if (shaped) {
            out.push_back(static_cast<uint8_t>(field[0]));
            out.push_back(static_cast<uint8_t>(field[1]));
        }
        if (!shaped || !append_value(field[3], field.substr(5), out)) {
            out.resize(begin);
            return "'" + std::string(field.substr(0, 60)) + "' is not a tag of SAM such as RX:Z:ACGT";
        }
        if (!is_carried_tag(field[0], field[1])) out.resize(begin);
    }
    return "";
}

bool append_carried_tags(std::span<const uint8_t> tags, std::vector<uint8_t>& out) {
    const size_t before = out.size();
    for (size_t at = 0; at < tags.size();) {
        const size_t size = at + 3 <= tags.size() ? tag_value_bytes(tags, at + 2) : 0;
        if (size == 0) return false;
        const auto field = tags.subspan(at, 2 + size);
        if (!is_printable(field)) return false;
        const auto first = static_cast<char>(field[0]);
        const auto second = static_cast<char>(field[1]);
        if (is_carried_tag(first, second)) {
            if (holds_tag(std::span(out).subspan(before), first, second)) return false;
            out.insert(out.end(), field.begin(), field.end());
        }
        at += field.size();
    }
    return true;
}

}  // namespace gannet::data
