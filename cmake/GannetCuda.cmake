# SPDX-License-Identifier: MIT
# The CUDA toolkit, where there is one: GANNET_HAS_CUDA, and gannet_cuda_sources(<target> <source.cu>...).
#
# GANNET_CUDA=AUTO builds the backend cuda where a suitable toolkit is found, ON fails without one (preset cuda), OFF leaves it out. The
# runtime is linked statically and looks for the driver at run time, so that one binary serves machines with and without a device.
# Sanitizers check the host's code only; with them AUTO means OFF.
include(CheckLanguage)
set(GANNET_HAS_CUDA OFF)
set(GANNET_CUDA_MIN_VERSION 12.2)

# Machine code for 8.0 (and 8.6, 8.9: A100, A10, L4) and 9.0 (H100, H200); PTX for later devices, which the driver compiles.
set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)

if(GANNET_CUDA STREQUAL "ON" OR (GANNET_CUDA STREQUAL "AUTO" AND NOT GANNET_SANITIZE))
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(GANNET_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(GANNET_NVCC)
      set(CMAKE_CUDA_COMPILER "${GANNET_NVCC}")
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL GANNET_CUDA_MIN_VERSION)
      find_package(CUDAToolkit REQUIRED)
      set(GANNET_HAS_CUDA ON)
    endif()
  endif()
  if(GANNET_CUDA STREQUAL "ON" AND NOT GANNET_HAS_CUDA)
    message(FATAL_ERROR "GANNET_CUDA=ON, but no nvcc of version ${GANNET_CUDA_MIN_VERSION} or later that works was found; "
                        "set CMAKE_CUDA_COMPILER, or GANNET_CUDA=OFF")
  endif()
elseif(NOT GANNET_CUDA MATCHES "^(AUTO|OFF)$")
  message(FATAL_ERROR "GANNET_CUDA is AUTO, ON or OFF, not ${GANNET_CUDA}")
endif()
if(GANNET_HAS_CUDA)
  message(STATUS "CUDA: on, nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
else()
  message(STATUS "CUDA: off")
endif()

# The options of every kernel. CMake 3.25 cannot pass C++20 to nvcc 13. The schedules are constexpr, which
# --expt-relaxed-constexpr makes callable on the device. Of GCC's warnings only those that nvcc's own host stubs do not trigger.
set(GANNET_CUDA_FLAGS -std=c++20 --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-ffp-contract=off,-march=x86-64-v2)
if(GANNET_WERROR)
  list(APPEND GANNET_CUDA_FLAGS --Werror all-warnings)
endif()

# EXACT_FLOAT: for kernels with floating point of the class exact-float, which must not contract operations on their own.
function(gannet_cuda_sources target)
  cmake_parse_arguments(arg "EXACT_FLOAT" "" "" ${ARGN})
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(stem "${source}" NAME_WE)
    set(object ${target}_${stem})
    add_library(${object} OBJECT "${source}")
    set_target_properties(${object} PROPERTIES CUDA_STANDARD_REQUIRED OFF POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${object} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_options(${object} PRIVATE ${GANNET_CUDA_FLAGS} $<$<BOOL:${arg_EXACT_FLOAT}>:-fmad=false>)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(GLOBAL APPEND PROPERTY GANNET_CUDA_FILES "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    if(arg_EXACT_FLOAT)
      set_property(GLOBAL APPEND PROPERTY GANNET_EXACT_FLOAT_FILES "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    endif()
  endforeach()
endfunction()
