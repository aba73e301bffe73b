# Fuzzers for libFuzzer, which comes with clang; see scripts/soak. The sources are those of the replays in Tests.cmake.
file(GLOB fuzzers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cc")
file(GLOB fuzzed CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/regex/*.cc" "${PROJECT_SOURCE_DIR}/src/search/*.cc"
  "${PROJECT_SOURCE_DIR}/src/shell/*.cc" "${PROJECT_SOURCE_DIR}/src/code/*.cc"
  "${PROJECT_SOURCE_DIR}/src/workspace/*.cc" "${PROJECT_SOURCE_DIR}/src/base/*.cc")
list(FILTER fuzzed EXCLUDE REGEX "_test\\.cc$")
add_library(helve_fuzzed STATIC ${fuzzed} "${HELVE_GRAMMAR_TABLE}")
target_link_libraries(helve_fuzzed PUBLIC helve_flags helve_grammars sodium Threads::Threads)
target_include_directories(helve_fuzzed PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
target_compile_options(helve_fuzzed PUBLIC -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
foreach(source IN LISTS fuzzers)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE helve_fuzzed)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
endforeach()
