// SPDX-License-Identifier: MIT
// Provides archives of one file.
#include "pipeline/qc/archive.hpp"

#include "data/checksum.hpp"

#include <array>
#include <cstdint>

namespace gannet::pipeline::qc {
namespace {

void put(std::string& to, uint32_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 0xff);
}

struct Entry {
    std::string name;
    std::string_view content;
    uint32_t attributes;  ///< of MS-DOS
    uint32_t offset = 0;
};

/// What the local and the central header of an entry have in common.
void put_facts(std::string& to, const Entry& entry) {
    constexpr uint32_t k_first_of_january_1980 = 1 << 5 | 1;
    put(to, 20, 2);  // version that is needed
    put(to, 0, 2);   // flags
    put(to, 0, 2);   // stored
    put(to, 0, 2);   // time
    put(to, k_first_of_january_1980, 2);
    put(to, data::crc32({reinterpret_cast<const uint8_t*>(entry.content.data()), entry.content.size()}), 4);
    put(to, static_cast<uint32_t>(entry.content.size()), 4);
    put(to, static_cast<uint32_t>(entry.content.size()), 4);
    put(to, static_cast<uint32_t>(entry.name.size()), 2);
    put(to, 0, 2);  // extra fields
}

}  // namespace

std::string archive_of(std::string_view folder, std::string_view name, std::string_view content) {
    constexpr uint32_t k_is_folder = 0x10;
    const std::string prefix = std::string(folder) + "/";
    std::array<Entry, 2> entries{{{prefix, "", k_is_folder}, {prefix + std::string(name), content, 0}}};
    std::string archive;
    for (Entry& entry : entries) {
        entry.offset = static_cast<uint32_t>(archive.size());
        put(archive, 0x04034b50, 4);
        put_facts(archive, entry);
        archive += entry.name;
        archive += entry.content;
    }
    const auto directory = static_cast<uint32_t>(archive.size());
    for (const Entry& entry : entries) {
        put(archive, 0x02014b50, 4);
        put(archive, 20, 2);  // version that made it
        put_facts(archive, entry);
        put(archive, 0, 2);  // comment
        put(archive, 0, 2);  // disk
        put(archive, 0, 2);  // attributes of the content
        put(archive, entry.attributes, 4);
        put(archive, entry.offset, 4);
        archive += entry.name;
    }
    const auto end = static_cast<uint32_t>(archive.size());
    put(archive, 0x06054b50, 4);
    put(archive, 0, 4);  // disks
    put(archive, entries.size(), 2);
    put(archive, entries.size(), 2);
    put(archive, end - directory, 4);
    put(archive, directory, 4);
    put(archive, 0, 2);  // comment
    return archive;
}

}  // namespace gannet::pipeline::qc
