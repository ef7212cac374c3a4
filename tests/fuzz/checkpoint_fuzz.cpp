// SPDX-License-Identifier: MIT
// Fuzzes what a checkpoint's manifest holds: the file itself, and, under a digest that is right, the state of
// the sort.
#include "align/sort/sorter.hpp"
#include "data/error.hpp"
#include "data/saved_state.hpp"
#include "data/sha256.hpp"
#include "pipeline/jobs/checkpoint.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/sort/sort_cases.hpp"

#include <filesystem>

namespace gannet::fuzz {
namespace {

constexpr const char* k_facts = "facts";
constexpr const char* k_records = "records";
constexpr char k_sealed = 'S';  ///< the first byte of an input that is the state only

/// A checkpoint folder with the records of a sort that went on after some of them.
struct Place {
    tests::TemporaryFolder folder;
    const std::vector<uint64_t> lengths{40'000, 300};
    const data::Reference reference = align::blank_reference(lengths);
    std::string output = folder.path("x.bam"), path, spilled, state, manifest;

    Place() {
        pipeline::Checkpoint checkpoint(folder.path(""), output, k_facts);
        path = checkpoint.folder();
        data::StateWriter writer;
        {
            align::sort::Sorter sorter(reference, {10'000, path, k_records});
            for (uint64_t i = 0; i < 3; ++i) sorter.add(align::random_batch(lengths, i * 50, 50, i));
            sorter.save(writer, 1);
        }
        spilled = tests::read_file(path + "/" + k_records);
        state.assign(writer.bytes().begin(), writer.bytes().end());
        checkpoint.save(writer.bytes());
        manifest = tests::read_file(checkpoint.manifest());
    }
};

const Place& place() {
    static const Place* const made = new Place;
    return *made;
}

std::string sealed(const std::string& state) {
    const std::string body = std::string(k_facts) + "\n" + state;
    return place().manifest.substr(0, place().manifest.find('\n') + 1) +
           data::sha256({reinterpret_cast<const uint8_t*>(body.data()), body.size()}) + body;
}

void write_file(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace

std::vector<std::string> seeds() { return {place().manifest, k_sealed + place().state}; }

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    const fuzz::Place& place = fuzz::place();
    std::string manifest(reinterpret_cast<const char*>(bytes), size);
    if (manifest.starts_with(fuzz::k_sealed)) manifest = fuzz::sealed(manifest.substr(1));
    std::filesystem::create_directory(place.path);
    fuzz::write_file(place.path + "/" + fuzz::k_records, place.spilled);
    fuzz::write_file(place.path + "/manifest", manifest);
    try {
        const pipeline::Checkpoint checkpoint(place.folder.path(""), place.output, fuzz::k_facts);
        if (!checkpoint.saved()) return 0;
        data::StateReader state(*checkpoint.saved(), checkpoint.manifest());
        align::sort::Sorter sorter(place.reference, {1 << 20, place.path, fuzz::k_records});
        sorter.restore(state, 1);
    } catch (const data::Error&) {
    }
    return 0;
}
