// SPDX-License-Identifier: MIT
// Provides the unification of alleles.
#include "variants/cohort/sites.hpp"

#include "variants/model/cohort.hpp"

#include <algorithm>
#include <tuple>

namespace gannet::variants::cohort {
namespace {

using Events = std::vector<const Event*>;

auto key_of(const Event& event) {
    return std::tie(event.position, event.kind, event.reference, event.alternate);
}

/// Bases that are deleted in some sample.
struct Span {
    int64_t begin = 0;
    int64_t end = 0;
};

/// Of each event that a sample shows well enough.
std::vector<Span> deletions(const std::vector<SampleWindow>& samples, int64_t end, int32_t min_quality) {
    std::vector<Span> spans;
    for (const SampleWindow& sample : samples) {
        for (const Event& event : sample.events()) {
            if (event.position >= end) break;
            if (event.quality < min_quality) continue;
            if (event.kind == EventKind::spanning) {
                spans.push_back({event.position, event.position + 1});
            } else if (event.spans(event.span_begin())) {
                spans.push_back({event.span_begin(), event.span_end()});
            }
        }
    }
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    return spans;
}

/// Equal events of different samples as one alternate.
void add_alternates(Events::const_iterator first, Events::const_iterator last,
                    const UnificationParameters& parameters, Site& site) {
    while (first != last) {
        Site::Alternate alternate{(*first)->reference, (*first)->alternate, 0, -1};
        const Event& head = **first;
        for (; first != last && key_of(**first) == key_of(head); ++first) {
            if ((*first)->quality >= 0) ++alternate.carriers;
            alternate.quality = std::max(alternate.quality, (*first)->quality);
        }
        if (alternate.quality >= parameters.allele_min_quality) site.alternates.push_back(alternate);
    }
    std::stable_sort(site.alternates.begin(), site.alternates.end(),
                     [](const Site::Alternate& a, const Site::Alternate& b) {
                         return a.carriers != b.carriers ? a.carriers > b.carriers : a.quality > b.quality;
                     });
    site.has_rest = site.alternates.size() > parameters.max_alternates;
    if (site.has_rest) site.alternates.resize(parameters.max_alternates);
}

}  // namespace

UnificationParameters::UnificationParameters()
    : allele_min_quality(cohort_number("allele_min_quality")),
      max_alternates(cohort_number("max_alternates")),
      site_min_quality(cohort_number("site_min_quality")) {}

std::string Site::reference() const {
    const auto longest = std::max_element(
        alternates.begin(), alternates.end(),
        [](const Alternate& a, const Alternate& b) { return a.reference.size() < b.reference.size(); });
    return longest->reference;
}

std::vector<std::string> Site::alleles() const {
    std::vector<std::string> all = {reference()};
    for (const Alternate& a : alternates) all.push_back(a.alternate + all[0].substr(a.reference.size()));
    if (has_spanning) all.emplace_back("*");
    if (has_rest) all.emplace_back("<*>");
    return all;
}

std::vector<Site> unify(const std::vector<SampleWindow>& samples, int64_t begin, int64_t end,
                        const UnificationParameters& parameters) {
    Events events;
    for (const SampleWindow& sample : samples) {
        for (const Event& event : sample.events()) {
            if (event.position >= end) break;
            if (event.position >= begin && event.kind != EventKind::spanning) events.push_back(&event);
        }
    }
    std::sort(events.begin(), events.end(),
              [](const Event* a, const Event* b) { return key_of(*a) < key_of(*b); });
    const std::vector<Span> spans = deletions(samples, end, parameters.allele_min_quality);
    auto span = spans.begin();
    int64_t reach = -1;
    std::vector<Site> sites;
    for (auto first = events.cbegin(); first != events.cend();) {
        const auto last = std::find_if(first, events.cend(), [&](const Event* event) {
            return event->position != (*first)->position || event->kind != (*first)->kind;
        });
        Site site;
        site.position = (*first)->position;
        site.kind = (*first)->kind;
        add_alternates(first, last, parameters, site);
        first = last;
        if (site.alternates.empty()) continue;
        for (; span != spans.end() && span->begin <= site.position; ++span)
            reach = std::max(reach, span->end);
        site.has_spanning = reach > site.position;
        sites.push_back(std::move(site));
    }
    return sites;
}

}  // namespace gannet::variants::cohort
