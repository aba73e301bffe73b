# Compiles several files of a module as one: their headers are read and their templates instantiated once, which is most
# of the work of a full build. Names in anonymous namespaces must therefore be unique within a module, and within its
# tests. Tools are compiled alone, so that a change to one builds quickly. scripts/check makes sure that every file also
# compiles by itself.

option(HELVE_UNITY "Compile several files of a module as one" ON)

function(helve_unite target most_files)
  if(NOT HELVE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(module IN LISTS HELVE_MODULES)
    set(files ${sources})
    list(FILTER files INCLUDE REGEX "/src/${module}/.+\\.cc$")
    list(LENGTH files count)
    math(EXPR groups "(${count} + ${most_files} - 1) / ${most_files}")
    set(at 0)
    foreach(file IN LISTS files)
      math(EXPR group "${at} * ${groups} / ${count}")
      set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${module}_${group}")
      math(EXPR at "${at} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  # A type from an anonymous namespace in an included file is correct here: the file is compiled nowhere else.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
