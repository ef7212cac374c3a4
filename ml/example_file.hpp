// SPDX-License-Identifier: MIT
// Provides shards of examples: their writer and a strict reader (docs/scorer.md has the format).
#pragma once

#include "ml/example.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gannet::ml {

inline constexpr uint8_t k_example_file_version = 2;
inline constexpr uint8_t k_unknown_label = 255;

struct ExampleFileHeader {
    std::string command;
    std::string sample;
    std::vector<std::string> contigs;
};

/// One record; the spans are the site's and the rows' bytes.
struct ExampleRecord {
    ExampleFacts facts;
    uint8_t label = k_unknown_label;  ///< copies of the allele in the truth
    std::span<const uint8_t> site;
    std::span<const uint8_t> rows;
};

/// Writes one shard, BGZF, under a partial name until commit(). The same records give the same bytes. Throws
/// Error(output_failed), Error(disk_space).
class ExampleWriter {
  public:
    ExampleWriter(const std::string& path, const ExampleFileHeader& header);
    ~ExampleWriter();
    void write(const ExampleRecord& record);
    void commit();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Reads one shard from begin to end. Throws Error(malformed_input) on anything that the format does not
/// allow: "FILE: record N: cause".
class ExampleReader {
  public:
    explicit ExampleReader(const std::string& path);
    ~ExampleReader();
    const ExampleFileHeader& header() const;
    /// False at the end. The spans are valid until the next call.
    bool read(ExampleRecord& record);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::ml
