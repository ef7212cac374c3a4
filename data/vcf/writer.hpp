// SPDX-License-Identifier: MIT
// Provides the writer of VCF/BCF: header from the run's facts, records from data::Variant, index (TBI/CSI)
// while writing.
#pragma once

#include "data/reference.hpp"
#include "data/reference_block.hpp"
#include "data/variant.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::data::vcf {

/// What a record says of alleles that were not observed: nothing (a VCF), or as a gVCF by the allele <*>
/// (VCF 4.3, section 5.5), or by <NON_REF> with the fields that GATK's CombineGVCFs and GenotypeGVCFs use.
enum class GvcfDialect { none, vcf, gatk };

struct HeaderFacts {
    std::string sample;
    std::string source;                      ///< "gannet 0.1.0"
    std::vector<std::string> extra_lines;    ///< "##key=value", in order: command, backend, parameters
    std::vector<FilterDescription> filters;  ///< every filter that a record may have
    GvcfDialect dialect = GvcfDialect::none;
    std::vector<int32_t> bands = {};  ///< of a gVCF: the GQ at which each band but the first begins
};

/// How a VCF is stored: text, text in BGZF blocks, or BCF.
enum class Format { text, blocks, bcf };
/// By the name: .vcf, .vcf.gz or .vcf.bgz, .bcf. What is written in place is text.
Format format_of(const std::string& path);

/// Lines of a gVCF as they are written: text, or the BGZF blocks that hold it.
struct PackedLines {
    std::vector<uint8_t> bytes;
};

/// Makes the lines of a gVCF, and compresses them, beside the writer: one object per thread. The blocks end
/// where a call of add() ends, so that the bytes do not depend on how the calls are divided among
/// PackedLines.
class LinePacker {
  public:
    LinePacker(const Reference& reference, Format format, GvcfDialect dialect);
    ~LinePacker();
    /// Appends the records of a stretch of the genome: variants and blocks, each in genome order.
    void add(std::span<const Variant> variants, std::span<const ReferenceBlock> blocks, PackedLines& out);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Format by name, see format_of; "-" is VCF on stdout. A PartialFile that close() renames, as the BAM
/// writer's. Not thread-safe.
class Writer {
  public:
    Writer(const std::string& path, const Reference& reference, const HeaderFacts& facts);
    /// With a header made elsewhere. Blocks are compressed by `threads` threads.
    Writer(const std::string& path, const Reference& reference, const std::string& header, size_t threads);
    ~Writer();
    void write(std::span<const Variant> variants);
    /// What a LinePacker with this writer's format made; not together with the other write().
    void write(const PackedLines& lines);
    /// Lines as text, each with its newline.
    void write_lines(std::string_view lines);
    void close();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The VCF text of one record without newline: the one formatter, integer arithmetic only.
std::string to_text(const Variant& variant, const Reference& reference);

}  // namespace gannet::data::vcf
