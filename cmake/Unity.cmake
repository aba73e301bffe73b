# Compiles several files of a room in one go: their headers are read and their templates made once for all of them, which
# is most of the work of a whole build, and of clang-tidy. So names in the anonymous namespaces of a room, and of its tests,
# differ from each other. Tools stay alone, so that a change to one is built at once. scripts/check sees to it that every
# file can be compiled by itself.

option(HELVE_UNITY "Compile several files of a room at once" ON)

function(helve_unite target most_files)
  if(NOT HELVE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(room IN LISTS HELVE_ROOMS)
    set(files ${sources})
    list(FILTER files INCLUDE REGEX "/src/${room}/[^/]+\\.cc$")
    list(LENGTH files count)
    math(EXPR groups "(${count} + ${most_files} - 1) / ${most_files}")
    set(at 0)
    foreach(file IN LISTS files)
      math(EXPR group "${at} * ${groups} / ${count}")
      set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${room}_${group}")
      math(EXPR at "${at} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  # Members of a type from the anonymous namespace of their own file, which is an included one here.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
