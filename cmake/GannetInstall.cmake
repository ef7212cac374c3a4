# SPDX-License-Identifier: MIT
# cmake --install (program, documents, man pages, completions), and the target `dist`: a relocatable folder with the binary and the .so files it needs.
include(GNUInstallDirs)
install(TARGETS gannet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What the program wrote of its own options when it was built.
set(texts "${PROJECT_BINARY_DIR}/pipeline/share")
install(DIRECTORY "${texts}/man/" DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES "${texts}/doc/gannet/options.md" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY "${texts}/bash-completion" "${texts}/zsh" "${texts}/fish" DESTINATION ${CMAKE_INSTALL_DATADIR})

# The Debian package of scripts/make_packages.
set(CPACK_PACKAGE_NAME gannet)
set(CPACK_PACKAGE_CONTACT "the authors of gannet <gannet@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sequencing reads (FASTQ) to variants (VCF) in one program")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # asks dpkg which packages the program's libraries are from
include(CPack)

add_custom_target(dist
  COMMAND "${PROJECT_SOURCE_DIR}/scripts/make_dist" "$<TARGET_FILE:gannet>" "${PROJECT_SOURCE_DIR}/dist"
  DEPENDS gannet
  VERBATIM)

# dist_gpu: the same with the programs of scripts/gpu_session, to be copied to a machine with a device.
if(TARGET parity_test AND TARGET device_bench)
  add_custom_target(dist_gpu
    COMMAND "${PROJECT_SOURCE_DIR}/scripts/make_dist" "$<TARGET_FILE:gannet>" "${PROJECT_SOURCE_DIR}/dist-gpu"
            "$<TARGET_FILE:parity_test>" "$<TARGET_FILE:device_bench>" "${PROJECT_SOURCE_DIR}/scripts/gpu_session"
            "${PROJECT_SOURCE_DIR}/tests/support/overlap.py"
    DEPENDS gannet parity_test device_bench
    VERBATIM)
endif()
