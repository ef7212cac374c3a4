// SPDX-License-Identifier: MIT
// Provides the readers of lanes of FASTQ: single-end, interleaved and paired files.
#include "data/fastq/reader.hpp"

#include "data/error.hpp"
#include "data/fastq/alignment_lane.hpp"
#include "data/fastq/record_parser.hpp"
#include "data/fastq/text_cutter.hpp"
#include "data/input_stream.hpp"

#include <algorithm>
#include <optional>
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

/// Whether the names differ in their last letter alone, 1 and 2 behind something else than a slash.
bool have_other_numbers(std::string_view mate, std::string_view name) {
    if (mate.size() != name.size() || name.size() < 3 || !name.ends_with('1') || !mate.ends_with('2'))
        return false;
    mate.remove_suffix(1), name.remove_suffix(1);
    return mate == name && std::string_view("._:-#").find(name.back()) != std::string_view::npos;
}

/// Most bytes of text per base, more than which is not believed of the reads that follow a batch's first.
constexpr size_t k_max_bytes_per_base = 4;

class FastqLane final : public LaneReader {
  public:
    FastqLane(std::unique_ptr<InputStream> first, std::unique_ptr<InputStream> second, const Lane& lane,
              BatchPolicy policy, TaskRunner* runner, BatchInflater* batches)
        : LaneReader(policy),
          first_(std::move(first), runner, batches),
          interleaved_(lane.interleaved),
          comment_tags_(lane.comment_tags),
          read_group_(lane.read_group) {
        if (second) second_ = std::make_unique<TextCutter>(std::move(second), runner, batches);
    }

    void use_runner(TaskRunner* runner, BatchInflater* batches) override {
        first_.use_runner(runner, batches);
        if (second_) second_->use_runner(runner, batches);
    }

    size_t cut(TextBatch& text, ReadBatch& batch, size_t most_templates) override {
        text.clear();
        batch.clear();
        batch.paired = interleaved_ || second_;
        batch.read_group = read_group_;
        if (ended_ || most_templates == 0) return 0;
        cut_text(text, most_templates);
        if (text.templates == 0) {
            ended_ = true;
            if (text.fault) std::rethrow_exception(std::exchange(text.fault, nullptr));
            require_known_encodings();
            return 0;
        }
        const size_t templates = text.templates;
        if (!are_encodings_decided()) {
            parse_text(text, batch, &first_encoding_, &second_encoding_);
            text.clear();
        }
        return templates;
    }

    void parse(const TextBatch& text, ReadBatch& batch) const override {
        parse_text(text, batch, nullptr, nullptr);
    }

    uint64_t position_bytes() const override {
        return first_.position_bytes() + (second_ ? second_->position_bytes() : 0);
    }

  private:
    /// Bytes of a file that so many bases have, if all reads are as the next one.
    size_t bytes_for(uint64_t bases) {
        const TextCutter::Size next = first_.next_size();
        const size_t cost = next.bases + k_template_cost;  // reads without bases fill a batch too
        return std::max<size_t>(1, std::min(bases * next.bytes / cost, bases * k_max_bytes_per_base));
    }

    /// Where a file has a fault, the records before it are a batch too.
    void cut_text(TextBatch& text, size_t most_templates) {
        text.first.first_record = first_.records();
        if (second_) text.second.first_record = second_->records();
        keep_fault(text, [&] {
            const size_t bytes = bytes_for(policy_.bases / (second_ ? 2 : 1));
            const size_t most =
                interleaved_ && most_templates <= SIZE_MAX / 2 ? 2 * most_templates : most_templates;
            const size_t reads = first_.cut(most, bytes, text.first);
            if (interleaved_ && reads % 2 != 0) first_.cut(1, 1, text.first);
        });
        const size_t reads = first_.records() - text.first.first_record;
        text.templates = interleaved_ ? (reads + 1) / 2 : reads;
        if (!second_) return;
        keep_fault(text, [&] { second_->cut(reads, SIZE_MAX, text.second); });
        if (text.fault) return;
        keep_fault(text, [&] {
            if (first_.at_end() && !second_->at_end())
                refuse_end(first_.name(), first_.records(), second_->name());
        });
    }

