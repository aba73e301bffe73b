// The engines that built-in tools use: created once by the runtime and shared by all calls.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "changes/changes.h"
#include "code/symbol_index.h"
#include "core/made_repositories.h"
#include "core/rule_book.h"
#include "core/shared_store.h"
#include "helve/log.h"
#include "policy/hooks.h"
#include "repository/repository_index.h"
#include "search/grep.h"
#include "settings/groups.h"
#include "settings/trusted_programs.h"
#include "workspace/root.h"

namespace helve {
namespace lsp {
class Servers;
}

struct Engines {
  Engines(workspace::Root the_root, std::shared_ptr<repository::RepositoryIndex> the_repositories,
          std::shared_ptr<const Settings> the_settings, const std::string& data_directory);
  Engines(const Engines&) = delete;  // `changes` points to `root`
  Engines& operator=(const Engines&) = delete;

  const workspace::Root root;  // the workspace
  const std::shared_ptr<const Settings> all_settings;
  const helve::settings::Groups settings;  // refers to all_settings
  Logger logger;
  std::optional<changes::Changes> changes;                          // always set after make_engines
  const std::shared_ptr<repository::RepositoryIndex> repositories;  // never null
  core::MadeRepositories made_repositories;
  core::SharedStore store;  // snippets and sessions
  std::string state_directory;
  std::shared_ptr<core::RuleBook> rules;
  std::vector<policy::Hook> hooks;
  // By command, if the user reviewed files of it.
  std::map<std::string, settings::ReviewedPrograms> reviewed_hooks;
  // Files that run without a sandbox, so nothing in it may write them; absolute, with symlinks.
  std::vector<std::string> trusted_programs;
  // Every running job holds a copy, so that use_count() counts them.
  const std::shared_ptr<const void> commands_running = std::make_shared<char>();
  std::string launcher;  // the program that starts jobs; empty: none
  // Language servers; each starts with the first question to it. Uses all members above.
  std::shared_ptr<lsp::Servers> language_servers;

  // The symbol index of the workspace, created on first use. May be called from all threads.
  [[nodiscard]] code::SymbolIndex& symbols();

 private:
  std::once_flag symbols_made_;
  std::unique_ptr<code::SymbolIndex> symbols_;  // last, because it uses the others
};

// Opens the workspace according to the settings, and completes or reverts changes that a crash interrupted.
// `trusted_programs`: besides those of the settings.
[[nodiscard]] Expected<std::shared_ptr<Engines>> make_engines(const std::string& workspace,
                                                              const std::string& state_directory,
                                                              const std::string& data_directory,
                                                              std::shared_ptr<const Settings> settings,
                                                              std::vector<std::string> trusted_programs);

// Which engine grep uses: built-in or ripgrep.
[[nodiscard]] search::EngineChoice search_engine(const SearchSettings& settings);

}  // namespace helve
