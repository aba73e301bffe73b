// One run of the program: global options, printer, configuration and, on demand, the runtime.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/exit_code.h"
#include "app/printer.h"
#include "helve/runtime_class.h"
#include "settings/config.h"

namespace helve::app {

// Flags that every command takes.
struct GlobalOptions {
  std::string workspace = ".";
  bool workspace_is_named = false;  // --workspace was given; not a flag itself
  std::optional<Mode> mode;
  std::vector<std::string> set;
  std::string config;
  bool json = false;
  bool plain = false;
  bool quiet = false;
  bool verbose = false;

  void describe(ParamSpec& p) {
    p.optional("workspace", workspace, "Directory that the tools may touch.");
    p.optional("mode", mode, "Which calls run without approval.");
    p.optional("set", set, "Setting as key=value; may be repeated.");
    p.optional("config", config, "Configuration file to use instead of the user's.");
    p.optional("json", json, "Print JSON.");
    p.optional("plain", plain, "Print text even into a pipe.");
    p.optional("quiet", quiet, "Print only results, no notes or warnings.");
    p.optional("verbose", verbose, "Print a line per call, and details, on stderr (-v).");
  }
};

class Invocation {
 public:
  // The printer must outlive it.
  Invocation(const Printer& terminal, GlobalOptions options)
      : options_(std::move(options)), terminal_(terminal) {}

  [[nodiscard]] const GlobalOptions& options() const { return options_; }
  [[nodiscard]] const Printer& terminal() const { return terminal_; }

  // The real path of the workspace.
  [[nodiscard]] Expected<std::string> workspace() const;

  // Whether answers are printed as text rather than as JSON envelopes.
  [[nodiscard]] bool prints_for_people() const;

  // The sources of the configuration. Files and flags override the command's own defaults.
  using Defaults = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Expected<settings::ConfigSources> config_sources(Defaults command_defaults = {}) const;
  [[nodiscard]] Expected<settings::Config> config(Defaults command_defaults = {}) const;
  // The runtime for a user at the shell; the default mode is full. With `for_tool`, plugins without that tool
  // are not started.
  [[nodiscard]] Expected<std::unique_ptr<Runtime>> runtime(Mode default_mode = Mode::kFull,
                                                           std::shared_ptr<Approver> approver = {},
                                                           const std::string& for_tool = {}) const;
  // The runtime for clients with their own sessions; the default mode is ask. `tools` overrides tools.enabled
  // unless empty.
  [[nodiscard]] Expected<std::unique_ptr<Runtime>> runtime_for_clients(
      const std::vector<std::string>& tools) const;
  // The same options for another workspace.
  [[nodiscard]] Invocation in_workspace(std::string workspace) const;

  // Prints the error, with --json also as an envelope, and returns the code.
  int report(const Error& error, ExitCode code) const;
  // Prints what `helve CMD --json` prints: one line, or indented on a terminal.
  void print_json(const Json& value) const;

 private:
  enum class Plugins { kOnce, kWatched };
  [[nodiscard]] Expected<std::unique_ptr<Runtime>> build(RuntimeOptions options, Plugins plugins,
                                                         const std::string& for_tool = {}) const;
  // Plugins that cannot be loaded are skipped with a warning.
  void add_plugins(Runtime& runtime, Plugins plugins, const std::string& for_tool,
                   const std::vector<std::string>& trusted_programs) const;

  GlobalOptions options_;
  const Printer& terminal_;
};

}  // namespace helve::app
