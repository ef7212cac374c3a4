// SPDX-License-Identifier: MIT
// Provides the readers of lanes of FASTQ: single-end, interleaved and paired files.
#include "data/fastq/reader.hpp"

#include "data/error.hpp"
#include "data/fastq/alignment_lane.hpp"
#include "data/fastq/text_source.hpp"
#include "data/input_stream.hpp"

#include <utility>

namespace gannet::data::fastq {
namespace {

constexpr uint64_t k_template_cost = 8;

std::string quoted(std::string_view name) { return '\'' + std::string(name) + '\''; }

/// Name without mate number: the title's first word less a trailing /1 or /2.
std::string_view template_name(std::string_view word) {
    const size_t size = word.size();
    if (size > 2 && word[size - 2] == '/' && (word[size - 1] == '1' || word[size - 1] == '2'))
        word.remove_suffix(2);
    return word;
}

class FastqLane final : public LaneReader {
  public:
    FastqLane(std::unique_ptr<InputStream> first, std::unique_ptr<InputStream> second, const Lane& lane,
              BatchPolicy policy, TaskRunner* runner)
        : LaneReader(policy),
          first_(std::move(first), runner, lane.comment_tags),
          interleaved_(lane.interleaved),
          read_group_(lane.read_group) {
        if (second) second_ = std::make_unique<TextSource>(std::move(second), runner, lane.comment_tags);
    }

    void use_runner(TaskRunner* runner) override {
        first_.use_runner(runner);
        if (second_) second_->use_runner(runner);
    }

    bool read(ReadBatch& batch) override {
        batch.clear();
        batch.paired = interleaved_ || second_;
        batch.read_group = read_group_;
        // Reads without bases fill a batch too.
        while (batch.bases.size() + k_template_cost * batch.templates() < policy_.bases &&
               read_template(batch)) {
        }
        return batch.templates() != 0;
    }

    uint64_t position_bytes() const override {
        return first_.position_bytes() + (second_ ? second_->position_bytes() : 0);
    }

  private:
    bool read_template(ReadBatch& batch) {
        std::string_view word;
        if (!first_.read(batch, word)) {
            if (second_) require_end_of_second();
            return false;
        }
        const std::string_view name = template_name(word);
        batch.names.insert(batch.names.end(), name.begin(), name.end());
        batch.name_offset.push_back(static_cast<uint32_t>(batch.names.size()));
        if (!batch.paired) return true;

        TextSource& mates = second_ ? *second_ : first_;
        if (!mates.read(batch, word)) {
            if (second_) {
                throw_malformed(mates.name(),
                                "ends after record " + std::to_string(mates.records()) +
                                    ", but its mates' file " + first_.name() +
                                    " has more: one of them is cut or they do not belong together");
            }
            throw_malformed(
                mates.name(), mates.records(),
                "is the first of a pair without its mate: an interleaved file has an even number of records");
        }
        const std::string_view mate = template_name(word);
        if (mate != batch.name(batch.templates() - 1))
            refuse_mate(mates, mate, batch.name(batch.templates() - 1));
        return true;
    }

    [[noreturn]] void refuse_mate(const TextSource& mates, std::string_view mate,
                                  std::string_view name) const {
        const std::string where = second_ ? "in " + first_.name() : "before it";
        throw_malformed(mates.name(), mates.records(),
                        "is named " + quoted(mate) + " but its mate " + where + " " + quoted(name) +
                            ": the files must hold the same reads in the same order");
    }

    void require_end_of_second() {
        ReadBatch scratch;
        scratch.clear();
        std::string_view word;
        if (!second_->read(scratch, word)) return;
        throw_malformed(first_.name(), "ends after record " + std::to_string(first_.records()) +
                                           ", but its mates' file " + second_->name() +
                                           " has more: one of them is cut or they do not belong together");
    }

    TextSource first_;
    std::unique_ptr<TextSource> second_;
    bool interleaved_;
    uint32_t read_group_;
};

}  // namespace

std::unique_ptr<LaneReader> LaneReader::open(const Lane& lane, BatchPolicy policy, TaskRunner* runner) {
    if (lane.opened) {
        if (!*lane.opened) throw Error(ErrorKind::usage, lane.first + ": a pipe can be read only once");
        (*lane.opened)->set_policy(policy);
        (*lane.opened)->use_runner(runner);
        return std::move(*lane.opened);
    }
    if (lane.first == lane.second) {
        throw Error(ErrorKind::usage, lane.first + ": is given as both files of a pair");
    }
    if (!lane.second.empty() && lane.interleaved) {
        throw Error(ErrorKind::usage, lane.first + ": interleaved reads come in one file, but " +
                                          lane.second + " is given too");
    }
    auto first = std::make_unique<InputStream>(lane.first);
    std::unique_ptr<InputStream> second;
    if (!lane.second.empty()) second = std::make_unique<InputStream>(lane.second);
    if (second && (first->holds_alignments() || second->holds_alignments())) {
        throw Error(ErrorKind::usage,
                    (first->holds_alignments() ? first : second)->name() +
                        ": holds SAM, BAM or CRAM records: mates come in one such file, give no second one");
    }
    if (first->holds_alignments()) return open_alignment_lane(std::move(first), lane.read_group, policy);
    return std::make_unique<FastqLane>(std::move(first), std::move(second), lane, policy, runner);
}

}  // namespace gannet::data::fastq
