#include "plugins/plugin_host.h"

#include <algorithm>
#include <filesystem>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/threads.h"
#include "gateway/remote_tool.h"
#include "helve/settings/plugins.h"
#include "plugins/command_tool.h"
#include "plugins/library.h"
#include "settings/directories.h"
#include "settings/trust.h"

namespace helve::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPlugins = 200;

// NAME/plugin.toml and NAME.toml, sorted.
std::vector<std::string> manifests_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().filename().string().starts_with('.')) continue;
    std::error_code ignored;
    if (entry.is_directory(ignored) && fs::exists(entry.path() / "plugin.toml", ignored))
      files.push_back((entry.path() / "plugin.toml").string());
    else if (entry.path().extension() == ".toml" && entry.is_regular_file(ignored))
      files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  if (files.size() > kMaxPlugins) files.resize(kMaxPlugins);
  return files;
}

using Tools = std::vector<std::unique_ptr<Tool>>;

Expected<Tools> make_command_tools(const Plugin& plugin, const settings::Groups& settings) {
  Tools tools;
  for (const PluginTool& tool : plugin.manifest.tools) {
    auto made = make_command_tool(tool, plugin.manifest.name, plugin.directory, settings);
    if (!made) return fail(std::move(made).error());
    tools.push_back(*std::move(made));
  }
  return tools;
}

// Loads a library into this process and returns the tools that the manifest names.
Expected<Tools> make_tools_in_process(const Plugin& plugin, const settings::Groups& settings) {
  const auto library = Library::open(concat(plugin.directory, "/", plugin.manifest.library));
  if (!library) return fail(library.error());
  Tools all = make_library_tools(*library, plugin.manifest.name,
                                 std::chrono::milliseconds(settings.plugins.time_limit_ms));
  Tools named;
  for (const PluginTool& tool : plugin.manifest.tools) {
    const auto found = std::ranges::find_if(
        all, [&](const auto& each) { return each && each->definition().name == tool.name; });
    if (found == all.end())
      return fail(ErrorCode::kUnavailable,
                  concat("the manifest names ", tool.name, ", which the plugin does not provide."));
    named.push_back(std::move(*found));
  }
  return named;
}

}  // namespace

Expected<PluginFolders> plugin_folders(const std::string& workspace) {
  const auto data = settings::default_data_directory();
  if (!data) return fail(data.error());
  PluginFolders folders{.user = concat(*data, "/plugins")};
  const auto state = settings::default_state_directory();
  const auto real = real_path(workspace);
  if (!state || !real) return folders;
  const auto reviewed = settings::TrustedFolders(*state).find(*real);
  if (!reviewed || !*reviewed) return folders;
  folders.project = concat(*real, "/.helve/plugins");
  folders.why_not_project = [state = *state, folder = *real] {
    return settings::project_trust(state, folder).reason;
  };
  return folders;
}

FoundPlugins find_plugins(const PluginFolders& folders) {
  FoundPlugins found;
  for (const std::string* folder : {&folders.user, &folders.project}) {
    if (folder->empty()) continue;
    const std::vector<std::string> files = manifests_in(*folder);
    if (folder == &folders.project && !files.empty() && folders.why_not_project)
      if (const std::string why = folders.why_not_project(); !why.empty()) {
        found.problems.push_back(
            {*folder, {ErrorCode::kPermissionDenied, concat(*folder, " is ignored because ", why)}});
        continue;
      }
    for (const std::string& file : files) {
      auto plugin = read_plugin(file);
      if (!plugin) {
        found.problems.push_back({file, std::move(plugin).error()});
        continue;
      }
      plugin->of_project = folder == &folders.project;
      found.plugins.push_back(*std::move(plugin));
    }
  }
  return found;
}

std::vector<std::string> tool_names_of(const Plugin& plugin) {
  std::vector<std::string> names;
  for (const PluginTool& tool : plugin.manifest.tools) names.push_back(tool.name);
  if (plugin.manifest.kind == PluginKind::kMcp)
    names = gateway::tool_names(gateway::server_labels({plugin.manifest.name}).front(), names);
  return names;
}

bool PluginHost::is_wanted(const Plugin& plugin) const {
  if (options_.only_tool.empty() || plugin.manifest.kind == PluginKind::kCommand) return true;
  const auto names = tool_names_of(plugin);
  return std::ranges::find(names, options_.only_tool) != names.end();
}

Expected<Tools> PluginHost::make_tools(const Plugin& plugin) const {
  return plugin.manifest.kind == PluginKind::kCommand ? make_command_tools(plugin, settings_)
                                                      : make_tools_in_process(plugin, settings_);
}

// Starts processes without waiting for them; see finish().
Expected<PluginHost::Loaded> PluginHost::begin(const Plugin& plugin) {
  Loaded loaded{.stamp = plugin.stamp};
  const PluginKind kind = plugin.manifest.kind;
  if (kind == PluginKind::kMcp || (kind == PluginKind::kLibrary && settings_.plugins.out_of_process)) {
    loaded.process = std::make_unique<ServedPlugin>(plugin, settings_, options_.places, registry_);
    loaded.process->start();
    return loaded;
  }
  const auto about = [&](Error error) {
    error.message = concat(plugin.file, ": ", error.message);
    return fail(std::move(error));
  };
  auto tools = make_tools(plugin);
  if (!tools) return about(std::move(tools).error());
  for (auto& tool : *tools) {
    std::string name = tool->definition().name;
    if (auto added = registry_.add(std::move(tool)); !added) {
      // Add all of its tools or none.
      for (const std::string& taken : loaded.tools) registry_.remove(taken);
      return about(std::move(added).error());
    }
    loaded.tools.push_back(std::move(name));
  }
  return loaded;
}

