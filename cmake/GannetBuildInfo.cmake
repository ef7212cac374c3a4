# SPDX-License-Identifier: MIT
# gannet_build_info(<source>): compiles one source with the commit, the compiler and the flags of this build.
function(gannet_build_info source)
  set(commit "unknown")
  set(date "")
  find_package(Git QUIET)
  if(Git_FOUND)
    # A copy of the sources inside another repository does not have that repository's commit.
    execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --show-toplevel
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(top STREQUAL PROJECT_SOURCE_DIR)
      execute_process(COMMAND "${GIT_EXECUTABLE}" describe --always --dirty --abbrev=12
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      execute_process(COMMAND "${GIT_EXECUTABLE}" log -1 --format=%cs
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --git-path logs/HEAD
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(described)
        set(commit "${described}")
      endif()
      # Configure again on the next build after a commit.
      cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      if(log AND EXISTS "${log}")
        set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
      endif()
    endif()
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} -march=x86-64-v2 -ffp-contract=off")
  if(GANNET_SANITIZE)
    string(APPEND flags " -fsanitize=${GANNET_SANITIZE}")
  endif()
  string(STRIP "${flags}" flags)
  set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_DEFINITIONS
    "GANNET_BUILD_COMMIT=\"${commit}\"" "GANNET_BUILD_DATE=\"${date}\""
    "GANNET_BUILD_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\""
    "GANNET_BUILD_FLAGS=\"${flags}\"" "GANNET_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\"")
endfunction()
