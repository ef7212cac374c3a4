// SPDX-License-Identifier: MIT
// Provides the order of lanes, and the numbering of a lane's batches.
#include "pipeline/stages/lane_source.hpp"

#include <filesystem>
#include <utility>

namespace gannet::pipeline::stages {

std::unique_ptr<data::fastq::LaneReader> LaneReaders::next() {
    const data::fastq::Lane& lane = lanes_.at(next_++);
    if (const std::exception_ptr fault = std::exchange(fault_, nullptr)) std::rethrow_exception(fault);
    auto reader = std::exchange(opened_, nullptr);
    if (!reader) reader = data::fastq::LaneReader::open(lane, policy_, runner_, batches_);
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
        opened_ = data::fastq::LaneReader::open(lane, policy_, runner_, batches_);
    } catch (...) {
        fault_ = std::current_exception();
    }
}

LaneSource::LaneSource(std::unique_ptr<data::fastq::LaneReader> reader, uint32_t read_group,
                       InputNumbers& numbers)
    : reader_(std::move(reader)), read_group_(read_group), numbers_(numbers) {}

bool LaneSource::next(data::fastq::TextBatch& text, data::ReadBatch& batch, uint64_t limit) {
    if (templates_ >= limit) return false;
    const size_t templates = reader_->cut(text, batch, limit - templates_);
    if (templates == 0) return false;
    batch.read_group = read_group_;
    batch.ordinal = numbers_.next_batch++;
    batch.first_template = numbers_.next_template;
    batch.mates_before = numbers_.reads - numbers_.next_template;
    numbers_.next_template += templates;
    numbers_.reads += batch.paired ? 2 * templates : templates;
    templates_ += templates;
    return true;
}

}  // namespace gannet::pipeline::stages
