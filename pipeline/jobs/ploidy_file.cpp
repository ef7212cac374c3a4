// SPDX-License-Identifier: MIT
// Provides reading of the file of --ploidy: BED with a ploidy, or rows by sex as for bcftools call.
#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"
#include "pipeline/jobs/ploidy.hpp"
#include "variants/arithmetic/genotype_order.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

namespace gannet::pipeline {

namespace {

using data::Error;
using data::ErrorKind;

std::vector<std::string_view> columns_of(std::string_view line) {
    std::vector<std::string_view> columns;
    for (;;) {
        const size_t begin = line.find_first_not_of("\t \r");
        if (begin == std::string_view::npos) return columns;
        line.remove_prefix(begin);
        const size_t end = std::min(line.find_first_of("\t \r"), line.size());
        columns.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

class FileReader {
  public:
    FileReader(const std::string& path, const std::string& sex, const data::Reference& reference)
        : lines_(std::make_unique<data::InputStream>(path)), sex_(sex), reference_(reference) {}

    PloidyFile read() {
        std::string_view line;
        while (lines_.read(line)) {
            columns_ = columns_of(line);
            if (columns_.empty() || columns_[0].starts_with('#')) continue;
            if (columns_.size() != 4 && columns_.size() != 5) {
                refuse(
                    "has " + std::to_string(columns_.size()) +
                    " columns: valid are CONTIG BEGIN END PLOIDY (BED) and CONTIG FROM TO SEX PLOIDY (as for "
                    "bcftools call)");
            }
            const bool by_sex = columns_.size() == 5;
            if (width_ != 0 && width_ != columns_.size())
                refuse("has other columns than the lines before it");
            width_ = columns_.size();
            if (by_sex)
                add_row();
            else
                add_interval();
        }
        file_.by_sex = width_ == 5;
        if (file_.by_sex && of_contigs_ && file_.rules.empty() && !file_.elsewhere) {
            throw Error(ErrorKind::reference_mismatch, lines_.name() + ": of the contigs of its rows for a " +
                                                           sex_ + " none is in " + reference_.path() +
                                                           ": their names may differ by 'chr'");
        }
        return std::move(file_);
    }

  private:
    std::string where() const { return lines_.name() + ": line " + std::to_string(lines_.number()) + ": "; }
    [[noreturn]] void refuse(const std::string& cause) const {
        throw Error(ErrorKind::malformed_input, where() + cause);
    }
    int64_t number(std::string_view text) const {
        int64_t value = 0;
        const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
        if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < 0)
            refuse("'" + std::string(text) + "' is not a number from 0 on");
        return value;
    }
    uint8_t ploidy(std::string_view text) const {
        const int64_t value = number(text);
        if (value > static_cast<int64_t>(variants::k_max_ploidy)) {
            throw Error(ErrorKind::usage, where() + "the ploidy " + std::string(text) +
                                              " is not supported: 0 (no calls), 1 and 2 are");
        }
        return static_cast<uint8_t>(value);
    }
    int64_t length_of(uint32_t contig) const {
        return static_cast<int64_t>(reference_.contigs()[contig].length);
    }
    void add(const data::Region& region, uint8_t ploidy) {
        file_.rules.push_back({region, ploidy, "--ploidy"});
    }

    void add_interval() {
        const auto contig = reference_.find(columns_[0]);
        if (!contig) {
            throw Error(ErrorKind::reference_mismatch,
                        where() + data::unknown_contig_message(columns_[0], reference_));
        }
        const int64_t begin = number(columns_[1]);
        const int64_t end = number(columns_[2]);
        if (begin > end) refuse("ends before it begins");
        if (end > length_of(*contig)) refuse("ends past the end of the contig");
        add({*contig, begin, end}, ploidy(columns_[3]));
    }

    void add_row() {
        if (sex_.empty()) {
            throw Error(ErrorKind::usage,
                        lines_.name() + ": gives the ploidy by sex: name the sex of the sample with --sex");
        }
        if (columns_[3] != "M" && columns_[3] != "F")
            refuse("its sex '" + std::string(columns_[3]) + "' is neither M nor F");
        const uint8_t copies = ploidy(columns_[4]);
        if ((columns_[3] == "M") != (sex_ == "male")) return;
        if (columns_[0] == "*") {
            if (columns_[1] != "*" || columns_[2] != "*") refuse("the default row is * * * SEX PLOIDY");
            file_.elsewhere = copies;
            return;
        }
        const int64_t from = number(columns_[1]);
        const int64_t to = number(columns_[2]);
        if (from < 1 || from > to) refuse("its positions are not 1-based and ascending");
        const auto contig = reference_.find(columns_[0]);
        of_contigs_ = true;
        if (contig)
            add({*contig, std::min(from - 1, length_of(*contig)), std::min(to, length_of(*contig))}, copies);
    }

    data::LineReader lines_;
    const std::string& sex_;
    const data::Reference& reference_;
    std::vector<std::string_view> columns_;
    size_t width_ = 0;
    bool of_contigs_ = false;  ///< rows of this sex name contigs, of the reference or not
    PloidyFile file_;
};

}  // namespace

PloidyFile read_ploidy_file(const std::string& path, const std::string& sex,
                            const data::Reference& reference) {
    return FileReader(path, sex, reference).read();
}

}  // namespace gannet::pipeline
