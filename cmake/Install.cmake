# `cmake --install` and find_package(helve).

include(CMakePackageConfigHelpers)

install(TARGETS helve helve_static helve_shared EXPORT helveTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/helve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT helveTargets NAMESPACE helve:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helve)
configure_package_config_file(cmake/helveConfig.cmake.in "${PROJECT_BINARY_DIR}/helveConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helve)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/helveConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/helveConfig.cmake" "${PROJECT_BINARY_DIR}/helveConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helve)
