// The `helve` program.
#include <csignal>
#include <exception>

#include "base/strings.h"
#include "cli/exit_code.h"
#include "cli/program.h"
#include "cli/terminal.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not kill us in the middle of something
  try {
    return helve::cli::run_program(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& exception) {
    helve::cli::Terminal().err(helve::concat("helve: internal error: ", exception.what(), "\n"));
    return helve::cli::kSetup;
  }
}
