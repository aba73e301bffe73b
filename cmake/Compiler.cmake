# Warnings, sanitizers, ccache.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the source, so that another checkout finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Links in a second what takes the usual linker ten. Sanitizers and fuzzers link with the compiler's own choice.
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM AND NOT HELVE_SANITIZE AND NOT HELVE_FUZZ)
  add_link_options(-fuse-ld=mold)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(helve_flags INTERFACE)
target_compile_options(helve_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wno-missing-field-initializers)  # designated initialisers leave members at their defaults on purpose
if(HELVE_WERROR)
  target_compile_options(helve_flags INTERFACE -Werror)
endif()

if(HELVE_SANITIZE STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(HELVE_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread -fno-omit-frame-pointer)
elseif(HELVE_SANITIZE)
  message(FATAL_ERROR "HELVE_SANITIZE is '${HELVE_SANITIZE}'; it can be address or thread.")
else()
  target_compile_options(helve_flags INTERFACE -fstack-protector-strong)
  target_compile_definitions(helve_flags INTERFACE $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
endif()
if(sanitizers)
  # Instrumented standard headers (std::regex) make g++ 12 see uninitialised members that are not there.
  target_compile_options(helve_flags INTERFACE -Wno-maybe-uninitialized)
  target_compile_options(helve_flags INTERFACE ${sanitizers})
  target_link_options(helve_flags INTERFACE ${sanitizers})
endif()
