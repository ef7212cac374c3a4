// SPDX-License-Identifier: MIT
// Provides reading of VCF and BCF by region through htslib.
#include "data/vcf/indexed_sites.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/letters.hpp"
#include "data/vcf/index_check.hpp"

#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace gannet::data::vcf {
namespace {

struct Close {
    void operator()(htsFile* file) const { hts_close(file); }
    void operator()(tbx_t* index) const { tbx_destroy(index); }
    void operator()(hts_idx_t* index) const { hts_idx_destroy(index); }
    void operator()(hts_itr_t* iterator) const { hts_itr_destroy(iterator); }
    void operator()(bcf_hdr_t* header) const { bcf_hdr_destroy(header); }
    void operator()(bcf1_t* record) const { bcf_destroy(record); }
};
template <class T>
using Handle = std::unique_ptr<T, Close>;

/// What both formats have in common.
class Sites : public IndexedSites {
  public:
    Sites(const std::string& path, const Reference& reference)
        : path_(path), reference_(reference), file_(hts_open(path.c_str(), "r")) {
        if (!file_) throw_malformed(path_, "cannot be read as VCF or BCF");
    }

  protected:
    [[noreturn]] void refuse_without_index() const {
        throw_malformed(path_,
                        "has no index that can be read: make one with tabix -p vcf (of a VCF compressed by "
                        "bgzip) or bcftools index");
    }
    [[noreturn]] void refuse(const std::string& cause) const { throw_malformed(path_, cause); }
    [[noreturn]] void refuse_at(const Region& region, const std::string& cause) const {
        refuse(cause + " at or after " + reference_.contigs()[region.contig].name + ":" +
               std::to_string(region.begin + 1));
    }
    /// What the iterator has returned: whether there is a record.
    bool has_record(int result, const Region& region) const {
        if (result < -1) refuse_at(region, "is damaged, or its index is of another file,");
        return result >= 0;
    }
    void check_order(int64_t position, const Region& region) {
        if (position < last_)
            refuse_at(region, "is not sorted by position, or its index is of another file,");
        last_ = position;
    }
    /// Before the records of a region.
    void begin() { last_ = 0; }

    const std::string path_;
    const Reference& reference_;
    const Handle<htsFile> file_;

  private:
    int64_t last_ = 0;
};

class TextSites final : public Sites {
  public:
    TextSites(const std::string& path, const Reference& reference)
        : Sites(path, reference), index_(tbx_index_load3(path.c_str(), nullptr, HTS_IDX_SILENT_FAIL)) {
        if (!index_) refuse_without_index();
        for (const Contig& contig : reference.contigs())
            numbers_.push_back(tbx_name2id(index_.get(), contig.name.c_str()));
    }
    ~TextSites() override { std::free(line_.s); }
    void require_own_index() const { require_index_of(path_, index_.get()); }
    TextSites(const TextSites&) = delete;
    TextSites& operator=(const TextSites&) = delete;
    std::unique_ptr<IndexedSites> another() const override {
        return std::make_unique<TextSites>(path_, reference_);
    }
    std::string first_contig() const {
        int count = 0;
        const char** const names = tbx_seqnames(index_.get(), &count);
        std::string name = count > 0 ? names[0] : "";
        std::free(names);
        return name;
    }
    const std::vector<int>& numbers() const { return numbers_; }

    void visit(const Region& region, const std::function<void(const KnownSite&)>& take) override {
        const int number = numbers_[region.contig];
        if (number < 0) return;
        const Handle<hts_itr_t> iterator(tbx_itr_queryi(index_.get(), number, region.begin, region.end));
        if (!iterator) refuse_at(region, "its index cannot be used");
        begin();
        while (has_record(tbx_itr_next(file_.get(), index_.get(), iterator.get(), &line_), region)) {
            const KnownSite site = parse(region);
            check_order(site.position, region);
            take(site);
        }
    }

