// SPDX-License-Identifier: MIT
// Provides the order of lanes, and the numbering and cutting of a lane's batches.
#include "pipeline/stages/lane_source.hpp"

#include <filesystem>
#include <utility>

namespace gannet::pipeline::stages {

void split_batch(data::ReadBatch& batch, size_t at, data::ReadBatch& tail) {
    tail.clear();
    tail.read_group = batch.read_group;
    tail.paired = batch.paired;
    const size_t first_read = batch.paired ? 2 * at : at;
    const uint32_t name_cut = batch.name_offset[at];
    const uint32_t base_cut = batch.base_offset[first_read];
    tail.names.assign(batch.names.begin() + name_cut, batch.names.end());
    tail.bases.assign(batch.bases.begin() + base_cut, batch.bases.end());
    tail.qualities.assign(batch.qualities.begin() + base_cut, batch.qualities.end());
    for (size_t t = at + 1; t < batch.name_offset.size(); ++t)
        tail.name_offset.push_back(batch.name_offset[t] - name_cut);
    for (size_t r = first_read + 1; r < batch.base_offset.size(); ++r) {
        tail.base_offset.push_back(batch.base_offset[r] - base_cut);
    }
    batch.names.resize(name_cut);
    batch.bases.resize(base_cut);
    batch.qualities.resize(base_cut);
    batch.name_offset.resize(at + 1);
    batch.base_offset.resize(first_read + 1);
}

std::unique_ptr<data::fastq::LaneReader> LaneReaders::next() {
    const data::fastq::Lane& lane = lanes_.at(next_++);
    if (const std::exception_ptr fault = std::exchange(fault_, nullptr)) std::rethrow_exception(fault);
    auto reader = std::exchange(opened_, nullptr);
    if (!reader) reader = data::fastq::LaneReader::open(lane, policy_, runner_);
    if (next_ < lanes_.size()) open_early(lanes_[next_]);
    return reader;
}

void LaneReaders::open_early(const data::fastq::Lane& lane) {
    std::error_code fault;
    const auto is_regular = [&fault](const std::string& path) {
        return path.empty() || std::filesystem::is_regular_file(path, fault);
    };
    if (!is_regular(lane.first) || !is_regular(lane.second)) return;
    try {
        opened_ = data::fastq::LaneReader::open(lane, policy_, runner_);
    } catch (...) {
        fault_ = std::current_exception();
    }
}

LaneSource::LaneSource(std::unique_ptr<data::fastq::LaneReader> reader, uint32_t read_group,
                       InputNumbers& numbers)
    : reader_(std::move(reader)), read_group_(read_group), numbers_(numbers) {
    rest_.clear();
}

bool LaneSource::next(data::ReadBatch& batch, uint64_t limit) {
    if (templates_ >= limit) return false;
    if (rest_.templates() > 0) {
        std::swap(batch, rest_);
        rest_.clear();
    } else if (!reader_->read(batch)) {
        return false;
    }
    if (batch.templates() > limit - templates_) split_batch(batch, limit - templates_, rest_);
    batch.read_group = read_group_;
    batch.ordinal = numbers_.next_batch++;
    batch.first_template = numbers_.next_template;
    numbers_.next_template += batch.templates();
    numbers_.reads += batch.reads();
    numbers_.bases += batch.bases.size();
    templates_ += batch.templates();
    return true;
}

}  // namespace gannet::pipeline::stages
