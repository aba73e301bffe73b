#include "plugins/plugin_host.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "core/directories.h"
#include "core/trust.h"
#include "plugins/command_tool.h"

namespace helve::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxManifest = std::size_t{256} << 10;
constexpr std::size_t kMaxPlugins = 200;

// Whoever can write a manifest decides what runs.
Expected<void> check_owner(const std::string& file) {
  for (const std::string& path : {file, fs::path(file).parent_path().string()}) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return fail(system_error(concat("Cannot look at ", path), errno));
    if ((status.st_mode & 0002) != 0)
      return fail(ErrorCode::kSecurity, concat(path, " can be written by everybody."),
                  concat("chmod o-w ", path, " if you know what is in it."));
  }
  return {};
}

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

// One more kind is one more row.
using MakeTools = Expected<std::vector<std::unique_ptr<Tool>>> (*)(const Plugin&, const Settings&);

Expected<std::vector<std::unique_ptr<Tool>>> make_command_tools(const Plugin& plugin,
                                                                const Settings& settings) {
  std::vector<std::unique_ptr<Tool>> tools;
  for (const PluginTool& tool : plugin.manifest.tools) {
    auto made = make_command_tool(tool, plugin.manifest.name, plugin.directory, settings);
    if (!made) return fail(std::move(made).error());
    tools.push_back(*std::move(made));
  }
  return tools;
}

MakeTools maker_of(PluginKind kind) {
  switch (kind) {
    case PluginKind::kCommand: return &make_command_tools;
    case PluginKind::kLibrary:
    case PluginKind::kMcp: return nullptr;
  }
  return nullptr;
}

}  // namespace

Expected<PluginFolders> plugin_folders(const std::string& workspace) {
  const auto data = default_data_directory();
  if (!data) return fail(data.error());
  PluginFolders folders{.user = concat(*data, "/plugins")};
  const auto state = default_state_directory();
  const auto real = real_path(workspace);
  if (!state || !real) return folders;
  const auto trusted = TrustedFolders(*state).contains(*real);
  if (trusted && *trusted) folders.project = concat(*real, "/.helve/plugins");
  return folders;
}

Expected<Plugin> read_plugin(const std::string& file) {
  if (auto safe = check_owner(file); !safe) return fail(std::move(safe).error());
  const auto text = read_file(file, kMaxManifest);
  if (!text) return fail(text.error());
  auto manifest = parse_manifest(*text, file);
  if (!manifest) return fail(std::move(manifest).error());
  const fs::path path(file);
  const bool has_folder = path.filename() == "plugin.toml";
  const std::string expected = has_folder ? path.parent_path().filename().string() : path.stem().string();
  if (manifest->name != expected)
    return fail(ErrorCode::kInvalidArgument,
                concat(file, ": the plugin is called ", manifest->name, ", but its ",
                       has_folder ? "folder" : "file", " ", expected, "."),
                "Give both the same name.");
  return Plugin{.manifest = *std::move(manifest), .file = file, .directory = path.parent_path().string()};
}

FoundPlugins find_plugins(const PluginFolders& folders) {
  FoundPlugins found;
  for (const std::string* folder : {&folders.user, &folders.project}) {
    if (folder->empty()) continue;
    for (const std::string& file : manifests_in(*folder)) {
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

Expected<std::vector<std::unique_ptr<Tool>>> make_tools(const Plugin& plugin, const Settings& settings) {
  const MakeTools make = maker_of(plugin.manifest.kind);
  if (make == nullptr)
    return fail(ErrorCode::kUnavailable,
                concat(plugin.file, ": plugins of the kind ", name_of(plugin.manifest.kind),
                       " cannot be loaded yet."),
                "This Helve loads plugins of the kind command.");
  return make(plugin, settings);
}

Expected<std::vector<std::string>> PluginHost::load(const Plugin& plugin) {
  auto tools = make_tools(plugin, settings_);
  if (!tools) return fail(std::move(tools).error());
  std::vector<std::string> names;
  for (auto& tool : *tools) {
    std::string name = tool->definition().name;
    if (auto added = registry_.add(std::move(tool)); !added) {
      // All of its tools or none.
      for (const std::string& taken : names) registry_.remove(taken);
      added.error().message = concat(plugin.file, ": ", added.error().message);
      return fail(std::move(added).error());
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<PluginProblem> PluginHost::refresh() {
  FoundPlugins found = find_plugins(folders_);
  std::map<std::string, std::string> hashes;  // by file
  for (const Plugin& plugin : found.plugins)
    hashes[plugin.file] = sha256_hex(read_file(plugin.file, kMaxManifest).value_or(""));
  // What is gone or changed makes room first.
  std::erase_if(loaded_, [&](const auto& entry) {
    const auto now = hashes.find(entry.first);
    if (now != hashes.end() && now->second == entry.second.text_hash) return false;
    for (const std::string& tool : entry.second.tools) registry_.remove(tool);
    return true;
  });
  for (const Plugin& plugin : found.plugins) {
    if (loaded_.contains(plugin.file)) continue;
    auto names = load(plugin);
    if (names)
      loaded_[plugin.file] = {hashes[plugin.file], *std::move(names)};
    else
      found.problems.push_back({plugin.file, std::move(names).error()});
  }
  return std::move(found.problems);
}

}  // namespace helve::plugins
