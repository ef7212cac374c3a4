# SPDX-License-Identifier: MIT
# cmake -DWEIGHTS=FILE -DMANIFEST=FILE -DOUTPUT=FILE.cpp -P EmbedModel.cmake: a source that contains both files. Without
# WEIGHTS it reports that there is no model.
function(literal path result)
  set(text "")
  set(bytes 0)
  if(path)
    file(SIZE "${path}" bytes)
    file(READ "${path}" text HEX)
    # Lines of 32 bytes, which editors and compilers can handle.
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" text "${text}")
    string(REPEAT "\\\\x[0-9a-f][0-9a-f]" 32 line)
    string(REGEX REPLACE "(${line})" "\\1\"\n    \"" text "${text}")
  endif()
  set(${result} "{\n    \"${text}\",\n    ${bytes}}" PARENT_SCOPE)
endfunction()

literal("${WEIGHTS}" weights)
literal("${MANIFEST}" manifest)
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedModel.cmake.
#include \"ml/shipped_model.hpp\"

namespace gannet::ml {

namespace {

constexpr std::string_view k_weights${weights};
constexpr std::string_view k_manifest${manifest};

}  // namespace

ShippedFiles shipped_files() { return {k_weights, k_manifest}; }

}  // namespace gannet::ml
")
