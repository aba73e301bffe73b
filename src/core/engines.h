// The machinery that built-in tools use, made once by the runtime and shared by all calls.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "code/symbol_index.h"
#include "core/made_repositories.h"
#include "core/rule_book.h"
#include "core/shared_store.h"
#include "helve/log.h"
#include "helve/settings.h"
#include "policy/hooks.h"
#include "repository/repository_index.h"
#include "search/search.h"
#include "workspace/changes.h"
#include "workspace/root.h"

namespace helve {
namespace lsp {
class Servers;
}

struct Engines {
  Engines(Root the_root, const Settings& the_settings, const std::string& data_directory)
      : root(std::move(the_root)),
        settings(the_settings),
        logger(the_settings.log.level, the_settings.log.format),
        repositories(root.path()),
        store(store_directory(data_directory)) {}
  Engines(const Engines&) = delete;  // the changes know where the root is
  Engines& operator=(const Engines&) = delete;

  const Root root;  // the workspace
  const Settings settings;
  Logger logger;
  std::optional<Changes> changes;  // always there once make_engines is through
  repository::RepositoryIndex repositories;
  MadeRepositories made_repositories;
  SharedStore store;  // snippets and sessions
  std::string state_directory;
  std::shared_ptr<RuleBook> rules;
  std::vector<policy::Hook> hooks;
  // Every command that runs holds a copy, so that they can be counted.
  const std::shared_ptr<const void> commands_running = std::make_shared<char>();
  std::string launcher;  // the program that starts commands; empty: there is none
  // Language servers, none of which runs before it is asked. Uses all of the above.
  std::shared_ptr<lsp::Servers> language_servers;

  // The definitions of the workspace; made when it is first asked for. From all threads.
  [[nodiscard]] code::SymbolIndex& symbols();

 private:
  std::once_flag symbols_made_;
  std::unique_ptr<code::SymbolIndex> symbols_;  // last: it uses the others
};

// Opens the workspace as the settings want it, and finishes or takes back what a crash interrupted there.
[[nodiscard]] Expected<std::shared_ptr<Engines>> make_engines(const std::string& workspace,
                                                              const std::string& state_directory,
                                                              const std::string& data_directory,
                                                              const Settings& settings);

// Who searches contents.
[[nodiscard]] search::EngineChoice search_engine(const Settings& settings);

}  // namespace helve
