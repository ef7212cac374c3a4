// SPDX-License-Identifier: MIT
// A FASTA as text.
#include "data/fasta/contig_lengths.hpp"

#include "data/input_stream.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace gannet::data::fasta {
namespace {

/// The name of a FASTA record: what follows '>' up to the first blank.
std::string name_of_title(std::string_view title) {
    return std::string(title.substr(0, title.find_first_of(" \t\r")));
}

class ContigLengths {
  public:
    using Each = std::function<bool(const std::string& name, uint64_t bases)>;

    explicit ContigLengths(const std::string& fasta) : stream_(fasta), buffer_(size_t{1} << 20) {}

    void walk(const Each& each) {
        while (const size_t size = stream_.read(buffer_)) {
            std::string_view text(reinterpret_cast<const char*>(buffer_.data()), size);
            while (!text.empty()) {
                const size_t end = text.find('\n');
                const std::string_view part = text.substr(0, end);
                if (!add(part, each)) return;
                text.remove_prefix(std::min(text.size(), part.size() + 1));
                if (end != std::string_view::npos) begins_line_ = true;
            }
        }
        if (has_record_) each(name_of_title(title_), length_);
    }

  private:
    bool add(std::string_view part, const Each& each) {
        if (begins_line_ && !part.empty()) {
            in_title_ = part.front() == '>';
            begins_line_ = false;
            if (in_title_) {
                if (has_record_ && !each(name_of_title(title_), length_)) return false;
                has_record_ = true;
                title_.clear();
                length_ = 0;
                part.remove_prefix(1);
            }
        }
        if (in_title_)
            title_ += part;
        else
            length_ += part.size() - static_cast<size_t>(std::count_if(part.begin(), part.end(), is_blank));
        return true;
    }
    static bool is_blank(char letter) { return letter == '\r' || letter == ' ' || letter == '\t'; }

    InputStream stream_;
    std::vector<uint8_t> buffer_;
    std::string title_;
    uint64_t length_ = 0;
    bool begins_line_ = true;
    bool in_title_ = false;
    bool has_record_ = false;
};

}  // namespace

void for_each_contig(const std::string& fasta, const ContigLengths::Each& each) {
    ContigLengths(fasta).walk(each);
}

}  // namespace gannet::data::fasta
