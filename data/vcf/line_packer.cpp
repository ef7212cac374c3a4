// SPDX-License-Identifier: MIT
// Provides the lines of a gVCF, compressed beside the writer.
#include "data/bgzf/block.hpp"
#include "data/vcf/text.hpp"
#include "data/vcf/writer.hpp"

#include <algorithm>

namespace gannet::data::vcf {

struct LinePacker::State {
    const Reference& reference;
    Format format;
    GvcfDialect dialect;
    bgzf::BlockCompressor compressor{k_compression_level};
    std::string text{};
};

LinePacker::LinePacker(const Reference& reference, Format format, GvcfDialect dialect)
    : state_(new State{reference, format, dialect}) {}

LinePacker::~LinePacker() = default;

void LinePacker::add(std::span<const Variant> variants, std::span<const ReferenceBlock> blocks,
                     PackedLines& out) {
    State& s = *state_;
    s.text.clear();
    auto variant = variants.begin();
    auto block = blocks.begin();
    while (variant != variants.end() || block != blocks.end()) {
        const bool is_block =
            variant == variants.end() ||
            (block != blocks.end() && (block->contig != variant->contig ? block->contig < variant->contig
                                                                        : block->begin < variant->position));
        if (is_block) {
            append_text(*block++, s.reference, s.text, s.dialect);
        } else {
            append_text(*variant++, s.reference, s.text, s.dialect);
        }
        s.text += '\n';
    }
    const std::span bytes(reinterpret_cast<const uint8_t*>(s.text.data()), s.text.size());
    if (s.format != Format::blocks) {
        out.bytes.insert(out.bytes.end(), bytes.begin(), bytes.end());
        return;
    }
    for (size_t at = 0; at < bytes.size(); at += bgzf::k_max_payload_bytes) {
        s.compressor.append(bytes.subspan(at, std::min(bgzf::k_max_payload_bytes, bytes.size() - at)),
                            out.bytes);
    }
}

}  // namespace gannet::data::vcf
