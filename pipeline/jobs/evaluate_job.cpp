// SPDX-License-Identifier: MIT
// Provides the job of `gannet evaluate-model`.
#include "pipeline/jobs/evaluate_job.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/output_file.hpp"
#include "data/strict_json.hpp"
#include "ml/example_file.hpp"
#include "pipeline/evaluate/evaluation.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/scorer.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/jobs/shard_names.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "variants/compare/matched_sets.hpp"
#include "variants/scorer/decision.hpp"
#include "variants/sequence/sequence_context.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <utility>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using evaluate::Evaluation;

std::string summary_in(const std::string& folder) { return (fs::path(folder) / "examples.json").string(); }

/// The shards of a folder, in the order of their names.
std::vector<std::string> shards_in(const std::string& folder) {
    std::vector<std::string> found;
    std::optional<size_t> count;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".gnx") continue;
        found.push_back(entry.path().string());
        const auto stated = k_example_shards.count_in(entry.path().filename().string());
        if (count && stated && *count != *stated)
            throw data::Error(data::ErrorKind::usage,
                              folder + ": holds shards of several runs of gannet examples, of " +
                                  std::to_string(std::min(*count, *stated)) + " and of " +
                                  std::to_string(std::max(*count, *stated)) + ": remove those of one");
        if (stated) count = stated;
    }
    if (found.empty()) data::throw_malformed(folder, "is a folder without shards of examples (.gnx)");
    std::sort(found.begin(), found.end());
    return found;
}

