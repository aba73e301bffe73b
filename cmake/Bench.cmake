# Measurements; see scripts/bench.
add_executable(helve_bench bench/main.cc bench/measure.cc bench/startup.cc bench/calls.cc bench/files.cc bench/commands.cc
  bench/code.cc bench/model.cc bench/agent.cc bench/search.cc)
target_link_libraries(helve_bench PRIVATE helve_static helve_flags)
target_include_directories(helve_bench PRIVATE src)
