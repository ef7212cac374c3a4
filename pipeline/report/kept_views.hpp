// SPDX-License-Identifier: MIT
// Provides the views of the scorer that a run keeps for its report: their choice while records are called,
// and the file S.scorer_views.json.
#pragma once

#include "data/reference.hpp"
#include "pipeline/report/shown_records.hpp"
#include "variants/scorer/site_view.hpp"

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gannet::pipeline::report {

/// A view, with the contig by its name.
struct KeptView {
    std::string contig;
    variants::SiteView site;
};

/// Keeps the views of the records that the report of their VCF shows. The choice depends on the set of the
/// records, not on their order or on who offers them. Memory: at most k_doubtful_sites + k_usual_sites +
/// k_scored_sites views, each of about 10 KB per allele and 30x of depth. Thread-safe. Cost: about 100
/// instructions per record, and 10 us for each that is kept for a while.
class ViewKeeper final : public variants::SiteViews {
  public:
    explicit ViewKeeper(const data::Reference& reference) : reference_(reference) {}
    bool wants(const data::Variant& record, bool was_asked) override;
    void take(const data::Variant& record, variants::SiteView&& view) override;
    /// In the order of the VCF.
    std::vector<KeptView> views() const;

  private:
    /// What is chosen by, and the place in the VCF.
    struct Rank {
        uint64_t key = 0;
        uint32_t contig = 0;
        int64_t position = 0;
        std::vector<std::string> alleles;
        auto operator<=>(const Rank&) const = default;
    };
    /// The `most` first ones.
    struct Group {
        size_t most = 0;
        std::vector<std::pair<Rank, std::shared_ptr<const variants::SiteView>>> chosen;
        std::atomic<uint64_t> last_key{~uint64_t{0}};  ///< of the last one, once there are enough
    };
    struct Offer {
        Group* group;
        uint64_t key;
    };
    /// The groups that a record may belong to.
    std::array<std::optional<Offer>, 2> offers(const data::Variant& record, bool was_asked);

    const data::Reference& reference_;
    mutable std::mutex mutex_;
    Group doubtful_{k_doubtful_sites, {}, {~uint64_t{0}}};
    Group usual_{k_usual_sites, {}, {~uint64_t{0}}};
    Group scored_{k_scored_sites, {}, {~uint64_t{0}}};
};

/// The end of the name of the file.
inline constexpr const char* k_views_ending = ".scorer_views.json";

/// `scorer`: the model, as the VCF's header names it.
std::string views_text(const std::vector<KeptView>& views, const std::string& scorer);
/// Back from it. `name`: of the file, for messages. Throws Error(malformed_input).
std::vector<KeptView> parse_views(std::string_view text, const std::string& name);

}  // namespace gannet::pipeline::report
