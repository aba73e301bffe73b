// Runs the measurements and prints them as Markdown tables.
#include <cstdio>
#include <string_view>

#include "helve/launcher.h"
#include "measure.h"

int main(int argc, char** argv) {
  if (const auto code = helve::launch_if_asked(argc, argv)) return *code;
  if (argc == 2 && std::string_view(argv[1]) == "commands") {
    helve::bench::bench_commands();
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "code") {
    helve::bench::bench_code(argv[2]);
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "model") {
    helve::bench::bench_model();
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "agent") {
    helve::bench::bench_agent();
    return 0;
  }
  if (argc == 4 && std::string_view(argv[1]) == "mcp") {
    helve::bench::bench_mcp(argv[2], argv[3]);
    return 0;
  }
  if (argc != 5) {
    std::fprintf(stderr, "usage: helve_bench HELVE LINUX_SOURCE THIS_REPOSITORY NEWEST_RIPGREP\n");
    return 2;
  }
  helve::bench::bench_startup(argv[1]);
  helve::bench::bench_calls();
  helve::bench::bench_files();
  helve::bench::bench_commands();
  helve::bench::bench_code(std::string(argv[2]) + "/drivers/net");
  helve::bench::bench_model();
  helve::bench::bench_agent();
  helve::bench::bench_mcp(argv[1], argv[3]);
  helve::bench::bench_search(argv[2], argv[3], argv[4]);
}
