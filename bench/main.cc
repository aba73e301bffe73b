// Runs the measurements and prints them as Markdown tables. Usage: helve_bench PATH_OF_HELVE
#include <cstdio>

#include "measure.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: helve_bench PATH_OF_HELVE\n");
    return 2;
  }
  helve::bench::bench_startup(argv[1]);
  helve::bench::bench_calls();
  helve::bench::bench_files();
}
