#include "plugins/plugin.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"

namespace helve::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxManifest = std::size_t{256} << 10;

// Whoever can write these decides what runs.
Expected<void> check_owner(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    Error error = system_error(concat("Cannot look at ", path), errno);
    if (error.hint.empty()) error.hint = "Name a manifest, or a folder with plugin.toml in it.";
    return fail(std::move(error));
  }
  if ((status.st_mode & 0002) != 0)
    return fail(ErrorCode::kSecurity, concat(path, " can be written by everybody."),
                concat("chmod o-w ", path, " if you know what is in it."));
  return {};
}

// The plugin's own files that the manifest names.
std::vector<std::string> own_files(const Plugin& plugin) {
  std::vector<std::string> files;
  if (plugin.manifest.kind == PluginKind::kLibrary)
    files.push_back(concat(plugin.directory, "/", plugin.manifest.library));
  for (const std::string& word : plugin.manifest.command)
    if (word.starts_with("./")) files.push_back(concat(plugin.directory, word.substr(1)));
  return files;
}

}  // namespace

Expected<Plugin> read_plugin(const std::string& file) {
  const fs::path path(file);
  Plugin plugin{.file = file, .directory = path.parent_path().string()};
  for (const std::string& each : {file, plugin.directory})
    if (auto safe = check_owner(each); !safe) return fail(std::move(safe).error());
  const auto text = read_file(file, kMaxManifest);
  if (!text) return fail(text.error());
  auto manifest = parse_manifest(*text, file);
  if (!manifest) return fail(std::move(manifest).error());
  const bool has_folder = path.filename() == "plugin.toml";
  const std::string expected = has_folder ? path.parent_path().filename().string() : path.stem().string();
  if (manifest->name != expected)
    return fail(ErrorCode::kInvalidArgument,
                concat(file, ": the plugin is called ", manifest->name, ", but its ",
                       has_folder ? "folder" : "file", " ", expected, "."),
                "Give both the same name.");
  if (!has_folder && manifest->kind != PluginKind::kCommand)
    return fail(
        ErrorCode::kInvalidArgument,
        concat(file, ": a plugin of the kind ", name_of(manifest->kind), " needs a folder of its own."),
        concat("Put it into ", expected, "/plugin.toml, with its files beside it."));
  plugin.manifest = *std::move(manifest);
  std::string facts = *text;
  for (const std::string& own : own_files(plugin)) {
    struct stat status{};
    if (::stat(own.c_str(), &status) != 0)
      return fail(ErrorCode::kNotFound, concat(file, ": there is no file ", own, "."),
                  plugin.manifest.kind == PluginKind::kLibrary ? "Build the plugin first."
                                                               : "Put it beside the manifest.");
    if (auto safe = check_owner(own); !safe) return fail(std::move(safe).error());
    facts += concat("\n", own, " ", status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec, ".",
                    status.st_mtim.tv_nsec);
  }
  plugin.stamp = sha256_hex(facts);
  return plugin;
}

}  // namespace helve::plugins