  private:
    KnownSite parse(const Region& region) {
        std::array<std::string_view, 5> columns;
        std::string_view rest(line_.s, line_.l);
        for (std::string_view& column : columns) {
            const size_t tab = rest.find('\t');
            if (tab == std::string_view::npos || tab == 0)
                refuse_at(region, "has a record without its columns");
            column = rest.substr(0, tab);
            rest.remove_prefix(tab + 1);
        }
        // VCF allows both cases (4.3, section 1.6.1). Symbols such as <DEL> are no bases, whatever their
        // case.
        to_upper({line_.s + (columns[3].data() - line_.s), columns[3].size() + 1 + columns[4].size()});
        KnownSite site{0, columns[2], columns[3], columns[4]};
        const char* const end = columns[1].data() + columns[1].size();
        const auto [last, fault] = std::from_chars(columns[1].data(), end, site.position);
        if (fault != std::errc{} || last != end || site.position < 0)
            refuse_at(region, "has a position that is not a number");
        --site.position;
        return site;
    }

    const Handle<tbx_t> index_;
    std::vector<int> numbers_;  // of each contig of the reference; -1: none
    kstring_t line_ = {0, 0, nullptr};
};

class BinarySites final : public Sites {
  public:
    BinarySites(const std::string& path, const Reference& reference)
        : Sites(path, reference),
          header_(bcf_hdr_read(file_.get())),
          index_(bcf_index_load3(path.c_str(), nullptr, HTS_IDX_SILENT_FAIL)),
          record_(bcf_init()) {
        if (!header_) refuse("its header is damaged");
        if (!index_) refuse_without_index();
        if (!record_) throw std::bad_alloc();
        for (const Contig& contig : reference.contigs())
            numbers_.push_back(bcf_hdr_name2id(header_.get(), contig.name.c_str()));
    }
    void require_own_index() const { require_index_of(path_, index_.get(), header_->n[BCF_DT_CTG]); }
    std::unique_ptr<IndexedSites> another() const override {
        return std::make_unique<BinarySites>(path_, reference_);
    }
    std::string first_contig() const {
        return header_->n[BCF_DT_CTG] > 0 ? header_->id[BCF_DT_CTG][0].key : "";
    }
    const std::vector<int>& numbers() const { return numbers_; }

    void visit(const Region& region, const std::function<void(const KnownSite&)>& take) override {
        const int number = numbers_[region.contig];
        if (number < 0) return;
        const Handle<hts_itr_t> iterator(bcf_itr_queryi(index_.get(), number, region.begin, region.end));
        if (!iterator) refuse_at(region, "its index cannot be used");
        begin();
        while (has_record(bcf_itr_next(file_.get(), iterator.get(), record_.get()), region)) {
            if (bcf_unpack(record_.get(), BCF_UN_STR) < 0 || record_->n_allele == 0)
                refuse_at(region, "has a damaged record");
            check_order(record_->pos, region);
            for (int i = 0; i < static_cast<int>(record_->n_allele); ++i)
                to_upper({record_->d.allele[i], std::strlen(record_->d.allele[i])});
            alternates_.clear();
            for (int i = 1; i < static_cast<int>(record_->n_allele); ++i) {
                if (i > 1) alternates_ += ',';
                alternates_ += record_->d.allele[i];
            }
            take({record_->pos, record_->d.id, record_->d.allele[0], alternates_});
        }
    }

  private:
    const Handle<bcf_hdr_t> header_;
    const Handle<hts_idx_t> index_;
    const Handle<bcf1_t> record_;
    std::vector<int> numbers_;
    std::string alternates_;
};

template <class Format>
std::unique_ptr<IndexedSites> open_as(const std::string& path, const Reference& reference) {
    auto sites = std::make_unique<Format>(path, reference);
    sites->require_own_index();
    for (const int number : sites->numbers()) {
        if (number >= 0) return sites;
    }
    if (sites->first_contig().empty()) return sites;  // a file without records
    throw Error(ErrorKind::reference_mismatch, path + ": none of its contigs is in the reference: " +
                                                   unknown_contig_message(sites->first_contig(), reference));
}

}  // namespace

std::unique_ptr<IndexedSites> IndexedSites::open(const std::string& path, const Reference& reference) {
    quiet_htslib();
    InputStream::Variants kind;
    {
        const InputStream stream(path);
        kind = stream.holds_variants();
        if (kind == InputStream::Variants::none)
            throw_malformed(path, "is not VCF or BCF: it does not begin with ##fileformat=VCF");
        if (stream.is_truncated_bgzf())
            throw_malformed(path, "truncated: its end-of-file marker is missing; copy or make it again");
    }
    return kind == InputStream::Variants::bcf ? open_as<BinarySites>(path, reference)
                                              : open_as<TextSites>(path, reference);
}

}  // namespace gannet::data::vcf
