#include "plugins/install.h"

#include <algorithm>
#include <filesystem>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file_io.h"
#include "base/strings.h"

namespace helve::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;

std::unexpected<Error> failed(std::string_view what, const std::string& path, const std::error_code& why) {
  return fail(ErrorCode::kExecutionFailed, concat("Cannot ", what, " ", path, ": ", why.message(), "."));
}

Expected<void> copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::copy_file(from, to, error)) return failed("copy", from.string(), error);
  // Users who can write it could run code as this user.
  fs::permissions(to, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove, error);
  if (error) return failed("protect", to.string(), error);
  return {};
}

// Symlinks to files are copied as files; other symlinks are skipped.
Expected<void> copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  std::size_t files = 0;
  std::uintmax_t bytes = 0;
  fs::recursive_directory_iterator at(from, error);
  if (error) return failed("read", from.string(), error);
  fs::path last = from;
  for (; at != fs::recursive_directory_iterator(); error.clear(), at.increment(error)) {
    last = at->path();
    const fs::path relative = at->path().lexically_relative(from);
    if (at->path().filename().string().starts_with('.') || at->path().filename() == "__pycache__") {
      at.disable_recursion_pending();
      continue;
    }
    if (at->is_directory(error) && !at->is_symlink(error)) {
      fs::create_directory(to / relative, error);
      if (error) return failed("make", (to / relative).string(), error);
      continue;
    }
    if (!at->is_regular_file(error)) continue;
    bytes += at->file_size(error);
    if (++files > kMostFiles || bytes > kMostBytes)
      return fail(
          ErrorCode::kInvalidArgument,
          concat(from.string(), " has more than ", kMostFiles, " files or ", kMostBytes >> 20, " MB."),
          "Keep only the files that the plugin needs in its directory.");
    if (auto copied = copy_one(at->path(), to / relative); !copied) return copied;
  }
  // The loop also ends on an error.
  if (error) return failed("read", last.string(), error);
  return {};
}

// A hidden name in the plugin directory that is not loaded as a plugin.
fs::path hidden_path(const fs::path& folder, const std::string& name) {
  return folder / concat(".", random_id(name, 10));
}

bool is_plugin_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && is_lower(name.front()) &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
}

// NAME or NAME.toml; empty if there is neither.
fs::path installed_path(const std::string& name, const std::string& user_folder) {
  std::error_code ignored;
  if (!is_plugin_name(name)) return {};
  fs::path folder = fs::path(user_folder) / name;
  if (fs::exists(folder / "plugin.toml", ignored)) return folder;
  fs::path file = fs::path(user_folder) / concat(name, ".toml");
  return fs::is_regular_file(file, ignored) ? file : fs::path();
}

Expected<void> remove_atomically(const fs::path& place, const std::string& name) {
  const fs::path old = hidden_path(place.parent_path(), name);
  std::error_code error;
  fs::rename(place, old, error);  // atomic, so that no incomplete plugin is loaded
  if (error) return failed("remove", place.string(), error);
  fs::remove_all(old, error);
  if (error) return failed("remove", old.string(), error);
  return {};
}

// Moves `fresh` to `place` and removes `old`, if any. On failure `old` stays.
Expected<void> install_atomically(const fs::path& fresh, const fs::path& place, const fs::path& old,
                                  const std::string& name) {
  std::error_code error;
  const fs::path kept = old.empty() ? fs::path() : hidden_path(place.parent_path(), name);
  if (!old.empty()) fs::rename(old, kept, error);
  if (error) return failed("replace", old.string(), error);
  fs::rename(fresh, place, error);
  std::error_code ignored;  // leftovers have a hidden name that is not loaded
  if (!error) {
    if (!old.empty()) fs::remove_all(kept, ignored);
    return {};
  }
  if (!old.empty()) fs::rename(kept, old, ignored);
  return failed("make", place.string(), error);
}

}  // namespace

std::string manifest_at(const std::string& path) {
  const std::string real = real_path(path).value_or(path);
  std::error_code ignored;
  return fs::is_directory(real, ignored) ? concat(real, "/plugin.toml") : real;
}

Expected<Installed> install_plugin(const Plugin& plugin, const std::string& user_folder) {
  if (auto made = make_private_directories(user_folder); !made) return fail(made.error());
  const std::string& name = plugin.manifest.name;
  const bool has_folder = fs::path(plugin.file).filename() == "plugin.toml";
  const fs::path folder(user_folder);
  const fs::path place = folder / (has_folder ? name : concat(name, ".toml"));
  std::error_code error;
  if (fs::equivalent(place, has_folder ? plugin.directory : plugin.file, error))
    return fail(ErrorCode::kConflict, concat(place.string(), " is already installed."),
                "Pass the directory of its sources.");
  const fs::path fresh = hidden_path(folder, name);
  Expected<void> copied;
  if (has_folder) {
    fs::create_directory(fresh, error);
    copied = error ? failed("make", fresh.string(), error) : copy_folder(plugin.directory, fresh);
  } else {
    copied = copy_one(plugin.file, fresh);
  }
  Installed installed{.place = place.string()};
  if (copied) {
    const fs::path old = installed_path(name, user_folder);
    installed.replaced = !old.empty();
    copied = install_atomically(fresh, place, old, name);
  }
  if (copied) return installed;
  fs::remove_all(fresh, error);
  return fail(std::move(copied).error());
}

Expected<std::string> remove_plugin(const std::string& name, const std::string& user_folder) {
  const fs::path place = installed_path(name, user_folder);
  if (place.empty()) {
    std::vector<std::string> known;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(user_folder, missing))
      if (!installed_path(entry.path().stem().string(), user_folder).empty())
        known.push_back(entry.path().stem());
    const auto near = nearest(name, known);
    return fail(ErrorCode::kNotFound, concat("There is no plugin ", name, " in ", user_folder, "."),
                near.empty() ? "Run `helve plugin list` to see the plugins."
                             : concat("Did you mean ", near.front(), "?"));
  }
  if (auto gone = remove_atomically(place, name); !gone) return fail(std::move(gone).error());
  return place.string();
}

}  // namespace helve::plugins
