# Finds the built-in tools: src/tools/NAME.cc declares `struct Name` in helve::tools. A wrapper that gives the struct to
# the registry is generated around each file, so that adding a tool is adding its file. A file with a header of its own,
# such as grep_report.cc, is not a tool but code that tools share.

file(GLOB tool_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tools/*.cc")
list(FILTER tool_files EXCLUDE REGEX "_test\\.cc$")
list(SORT tool_files)

set(HELVE_TOOL_SOURCES)
set(factories "")
set(entries "")
foreach(file IN LISTS tool_files)
  get_filename_component(name "${file}" NAME_WE)
  if(EXISTS "${PROJECT_SOURCE_DIR}/src/tools/${name}.h")
    list(APPEND HELVE_TOOL_SOURCES "${file}")
    continue()
  endif()
  string(REPLACE "_" ";" words "${name}")
  set(type "")
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 0 1 first)
    string(SUBSTRING "${word}" 1 -1 rest)
    string(TOUPPER "${first}" first)
    string(APPEND type "${first}${rest}")
  endforeach()
  set(wrapper "${PROJECT_BINARY_DIR}/tools/${name}.cc")
  file(CONFIGURE OUTPUT "${wrapper}" @ONLY CONTENT
"// The file must declare `struct @type@` in helve::tools.
#include \"tools/@name@.cc\"  // NOLINT(bugprone-suspicious-include)

std::unique_ptr<helve::Tool> helve_make_@name@() { return helve::make_tool<helve::tools::@type@>(); }
")
  list(APPEND HELVE_TOOL_SOURCES "${wrapper}")
  string(APPEND factories "std::unique_ptr<helve::Tool> helve_make_${name}();\n")
  string(APPEND entries "  tools.push_back(helve_make_${name}());\n")
endforeach()

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/tools/builtin_tools.cc" @ONLY CONTENT
"#include \"core/builtin_tools.h\"

@factories@
std::vector<std::unique_ptr<helve::Tool>> helve::core::builtin_tools() {
  std::vector<std::unique_ptr<Tool>> tools;
@entries@  return tools;
}
")
list(APPEND HELVE_TOOL_SOURCES "${PROJECT_BINARY_DIR}/tools/builtin_tools.cc")
