# SPDX-License-Identifier: MIT
# gannet_library(<name> SOURCES ... LINK ... PRIVATE_LINK ...): one static library per folder.
# gannet_test(<name> SOURCES ... LINK ... [LABELS ...]): one GoogleTest program, one ctest entry. Its own sources are compiled with -O1: that
# takes a quarter less time, and what is slow in a test is in the libraries.
# gannet_time_limit(<test> <seconds>): the test fails when it takes longer; with sanitizers six times as long, since they slow the program by
# two to ten times.
function(gannet_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(gannet_${name} STATIC ${arg_SOURCES})
  add_library(gannet::${name} ALIAS gannet_${name})
  target_link_libraries(gannet_${name} PUBLIC gannet_options ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
  if(GANNET_PRECOMPILED_HEADER)
    target_precompile_headers(gannet_${name} REUSE_FROM gannet_precompiled)
  endif()
endfunction()

function(gannet_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  gannet_test_options(${name})
  target_link_libraries(${name} PRIVATE gannet_options ${arg_LINK} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
  gannet_time_limit(${name} 600)
endfunction()

function(gannet_time_limit test seconds)
  if(GANNET_SANITIZE)
    math(EXPR seconds "6 * ${seconds}")
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
endfunction()