/// Throws Error(usage) where a shard is given twice, by whatever path: its examples would count twice.
void refuse_same_shards(const std::vector<std::string>& shards) {
    std::map<std::pair<dev_t, ino_t>, std::string> known;
    for (const std::string& shard : shards) {
        struct stat status {};
        if (stat(shard.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        const auto [first, is_new] = known.try_emplace({status.st_dev, status.st_ino}, shard);
        if (is_new) continue;
        const bool is_same_path = first->second == shard;
        throw data::Error(data::ErrorKind::usage,
                          shard + (is_same_path ? ": given twice"
                                                : ": is the same file as " + first->second +
                                                      ": each shard can be given once"));
    }
}

/// The shards of folders; a file is its own shard.
std::vector<std::string> shards_of(const std::vector<std::string>& inputs) {
    std::vector<std::string> shards;
    for (const std::string& input : inputs) {
        if (!fs::is_directory(input)) {
            check_readable(input);
            shards.push_back(input);
            continue;
        }
        const std::vector<std::string> found = shards_in(input);
        shards.insert(shards.end(), found.begin(), found.end());
    }
    refuse_same_shards(shards);
    return shards;
}

/// Direction both, temperature 1 and prior 0 in every stratum.
void listen_everywhere(ml::Decision& decision) {
    decision.strata.clear();
    for (const bool is_indel : {false, true}) {
        for (size_t context = 0; context < ml::k_context_names.size(); ++context) {
            ml::Stratum stratum;
            stratum.is_indel = is_indel;
            stratum.context = static_cast<ml::Context>(context);
            stratum.direction = ml::Direction::both;
            decision.strata.push_back(stratum);
        }
    }
}

/// Runs the network over shards and decides each example by itself.
class ExampleEvaluator {
  public:
    ExampleEvaluator(const EvaluateOptions& options, const ml::Model& model, Evaluation& evaluation)
        : decision_(model.decision),
          model_(model),
          ops_(choose_ops(options.resources.backend)),
          stream_(ops_.make_stream()),
          threshold_centi_(options.parameters.minimum_quality_centi),
          evaluation_(evaluation) {
        if (options.everywhere) listen_everywhere(decision_);
        if (options.table.empty()) return;
        table_ = std::make_unique<data::OutputFile>(options.table);
        write(
            "contig\tposition\tallele\tlabel\tbase0\tbase1\tbase2\traw0\traw1\traw2\tcorrection0\tcorrection1"
            "\t"
            "correction2\tsettled\tcopies_off\tQUAL_off\tcopies_on\tQUAL_on\n");
    }

    void take(const std::string& path) {
        ml::ExampleReader reader(path);
        ml::ExampleRecord record;
        while (reader.read(record)) {
            batch_.add(record.rows, record.site);
            waiting_.emplace_back(record.facts, record.label);
            if (batch_.size() == k_batch_examples) flush();
        }
        flush();
    }
    void commit() {
        if (table_) table_->commit();
    }

  private:
    static constexpr size_t k_batch_examples = 512;

    void write(const std::string& text) {
        table_->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
    void flush() {
        if (waiting_.empty()) return;
        ops_.pileup_network(*stream_, model_.weights, batch_, output_);
        stream_->wait();
        for (size_t i = 0; i < waiting_.size(); ++i) {
            const int32_t* const raw = output_.data() + i * kernels::pileup::k_outputs;
            decide(waiting_[i].first, waiting_[i].second, {raw[0], raw[1], raw[2]});
        }
        batch_.clear();
        waiting_.clear();
    }
    void decide(const ml::ExampleFacts& facts, uint8_t label, const variants::CopyLogs& raw) {
        const bool settled = variants::is_settled(decision_, facts);
        const variants::CopyLogs correction =
            settled ? variants::CopyLogs{} : variants::correction_of(decision_, facts, raw);
        const variants::Verdict off = variants::verdict_of(facts, {}, threshold_centi_);
        const variants::Verdict on = variants::verdict_of(facts, correction, threshold_centi_);
        if (table_) write_row(facts, label, raw, correction, settled, off, on);
        if (label == ml::k_unknown_label) return;
        count(0, facts, label, off);
        count(1, facts, label, on);
    }
    void count(size_t side, const ml::ExampleFacts& facts, uint8_t label, const variants::Verdict& verdict) {
        evaluate::Call call;
        call.is_indel = facts.kind != 0;
        call.depth = facts.fragments;
        call.context = static_cast<ml::Context>(facts.context);
        call.quality_centi = verdict.quality_centi;
        call.is_right = verdict.copies == label;
        call.is_present = label > 0;
        if (verdict.copies > 0) evaluation_.add_call(side, call);
        if (label > 0 && !call.is_right) evaluation_.add_missed(side, call);
    }
    void write_row(const ml::ExampleFacts& facts, uint8_t label, const variants::CopyLogs& raw,
                   const variants::CopyLogs& correction, bool settled, const variants::Verdict& off,
                   const variants::Verdict& on) {
        std::string row = std::to_string(facts.contig) + "\t" + std::to_string(facts.position) + "\t" +
                          std::to_string(facts.allele) + "\t" + std::to_string(label);
        for (const variants::CopyLogs& logs : {facts.base, raw, correction}) {
            for (const int32_t value : logs) row += "\t" + std::to_string(value);
        }
        row += settled ? "\t1" : "\t0";
        for (const variants::Verdict& verdict : {off, on})
            row += "\t" + std::to_string(verdict.copies) + "\t" + std::to_string(verdict.quality_centi);
        write(row + "\n");
    }

    ml::Decision decision_;
    const ml::Model& model_;
    kernels::OpTable ops_;
    std::unique_ptr<kernels::Stream> stream_;
    int32_t threshold_centi_;
    Evaluation& evaluation_;
    std::unique_ptr<data::OutputFile> table_;
    kernels::PileupNetworkBatch batch_;
    std::vector<std::pair<ml::ExampleFacts, uint8_t>> waiting_;
    std::vector<int32_t> output_;
};

/// Variants of the truth that `gannet examples` found no candidate for, from the summary of a folder.
void add_without_candidates(const std::vector<std::string>& inputs, Evaluation& evaluation) {
    for (const std::string& input : inputs) {
        if (!fs::is_directory(input)) continue;
        const std::string path = summary_in(input);
        const auto json = data::parse_object(read_text_file(path), path, "the summary of examples");
        const auto missing = json.find("truth_without_candidate");
        for (const bool is_indel : {false, true}) {
            const char* const name = is_indel ? "indel" : "snp";
            if (missing == json.end() || !missing->is_object() || !missing->contains(name) ||
                !missing->at(name).is_number_unsigned())
                data::throw_malformed(path, "lacks truth_without_candidate; make the examples again");
            evaluation.add_without_candidate(is_indel, missing->at(name).get<uint64_t>());
        }
    }
}

/// The sequence context of a change; where the caller suspects a hidden copy is not in a VCF.
ml::Context context_of(const data::Reference& reference, const variants::compare::Atom& atom) {
    variants::ReferenceSlice slice;
    const auto length = static_cast<int64_t>(reference.contigs()[atom.contig].length);
    const int64_t removed = atom.end - atom.begin;
    slice.load(reference, atom.contig, std::max<int64_t>(0, atom.normal_begin - variants::k_context_reach_bp),
               std::min(length, atom.normal_begin + removed + variants::k_context_reach_bp));
    const std::vector<data::Base> arena(atom.normal_bases.begin(), atom.normal_bases.end());
    return variants::sequence_context(
        slice, {atom.normal_begin, static_cast<int32_t>(removed), 0, static_cast<int32_t>(arena.size())},
        arena);
}

/// Every change of two files of calls and what became of it (TSV), or nothing without --table.
class ChangeTable {
  public:
    explicit ChangeTable(const std::string& path) {
        if (path.empty()) return;
        file_ = std::make_unique<data::OutputFile>(path);
        write("side\toutcome\tpresent\tcontig\tposition\tkind\tcontext\tDP\tQUAL_centi\n");
    }
    /// `outcome`: right, wrong or missed. Positions are those of VCF, from 1.
    void add(size_t side, std::string_view outcome, const data::Reference& reference,
             const variants::compare::Atom& atom, const evaluate::Call& call) {
        if (!file_) return;
        std::string row(evaluate::k_side_names[side]);
        row.append("\t").append(outcome).append(call.is_present ? "\t1\t" : "\t0\t");
        row.append(reference.contigs()[atom.contig].name);
        row.append("\t").append(std::to_string(atom.vcf_position() + 1));
        row.append("\t").append(evaluate::k_kind_names[call.is_indel ? 1 : 0]);
        row.append("\t").append(ml::k_context_names[static_cast<size_t>(call.context)]);
        row.append("\t").append(std::to_string(call.depth));
        row.append("\t").append(std::to_string(call.quality_centi)).append("\n");
        write(row);
    }
    void commit() {
        if (file_) file_->commit();
    }

  private:
    void write(const std::string& text) {
        file_->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
    std::unique_ptr<data::OutputFile> file_;
};

void warn_of_repeated(const std::string& path, const variants::compare::CallSet& set) {
    if (set.repeated_records > 0)
        log_warning(path + ": " + variants::compare::repeated_text(set.repeated_records));
}

void evaluate_calls(const EvaluateOptions& options, const data::Reference& reference, size_t side,
                    Evaluation& evaluation, ChangeTable& table) {
    variants::compare::Options comparison;
    comparison.truth = options.truth;
    comparison.calls = side == 0 ? options.off : options.on;
    comparison.targets = options.targets;
    const auto [truth, calls] = variants::compare::match_files(comparison, reference);
    if (side == 0) warn_of_repeated(comparison.truth, truth);
    warn_of_repeated(comparison.calls, calls);
    for (const variants::compare::Atom& atom : calls.atoms) {
        if (!atom.inside) continue;
        const variants::compare::Record& record = calls.records[atom.record];
        evaluate::Call call;
        call.is_indel = !atom.is_snp();
        call.depth = record.depth;
        call.context = context_of(reference, atom);
        call.quality_centi = static_cast<int32_t>(std::clamp(record.quality, 0.0F, 1e6F) * 100 + 0.5F);
        call.is_right = atom.matched;
        call.is_present = atom.matched_allele;
        evaluation.add_call(side, call);
        table.add(side, call.is_right ? "right" : "wrong", reference, atom, call);
    }
    for (const variants::compare::Atom& atom : truth.atoms) {
        if (!atom.inside || atom.matched) continue;
        evaluate::Call missed;
        missed.is_indel = !atom.is_snp();
        missed.context = context_of(reference, atom);
        missed.is_present = true;
        evaluation.add_missed(side, missed);
        table.add(side, "missed", reference, atom, missed);
    }
}

JobFiles files_of(const EvaluateOptions& options, const std::vector<std::string>& shards,
                  const std::string& last) {
    JobFiles files;
    for (const std::string& shard : shards) files.reads(shard, "the examples");
    for (const std::string& input : options.examples) {
        if (fs::is_directory(input)) files.reads(summary_in(input), "the summary of the examples");
    }
    ScorerOptions scorer;
    scorer.model = options.model;
    files.reads_model(scorer);
    files.reads_with_indexes(options.truth, "--truth")
        .reads_with_indexes(options.off, "--off")
        .reads_with_indexes(options.on, "--on")
        .reads_reference(options.reference, "")
        .reads(options.targets, "--targets");
    files.writes_before(last, (fs::path(options.output) / "calibration.svg").string(), "the output");
    files.writes_before(last, (fs::path(options.output) / "curves.svg").string(), "the output");
    if (!options.table.empty()) files.writes(options.table, "--table");
    return files.writes(last, "the output").writes(options.resources);
}

std::string command_of(const EvaluateOptions& options) {
    CommandText command("evaluate-model");
    for (const std::string& input : options.examples) command.word(input);
    command.option("--model", options.model).flag("--everywhere", options.everywhere);
    command.option("--truth", options.truth).option("--off", options.off).option("--on", options.on);
    command.option("--reference", options.reference).option("--targets", options.targets);
    return command.text();
}

}  // namespace

std::string run_evaluate(const EvaluateOptions& options) {
    const std::vector<std::string> shards = shards_of(options.examples);
    for (const std::string& path :
         {options.truth, options.off, options.on, options.reference, options.targets}) {
        if (!path.empty()) check_readable(path);
    }
    const fs::path folder(options.output);
    const std::string last = (folder / "evaluation.json").string();
    const JobFiles files = files_of(options, shards, last);
    files.check();
    make_output_folder(options.output);
    const OutputLocks locks = files.lock();
    open_log();
    Evaluation evaluation;
    evaluate::EvaluationFacts facts{command_of(options), program_name(), "VCF", ""};
    if (!shards.empty()) {
        ScorerOptions scorer;
        scorer.model = options.model;
        scorer.always = true;
        const auto model = choose_scorer(scorer);
        facts.source = "examples";
        facts.model = "version=" + model->version + " sha256=" + model->sha256 +
                      " manifest_sha256=" + model->manifest_sha256;
        ExampleEvaluator evaluator(options, *model, evaluation);
        for (const std::string& shard : shards) evaluator.take(shard);
        add_without_candidates(options.examples, evaluation);
        evaluator.commit();
    } else {
        const auto reference = data::fasta::load(options.reference);
        ChangeTable table(options.table);
        for (const size_t side : {size_t{0}, size_t{1}})
            evaluate_calls(options, *reference, side, evaluation, table);
        table.commit();
    }
    data::remove_old_file(last);  // while it is missing, the others are not a complete evaluation
    write_text_file((folder / "calibration.svg").string(), evaluate::calibration_svg(evaluation));
    write_text_file((folder / "curves.svg").string(), evaluate::curves_svg(evaluation));
    write_text_file(last, evaluate::to_json(evaluation, facts));
    log_info("evaluation: " + last);
    return evaluate::to_table(evaluation);
}

}  // namespace gannet::pipeline
