# Plugins for the tests to load, good and bad ones, beside the other programs of the tests.

set(test_plugins "${PROJECT_BINARY_DIR}/test_plugins")

function(helve_test_plugin name source)
  add_library(plugin_${name} MODULE ${source})
  target_include_directories(plugin_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(plugin_${name} PRIVATE ${ARGN})
  set_target_properties(plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY "${test_plugins}" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
  add_dependencies(helve_tests plugin_${name})
endfunction()

set(bad tests/plugins/bad_plugin.c)
helve_test_plugin(crash_in_load ${bad} CRASH_IN_LOAD)
helve_test_plugin(hang_in_load ${bad} HANG_IN_LOAD)
helve_test_plugin(no_symbol ${bad} NO_SYMBOL)
helve_test_plugin(refuses ${bad} REFUSE)
helve_test_plugin(wrong_abi ${bad} ABI=7)
helve_test_plugin(no_json ${bad} "DESCRIPTION=\"{\"")
helve_test_plugin(no_object ${bad} "DESCRIPTION=\"[]\"")
helve_test_plugin(no_schema ${bad}
  "DESCRIPTION=\"{\\\"tools\\\": [{\\\"name\\\": \\\"x\\\", \\\"description\\\": \\\"d\\\", \\\"inputSchema\\\": []}]}\"")
helve_test_plugin(clash ${bad} "TOOL=\"read\"")
helve_test_plugin(lies ${bad} "TOOL=\"other_tool\"")
helve_test_plugin(flood ${bad} FLOOD)
helve_test_plugin(no_result ${bad})
helve_test_plugin(moody tests/plugins/moody.cc)
