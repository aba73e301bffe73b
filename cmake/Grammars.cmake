# tree-sitter and its grammars, compiled from the C sources that scripts/deps gets from npm (grammars/package.json).
# Foreign code: optimised in every build, and neither warned about nor instrumented. The queries that say what in a
# language is a definition (src/code/queries) are compiled in with the grammars.

set(grammar_modules "${PROJECT_SOURCE_DIR}/grammars/node_modules")
set(tree_sitter "${grammar_modules}/tree-sitter/vendor/tree-sitter/lib")
if(NOT EXISTS "${tree_sitter}/src/lib.c")
  message(FATAL_ERROR "The grammars are missing; run scripts/deps build.")
endif()

# To add a language: its package in grammars/package.json, a row here and a query file (docs/code.md).
# languages (src/text/language_table.cc) | function | folder with parser.c | query files, joined in this order
set(grammars
  "python|tree_sitter_python|tree-sitter-python/src|python"
  "javascript,javascriptreact|tree_sitter_javascript|tree-sitter-javascript/src|ecmascript javascript"
  "typescript|tree_sitter_typescript|tree-sitter-typescript/typescript/src|ecmascript typescript"
  "typescriptreact|tree_sitter_tsx|tree-sitter-typescript/tsx/src|ecmascript typescript"
  "c|tree_sitter_c|tree-sitter-c/src|c"
  "cpp,cuda-cpp|tree_sitter_cpp|tree-sitter-cpp/src|c cpp"
  "rust|tree_sitter_rust|tree-sitter-rust/src|rust"
  "go|tree_sitter_go|tree-sitter-go/src|go"
  "java|tree_sitter_java|tree-sitter-java/src|java"
  "csharp|tree_sitter_c_sharp|tree-sitter-c-sharp/src|csharp"
  "ruby|tree_sitter_ruby|tree-sitter-ruby/src|ruby"
  "php|tree_sitter_php|tree-sitter-php/php/src|php"
  "shellscript|tree_sitter_bash|tree-sitter-bash/src|bash")

set(grammar_sources "${tree_sitter}/src/lib.c")  # includes all the others
set_source_files_properties("${tree_sitter}/src/lib.c" PROPERTIES COMPILE_OPTIONS -fexceptions)  # base/bounded_parse.cc
set(grammar_functions "")
set(grammar_rows "")
foreach(row IN LISTS grammars)
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 languages)
  list(GET row 1 function)
  list(GET row 2 folder)
  list(GET row 3 queries)
  foreach(source IN ITEMS parser scanner)
    set(file "${grammar_modules}/${folder}/${source}.c")
    if(EXISTS "${file}")  # not every grammar needs a scanner
      list(APPEND grammar_sources "${file}")
      # Each has a tree_sitter/parser.h of its own.
      set_source_files_properties("${file}" PROPERTIES INCLUDE_DIRECTORIES "${grammar_modules}/${folder}")
      if(source STREQUAL scanner)
        set_source_files_properties("${file}" PROPERTIES
          COMPILE_OPTIONS "-fexceptions;-include;${PROJECT_SOURCE_DIR}/cmake/scanner_memory.h")
      endif()
    endif()
  endforeach()
  string(REPLACE " " ";" queries "${queries}")
  set(text "")
  foreach(query IN LISTS queries)
    set(file "${PROJECT_SOURCE_DIR}/src/code/queries/${query}.scm")
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" content)
    string(APPEND text "R\"scm(;; definitions\n${content})scm\"\n")
  endforeach()
  string(APPEND grammar_functions "extern \"C\" const TSLanguage* ${function}();\n")
  string(APPEND grammar_rows "    {\"${languages}\", &${function},\n${text}},\n")
endforeach()

add_library(helve_grammars OBJECT ${grammar_sources})
target_include_directories(helve_grammars SYSTEM PUBLIC "${tree_sitter}/include" PRIVATE "${tree_sitter}/src")
target_compile_definitions(helve_grammars PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE
  TREE_SITTER_HIDE_SYMBOLS)
target_compile_options(helve_grammars PRIVATE -O2 -w -fvisibility=hidden)
set_target_properties(helve_grammars PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)

set(HELVE_GRAMMAR_TABLE "${PROJECT_BINARY_DIR}/code/grammar_table.cc")
file(CONFIGURE OUTPUT "${HELVE_GRAMMAR_TABLE}" @ONLY CONTENT
"#include \"code/grammar_table.h\"

@grammar_functions@
namespace helve::code {
namespace {
constexpr GrammarRow kRows[] = {
@grammar_rows@};
}  // namespace

std::span<const GrammarRow> grammar_table() { return kRows; }
}  // namespace helve::code
")
