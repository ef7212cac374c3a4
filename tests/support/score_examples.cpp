// SPDX-License-Identifier: MIT
// Provides a driver of the network for tests: reads shards of examples, prints the three outputs of each, one
// line per example.
//
// score_examples MODEL.safetensors [--backend NAME] SHARD.gnx...
#include "data/error.hpp"
#include "kernels/op_table.hpp"
#include "ml/example_file.hpp"
#include "ml/weights.hpp"

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace gannet;
namespace pileup = kernels::pileup;

constexpr size_t k_batch_examples = 512;

class Scorer {
  public:
    Scorer(const std::string& model, std::optional<kernels::Backend> backend)
        : model_(ml::load_model(model)),
          table_(kernels::make_op_table(backend, std::nullopt)),
          stream_(table_.make_stream()) {}

    void score_shard(const std::string& path) {
        ml::ExampleReader reader(path);
        ml::ExampleRecord record;
        while (reader.read(record)) {
            batch_.add(record.rows, record.site);
            if (batch_.size() == k_batch_examples) print();
        }
        print();
    }

  private:
    void print() {
        table_.pileup_network(*stream_, model_.weights, batch_, output_);
        stream_->wait();
        for (size_t k = 0; k < output_.size(); k += pileup::k_outputs)
            std::printf("%d\t%d\t%d\n", output_[k], output_[k + 1], output_[k + 2]);
        batch_.clear();
    }

    ml::Model model_;
    kernels::OpTable table_;
    std::unique_ptr<kernels::Stream> stream_;
    kernels::PileupNetworkBatch batch_;
    std::vector<int32_t> output_;
};

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> files;
    std::optional<kernels::Backend> backend;
    bool understood = true;
    for (int k = 1; k < argc; ++k) {
        if (std::string(argv[k]) != "--backend")
            files.push_back(argv[k]);
        else if (k + 1 < argc)
            understood = (backend = kernels::parse_backend(argv[++k])).has_value();
    }
    if (!understood || files.size() < 2) {
        std::cerr << "usage: score_examples MODEL.safetensors [--backend NAME] SHARD.gnx...\n";
        return 2;
    }
    try {
        Scorer scorer(files[0], backend);
        for (size_t k = 1; k < files.size(); ++k) scorer.score_shard(files[k]);
    } catch (const data::Error& error) {
        std::cerr << error.what() << "\n";
        return static_cast<int>(error.kind());
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