Expected<void> PluginHost::finish(Loaded& loaded) const {
  if (!loaded.process) return {};
  auto names = loaded.process->settle();
  if (!names) return fail(std::move(names).error());
  loaded.tools = *std::move(names);
  return {};
}

Expected<std::vector<std::string>> PluginHost::load(const Plugin& plugin) {
  auto loaded = begin(plugin);
  if (!loaded) return fail(std::move(loaded).error());
  if (auto finished = finish(*loaded); !finished) return fail(std::move(finished).error());
  return (loaded_[plugin.file] = *std::move(loaded)).tools;
}

std::vector<PluginProblem> PluginHost::refresh() {
  if (!settings_.plugins.enabled) return {};
  FoundPlugins found = find_plugins(options_.folders);
  std::erase_if(found.plugins, [&](const Plugin& plugin) { return !is_wanted(plugin); });
  std::map<std::string, std::string> stamps;  // by file
  for (const Plugin& plugin : found.plugins) stamps[plugin.file] = plugin.stamp;
  // Unload removed and changed plugins first, to free their names.
  const std::size_t removed = std::erase_if(loaded_, [&](const auto& entry) {
    const auto now = stamps.find(entry.first);
    if (now != stamps.end() && now->second == entry.second.stamp) return false;
    if (!entry.second.process)
      for (const std::string& tool : entry.second.tools) registry_.remove(tool);
    return true;
  });
  // Retry failed plugins only if they changed, or if names may have become free.
  std::erase_if(failed_, [&](const auto& entry) {
    const auto now = stamps.find(entry.first);
    return removed > 0 || now == stamps.end() || now->second != entry.second.stamp;
  });
  std::vector<std::pair<const Plugin*, Loaded>> begun;
  const auto skip = [&](const Plugin& plugin, Error error) {
    failed_[plugin.file] = {plugin.stamp, std::move(error)};
  };
  for (const Plugin& plugin : found.plugins) {
    if (loaded_.contains(plugin.file) || failed_.contains(plugin.file)) continue;
    if (auto loaded = begin(plugin))
      begun.emplace_back(&plugin, *std::move(loaded));
    else
      skip(plugin, std::move(loaded).error());
  }
  // The processes start in parallel.
  for (auto& [plugin, loaded] : begun) {
    if (auto finished = finish(loaded))
      loaded_[plugin->file] = std::move(loaded);
    else
      skip(*plugin, std::move(finished).error());
  }
  for (const auto& [file, failure] : failed_) found.problems.push_back({file, failure.error});
  return std::move(found.problems);
}

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr auto kSettling = milliseconds(150);  // the files of a plugin are written one after the other
constexpr auto kPollInterval = milliseconds(2'000);

}  // namespace

PluginWatch::PluginWatch(Registry& registry, PluginHost::Options options, Report report)
    : folders_(options.folders), report_(std::move(report)), host_(registry, std::move(options)) {
  static_cast<void>(watch_all());  // before the first refresh, so that no change is missed
  refresh();
  // Without the thread, new plugins need a restart.
  static_cast<void>(try_start_thread(thread_, [this](const std::stop_token& stop) { run(stop); }));
}

PluginWatch::~PluginWatch() {
  thread_.request_stop();
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PluginWatch::run(const std::stop_token& stop) {
  bool all_watched = watch_all();
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      const auto changed = [&] { return has_changed_; };
      if (all_watched)
        changed_.wait(lock, stop, changed);
      else
        changed_.wait_for(lock, stop, kPollInterval, changed);
      if (stop.stop_requested()) return;
      changed_.wait_for(lock, stop, kSettling, [] { return false; });
      has_changed_ = false;
    }
    if (stop.stop_requested()) return;
    all_watched = watch_all();
    refresh();
  }
}

void PluginWatch::refresh() {
  std::vector<PluginProblem> problems = host_.refresh();
  std::set<std::string> messages;
  for (const PluginProblem& problem : problems) messages.insert(problem.error.message);
  std::erase_if(problems,
                [&](const PluginProblem& problem) { return reported_.contains(problem.error.message); });
  reported_ = std::move(messages);
  if (!problems.empty()) report_(problems);
}

bool PluginWatch::watch_all() {
  std::vector<FileWatcher::Handle> before = std::move(handles_);  // released after the new ones exist
  handles_.clear();
  bool good = true;
  for (const std::string* folder : {&folders_.user, &folders_.project})
    if (!folder->empty()) good = watch_folder(*folder) && good;
  return good;
}

// Watches the directory and those of its plugins. If it is missing, watches where it would be created.
bool PluginWatch::watch_folder(const std::string& folder) {
  const auto notify = [this] {
    const std::lock_guard lock(mutex_);
    has_changed_ = true;
    changed_.notify_all();
  };
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    fs::path missing(folder);
    while (missing.has_relative_path() && !fs::is_directory(missing.parent_path(), ignored))
      missing = missing.parent_path();
    return add(watcher_.watch(missing.string(), notify));
  }
  bool good = add(watcher_.watch_directory(folder, notify));
  // The directory itself may be removed or replaced.
  good = add(watcher_.watch(folder, notify)) && good;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (std::error_code unknown; entry.is_directory(unknown))
      good = add(watcher_.watch_directory(entry.path().string(), notify)) && good;
  return good;
}

bool PluginWatch::add(Expected<FileWatcher::Handle> handle) {
  if (!handle) return false;
  handles_.push_back(*std::move(handle));
  return true;
}

}  // namespace helve::plugins
