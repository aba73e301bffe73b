# The unit tests, *_test.cc beside the code, as one program; and tests of the product from outside.
# The label `threads` marks what also runs under the thread sanitizer.

find_package(GTest REQUIRED)
find_library(GMOCK gmock REQUIRED)

# The tested code is optimised; the tests only have to compile quickly.
set(test_options -O0 -U_FORTIFY_SOURCE)
add_executable(helve_test_precompiled tests/unit/precompiled.cc)
target_link_libraries(helve_test_precompiled PRIVATE helve_flags GTest::gtest)
target_precompile_headers(helve_test_precompiled PRIVATE cmake/precompiled.h <gmock/gmock.h> <gtest/gtest.h>)
target_compile_options(helve_test_precompiled PRIVATE ${test_options})

# A program of the tests' own over the library's insides.
function(helve_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE helve_objects helve_flags sodium sqlite3 "${CRYPTO}" Threads::Threads)
endfunction()

file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*_test.cc")
helve_test_program(helve_tests tests/unit/main.cc tests/unit/places.cc ${unit_tests})
target_link_libraries(helve_tests PRIVATE helve_cli "${GMOCK}" GTest::gtest)
target_precompile_headers(helve_tests REUSE_FROM helve_test_precompiled)
target_compile_options(helve_tests PRIVATE ${test_options})
target_include_directories(helve_tests PRIVATE tests)
target_include_directories(helve_tests SYSTEM PRIVATE $<TARGET_PROPERTY:helve_grammars,INTERFACE_INCLUDE_DIRECTORIES>)
helve_unite(helve_tests 12)

# Tests that sync files thousands of times keep them in memory if there is enough: they show the order of the writes, not
# that a disk keeps its promises.
execute_process(COMMAND df --block-size=1M --output=avail /dev/shm OUTPUT_VARIABLE memory_megabytes ERROR_QUIET)
string(REGEX MATCH "[0-9]+" memory_megabytes "${memory_megabytes}")
function(helve_in_memory)
  if(memory_megabytes GREATER 1000)
    set_property(TEST ${ARGV} APPEND PROPERTY ENVIRONMENT TMPDIR=/dev/shm)
  endif()
endfunction()

foreach(module IN LISTS HELVE_MODULES)
  set(tests ${unit_tests})
  list(FILTER tests INCLUDE REGEX "/src/${module}/")
  if(tests)
    add_test(NAME unit.${module} COMMAND helve_tests --module=${module} --gtest_brief=1)
    set_tests_properties(unit.${module} PROPERTIES TIMEOUT 900)
  endif()
endforeach()
helve_in_memory(unit.changes unit.core unit.tools)

