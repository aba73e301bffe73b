# One test program per room, from the *_test.cc files beside the code.

find_package(GTest REQUIRED)

function(helve_unit_tests room)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*_test.cc")
  if(NOT sources)
    return()
  endif()
  add_executable(${room}_test ${sources})
  target_link_libraries(${room}_test PRIVATE helve_cli helve_objects helve_flags sodium Threads::Threads GTest::gtest_main)
  add_test(NAME unit.${room} COMMAND ${room}_test)
  set_tests_properties(unit.${room} PROPERTIES TIMEOUT 300)
endfunction()

foreach(room IN ITEMS base core workspace tools cli)
  helve_unit_tests(${room})
endforeach()
