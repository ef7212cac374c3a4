// SPDX-License-Identifier: MIT
// Provides the tables of the scorer's input as Markdown and as Python.
#include "ml/feature_text.hpp"

#include "ml/example.hpp"
#include "ml/feature_table.hpp"

#include <span>
#include <string_view>

namespace gannet::ml {

namespace {

struct Table {
    std::string_view title;
    std::string_view python_name;
    std::span<const Feature> features;
};

constexpr Table k_tables[] = {
    {"Channels of a row, one byte each per column", "ROW_CHANNEL_TABLE", k_row_channels},
    {"Features of a row, after its channels", "ROW_FEATURE_TABLE", k_row_features},
    {"Channels of a site, one byte each per column", "SITE_CHANNEL_TABLE", k_site_channel_features},
    {"Summary of a site, after its channels", "SUMMARY_TABLE", k_summary_features},
};

std::string bytes_text(const Feature& feature) {
    std::string text = std::to_string(feature.offset);
    if (feature.count > 1) text += "-" + std::to_string(feature.offset + feature.count - 1);
    return text;
}

std::string scale_text(const Feature& feature) {
    return feature.divisor == 1 ? std::to_string(feature.scale)
                                : std::to_string(feature.scale) + "/" + std::to_string(feature.divisor);
}

}  // namespace

std::string features_markdown() {
    std::string text;
    for (const Table& table : k_tables) {
        text += (text.empty() ? "" : "\n") + std::string(table.title) + ":\n\n";
        text += "|byte|name|scale|value|\n|---|---|---|---|\n";
        for (const Feature& feature : table.features) {
            text += "|" + bytes_text(feature) + "|`" + std::string(feature.name) + "`|" +
                    scale_text(feature) + "|" + std::string(feature.meaning) + "|\n";
        }
    }
    return text;
}

std::string features_python() {
    std::string text =
        "# SPDX-License-Identifier: MIT\n"
        "# Made by scripts/update_features from ml/feature_table.hpp; do not edit.\n"
        "\"\"\"The tables of the scorer's input: what each byte of a row and of a site holds.\"\"\"\n"
        "from typing import NamedTuple, Tuple\n\n\n"
        "class Feature(NamedTuple):\n"
        "    \"\"\"Bytes [offset, offset + count) of their part: min(255, value * scale / divisor).\"\"\"\n\n"
        "    name: str\n    offset: int\n    count: int\n    scale: int\n    divisor: int\n    meaning: "
        "str\n\n\n";
    const auto constant = [&](std::string_view name, uint32_t value) {
        text += std::string(name) + " = " + std::to_string(value) + "\n";
    };
    constant("LAYOUT", k_example_layout);
    constant("COLUMNS", pileup::k_columns);
    constant("CHANNELS", pileup::k_channels);
    constant("ROW_FEATURES", pileup::k_row_features);
    constant("ROW_BYTES", pileup::k_row_bytes);
    constant("MAX_ROWS", pileup::k_max_rows);
    constant("SITE_CHANNELS", k_site_channels);
    constant("SITE_BYTES", pileup::k_site_bytes);
    constant("POOLS", pileup::k_pools);
    for (const Table& table : k_tables) {
        text += "\n" + std::string(table.python_name) + ": Tuple[Feature, ...] = (\n";
        for (const Feature& feature : table.features) {
            text += "    Feature(\"" + std::string(feature.name) + "\", " + std::to_string(feature.offset) +
                    ", " + std::to_string(feature.count) + ", " + std::to_string(feature.scale) + ", " +
                    std::to_string(feature.divisor) + ",\n            \"" + std::string(feature.meaning) +
                    "\"),\n";
        }
        text += ")\n";
    }
    text +=
        "\n\ndef summary(name: str) -> slice:\n"
        "    \"\"\"The bytes of a feature of the summary, within the bytes of a site.\"\"\"\n"
        "    feature = next(f for f in SUMMARY_TABLE if f.name == name)\n"
        "    begin = COLUMNS * SITE_CHANNELS + feature.offset\n"
        "    return slice(begin, begin + feature.count)\n";
    return text;
}

}  // namespace gannet::ml
