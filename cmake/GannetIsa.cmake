# SPDX-License-Identifier: MIT
# gannet_isa_sources(<target> <source>): compiles one kernel source once per instruction set.
# Each copy sees GANNET_ISA (a namespace name: sse42, avx2, avx512) and must keep everything in that namespace.
set(GANNET_ISA_FLAGS_sse42 -march=x86-64-v2)
set(GANNET_ISA_FLAGS_avx2 -march=x86-64-v3)
# GCC 12's AVX-512 headers leave their "undefined" operands uninitialized on purpose, which triggers its own warnings.
set(GANNET_ISA_FLAGS_avx512 -march=x86-64-v4 -Wno-maybe-uninitialized -Wno-uninitialized)

function(gannet_isa_sources target source)
  set(isas ${ARGN})
  if(NOT isas)
    set(isas sse42 avx2 avx512)
  endif()
  get_filename_component(stem "${source}" NAME_WE)
  foreach(isa IN LISTS isas)
    set(object ${target}_${stem}_${isa})
    add_library(${object} OBJECT "${source}")
    # After gannet_options, whose baseline -march would otherwise come last and take effect.
    if(NOT TARGET gannet_isa_${isa})
      add_library(gannet_isa_${isa} INTERFACE)
      target_compile_options(gannet_isa_${isa} INTERFACE ${GANNET_ISA_FLAGS_${isa}})
    endif()
    target_link_libraries(${object} PRIVATE gannet_options gannet_isa_${isa})
    target_compile_definitions(${object} PRIVATE GANNET_ISA=${isa} GANNET_ISA_${isa}=1)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(GLOBAL APPEND PROPERTY GANNET_ISA_OBJECTS ${object})
  endforeach()
endfunction()
