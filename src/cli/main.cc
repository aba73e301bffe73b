// The `helve` program.
#include <csignal>
#include <exception>
#include <system_error>

#include "app/exit_code.h"
#include "app/printer.h"
#include "base/descriptor_limit.h"
#include "base/strings.h"
#include "base/threads.h"
#include "cli/plugin_process.h"
#include "cli/program.h"
#include "helve/launcher.h"
#include "sandbox/sandbox.h"

int main(int argc, char** argv) {
  if (const auto code = helve::launch_if_asked(argc, argv)) return *code;
  helve::sandbox::make_undumpable();  // commands run as the same user and must not look into this process
  if (const auto code = helve::cli::be_plugin_process_if_asked(argc, argv)) return *code;
  helve::raise_descriptor_limit();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not kill us in the middle of something
  try {
    return helve::cli::run_program(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::system_error& exception) {
    // What std::thread throws.
    const bool is_thread = exception.code() == std::errc::resource_unavailable_try_again;
    const helve::Error error = helve::no_thread_error("so helve cannot go on");
    helve::app::Printer().err(is_thread
                                  ? helve::concat("error: ", error.message, "\nhint: ", error.hint, "\n")
                                  : helve::concat("helve: internal error: ", exception.what(), "\n"));
    return helve::app::kSetup;
  } catch (const std::exception& exception) {
    helve::app::Printer().err(helve::concat("helve: internal error: ", exception.what(), "\n"));
    return helve::app::kSetup;
  }
}
