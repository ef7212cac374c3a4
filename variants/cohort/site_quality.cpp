// SPDX-License-Identifier: MIT
// Provides the recursion over samples for the number of alternate copies.
#include "variants/cohort/site_quality.hpp"

#include "variants/arithmetic/probability.hpp"

#include <algorithm>

namespace gannet::variants::cohort {
namespace {

/// Counts less likely than this, compared with the best, are forgotten.
constexpr double k_negligible = 1e-18;
/// Weights are scaled by this when all are smaller: 2^-100, and its Phred in k_phred_unit: 1000 log10(2).
constexpr double k_scale = 0x1p-100;
constexpr int64_t k_scale_phred = 315652829;
constexpr double k_half = 0.5;

}  // namespace

void SiteQuality::begin(double theta) {
    theta_ = theta;
    samples_.clear();
}

void SiteQuality::add(int ploidy, const std::array<int32_t, 3>& phred) {
    Sample& sample = samples_.emplace_back();
    sample.ploidy = ploidy;
    for (size_t i = 0; i < phred.size(); ++i) sample.phred[i] = std::min(phred[i], k_max_phred);
}

/// One sample more: weights over the copies of all so far.
void SiteQuality::extend(const Sample& sample) {
    const auto added = static_cast<size_t>(sample.ploidy);
    copies_ += added;
    weights_.resize(copies_ + 1, 0);
    const double none = probability_of_phred(sample.phred[0]);
    const double one = probability_of_phred(sample.phred[1]);
    const double two = probability_of_phred(sample.phred[2]);
    const auto all = static_cast<double>(copies_);
    const auto weight_of = [this](size_t count, size_t less) {
        return count >= first_ + less && count <= last_ + less ? weights_[count - less] : 0;
    };
    // From above, as each weight is made of those below it.
    for (size_t count = last_ + added + 1; count-- > first_;) {
        const auto k = static_cast<double>(count);
        double weight = 0;
        if (sample.ploidy == 1) {
            weight = ((all - k) * weight_of(count, 0) * none + k * weight_of(count, 1) * one) / all;
        } else {
            weight =
                ((all - k) * (all - k - 1) * weight_of(count, 0) * none +
                 2 * k * (all - k) * weight_of(count, 1) * one + k * (k - 1) * weight_of(count, 2) * two) /
                (all * (all - 1));
        }
        weights_[count] = weight;
    }
    last_ += added;
    narrow();
}

/// Leaves out what is negligible, and scales the rest.
void SiteQuality::narrow() {
    const auto begin = weights_.begin();
    double best = *std::max_element(begin + static_cast<std::ptrdiff_t>(first_),
                                    begin + static_cast<std::ptrdiff_t>(last_) + 1);
    while (first_ < last_ && weights_[first_] < best * k_negligible) weights_[first_++] = 0;
    while (last_ > first_ && weights_[last_] < best * k_negligible) weights_[last_--] = 0;
    for (; best < k_scale; best /= k_scale) {
        for (size_t i = first_; i <= last_; ++i) weights_[i] /= k_scale;
        ++scalings_;
    }
}

int64_t SiteQuality::quality() {
    if (samples_.empty()) return 0;
    // Those who surely have none first, so that few counts are kept for long.
    std::sort(samples_.begin(), samples_.end());
    weights_.assign(1, 1);
    first_ = last_ = copies_ = 0;
    scalings_ = 0;
    int64_t none_phred = 0;
    for (const Sample& sample : samples_) {
        extend(sample);
        none_phred += sample.phred[0] * k_phred_unit;
    }
    double prior_none = 1;
    double with = 0;
    for (size_t count = 1; count <= copies_; ++count) {
        const double prior = theta_ / static_cast<double>(count);
        prior_none -= prior;
        if (count >= first_ && count <= last_) with += prior * weights_[count];
    }
    const double none = first_ == 0 ? prior_none * weights_[0] : 0;
    const double share = with / (with + none);
    if (share < k_half) return phred_fixed_of_complement(share);
    const int64_t all_phred = phred_fixed(with + none) + scalings_ * k_scale_phred;
    return std::max<int64_t>(0, none_phred + phred_fixed(prior_none) - all_phred);
}

}  // namespace gannet::variants::cohort
