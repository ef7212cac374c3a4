# SPDX-License-Identifier: MIT
# cmake --install, and the target `dist`: a relocatable folder with the binary and the .so files it needs.
include(GNUInstallDirs)
install(TARGETS gannet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

add_custom_target(dist
  COMMAND "${PROJECT_SOURCE_DIR}/scripts/make_dist" "$<TARGET_FILE:gannet>" "${PROJECT_SOURCE_DIR}/dist"
  DEPENDS gannet
  VERBATIM)
