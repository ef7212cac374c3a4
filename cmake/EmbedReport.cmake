# SPDX-License-Identifier: MIT
# cmake -DHTML=FILE -DCSS=FILE -DJS=FILE -DOUTPUT=FILE.cpp -P EmbedReport.cmake: a source that contains the template of reports.
function(literal path result)
  file(READ "${path}" text)
  # The standard lets a compiler refuse literals of more than 65,536 bytes, so that each rule or block is one; they are joined.
  string(REPLACE "\n}\n" "\n}\n)GANNET\"\n    R\"GANNET(" text "${text}")
  set(${result} "R\"GANNET(${text})GANNET\"" PARENT_SCOPE)
endfunction()

literal("${HTML}" html)
literal("${CSS}" css)
literal("${JS}" js)
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedReport.cmake.
#include \"pipeline/report/pages.hpp\"

namespace gannet::pipeline::report {

namespace {

constexpr std::string_view k_html = ${html};
constexpr std::string_view k_css = ${css};
constexpr std::string_view k_js = ${js};

}  // namespace

Template page_template() { return {k_html, k_css, k_js}; }

}  // namespace gannet::pipeline::report
")
