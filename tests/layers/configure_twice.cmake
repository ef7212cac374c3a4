# SPDX-License-Identifier: MIT
# Configures the release build twice, as scripts/build does on every call: the second time finds what the first one left in its cache.
# -DSOURCE=DIR -DBUILD=DIR, a new folder
file(REMOVE_RECURSE "${BUILD}")
foreach(time first second)
  execute_process(COMMAND "${CMAKE_COMMAND}" --preset release -B "${BUILD}" WORKING_DIRECTORY "${SOURCE}"
    RESULT_VARIABLE result OUTPUT_VARIABLE ${time} ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "configuring fails the ${time} time:\n${${time}}${errors}")
  endif()
  string(REGEX MATCH "CUDA: [^\n]*" ${time} "${${time}}")
endforeach()
file(REMOVE_RECURSE "${BUILD}")
if(NOT first STREQUAL second)
  message(FATAL_ERROR "the first time '${first}', then '${second}'")
endif()
message(STATUS "twice '${first}'")
