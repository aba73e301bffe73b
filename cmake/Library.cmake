# The library in both forms from one set of objects, and the program.

find_package(PkgConfig REQUIRED)
pkg_check_modules(SODIUM REQUIRED libsodium)
find_library(SODIUM_STATIC libsodium.a)
pkg_check_modules(SQLITE REQUIRED sqlite3>=3.37)
find_library(SQLITE_STATIC libsqlite3.a)
# A few kilobytes of it, so its own file in the archive beats loading the whole library.
find_library(CRYPTO NAMES libcrypto.a crypto REQUIRED)
find_package(Boost 1.81 QUIET)
find_package(Threads REQUIRED)

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.cc")
list(FILTER library_sources EXCLUDE REGEX "_test\\.cc$")
list(FILTER library_sources EXCLUDE REGEX "/src/(tools|cli|chat|app|terminal|inbox)/")

add_library(helve_objects OBJECT ${library_sources} ${HELVE_TOOL_SOURCES} "${HELVE_GRAMMAR_TABLE}")
# Targets that link the objects get those of the grammars with them.
target_sources(helve_objects INTERFACE $<TARGET_OBJECTS:helve_grammars>)
target_include_directories(helve_objects PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_include_directories(helve_objects SYSTEM PRIVATE ${SODIUM_INCLUDE_DIRS} ${SQLITE_INCLUDE_DIRS}
  $<TARGET_PROPERTY:helve_grammars,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(helve_objects PUBLIC helve_flags)
target_precompile_headers(helve_objects PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled.h")
helve_unite(helve_objects 24)
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/core/runtime.cc" PROPERTIES
  COMPILE_DEFINITIONS "HELVE_VERSION=\"${PROJECT_VERSION}\"")

foreach(form IN ITEMS static shared)
  string(TOUPPER ${form} kind)
  add_library(helve_${form} ${kind} $<TARGET_OBJECTS:helve_objects> $<TARGET_OBJECTS:helve_grammars>)
  add_library(helve::${form} ALIAS helve_${form})
  set_target_properties(helve_${form} PROPERTIES OUTPUT_NAME helve EXPORT_NAME ${form}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(helve_${form} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(helve_${form} PUBLIC cxx_std_23)
  target_link_libraries(helve_${form} PRIVATE $<BUILD_INTERFACE:helve_flags> PUBLIC Threads::Threads)
endforeach()
target_link_libraries(helve_shared PRIVATE sodium sqlite3 "${CRYPTO}")
target_link_options(helve_shared PRIVATE -Wl,--exclude-libs,libcrypto.a
  "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
set_target_properties(helve_shared PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exports.map")
target_link_libraries(helve_static PUBLIC sodium sqlite3 crypto)

# Only the program needs these.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.cc" "${PROJECT_SOURCE_DIR}/src/terminal/*.cc"
  "${PROJECT_SOURCE_DIR}/src/chat/*.cc" "${PROJECT_SOURCE_DIR}/src/app/*.cc" "${PROJECT_SOURCE_DIR}/src/inbox/*.cc")
list(FILTER cli_sources EXCLUDE REGEX "_test\\.cc$")
list(FILTER cli_sources EXCLUDE REGEX "/main\\.cc$")
add_library(helve_cli OBJECT ${cli_sources})
target_link_libraries(helve_cli PUBLIC helve_flags)
target_include_directories(helve_cli PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_precompile_headers(helve_cli REUSE_FROM helve_objects)
helve_unite(helve_cli 24)

add_executable(helve src/cli/main.cc $<TARGET_OBJECTS:helve_cli> $<TARGET_OBJECTS:helve_objects>
  $<TARGET_OBJECTS:helve_grammars>)
target_link_libraries(helve PRIVATE helve_flags Threads::Threads)
target_include_directories(helve PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
# Start-up time is a feature: the fewer libraries the loader has to open, the better.
if(SODIUM_STATIC AND SQLITE_STATIC AND NOT HELVE_SANITIZE)
  target_link_libraries(helve PRIVATE "${SODIUM_STATIC}" "${SQLITE_STATIC}" "${CRYPTO}")
  target_link_options(helve PRIVATE -static-libstdc++ -static-libgcc)
else()
  target_link_libraries(helve PRIVATE sodium sqlite3 "${CRYPTO}")
endif()
