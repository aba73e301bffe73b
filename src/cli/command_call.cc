// helve call: one call with its arguments as JSON.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "cli/call.h"
#include "cli/command.h"

namespace helve::cli {
namespace {

struct CallCommand {
  static constexpr std::string_view kName = "call";
  static constexpr std::string_view kSummary = "Call a tool with JSON arguments";
  static constexpr std::string_view kDetails =
      "helve call read '{\"path\": \"README.md\"}'\n"
      "helve call edit @change.json      arguments from a file\n"
      "echo '{…}' | helve call edit -    arguments from stdin";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"tool", "arguments"});

  struct Options {
    std::string tool;
    std::string arguments = "{}";

    void describe(ParamSpec& p) {
      p.required("tool", tool, "The tool's name; helve tools lists them.", {.min_length = 1});
      p.optional("arguments", arguments, "JSON object, @FILE, or - for stdin.");
    }
  };

  int run(const Shell& shell, const Options& options) const {
    auto text = text_of(options.arguments);
    if (!text) return shell.report(text.error(), kUsage);
    auto arguments = parse_json(*text);
    if (!arguments) return print_answer(shell, {.result = fail(arguments.error())});
    return make_call(shell, options.tool, *std::move(arguments));
  }

 private:
  static Expected<std::string> text_of(const std::string& given) {
    constexpr std::size_t kMost = std::size_t{64} << 20;
    if (given == "-") return read_all(STDIN_FILENO, kMost);
    if (!given.starts_with('@')) return given;
    // Blocking, so that a pipe such as <(…) works too.
    const UniqueFd file(::open(given.c_str() + 1, O_RDONLY | O_CLOEXEC));
    if (file) return read_all(file.get(), kMost);
    Error error = system_error(concat("Cannot open ", given.substr(1)), errno);
    error.hint = "Name an existing file after the @, or - for stdin.";
    return fail(std::move(error));
  }
};

}  // namespace

std::unique_ptr<Command> make_call_command() { return std::make_unique<TypedCommand<CallCommand>>(); }

}  // namespace helve::cli
