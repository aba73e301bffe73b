// What every command has at hand: the global options, the terminal, the configuration and, on demand, the
// runtime.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "core/config.h"
#include "helve/runtime.h"

namespace helve::cli {

// Flags that every command takes.
struct GlobalOptions {
  std::string workspace = ".";
  bool workspace_is_named = false;  // by the person; not a flag of its own
  std::optional<Mode> mode;
  std::vector<std::string> set;
  std::string config;
  bool json = false;
  bool plain = false;
  bool quiet = false;
  bool verbose = false;

  void describe(ParamSpec& p) {
    p.optional("workspace", workspace, "Directory that the tools may touch.");
    p.optional("mode", mode, "What runs without a question.");
    p.optional("set", set, "A setting as key=value; may be repeated.");
    p.optional("config", config, "Configuration file to use instead of the user's.");
    p.optional("json", json, "Print JSON.");
    p.optional("plain", plain, "Print text for people, also into a pipe.");
    p.optional("quiet", quiet, "Print only what was asked for.");
    p.optional("verbose", verbose, "Say more on stderr (-v).");
  }
};

class Shell {
 public:
  // The terminal must outlive it.
  Shell(const Terminal& terminal, GlobalOptions options)
      : options_(std::move(options)), terminal_(terminal) {}

  [[nodiscard]] const GlobalOptions& options() const { return options_; }
  [[nodiscard]] const Terminal& terminal() const { return terminal_; }

  // Where the workspace really is.
  [[nodiscard]] Expected<std::string> workspace() const;

  // Whether a call's answer is text for people rather than the JSON envelope.
  [[nodiscard]] bool prints_for_people() const;

  // Where the configuration comes from. A command's own defaults count unless a file or the person says
  // otherwise.
  using Defaults = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Expected<ConfigSources> config_sources(Defaults command_defaults = {}) const;
  [[nodiscard]] Expected<Config> config(Defaults command_defaults = {}) const;
  // The runtime for a person at the shell, who is the user: mode full unless told otherwise. One for a single
  // tool starts no plugin that brings others only.
  [[nodiscard]] Expected<std::unique_ptr<Runtime>> runtime(Mode default_mode = Mode::kFull,
                                                           std::shared_ptr<Approver> approver = {},
                                                           const std::string& for_tool = {}) const;
  // The runtime for clients, which have sessions of their own: mode ask unless told otherwise, and those
  // tools, or those of the settings when none is named.
  [[nodiscard]] Expected<std::unique_ptr<Runtime>> runtime_for_clients(
      const std::vector<std::string>& tools) const;
  // The same options for another workspace.
  [[nodiscard]] Shell in_workspace(std::string workspace) const;

  // Prints the error, with --json also as an envelope, and returns the code.
  int report(const Error& error, ExitCode code) const;
  // Prints what `helve CMD --json` prints: one line, or indented on a terminal.
  void print_json(const Json& value) const;

 private:
  enum class Plugins { kOnce, kWatched };
  [[nodiscard]] Expected<std::unique_ptr<Runtime>> build(RuntimeOptions options, Plugins plugins,
                                                         const std::string& for_tool = {}) const;
  // Those that cannot be loaded are told and left out.
  void add_plugins(Runtime& runtime, Plugins plugins, const std::string& for_tool) const;

  GlobalOptions options_;
  const Terminal& terminal_;
};

}  // namespace helve::cli
