// SPDX-License-Identifier: MIT
// Provides small random genomes, reads of them, and a whole aligner over them, for the tests of align/.
#pragma once

#include "align/aligner.hpp"
#include "data/fasta/reader.hpp"
#include "kernels/op_table.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gannet::tests {

/// SplitMix64: the same numbers everywhere.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    uint64_t below(uint64_t n) { return next() % n; }
    std::string bases(size_t length) {
        std::string out(length, 'A');
        for (char& letter : out) letter = "ACGT"[below(4)];
        return out;
    }

  private:
    uint64_t state_;
};

inline std::string reverse_complement(std::string_view letters) {
    std::string out(letters.rbegin(), letters.rend());
    for (char& letter : out) {
        letter = letter == 'A'   ? 'T'
                 : letter == 'C' ? 'G'
                 : letter == 'G' ? 'C'
                 : letter == 'T' ? 'A'
                                 : letter;
    }
    return out;
}

/// Another base than the one given.
inline char other_base(char base) { return base == 'A' ? 'C' : base == 'C' ? 'G' : base == 'G' ? 'T' : 'A'; }

/// A genome with its index in a folder of its own.
struct Genome {
    TemporaryFolder folder;
    std::vector<std::pair<std::string, std::string>> contigs;
    std::shared_ptr<const data::Reference> reference;
    std::shared_ptr<const align::Index> index;

    explicit Genome(std::vector<std::pair<std::string, std::string>> given, int threads = 1)
        : contigs(std::move(given)) {
        std::string text;
        for (const auto& [name, sequence] : contigs) text += ">" + name + "\n" + sequence + "\n";
        reference = data::fasta::load(folder.write("ref.fa", text));
        align::build_index(*reference, {}, folder.path("ref.gannet"), {.threads = threads});
        index = align::Index::open(folder.path("ref.gannet"));
    }
};

/// A batch from letters; pairs where `paired`.
inline data::ReadBatch make_batch(const std::vector<std::string>& reads, bool paired) {
    data::ReadBatch batch;
    batch.clear();
    batch.paired = paired;
    for (size_t i = 0; i < reads.size(); ++i) {
        if (!paired || i % 2 == 0) {
            const std::string name = "t" + std::to_string(paired ? i / 2 : i);
            batch.names.insert(batch.names.end(), name.begin(), name.end());
            batch.name_offset.push_back(static_cast<uint32_t>(batch.names.size()));
        }
        for (const char letter : reads[i]) {
            batch.bases.push_back(data::k_base_of_letter[static_cast<uint8_t>(letter)]);
            batch.qualities.push_back(static_cast<uint8_t>(30 + batch.qualities.size() % 7));
        }
        batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
    }
    return batch;
}

/// Runs all rounds of a batch with the kernels of the host.
inline data::RecordBatch align_batch(const align::Aligner& aligner, const data::ReadBatch& batch,
                                     const align::InsertSizeModel& model) {
    static const kernels::OpTable ops = kernels::make_op_table(kernels::Backend::simd, std::nullopt);
    const auto stream = ops.make_stream();
    align::AlignmentWork work;
    data::RecordBatch out;
    for (const align::Round round : align::k_rounds) {
        aligner.prepare(round, batch, model, work);
        aligner.call(round, ops, *stream, work);
    }
    aligner.build_records(batch, work, 0, batch.templates(), out);
    return out;
}

inline std::string cigar_of(const data::RecordView& record) {
    std::string text;
    for (uint16_t i = 0; i < record.cigar_count(); ++i) {
        text += std::to_string(data::cigar_length(record.cigar(i)));
        text += "MIDNSHP=X"[data::cigar_op(record.cigar(i))];
    }
    return text.empty() ? "*" : text;
}

}  // namespace gannet::tests