    /// Of several faults the first one.
    template <class Work>
    void keep_fault(TextBatch& text, const Work& work) {
        try {
            work();
        } catch (...) {
            if (!text.fault) text.fault = std::current_exception();
            ended_ = true;
        }
    }

    bool are_encodings_decided() const {
        return first_encoding_.is_decided() && (!second_ || second_encoding_.is_decided());
    }
    /// At the end of the lane: of files that have fewer reads than are looked at.
    void require_known_encodings() const {
        if (!first_encoding_.is_decided()) require_phred_33(first_encoding_, first_.name(), first_.records());
        if (second_ && !second_encoding_.is_decided())
            require_phred_33(second_encoding_, second_->name(), second_->records());
    }

    /// `first`, `second`: null where the encodings are decided.
    void parse_text(const TextBatch& text, ReadBatch& batch, EncodingProgress* first,
                    EncodingProgress* second) const {
        RecordParser parser(text.first, first_.name(), comment_tags_, undecided(first));
        std::optional<RecordParser> mates;
        if (second_) mates.emplace(text.second, second_->name(), comment_tags_, undecided(second));
        while (parse_template(parser, mates ? *mates : parser, text, batch)) {
        }
        if (text.fault) std::rethrow_exception(text.fault);
    }
    static EncodingProgress* undecided(EncodingProgress* encoding) {
        return encoding == nullptr || encoding->is_decided() ? nullptr : encoding;
    }

    /// `mates`: the parser of the second file, or the same one.
    bool parse_template(RecordParser& parser, RecordParser& mates, const TextBatch& text,
                        ReadBatch& batch) const {
        std::string_view word;
        if (!parser.read(batch, word)) return false;
        const std::string_view name = template_name(word);
        batch.names.insert(batch.names.end(), name.begin(), name.end());
        batch.name_offset.push_back(static_cast<uint32_t>(batch.names.size()));
        if (!batch.paired) return true;
        if (!mates.read(batch, word)) {
            if (text.fault) std::rethrow_exception(text.fault);
            if (second_) refuse_end(second_->name(), mates.records(), first_.name());
            throw_malformed(
                first_.name(), mates.records(),
                "is the first of a pair without its mate: an interleaved file has an even number of records");
        }
        const std::string_view mate = template_name(word);
        if (mate != name) refuse_mate(mates.records(), mate, name);
        return true;
    }

    [[noreturn]] void refuse_mate(uint64_t record, std::string_view mate, std::string_view name) const {
        const std::string where = second_ ? "in " + first_.name() : "before it";
        throw_malformed(second_ ? second_->name() : first_.name(), record,
                        "is named " + quoted(mate) + " but its mate " + where + " " + quoted(name) +
                            (have_other_numbers(mate, name)
                                 ? ": of mates' numbers /1 and /2 alone are dropped (write these so, or "
                                   "none: fastq-dump without -I)"
                                 : ": the files must hold the same reads in the same order"));
    }

    [[noreturn]] static void refuse_end(const std::string& name, uint64_t records, const std::string& other) {
        throw_malformed(name, "ends after record " + std::to_string(records) + ", but its mates' file " +
                                  other + " has more: one of them is cut or they do not belong together");
    }

    TextCutter first_;
    std::unique_ptr<TextCutter> second_;
    EncodingProgress first_encoding_;
    EncodingProgress second_encoding_;
    bool interleaved_;
    bool comment_tags_;
    bool ended_ = false;
    uint32_t read_group_;
};

}  // namespace

bool LaneReader::read(ReadBatch& batch) {
    const bool any = cut(text_, batch) != 0;
    if (!text_.empty()) parse(text_, batch);
    return any;
}

std::unique_ptr<LaneReader> LaneReader::open(const Lane& lane, BatchPolicy policy, TaskRunner* runner,
                                             BatchInflater* batches) {
    if (lane.opened) {
        if (!*lane.opened) throw Error(ErrorKind::usage, lane.first + ": a pipe can be read only once");
        (*lane.opened)->set_policy(policy);
        (*lane.opened)->use_runner(runner, batches);
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
    return std::make_unique<FastqLane>(std::move(first), std::move(second), lane, policy, runner, batches);
}

}  // namespace gannet::data::fastq
