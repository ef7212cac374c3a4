// SPDX-License-Identifier: MIT
// Provides made-up references and records for the tests of sort and duplicate marking.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace gannet::align {

/// A folder that is removed at the end of a test.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "gannet_sort_test_XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    const std::string& path() const { return path_; }
    bool is_empty() const { return std::filesystem::is_empty(path_); }

  private:
    std::string path_;
};

/// Contigs of the given lengths; bases are not looked at by the sort.
inline data::Reference blank_reference(const std::vector<uint64_t>& lengths) {
    std::vector<data::Contig> contigs;
    uint64_t offset = 64;
    for (size_t i = 0; i < lengths.size(); ++i) {
        data::Contig contig;
        contig.name = "c" + std::to_string(i);
        contig.length = lengths[i];
        contig.offset = offset;
        contigs.push_back(contig);
        offset = (offset + lengths[i] + 64 + 63) / 64 * 64;
    }
    auto packed = std::make_shared<std::vector<uint64_t>>(offset / 32);
    return data::Reference("test.fa", contigs, *packed, {}, packed);
}

/// `templates` pairs at random places; some without a place, some supplementary, `ordinal` from
/// `first_template` on.
inline data::RecordBatch random_batch(const std::vector<uint64_t>& lengths, uint64_t first_template,
                                      size_t templates, uint64_t seed) {
    std::mt19937_64 random(seed);
    data::RecordBatch batch;
    const std::vector<data::Base> bases(50, 2);
    const std::vector<uint8_t> qualities(50, 30);
    const std::vector<uint32_t> cigar = {data::cigar_element(50, data::k_cigar_match)};
    for (uint64_t t = first_template; t < first_template + templates; ++t) {
        const std::string name = "r" + std::to_string(t);
        const bool without_place = random() % 16 == 0;
        const size_t count = 2 + (random() % 8 == 0);
        for (size_t i = 0; i < count; ++i) {
            data::RecordFields fields;
            fields.name = name;
            fields.bases = bases;
            fields.qualities = qualities;
            fields.ordinal = t * 256 + i;
            if (!without_place) {
                fields.contig = static_cast<int32_t>(random() % lengths.size());
                // Few places, so that many records share one and the ordinal decides.
                fields.position =
                    static_cast<int32_t>(random() % lengths[static_cast<size_t>(fields.contig)] / 64 * 64);
                fields.cigar = cigar;
                fields.flag = i == 2 ? data::k_flag_supplementary : 0;
            }
            data::RecordAppender appender(batch, fields);
            appender.tag("NM", static_cast<int64_t>(t % 300));
        }
    }
    return batch;
}

}  // namespace gannet::align
