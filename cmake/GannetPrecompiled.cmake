# SPDX-License-Identifier: MIT
# Headers of the standard library that most sources include, read once: that saves a second or two of each source.
#
# GANNET_PRECOMPILED_HEADER (preset release): for the program. The other presets do without, so that a source that includes too little is
# seen, and clang-tidy can read the commands.
# GANNET_PRECOMPILED_TESTS (preset dev): for the sources of gannet_test, with GoogleTest's header, which halves their time.
set(GANNET_COMMON_HEADERS <algorithm> <array> <atomic> <bit> <charconv> <chrono> <condition_variable> <exception> <filesystem> <fstream> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <vector>)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp" CONTENT "")

# ccache asks for both where GCC precompiles headers (its manual, "Precompiled headers").
set(GANNET_LAUNCHER_FOR_PRECOMPILED "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${GANNET_CCACHE}")
set(GANNET_LAUNCHED_BY_CCACHE OFF)
if(GANNET_CCACHE AND CMAKE_CXX_COMPILER_LAUNCHER STREQUAL "${GANNET_CCACHE}")
  set(GANNET_LAUNCHED_BY_CCACHE ON)
endif()

if(GANNET_PRECOMPILED_HEADER)
  # GCC forgets that precompiled headers are the system's, and shows what it believes of the inside of std::string's operator+.
  target_compile_options(gannet_options INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  if(GANNET_LAUNCHED_BY_CCACHE)
    target_compile_options(gannet_options INTERFACE -fpch-preprocess)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${GANNET_LAUNCHER_FOR_PRECOMPILED})
  endif()
  add_library(gannet_precompiled OBJECT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
  target_link_libraries(gannet_precompiled PRIVATE gannet_options)
  target_precompile_headers(gannet_precompiled PRIVATE ${GANNET_COMMON_HEADERS})
endif()

# The options of a test's own sources.
function(gannet_test_options target)
  target_compile_options(${target} PRIVATE -O1)
  if(GANNET_PRECOMPILED_TESTS)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
    if(GANNET_LAUNCHED_BY_CCACHE)
      target_compile_options(${target} PRIVATE -fpch-preprocess)
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${GANNET_LAUNCHER_FOR_PRECOMPILED}")
    endif()
    if(NOT TARGET gannet_precompiled_tests)
      # A program, since those are compiled as position-independent executables, and libraries otherwise.
      add_executable(gannet_precompiled_tests "${PROJECT_BINARY_DIR}/precompiled.cpp")
      gannet_test_options(gannet_precompiled_tests)
      target_link_libraries(gannet_precompiled_tests PRIVATE gannet_options GTest::gtest_main)
      target_precompile_headers(gannet_precompiled_tests PRIVATE <gtest/gtest.h> ${GANNET_COMMON_HEADERS})
    endif()
    if(NOT target STREQUAL gannet_precompiled_tests)
      target_precompile_headers(${target} REUSE_FROM gannet_precompiled_tests)
    endif()
  endif()
endfunction()
