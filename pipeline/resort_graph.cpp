// SPDX-License-Identifier: MIT
// Provides the wiring of the graph that gives the records of an alignment file to the sorter and to the
// marker.
#include "pipeline/resort_graph.hpp"

#include "pipeline/graph/sleeping_graph.hpp"
#include "pipeline/graph/slot_graph.hpp"
#include "pipeline/progress.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gannet::pipeline {
namespace {

constexpr size_t k_batch_bytes = size_t{1} << 20;

/// The read group of each record, by its index in the header; one more than there are where it has none.
class GroupFinder {
  public:
    explicit GroupFinder(const std::vector<data::ReadGroup>& groups)
        : none_(static_cast<uint16_t>(groups.size())), last_(none_) {
        for (uint16_t i = 0; i < none_; ++i) numbers_.emplace(groups[i].id, i);
    }
    void find(const data::RecordBatch& batch, std::vector<uint16_t>& groups) {
        groups.clear();
        for (size_t i = 0; i < batch.entries.size(); ++i) groups.push_back(find(batch.view(i)));
    }

  private:
    uint16_t find(const data::RecordView& record) {
        const auto id = record.string_tag("RG");
        if (!id) return none_;
        if (*id != last_id_) {  // mostly it is that of the record before
            const auto found = numbers_.find(last_id_ = *id);
            last_ = found == numbers_.end() ? none_ : found->second;
        }
        return last_;
    }

    std::unordered_map<std::string, uint16_t> numbers_;
    uint16_t none_;
    uint16_t last_;
    std::string last_id_;
};

struct Slot {
    explicit Slot(const std::vector<data::ReadGroup>& read_groups) : finder(read_groups) {}
    data::RecordBatch batch;
    GroupFinder finder;
    std::vector<uint16_t> groups;
};

class ResortRun {
  public:
    ResortRun(data::bam::Reader& reader, align::sort::Sorter& sorter, align::duplicates::Marker* marker,
              size_t slots, Tracer& tracer);
    uint64_t run();

  private:
    bool next(data::RecordBatch& batch);
    void scatter(Slot& slot);

    data::bam::Reader& reader_;
    align::sort::Sorter& sorter_;
    align::duplicates::Marker* marker_;
    Progress progress_;
    uint64_t records_ = 0;
    uint64_t finished_ = 0;
    graph::SleepingGraph flow_;
    graph::RunState state_;
    using Graph = graph::SlotGraph<data::RecordBatch, Slot>;
    std::unique_ptr<Graph> graph_;
};

ResortRun::ResortRun(data::bam::Reader& reader, align::sort::Sorter& sorter,
                     align::duplicates::Marker* marker, size_t slots, Tracer& tracer)
    : reader_(reader), sorter_(sorter), marker_(marker), progress_("read", "records", &tracer) {
    Graph::Spec spec;
    spec.name = "sort";
    spec.source_name = "sort.read";
    spec.next = [this](data::RecordBatch& batch) { return next(batch); };
    spec.take = [](data::RecordBatch& batch, Slot& slot) { std::swap(batch, slot.batch); };
    spec.steps.push_back({"sort.scatter", [this](Slot& slot) { scatter(slot); }});
    spec.ordered = true;
    spec.sink = [this](Slot& slot, const Graph::Lease&) {
        if (marker_ != nullptr) marker_->add_records(slot.batch, slot.groups);
        finished_ += slot.batch.entries.size();
        progress_.add(slot.batch.entries.size());
    };
    std::vector<std::unique_ptr<Slot>> pool(slots);
    for (auto& slot : pool) slot = std::make_unique<Slot>(reader.read_groups());
    graph_ = std::make_unique<Graph>(flow_, state_, tracer, std::move(spec), std::move(pool));
}

bool ResortRun::next(data::RecordBatch& batch) {
    batch.clear();
    if (!reader_.read(batch, k_batch_bytes)) return false;
    for (data::RecordEntry& entry : batch.entries) entry.ordinal = records_++ << 8;
    return true;
}

void ResortRun::scatter(Slot& slot) {
    if (marker_ != nullptr) {
        align::duplicates::clear_marks(slot.batch);
        slot.finder.find(slot.batch, slot.groups);
    }
    sorter_.add(slot.batch);
}

uint64_t ResortRun::run() {
    graph_->activate();
    flow_.wait();
    state_.rethrow();
    graph_->check();
    graph::reconcile("records read", records_, finished_);
    graph::reconcile("records of sort", records_, sorter_.records());
    return records_;
}

}  // namespace

uint64_t run_resort_graph(data::bam::Reader& reader, align::sort::Sorter& sorter,
                          align::duplicates::Marker* marker, size_t slots, Tracer& tracer) {
    return ResortRun(reader, sorter, marker, slots, tracer).run();
}

}  // namespace gannet::pipeline
