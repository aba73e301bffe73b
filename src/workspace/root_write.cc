// The part of Root that changes the disk, or prepares to: places to write and directories to create.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ranges>

#include "base/strings.h"
#include "workspace/git_directory.h"
#include "workspace/root.h"
#include "workspace/write_error.h"

namespace helve {
namespace {

constexpr int kMostSteps = 4096;  // more components than a path can have

std::unexpected<Error> refuse_directory_name(std::string_view path) {
  return fail(ErrorCode::kInvalidArgument, concat(printable_path(path), " names a directory, not a file."),
              "Name the file in it that is meant.", JsonObject{{"path", printable_path(path)}});
}

}  // namespace

const ProtectedRule* Root::find_protection(std::string_view resolved_path) const {
  return protected_.find(split_path(resolved_path).components);
}

Expected<void> Root::check_writable(const BaseDirectory& base,
                                    std::span<const std::string> components) const {
  const std::string path = name_of(base, components);
  if (base.read_only)
    return fail(
        path_error(PathFault::kOutside, path,
                   concat(printable_path(path), " lies outside of the workspace and can only be read."),
                   "Write to a path inside the workspace."));
  const ProtectedRule* named = protected_.find(components);
  const std::optional<ProtectedRule> rule = named != nullptr ? std::optional(*named)
                                            : protects_git_  ? find_git_protection(base.fd.get(), components)
                                                             : std::nullopt;
  if (!rule) return {};
  return fail(
      ErrorCode::kPermissionDenied,
      concat(printable_path(path), " is protected: ", rule->reason, ". It is read-only for all tools."),
      "Ask the user to make this change.",
      JsonObject{{"kind", "PROTECTED_PATH"}, {"path", printable_path(path)}, {"rule", rule->pattern}});
}

Expected<WriteTarget> Root::open_parent(std::string_view path, FinalLink final_link) const {
  const auto located = locate(path);
  if (!located) return fail(located.error());
  auto place = walk(*located, path, final_link);
  if (!place) return fail(place.error());
  const std::vector<std::string> components = place->all_components();
  if (auto writable = check_writable(*located->base, components); !writable) return fail(writable.error());
  if (!place->beyond.empty()) return fail(missing_error(*located->base, *place, path, Missing::kSuggest));
  if (place->status && !S_ISLNK(place->status->st_mode)) {
    if (auto regular = require_regular_file(join_path(components), place->status->st_mode); !regular)
      return fail(regular.error());
  }
  if (!place->status && located->text.names_directory) return refuse_directory_name(path);
  return WriteTarget{std::move(place->directory), std::move(place->name), join_path(components),
                     place->status};
}

Expected<std::vector<std::string>> Root::make_directories(std::string_view path,
                                                          Durability durability) const {
  auto located = locate(path);
  if (!located) return fail(located.error());
  located->text.names_directory = true;
  std::vector<std::string> created;
  const auto give_up = [&](Error error) {
    remove_directories(created);
    return fail(std::move(error));
  };
  for (int step = 0; step < kMostSteps; ++step) {
    const auto place = walk(*located, path, FinalLink::kFollow);
    if (!place) return give_up(place.error());
    if (place->status) return created;
    // What is asked for in the end decides, so that nothing of a refused path is created.
    if (auto writable = check_writable(*located->base, place->all_components()); !writable)
      return give_up(writable.error());
    std::vector<std::string> components = place->components;
    components.push_back(place->name);
    if (::mkdirat(place->directory.get(), place->name.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      return give_up(write_error("create the directory", join_path(components), errno));
    }
    created.push_back(join_path(components));
    const int sync_failure = durability == Durability::kFull ? sync_directory(place->directory.get()) : 0;
    if (sync_failure != 0)
      return give_up(write_error("create the directory", join_path(components), sync_failure));
  }
  return give_up({ErrorCode::kConflict,
                  concat("The directory ", printable_path(path), " disappears again and again."),
                  "Another program removes it; find out which one.",
                  {},
                  true});
}

void Root::remove_directories(std::span<const std::string> created) const {
  for (const std::string& path : created | std::views::reverse) {
    const auto located = locate(path);
    if (!located || located->base->read_only) continue;
    const auto place = walk(*located, path, FinalLink::kKeep);
    if (place && place->status && !place->name.empty())
      ::unlinkat(place->directory.get(), place->name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace helve
