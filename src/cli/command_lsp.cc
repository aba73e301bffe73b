// helve lsp: lists language servers, where they were found, and whether they answer.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cli/command.h"
#include "helve/settings/lsp.h"
#include "lsp/servers.h"
#include "settings/groups.h"

namespace helve::cli {
namespace {

enum class LspAction { kStatus };
constexpr auto enum_names(LspAction) { return std::to_array<std::string_view>({"status"}); }

terminal::Colour colour_of(lsp::ServerStatus::State state) {
  switch (state) {
    case lsp::ServerStatus::State::kRunning:
    case lsp::ServerStatus::State::kIndexing: return terminal::Colour::kGreen;
    case lsp::ServerStatus::State::kCrashed:
    case lsp::ServerStatus::State::kUnavailable: return terminal::Colour::kRed;
    case lsp::ServerStatus::State::kMissing:
    case lsp::ServerStatus::State::kDisabled: return terminal::Colour::kDim;
    default: return terminal::Colour::kYellow;
  }
}

std::string padding(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ');
}

struct Lsp {
  static constexpr std::string_view kName = "lsp";
  static constexpr std::string_view kSummary = "Show the language servers";
  static constexpr std::string_view kDetails =
      "helve lsp status           configured servers and where they were found\n"
      "helve lsp status --start   start each server and check that it answers";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action"});

  struct Options {
    LspAction action = LspAction::kStatus;
    bool start = false;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("start", start, "Start every server that was found, to check it.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    const auto config = shell.config();
    if (!config) return shell.report(config.error(), app::kSetup);
    const auto root = workspace::Root::open(shell.options().workspace);
    if (!root) return shell.report(root.error(), app::kSetup);
    const LspSettings& settings = settings::Groups(*config->settings).lsp;
    lsp::Servers servers({.workspace = &*root, .settings = &settings, .launcher = "/proc/self/exe"});
    const auto time = std::chrono::seconds(settings.start_seconds + 5);
    const auto all = servers.status(options.start, {.deadline = lsp::Clock::now() + time});
    if (shell.options().json)
      print_json(shell, all);
    else
      print(shell.terminal(), all);
    return app::kOk;
  }

 private:
  static void print(const app::Printer& terminal, const std::vector<lsp::ServerStatus>& all) {
    for (const lsp::ServerStatus& each : all) {
      const std::string_view state = to_string(each.state);
      std::string line = concat(each.name, padding(each.name, 28), " ",
                                terminal.paint(colour_of(each.state), state), padding(state, 12), " ");
      if (each.state == lsp::ServerStatus::State::kMissing)
        line += terminal.paint(terminal::Colour::kDim, each.install);
      else
        line += terminal::printable_line(each.program);
      if (each.sandboxed) line += " (of the workspace: runs read-only, without network)";
      terminal.out(line + "\n");
      std::string more;
      if (!each.version.empty()) more += concat("version ", terminal::printable_line(each.version), "  ");
      if (each.memory_bytes > 0) more += concat(each.memory_bytes >> 20, " MiB  ");
      if (!each.problem.empty()) more += terminal::printable_line(each.problem);
      if (!more.empty()) terminal.out(concat(std::string(29, ' '), more, "\n"));
    }
  }

  static void print_json(const app::Invocation& shell, const std::vector<lsp::ServerStatus>& all) {
    JsonArray list;
    for (const lsp::ServerStatus& each : all) {
      JsonArray languages;
      for (const std::string& language : each.languages) languages.emplace_back(language);
      list.push_back(JsonObject{{"name", each.name},
                                {"languages", std::move(languages)},
                                {"state", to_string(each.state)},
                                {"program", each.program},
                                {"sandboxed", each.sandboxed},
                                {"version", each.version},
                                {"memoryBytes", each.memory_bytes},
                                {"problem", each.problem},
                                {"install", each.install}});
    }
    shell.print_json(list);
  }
};

}  // namespace

std::unique_ptr<Command> make_lsp_command() { return std::make_unique<TypedCommand<Lsp>>(); }

}  // namespace helve::cli
