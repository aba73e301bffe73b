# `cmake --install` and find_package(helve). The component `program` is what a package of the program has.

include(CMakePackageConfigHelpers)

install(TARGETS helve DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS helve_static helve_shared EXPORT helveTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/helve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Plugins can be written with the program alone.
install(FILES include/helve/plugin.h include/helve/plugin.hpp include/helve/plugin_json.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/helve COMPONENT program)
install(EXPORT helveTargets NAMESPACE helve:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helve)
configure_package_config_file(cmake/helveConfig.cmake.in "${PROJECT_BINARY_DIR}/helveConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helve)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/helveConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/helveConfig.cmake" "${PROJECT_BINARY_DIR}/helveConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helve)

# The manual pages and completion scripts, made by the program itself.
set(HELVE_ZSH_FUNCTIONS "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING "Where zsh looks for completions")
set(generated "${PROJECT_BINARY_DIR}/share")
add_custom_command(OUTPUT "${generated}/stamp" DEPENDS helve VERBATIM
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${generated}"
  COMMAND helve man --directory "${generated}/man"
  COMMAND helve completion bash > "${generated}/helve.bash"
  COMMAND helve completion zsh > "${generated}/_helve"
  COMMAND helve completion fish > "${generated}/helve.fish"
  COMMAND "${CMAKE_COMMAND}" -E touch "${generated}/stamp")
add_custom_target(helve_share ALL DEPENDS "${generated}/stamp")
install(DIRECTORY "${generated}/man/" DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES "${generated}/helve.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME helve
  COMPONENT program)
install(FILES "${generated}/_helve" DESTINATION "${HELVE_ZSH_FUNCTIONS}" COMPONENT program)
install(FILES "${generated}/helve.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