helve_test_program(fake_mcp_server tests/mcp/fake_server.cc)  # for the gateway to talk to
helve_test_program(conformance_client tests/mcp/conformance_client.cc)
file(GLOB fixture_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/mcp/fixture_*.cc")
helve_test_program(conformance_server tests/mcp/conformance_server.cc ${fixture_sources})
helve_test_program(code_symbols EXCLUDE_FROM_ALL tests/code/symbols.cc)  # see scripts/soak

include(cmake/TestPlugins.cmake)
set(places "HELVE_SOURCE=\"${PROJECT_SOURCE_DIR}\"" "HELVE_PROGRAM=\"${PROJECT_BINARY_DIR}/helve\""
  "HELVE_TEST_PLUGINS=\"${test_plugins}\"" "HELVE_FAKE_SERVER=\"${PROJECT_BINARY_DIR}/fake_mcp_server\"")
set_source_files_properties(tests/unit/places.cc PROPERTIES COMPILE_DEFINITIONS "${places}" SKIP_PRECOMPILE_HEADERS ON
  SKIP_UNITY_BUILD_INCLUSION ON)
add_dependencies(helve_tests helve fake_mcp_server)

if(HELVE_SANITIZE STREQUAL "address")
  # Two hundred launchers with the sanitizer's memory each need more than a machine has.
  set_tests_properties(unit.process PROPERTIES ENVIRONMENT "GTEST_FILTER=-JobTest.TwoHundredAtOnce")
endif()

# Tests that also run under the thread sanitizer: whole modules, and parts of others.
set(threaded_modules core http gateway mcp model)
foreach(module IN LISTS threaded_modules)
  set_tests_properties(unit.${module} PROPERTIES LABELS threads)
endforeach()
function(helve_race_tests name filter)
  add_test(NAME races.${name} COMMAND helve_tests --gtest_brief=1 --gtest_filter=${filter})
  set_tests_properties(races.${name} PROPERTIES LABELS threads TIMEOUT 300)
endfunction()
helve_race_tests(files "RootRace.*:AtomicWriteRace.*:ChangesRace.*")
helve_race_tests(search "WalkerRace.*:GrepTest.*:-*Large*")
helve_race_tests(process "JobTest.*:JobInputTest.*:OutputLogTest.*")
helve_race_tests(code "SymbolIndexTest.*:-SymbolIndexTest.TwoProcesses*:SymbolIndexTest.ADamaged*")
helve_race_tests(lsp "FakeServerTest.*:ProcessesTest.*")

add_executable(transcript_runner tests/transcript_runner.cc)
target_link_libraries(transcript_runner PRIVATE helve_static helve_flags)
target_include_directories(transcript_runner PRIVATE src)
file(GLOB transcripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/transcripts/*.txt")
add_test(NAME transcripts COMMAND transcript_runner $<TARGET_FILE_DIR:helve> ${transcripts})

# Inputs that fuzzing found once, without the fuzzer; see scripts/soak.
file(GLOB fuzzers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cc")
set(fuzz_declarations "")
set(fuzz_rows "")
foreach(source IN LISTS fuzzers)
  get_filename_component(name "${source}" NAME_WE)
  # Every fuzzer has the entry point that libFuzzer calls; here each gets a name of its own.
  set_source_files_properties("${source}" PROPERTIES COMPILE_DEFINITIONS "LLVMFuzzerTestOneInput=run_${name}")
  string(APPEND fuzz_declarations "extern \"C\" int run_${name}(const std::uint8_t* data, std::size_t size);\n")
  string(REGEX REPLACE "_fuzz$" "" name "${name}")
  string(APPEND fuzz_rows "    {\"${name}\", &run_${name}_fuzz},\n")
  add_test(NAME fuzz.${name} COMMAND fuzz_replay ${name} "${PROJECT_SOURCE_DIR}/tests/fuzz/${name}.txt")
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/fuzz/fuzzer_table.cc" @ONLY CONTENT
"#include \"fuzzer_table.h\"

@fuzz_declarations@
std::span<const Fuzzer> fuzzers() {
  static constexpr Fuzzer kFuzzers[] = {
@fuzz_rows@  };
  return kFuzzers;
}
")
helve_test_program(fuzz_replay tests/fuzz/replay.cc ${fuzzers} "${PROJECT_BINARY_DIR}/fuzz/fuzzer_table.cc")
target_include_directories(fuzz_replay PRIVATE tests/fuzz)

add_test(NAME manual COMMAND "${PROJECT_SOURCE_DIR}/tests/manual.sh" $<TARGET_FILE_DIR:helve>)
add_test(NAME progress COMMAND "${PROJECT_SOURCE_DIR}/tests/progress.py" $<TARGET_FILE:helve>)
add_test(NAME completion COMMAND "${PROJECT_SOURCE_DIR}/tests/completion.sh" $<TARGET_FILE_DIR:helve>)
if(NOT HELVE_SANITIZE)
  # Both search engines over this repository and over an npm tree, with the newest ripgrep.
  helve_test_program(search_differential tests/search/differential.cc)
  foreach(tree IN ITEMS src tests/node/node_modules/ajv)
    get_filename_component(name ${tree} NAME)
    add_test(NAME search_differential.${name} COMMAND search_differential "${PROJECT_SOURCE_DIR}/${tree}"
      "${PROJECT_SOURCE_DIR}/tests/search/patterns.txt"
      "${PROJECT_SOURCE_DIR}/tests/node/node_modules/@vscode/ripgrep-linux-x64/bin/rg" 10)
    set_tests_properties(search_differential.${name} PROPERTIES TIMEOUT 600)
  endforeach()
  # apply_patch does what `git apply` and GNU patch do where both agree.
  add_test(NAME patch_differential COMMAND "${PROJECT_SOURCE_DIR}/tests/patches/differential.py" $<TARGET_FILE:helve> 400)
  set_tests_properties(patch_differential PROPERTIES SKIP_RETURN_CODE 77)
  helve_test_program(options_differential tests/search/options_differential.cc)
  add_test(NAME options_differential COMMAND options_differential
    "${PROJECT_SOURCE_DIR}/tests/node/node_modules/@vscode/ripgrep-linux-x64/bin/rg" 300)
  # Ignore rules beside git, and globs beside bash; run the programs with more cases and other seeds for more.
  foreach(name IN ITEMS gitignore glob)
    helve_test_program(${name}_differential tests/search/${name}_differential.cc)
  endforeach()
  add_test(NAME gitignore_differential COMMAND gitignore_differential 300)
  add_test(NAME glob_differential COMMAND glob_differential 5000)
  # The parser of command lines beside bash.
  helve_test_program(shell_differential tests/shell/shell_differential.cc)
  add_test(NAME shell_differential COMMAND shell_differential 1500 "${PROJECT_SOURCE_DIR}/tests/shell/refused.txt")
  add_test(NAME conformance COMMAND "${PROJECT_SOURCE_DIR}/tests/mcp/conformance.sh" "${PROJECT_BINARY_DIR}")
  add_test(NAME docs COMMAND "${PROJECT_SOURCE_DIR}/tests/docs/run.py" "${PROJECT_BINARY_DIR}"
    $<TARGET_FILE:transcript_runner> "${PROJECT_SOURCE_DIR}")
  add_test(NAME docs_faults COMMAND "${PROJECT_SOURCE_DIR}/tests/docs/faults.sh" "${PROJECT_BINARY_DIR}"
    $<TARGET_FILE:transcript_runner> "${PROJECT_SOURCE_DIR}")
  # The agents take more than a gigabyte, so they are checked only where `make clients` has installed them.
  add_test(NAME clients COMMAND "${PROJECT_SOURCE_DIR}/tests/clients/run.sh" $<TARGET_FILE:helve>)
  set_tests_properties(clients PROPERTIES TIMEOUT 900 COST 100 SKIP_RETURN_CODE 77)
  function(helve_node_test name oldest_node script)
    add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/node/run.sh" ${oldest_node} "${PROJECT_SOURCE_DIR}/${script}"
      $<TARGET_FILE:helve>)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endfunction()
  helve_node_test(schemas 18 tests/schemas.mjs)
  helve_node_test(agent 18 tests/agent/agent.mjs)
  helve_node_test(sdk_client 22 tests/mcp/sdk_client.mjs)
  helve_node_test(agent_events 22 tests/agent/events.mjs)
  helve_node_test(terminal 22 tests/terminal/terminal.mjs)  # the screens that a user sees, in a tmux; --update keeps new ones
  # The picture in README.md shows what the program shows now.
  add_test(NAME picture COMMAND "${PROJECT_SOURCE_DIR}/scripts/picture" --check $<TARGET_FILE:helve>)
  add_test(NAME install COMMAND "${PROJECT_SOURCE_DIR}/tests/install.sh" "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
  add_test(NAME package COMMAND "${PROJECT_SOURCE_DIR}/tests/package/contents.sh" "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
  add_test(NAME plugins COMMAND "${PROJECT_SOURCE_DIR}/tests/plugins.sh" $<TARGET_FILE_DIR:helve> "${PROJECT_SOURCE_DIR}")
  add_test(NAME search_memory COMMAND "${PROJECT_SOURCE_DIR}/tests/search_memory.sh" $<TARGET_FILE_DIR:helve>)
  add_test(NAME floods COMMAND "${PROJECT_SOURCE_DIR}/tests/floods.sh" $<TARGET_FILE_DIR:helve> 1000000000)
  foreach(case IN ITEMS write create edit multi_edit apply_patch undo)  # apart, so that they run in parallel
    add_test(NAME kill_points.${case} COMMAND "${PROJECT_SOURCE_DIR}/tests/kill_points.sh" $<TARGET_FILE_DIR:helve> ${case})
  endforeach()
  add_test(NAME kill_storm COMMAND "${PROJECT_SOURCE_DIR}/tests/kill_storm.py" $<TARGET_FILE:helve> 60)
  add_test(NAME approvals COMMAND "${PROJECT_SOURCE_DIR}/tests/approvals.py" $<TARGET_FILE:helve>)
  add_test(NAME thread_limits COMMAND "${PROJECT_SOURCE_DIR}/tests/thread_limits.py" $<TARGET_FILE:helve>)
  set_tests_properties(thread_limits PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME killed_commands COMMAND "${PROJECT_SOURCE_DIR}/tests/killed_commands.sh" $<TARGET_FILE_DIR:helve>)
  add_test(NAME undo_commands COMMAND "${PROJECT_SOURCE_DIR}/tests/undo/commands.py" $<TARGET_FILE:helve>)
  add_test(NAME undo_killed COMMAND "${PROJECT_SOURCE_DIR}/tests/undo/killed.py" $<TARGET_FILE:helve>)
  add_test(NAME live_output COMMAND "${PROJECT_SOURCE_DIR}/tests/live_output.py" $<TARGET_FILE_DIR:helve>)
  add_test(NAME faults COMMAND "${PROJECT_SOURCE_DIR}/tests/faults.sh" $<TARGET_FILE_DIR:helve>)
  add_test(NAME snippet_storm COMMAND "${PROJECT_SOURCE_DIR}/tests/snippet_storm.sh" $<TARGET_FILE_DIR:helve> 5)
  # The short form of what `make soak` does for half an hour.
  add_test(NAME soak COMMAND "${PROJECT_SOURCE_DIR}/tests/soak/soak.py" $<TARGET_FILE:helve> 0.15)
  set_tests_properties(soak PROPERTIES TIMEOUT 300)
  add_test(NAME drop_in_tool COMMAND "${PROJECT_SOURCE_DIR}/tests/drop_in_tool.sh" "${PROJECT_BINARY_DIR}"
    "${PROJECT_SOURCE_DIR}")
  set_tests_properties(drop_in_tool PROPERTIES SKIP_RETURN_CODE 77)
  # A few renames per language server; `make soak` tries all of them.
  add_test(NAME renames COMMAND "${PROJECT_SOURCE_DIR}/tests/lsp/renames.py" --short $<TARGET_FILE:helve>
    "${PROJECT_SOURCE_DIR}")
  helve_in_memory(transcripts faults kill_storm undo_commands snippet_storm install package
    kill_points.write kill_points.create kill_points.edit kill_points.multi_edit kill_points.apply_patch kill_points.undo)
  # The longest first, so that none is left to run alone at the end.
  set_tests_properties(conformance PROPERTIES RUN_SERIAL TRUE)  # it measures how long the client waits
  set_tests_properties(kill_points.apply_patch kill_points.undo renames unit.changes unit.process unit.lsp unit.tools conformance PROPERTIES COST 100)
endif()
