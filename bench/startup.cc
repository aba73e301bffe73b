// How long a person or script waits for `helve call`, beside the cheapest program there is and beside node.
#include <cstdio>

#include "measure.h"

namespace helve::bench {

void bench_startup(const std::string& helve) {
  print_heading("Start-up of a whole process");
  print_rows("process",
             measure({{"/bin/true", [] { run_program({"/bin/true"}); }},
                      {"helve --version", [&] { run_program({helve, "--version"}); }},
                      {"helve call ls", [&] { run_program({helve, "call", "ls", R"({"path":"."})"}); }},
                      {"node -e 0", [] { run_program({"node", "-e", "0"}); }}},
                     60));
}

}  // namespace helve::bench
