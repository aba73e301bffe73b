# Compiles several files of a module as one: their headers are read and their templates instantiated once, which is most
# of the work of a full build. Names in anonymous namespaces must therefore be unique within a module, and within its
# tests. Tools are compiled alone, so that a change to one builds quickly. scripts/check makes sure that every file also
# compiles by itself.
# Files that read settings are compiled together, apart from the others and in small groups, so that a change to a setting
# builds little else.

option(HELVE_UNITY "Compile several files of a module as one" ON)

# The headers through which a file sees settings, as they are named in #include lines: those of the settings, and all
# headers that include one of them.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.h" "${PROJECT_SOURCE_DIR}/include/helve/*.h")
set(HELVE_SETTINGS_INCLUDE "^#include \"(helve/settings[./].*")
set(found TRUE)
while(found)
  set(found FALSE)
  foreach(header IN LISTS headers)
    file(STRINGS "${header}" included REGEX "${HELVE_SETTINGS_INCLUDE})\"" LIMIT_COUNT 1)
    if(included)
      set(found TRUE)
      list(REMOVE_ITEM headers "${header}")
      string(REGEX REPLACE "^${PROJECT_SOURCE_DIR}/(src|include)/" "" name "${header}")
      string(APPEND HELVE_SETTINGS_INCLUDE "|${name}")
    endif()
  endforeach()
endwhile()
string(APPEND HELVE_SETTINGS_INCLUDE ")\"")

# Divides the files into groups of at most `most_files`.
function(helve_unity_groups name most_files)
  list(LENGTH ARGN count)
  math(EXPR groups "(${count} + ${most_files} - 1) / ${most_files}")
  set(at 0)
  foreach(file IN LISTS ARGN)
    math(EXPR group "${at} * ${groups} / ${count}")
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${name}_${group}")
    math(EXPR at "${at} + 1")
  endforeach()
endfunction()

function(helve_unite target most_files)
  if(NOT HELVE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(module IN LISTS HELVE_MODULES)
    set(files ${sources})
    list(FILTER files INCLUDE REGEX "/src/${module}/.+\\.cc$")
    set(readers)
    foreach(file IN LISTS files)
      file(STRINGS "${file}" included REGEX "${HELVE_SETTINGS_INCLUDE}" LIMIT_COUNT 1)
      if(included AND NOT file MATCHES "_test\\.cc$")
        list(APPEND readers "${file}")
        list(REMOVE_ITEM files "${file}")
      endif()
    endforeach()
    helve_unity_groups(${module} ${most_files} ${files})
    helve_unity_groups(${module}_settings 8 ${readers})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  # A type from an anonymous namespace in an included file is correct here: the file is compiled nowhere else.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
