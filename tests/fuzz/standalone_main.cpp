// SPDX-License-Identifier: MIT
// Provides a main for fuzz targets where libFuzzer is not: runs seeds, files given, and mutations of both
// from a seed number.
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr size_t k_largest_bytes = 1 << 16;

void mutate_once(std::string& bytes, std::mt19937_64& random) {
    const auto below = [&random](size_t limit) {
        return limit == 0 ? size_t{0} : static_cast<size_t>(random() % limit);
    };
    const size_t at = below(bytes.size() + 1);
    const size_t length = below(std::min<size_t>(bytes.size() - at, 64) + 1);
    switch (random() % 6) {
        case 0:
            if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
            break;
        case 1:
            if (at < bytes.size()) bytes[at] = static_cast<char>(random());
            break;
        case 2:
            bytes.erase(at, length);
            break;
        case 3:
            if (bytes.size() < k_largest_bytes)
                bytes.insert(below(bytes.size() + 1), bytes.substr(at, length));
            break;
        case 4:
            bytes.resize(at);
            break;
        default:
            bytes.insert(at, 1, "\n\t@>+:;,./-0123456789ACGTN\0\xff"[below(29)]);
    }
}

void run(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

/// TARGET RUNS SEED [FILE or FOLDER...]
int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: " << argv[0] << " RUNS SEED [FILE or FOLDER...]\n";
        return 2;
    }
    std::vector<std::string> corpus = gannet::fuzz::seeds();
    std::vector<std::filesystem::path> files;
    for (int i = 3; i < argc; ++i) {
        if (!std::filesystem::exists(argv[i])) {
            std::cerr << argv[i] << ": no such file or folder\n";
            return 2;
        }
        if (!std::filesystem::is_directory(argv[i])) {
            files.emplace_back(argv[i]);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());  // the order of a folder is not everywhere the same
    for (const auto& path : files) {
        std::ifstream in(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    for (const std::string& bytes : corpus) run(bytes);
    std::mt19937_64 random(std::stoull(argv[2]));
    const uint64_t runs = std::stoull(argv[1]);
    for (uint64_t i = 0; i < runs; ++i) {
        std::string bytes = corpus[random() % corpus.size()];
        for (uint64_t changes = 1 + random() % 4; changes != 0; --changes) mutate_once(bytes, random);
        run(bytes);
    }
    std::cout << corpus.size() << " seeds and " << runs << " mutations\n";
    return 0;
}
