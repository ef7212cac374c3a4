# SPDX-License-Identifier: MIT
# The language level, warnings, floating-point contract, sanitizers and third-party packages.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(GANNET_CCACHE ccache)
if(GANNET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${GANNET_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${GANNET_CCACHE}")
endif()

# Release keeps asserts: they guard invariants, are cheap, and are never reachable from user input.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

add_library(gannet_options INTERFACE)
target_include_directories(gannet_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(gannet_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2
  # The same bits on every CPU (docs/architecture.md, numbers): no contraction, never fast-math.
  -ffp-contract=off
  # The objects are position-independent, and all of them end in one program: no function is replaced by one of another
  # library, so calls between them may be inlined (4 % of the CPU time of a run).
  -fno-semantic-interposition)
# The baseline of x86-64: everything outside the per-ISA kernels runs on any CPU since 2009 (x86-64-v2).
target_compile_options(gannet_options INTERFACE -march=x86-64-v2 -mtune=generic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Of the preset `fuzz`: clang 16 knows no constant value of GCC's vectors and of fma, and not all warnings that GCC knows.
  target_compile_options(gannet_options INTERFACE -Wno-invalid-constexpr -Wno-unknown-warning-option)
endif()
if(GANNET_REPRODUCIBLE)
  # The same sources give the same bytes in any folder (scripts/check_reproducible). The build folder first: it may be in the other.
  target_compile_options(gannet_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=gannet>"
    "$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_BINARY_DIR}=build>")
endif()
if(GANNET_WERROR)
  target_compile_options(gannet_options INTERFACE -Werror)
endif()
if(GANNET_SANITIZE)
  # Under sanitizers GCC 12 takes parts of its own <regex> for uninitialised, and the array of a std::sort of three for one of sixteen.
  # oneTBB 2021.8 downcasts tasks that its uninstrumented library made, which the vptr check refuses.
  target_compile_options(gannet_options INTERFACE -fsanitize=${GANNET_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all -fno-sanitize=vptr -Wno-maybe-uninitialized -Wno-array-bounds)
  target_link_options(gannet_options INTERFACE -fsanitize=${GANNET_SANITIZE})
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(TBB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
pkg_check_modules(HTSLIB REQUIRED IMPORTED_TARGET htslib>=1.16)
pkg_check_modules(LIBDEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.4.0)
