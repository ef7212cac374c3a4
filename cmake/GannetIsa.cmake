# SPDX-License-Identifier: MIT
# gannet_isa_sources(<target> <source>): compiles one kernel source once per instruction set.
# Each copy sees GANNET_ISA (a namespace name: sse42, avx2, avx512) and must keep everything in that namespace.
set(GANNET_ISA_FLAGS_sse42 -march=x86-64-v2)
set(GANNET_ISA_FLAGS_avx2 -march=x86-64-v3)
set(GANNET_ISA_FLAGS_avx512 -march=x86-64-v4)

function(gannet_isa_sources target source)
  set(isas ${ARGN})
  if(NOT isas)
    set(isas sse42 avx2 avx512)
  endif()
  get_filename_component(stem "${source}" NAME_WE)
  foreach(isa IN LISTS isas)
    set(object ${target}_${stem}_${isa})
    add_library(${object} OBJECT "${source}")
    target_link_libraries(${object} PRIVATE gannet_options)
    target_compile_definitions(${object} PRIVATE GANNET_ISA=${isa} GANNET_ISA_${isa}=1)
    target_compile_options(${object} PRIVATE ${GANNET_ISA_FLAGS_${isa}})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
