# tree-sitter and its grammars, compiled from the C sources that scripts/deps gets from npm (grammars/package.json).
# Foreign code: optimised in every build, and neither warned about nor instrumented.

set(grammar_modules "${PROJECT_SOURCE_DIR}/grammars/node_modules")
set(tree_sitter "${grammar_modules}/tree-sitter/vendor/tree-sitter/lib")
if(NOT EXISTS "${tree_sitter}/src/lib.c")
  message(FATAL_ERROR "The grammars are missing; run scripts/deps build.")
endif()

set(grammar_sources "${tree_sitter}/src/lib.c")  # includes all the others
foreach(language IN ITEMS bash)
  list(APPEND grammar_sources "${grammar_modules}/tree-sitter-${language}/src/parser.c"
    "${grammar_modules}/tree-sitter-${language}/src/scanner.c")
  set_source_files_properties("${grammar_modules}/tree-sitter-${language}/src/parser.c"
    "${grammar_modules}/tree-sitter-${language}/src/scanner.c" PROPERTIES
    INCLUDE_DIRECTORIES "${grammar_modules}/tree-sitter-${language}/src")
endforeach()

add_library(helve_grammars OBJECT ${grammar_sources})
target_include_directories(helve_grammars SYSTEM PUBLIC "${tree_sitter}/include" PRIVATE "${tree_sitter}/src")
target_compile_definitions(helve_grammars PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE
  TREE_SITTER_HIDE_SYMBOLS)
target_compile_options(helve_grammars PRIVATE -O2 -w -fvisibility=hidden)
set_target_properties(helve_grammars PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
