# SPDX-License-Identifier: MIT
# GANNET_PRECOMPILED_HEADER (preset release): the headers of the standard library that most sources include are read once, which saves a
# second of each source. The other presets do without, so that a source that includes too little is seen, and clang-tidy can read the commands.
if(GANNET_PRECOMPILED_HEADER)
  # GCC forgets that precompiled headers are the system's, and shows what it believes of the inside of std::string's operator+.
  target_compile_options(gannet_options INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  if(CMAKE_CXX_COMPILER_LAUNCHER STREQUAL "${GANNET_CCACHE}")
    # ccache asks for both where GCC precompiles headers (its manual, "Precompiled headers").
    target_compile_options(gannet_options INTERFACE -fpch-preprocess)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${GANNET_CCACHE}")
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp" CONTENT "")
  add_library(gannet_precompiled OBJECT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
  target_link_libraries(gannet_precompiled PRIVATE gannet_options)
  target_precompile_headers(gannet_precompiled PRIVATE
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <condition_variable> <exception> <filesystem> <fstream> <functional> <limits> <map>
    <memory> <mutex> <numeric> <optional> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <vector>)
endif()
