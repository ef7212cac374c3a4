// SPDX-License-Identifier: MIT
// Provides the file of the views that are kept.
#include "data/error.hpp"
#include "data/json_text.hpp"
#include "data/strict_json.hpp"
#include "pipeline/report/kept_views.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <span>

namespace gannet::pipeline::report {
namespace {

using OutJson = nlohmann::ordered_json;
using InJson = nlohmann::json;
using variants::AlleleView;
using variants::CopyLogs;
using variants::SiteView;

constexpr const char* k_format = "gannet scorer views 1";
// In the order of variants::Asked and of variants::Decided.
constexpr std::array<std::string_view, 8> k_asked_names = {
    "yes", "no candidate", "no stratum", "not measured", "long reads", "improper pairs", "settled", "given"};
static_assert(k_asked_names.size() == size_t{1} + static_cast<size_t>(variants::Asked::given));
constexpr std::array<std::string_view, 3> k_decided_names = {"caller", "neither", "with network"};

std::string hex_of(std::span<const uint8_t> bytes) {
    constexpr std::string_view k_digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const uint8_t byte : bytes) {
        text += k_digits[byte >> 4];
        text += k_digits[byte & 15];
    }
    return text;
}

OutJson json_of(const ml::Stratum& stratum) {
    return {{"depth", {stratum.depth_begin, stratum.depth_end}},
            {"temperature_65536", stratum.temperature},
            {"prior_65536", stratum.prior},
            {"direction", ml::k_direction_names[static_cast<size_t>(stratum.direction)]}};
}

OutJson json_of(const AlleleView& allele, bool was_asked) {
    OutJson json = {{"ref", allele.reference}, {"alt", allele.alternate}};
    if (!allele.facts) return json;
    const ml::ExampleFacts& facts = *allele.facts;
    json["kind"] = facts.kind;
    json["fragments"] = facts.fragments;
    json["context"] = ml::k_context_names[facts.context];
    json["plain"] = facts.plain_phred;
    json["filters"] = facts.filters;
    json["copies"] = facts.copies;
    json["haploid"] = facts.is_haploid;
    json["spanned"] = facts.is_spanned;
    json["base_65536"] = facts.base;
    json["stratum"] = allele.stratum ? json_of(*allele.stratum) : OutJson(nullptr);
    if (!was_asked) return json;
    json["output_65536"] = allele.raw;
    json["correction_65536"] = allele.correction;
    json["posterior_65536"] = allele.posterior;
    json["site"] = hex_of(allele.site);
    json["rows"] = hex_of(allele.rows);
    return json;
}

/// Members of an object of the file; whatever is not as views_text() writes it is refused.
class ViewFields {
  public:
    ViewFields(const InJson& json, const std::string& name, std::string what)
        : json_(json), name_(name), what_(std::move(what)) {
        if (!json.is_object()) refuse("is not an object");
    }
    [[noreturn]] void refuse(const std::string& cause) const {
        data::throw_malformed(name_, what_ + " " + cause);
    }
    bool has(const char* key) const { return json_.contains(key); }
    const InJson& at(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end()) refuse("lacks \"" + std::string(key) + "\"");
        return *found;
    }
    const InJson& list(const char* key) const {
        const InJson& value = at(key);
        if (!value.is_array()) refuse("has no list \"" + std::string(key) + "\"");
        return value;
    }
    std::string text(const char* key) const {
        const InJson& value = at(key);
        if (!value.is_string()) refuse("has no text \"" + std::string(key) + "\"");
        return value.get<std::string>();
    }
    bool flag(const char* key) const {
        const InJson& value = at(key);
        if (!value.is_boolean()) refuse("has no true or false \"" + std::string(key) + "\"");
        return value.get<bool>();
    }
    int64_t number(const char* key, int64_t most) const { return checked(at(key), key, 0, most); }
    template <size_t n>
    std::array<int32_t, n> numbers(const char* key) const {
        const InJson& values = list(key);
        if (values.size() != n) refuse("has another number of \"" + std::string(key) + "\"");
        std::array<int32_t, n> out;
        for (size_t i = 0; i < n; ++i)
            out[i] = static_cast<int32_t>(checked(values[i], key, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
        return out;
    }
    size_t choice(const char* key, std::span<const std::string_view> names) const {
        const std::string value = text(key);
        const auto found = std::find(names.begin(), names.end(), value);
        if (found == names.end()) refuse("has an unknown \"" + std::string(key) + "\"");
        return static_cast<size_t>(found - names.begin());
    }
    std::vector<uint8_t> bytes(const char* key) const {
        const std::string digits = text(key);
        std::vector<uint8_t> out(digits.size() / 2);
        for (size_t i = 0; i < digits.size(); ++i) {
            const size_t value = std::string_view("0123456789abcdef").find(digits[i]);
            if (value == std::string_view::npos || digits.size() % 2 != 0)
                refuse("has bytes in \"" + std::string(key) + "\" that are none");
            out[i / 2] = static_cast<uint8_t>(out[i / 2] << 4 | value);
        }
        return out;
    }

  private:
    int64_t checked(const InJson& value, const char* key, int64_t least, int64_t most) const {
        if (!value.is_number_integer() || value.get<int64_t>() < least || value.get<int64_t>() > most)
            refuse("has \"" + std::string(key) + "\" out of range");
        return value.get<int64_t>();
    }

    const InJson& json_;
    const std::string& name_;
    std::string what_;
};

ml::Stratum stratum_of(const ViewFields& fields, const ml::ExampleFacts& facts) {
    ml::Stratum stratum;
    const auto depth = fields.numbers<2>("depth");
    constexpr int64_t k_max_number = std::numeric_limits<int32_t>::max();
    stratum.is_indel = facts.kind != 0;
    stratum.context = static_cast<ml::Context>(facts.context);
    stratum.depth_begin = depth[0];
    stratum.depth_end = depth[1];
    stratum.temperature = static_cast<int32_t>(fields.number("temperature_65536", k_max_number));
    stratum.prior = static_cast<int32_t>(fields.number("prior_65536", k_max_number));
    stratum.direction = static_cast<ml::Direction>(fields.choice("direction", ml::k_direction_names));
    return stratum;
}

AlleleView allele_of(const ViewFields& fields, bool was_asked, const std::string& name) {
    constexpr int64_t k_max_16_bit = 65535;
    AlleleView allele;
    allele.reference = fields.text("ref");
    allele.alternate = fields.text("alt");
    if (!fields.has("kind")) return allele;
    ml::ExampleFacts& facts = allele.facts.emplace();
    facts.kind = static_cast<uint8_t>(fields.number("kind", 3));
    facts.fragments = static_cast<uint16_t>(fields.number("fragments", k_max_16_bit));
    facts.context = static_cast<uint8_t>(fields.choice("context", ml::k_context_names));
    facts.plain_phred = static_cast<uint16_t>(fields.number("plain", k_max_16_bit));
    facts.filters = static_cast<uint8_t>(fields.number("filters", 255));
    facts.copies = static_cast<uint8_t>(fields.number("copies", 2));
    facts.is_haploid = fields.flag("haploid");
    facts.is_spanned = fields.flag("spanned");
    facts.base = fields.numbers<3>("base_65536");
    if (const InJson& stratum = fields.at("stratum"); !stratum.is_null())
        allele.stratum = stratum_of(ViewFields(stratum, name, "a stratum"), facts);
    if (!was_asked) return allele;
    allele.raw = fields.numbers<3>("output_65536");
    allele.correction = fields.numbers<3>("correction_65536");
    allele.posterior = fields.numbers<3>("posterior_65536");
    allele.site = fields.bytes("site");
    allele.rows = fields.bytes("rows");
    if (allele.site.size() != ml::pileup::k_site_bytes || allele.rows.size() % ml::pileup::k_row_bytes != 0 ||
        allele.rows.size() > size_t{ml::pileup::k_max_rows} * ml::pileup::k_row_bytes)
        fields.refuse("has an example of another layout");
    return allele;
}

}  // namespace

std::string views_text(const std::vector<KeptView>& views, const std::string& scorer) {
    OutJson json = {{"format", k_format},
                    {"layout", ml::k_example_layout},
                    {"scorer", scorer},
                    {"sites", OutJson::array()}};
    for (const KeptView& view : views) {
        const SiteView& site = view.site;
        OutJson alleles = OutJson::array();
        for (const AlleleView& allele : site.alleles)
            alleles.push_back(json_of(allele, site.asked == variants::Asked::yes));
        json["sites"].push_back({{"contig", view.contig},
                                 {"position", site.position + 1},
                                 {"asked", k_asked_names[static_cast<size_t>(site.asked)]},
                                 {"decided", k_decided_names[static_cast<size_t>(site.decided)]},
                                 {"alleles", alleles}});
    }
    return data::json_text(json, 1) + "\n";
}

std::vector<KeptView> parse_views(std::string_view text, const std::string& name) {
    const InJson json = data::parse_object(text, name, "the file of the scorer's views");
    const ViewFields file(json, name, "the file of the scorer's views");
    if (file.text("format") != k_format || file.number("layout", UINT32_MAX) != ml::k_example_layout)
        file.refuse("is of another version of gannet");
    std::vector<KeptView> views;
    for (const InJson& each : file.list("sites")) {
        const ViewFields fields(each, name, "site " + std::to_string(views.size() + 1));
        KeptView& view = views.emplace_back();
        view.contig = fields.text("contig");
        view.site.position = fields.number("position", INT64_MAX) - 1;
        view.site.asked = static_cast<variants::Asked>(fields.choice("asked", k_asked_names));
        view.site.decided = static_cast<variants::Decided>(fields.choice("decided", k_decided_names));
        const bool was_asked = view.site.asked == variants::Asked::yes;
        for (const InJson& allele : fields.list("alleles"))
            view.site.alleles.push_back(
                allele_of(ViewFields(allele, name, "an allele of site " + std::to_string(views.size())),
                          was_asked, name));
    }
    return views;
}

}  // namespace gannet::pipeline::report
