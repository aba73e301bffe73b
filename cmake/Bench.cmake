# Measurements; see scripts/bench.
add_executable(helve_bench bench/main.cc bench/measure.cc bench/startup.cc bench/calls.cc bench/files.cc bench/commands.cc
  bench/code.cc bench/model.cc bench/agent.cc bench/mcp.cc bench/mcp_peer.cc bench/search.cc)
target_link_libraries(helve_bench PRIVATE helve_static helve_flags)
target_include_directories(helve_bench PRIVATE src)
# A peer for the measurement of MCP, started by it.
add_executable(helve_mcp_echo bench/mcp_echo.cc)
target_link_libraries(helve_mcp_echo PRIVATE helve_flags)
add_dependencies(helve_bench helve_mcp_echo)
