// SPDX-License-Identifier: MIT
// Provides the hash of the caller's model, and the model as Markdown.
#include "variants/caller_model.hpp"

#include <vector>

namespace gannet::variants {

std::string caller_model_hash() {
    constexpr uint64_t k_hash = hash_of_model(k_caller_model);
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[k_hash >> shift & 15];
    return text;
}

std::string caller_model_markdown() {
    std::string text;
    std::vector<ModelPart> parts(k_caller_model.begin(), k_caller_model.end());
    parts.push_back(k_cohort_model);
    for (const ModelPart& part : parts) {
        text += (text.empty() ? "## `" : "\n## `") + std::string(part.folder) + "`\n\n";
        text += "| number | value | unit | source |\n|---|---|---|---|\n";
        for (const ModelNumber& number : part.numbers) {
            text += "| `" + std::string(number.name) + "` | ";
            for (size_t i = 0; i < number.size(); ++i)
                text += (i > 0 ? ", " : "") + std::to_string(number.at(i));
            text += " | " + std::string(number.unit) + " | " + std::string(number.source) + " |\n";
        }
    }
    return text;
}

}  // namespace gannet::variants
