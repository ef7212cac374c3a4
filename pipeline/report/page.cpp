// SPDX-License-Identifier: MIT
// Provides what the pages of reports have in common.
#include "pipeline/report/pages.hpp"
#include "pipeline/report/text.hpp"

namespace gannet::pipeline::report {
namespace {

/// Every {{name}} of the template, once, so that nothing in a value is taken for another one.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
    std::string page;
    while (true) {
        const size_t begin = text.find("{{");
        page += text.substr(0, begin);
        if (begin == std::string_view::npos) return page;
        const size_t end = text.find("}}", begin);
        const std::string_view name = text.substr(begin + 2, end - begin - 2);
        for (const auto& [key, value] : values)
            if (key == name) page += value;
        text.remove_prefix(end + 2);
    }
}

}  // namespace

std::string page_html(const Page& page, std::string_view program) {
    const Template files = page_template();
    std::string navigation;
    if (!page.sections.empty()) {
        navigation = "<nav aria-label=\"Sections\"><ul>";
        for (const auto& [id, title] : page.sections)
            navigation += "<li><a href=\"#" + id + "\">" + escaped(title) + "</a></li>";
        navigation += "</ul></nav>\n";
    }
    return filled(files.html, {{"title", escaped(page.title)},
                               {"heading", escaped(page.heading)},
                               {"program", escaped(program)},
                               {"css", std::string(files.css)},
                               {"js", std::string(files.js)},
                               {"head", page.head_html},
                               {"nav", navigation},
                               {"body", page.body_html}});
}

std::string mark_html(Result result) {
    switch (result) {
        case Result::pass:
            return "<span class=\"mark pass\">✓ PASS</span>";
        case Result::look:
            return "<span class=\"mark look\">! LOOK</span>";
        case Result::fail:
            return "<span class=\"mark fail\">✗ FAIL</span>";
        case Result::not_judged:
            break;
    }
    return "<span class=\"mark none\">not judged</span>";
}

std::string section_html(Page& page, const char* id, const char* title, const std::string& html) {
    page.sections.emplace_back(id, title);
    return std::string("<section id=\"") + id + "\" aria-labelledby=\"" + id + "-title\">\n<h2 id=\"" + id +
           "-title\">" + title + "</h2>\n" + html + "</section>\n";
}

}  // namespace gannet::pipeline::report
