#include "core/engines.h"

#include <chrono>
#include <cstdlib>
#include <mutex>

#include "base/file_io.h"
#include "base/path_steps.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "core/command_report.h"
#include "core/unsettled_commands.h"
#include "helve/settings/history.h"
#include "helve/settings/log.h"
#include "helve/settings/search.h"
#include "helve/settings/workspace.h"
#include "settings/directories.h"

namespace helve {
namespace {

// Helve's own files are out of reach for all tools, wherever they are.
void protect(workspace::RootOptions& options, const std::string& workspace, const std::string& directory) {
  const auto real_workspace = real_path(workspace);
  const std::string real = real_path(directory).value_or(directory);  // it need not exist yet
  if (!real_workspace || !real.starts_with(*real_workspace == "/" ? "/" : concat(*real_workspace, "/")))
    return;
  const std::size_t root = *real_workspace == "/" ? 0 : real_workspace->size();
  options.protected_rules.push_back({real.substr(root), "Helve keeps its own files there"});
}

// A file that Helve runs without a sandbox, and every symlink on the way to it.
void protect_program(workspace::RootOptions& options, const std::string& workspace,
                     const std::string& program) {
  const auto real = real_path(workspace);
  if (!real) return;
  for (const std::string& step : path_steps(program))
    if (is_within(step, *real) && step != *real)
      options.protected_rules.push_back({step.substr(*real == "/" ? 0 : real->size()),
                                         "Helve runs it outside of the sandbox, as the configuration says"});
}

Expected<workspace::Root> open_workspace(workspace::RootOptions options, const std::string& path,
                                         const std::string& state_directory,
                                         const std::string& data_directory, const WorkspaceSettings& settings,
                                         const std::vector<std::string>& trusted_programs) {
  for (const std::string& program : trusted_programs) protect_program(options, path, program);
  protect(options, path, state_directory);
  protect(options, path, data_directory);
  if (const auto config = settings::default_config_directory()) protect(options, path, *config);
  if (settings.symlinks == SymlinkPolicy::kDeny) options.symlinks = workspace::Symlinks::kDeny;
  options.refuse_parent_components = settings.parent_paths == ParentPathPolicy::kDeny;
  if (const char* home = std::getenv("HOME"); home != nullptr) options.home_directory = home;
  auto root = workspace::Root::open(path, options);
  if (!root && root.error().hint.empty())
    root.error().hint = "Name the directory that the tools may touch as the workspace.";
  return root;
}

// The repositories in the workspace, for tools: they ask before each write, often many times in a row.
std::function<std::vector<std::string>()> repositories_in(
    const std::shared_ptr<repository::RepositoryIndex>& index, const std::string& workspace) {
  using Clock = std::chrono::steady_clock;
  static constexpr auto kFresh = std::chrono::seconds(1);
  static constexpr std::size_t kMostDirectories = 4'000;
  struct Kept {
    std::mutex mutex = {};
    Clock::time_point at = {};
    std::vector<std::string> paths = {};
  };
  return [index, workspace, kept = std::make_shared<Kept>()] {
    const std::lock_guard lock(kept->mutex);
    if (kept->at != Clock::time_point() && Clock::now() - kept->at < kFresh) return kept->paths;
    kept->paths.clear();
    for (const repository::Found& found : index->look(kMostDirectories).repositories)
      kept->paths.push_back(found.path.empty() ? workspace : concat(workspace, "/", found.path));
    kept->at = Clock::now();
    return kept->paths;
  };
}

workspace::Durability durability_of(DurabilityPolicy policy) {
  switch (policy) {
    case DurabilityPolicy::kFull: return workspace::Durability::kFull;
    case DurabilityPolicy::kFile: return workspace::Durability::kFile;
    case DurabilityPolicy::kNone: return workspace::Durability::kNone;
  }
  return workspace::Durability::kFull;
}

void tell(Logger& logger, const changes::RecoveredChange& change) {
  const JsonObject facts{{"tool", change.origin.tool}, {"files", join(change.paths, ", ")}};
  switch (change.outcome) {
    case changes::RecoveredChange::Outcome::kFinished:
      return logger.warning("A change that a crash interrupted was finished", facts);
    case changes::RecoveredChange::Outcome::kRolledBack:
      return logger.warning("A change that a crash interrupted was reverted", facts);
    case changes::RecoveredChange::Outcome::kKeptAside:
      return logger.error("A change was interrupted by a crash, and its files were changed by others since",
                          facts);
  }
}

void tell(Logger& logger, const core::SettledLater& later) {
  const std::string said = core::settled_text(later.settled);
  if (said.empty()) return;
  logger.warning(concat("Helve was killed while a command ran; what that left to do is done now. ", said),
                 {{"workspace", later.workspace}, {"held", later.quarantine}});
}

}  // namespace

Engines::Engines(workspace::Root the_root, std::shared_ptr<repository::RepositoryIndex> the_repositories,
                 std::shared_ptr<const Settings> the_settings, const std::string& data_directory)
    : root(std::move(the_root)),
      all_settings(std::move(the_settings)),
      settings(*all_settings),
      logger(settings.log.level, settings.log.format),
      repositories(std::move(the_repositories)),
      store(core::store_directory(data_directory)) {}

Expected<std::shared_ptr<Engines>> make_engines(const std::string& workspace,
                                                const std::string& state_directory,
                                                const std::string& data_directory,
                                                std::shared_ptr<const Settings> all_settings,
                                                std::vector<std::string> trusted_programs) {
  const settings::Groups settings = *all_settings;
  if (const auto real = real_path(workspace))
    for (std::string& path : settings::trusted_program_paths(*real, settings))
      trusted_programs.push_back(std::move(path));
  const std::string place = real_path(workspace).value_or(workspace);
  auto repositories = std::make_shared<repository::RepositoryIndex>(place);
  workspace::RootOptions place_options{.repositories = repositories_in(repositories, place)};
  auto root = open_workspace(std::move(place_options), workspace, state_directory, data_directory,
                             settings.workspace, trusted_programs);
  if (!root) return fail(root.error());
  auto engines = std::make_shared<Engines>(*std::move(root), std::move(repositories), std::move(all_settings),
                                           data_directory);
  engines->trusted_programs = std::move(trusted_programs);
  engines->state_directory = state_directory;
  changes::ChangeOptions options{.durability = durability_of(settings.workspace.durability)};
  options.max_bytes = static_cast<std::uint64_t>(settings.history.keep_megabytes) << 20;
  options.max_age = std::chrono::hours(24 * settings.history.keep_days);
  auto changes = changes::Changes::open(engines->root, state_directory, options);
  if (!changes) return fail(changes.error());
  engines->changes.emplace(*std::move(changes));
  const auto recovered = engines->changes->recover();
  if (!recovered)
    engines->logger.error("Interrupted changes could not be looked for",
                          {{"error", recovered.error().message}});
  else
    for (const changes::RecoveredChange& change : recovered->changes) tell(engines->logger, change);
  for (const core::SettledLater& later : core::settle_left_over(state_directory, engines->root.path()))
    tell(engines->logger, later);
  return engines;
}

code::SymbolIndex& Engines::symbols() {
  std::call_once(symbols_made_, [this] {
    code::SymbolIndex::Options options;
    if (!state_directory.empty())
      options.cache_path =
          concat(state_directory, "/code/", sha256_hex(root.path()).substr(0, 20), ".symbols");
    symbols_ = std::make_unique<code::SymbolIndex>(root, logger, std::move(options));
  });
  return *symbols_;
}

search::EngineChoice search_engine(const SearchSettings& settings) {
  search::EngineChoice choice{.ripgrep = settings.ripgrep};
  if (settings.engine == SearchEngine::kRipgrep) choice.engine = search::Engine::kRipgrep;
  if (settings.engine == SearchEngine::kBuiltin) choice.engine = search::Engine::kBuiltin;
  return choice;
}

}  // namespace helve
