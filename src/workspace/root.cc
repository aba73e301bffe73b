#include "workspace/root.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <ranges>

#include "base/strings.h"
#include "workspace/file_write.h"
#include "workspace/git_programs.h"
#include "workspace/near_paths.h"
#include "workspace/protected_paths.h"

namespace helve::workspace {
namespace {

constexpr int kMostAttempts = 16;  // for a name that is swapped repeatedly

Expected<BaseDirectory> open_base(const std::string& path) {
  const auto cannot = [&](int error_number) {
    Error error = open_error(path, error_number);
    error.message =
        concat("Cannot open the directory ", printable_path(path), ": ", errno_text(error_number), ".");
    error.hint = "Use an existing directory that this user can open.";
    return fail(std::move(error));
  };
  const std::unique_ptr<char, decltype([](char* text) { std::free(text); })> real(
      ::realpath(path.c_str(), nullptr));
  if (!real) return cannot(errno);
  BaseDirectory base;
  base.fd.reset(::open(real.get(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!base.fd) return cannot(errno);
  struct stat status{};
  if (::fstat(base.fd.get(), &status) != 0) return cannot(errno);
  base.path = real.get();
  base.device = status.st_dev;
  base.inode = status.st_ino;
  base.real = split_path(base.path).components;
  PathText given = split_path(path);
  if (!given.absolute) {
    const std::unique_ptr<char, decltype([](char* text) { std::free(text); })> here(::getcwd(nullptr, 0));
    if (here) {
      const std::vector<std::string> prefix = split_path(here.get()).components;
      given.components.insert(given.components.begin(), prefix.begin(), prefix.end());
    }
  }
  // A path with `..` cannot be resolved by its text, because the component before may be a symlink.
  base.given = given.has_parent_component() ? base.real : std::move(given.components);
  return base;
}

// The open handle follows a directory that is moved away, and then shows other files than its path does. The
// answers would be right for a directory that nobody means any more.
Expected<void> check_in_place(const BaseDirectory& base) {
  struct stat named;
  const bool exists = ::stat(base.path.c_str(), &named) == 0;
  // Where it cannot be looked at, nothing is known to be wrong.
  if (!exists && errno != ENOENT && errno != ENOTDIR) return {};
  if (exists && named.st_dev == base.device && named.st_ino == base.inode) return {};
  return fail(ErrorCode::kUnavailable,
              concat("The directory ", printable_path(base.path), " was ",
                     exists ? "replaced by another one" : "removed",
                     " while Helve was using it. Nothing was read or written."),
              "Restart Helve in the directory that is meant.",
              JsonObject{{"path", printable_path(base.path)}});
}

std::unexpected<Error> refuse_traversal(std::string_view path, std::string_view why) {
  return fail(path_error(ErrorKind::kPathTraversal, path, concat(printable_path(path), why),
                         "Name a path inside the workspace, relative to it and without `..`."));
}

constexpr int kMostSteps = 4096;  // more than the components of any path

std::unexpected<Error> refuse_directory_name(std::string_view path) {
  return fail(ErrorCode::kInvalidArgument,
              concat(printable_path(path), " is a directory path, not a file path."),
              "Pass the path of a file.", JsonObject{{"path", printable_path(path)}});
}

}  // namespace

Expected<Root> Root::open(const std::string& path, const RootOptions& options) {
  if (auto text = check_path_text(path); !text) return fail(text.error());
  auto base = open_base(path);
  if (!base) return fail(base.error());
  Root root;
  root.real_path_ = concat("/", base->real.empty() ? std::string() : join_path(base->real));
  root.bases_.push_back(std::move(*base));
  for (const std::string& extra : options.read_only_roots) {
    if (!extra.starts_with('/'))
      return fail(ErrorCode::kInvalidArgument,
                  concat("The read-only root ", printable_path(extra), " is not an absolute path."),
                  "Use an absolute path.");
    auto read_only = open_base(extra);
    if (!read_only) return fail(read_only.error());
    read_only->read_only = true;
    root.bases_.push_back(std::move(*read_only));
  }
  root.symlinks_ = options.symlinks;
  root.repositories_ = options.repositories;
  root.refuse_parent_components_ = options.refuse_parent_components;
  std::optional<std::vector<std::string>> home;
  if (!options.home_directory.empty()) {
    // A home directory that does not exist yet is protected by its name.
    const auto home_base = open_base(options.home_directory);
    home = beneath(home_base ? home_base->real : split_path(options.home_directory).components,
                   root.bases_.front().real);
  }
  root.protected_ = ProtectedPaths(options.protected_rules, home);
  root.protects_git_ = std::ranges::any_of(options.protected_rules,
                                           [](const ProtectedRule& rule) { return rule.pattern == ".git"; });
  return root;
}

Expected<Root::Located> Root::locate(std::string_view path) const {
  if (auto checked = check_path_text(path); !checked) return fail(checked.error());
  PathText text = split_path(path);
  if (refuse_parent_components_ && text.has_parent_component())
    return refuse_traversal(path, " has a `..` component, which is not allowed here.");
  if (!text.absolute) {
    if (climbs_out(text.components)) return refuse_traversal(path, " leads out of the workspace with `..`.");
    return Located{&bases_.front(), std::move(text)};
  }
  bool starts_inside = false;
  const auto search = [&](const std::vector<std::string>& components) -> std::optional<Located> {
    for (const BaseDirectory& base : bases_) {
      for (const auto* prefix : {&base.real, &base.given}) {
        auto rest = beneath(components, *prefix);
        starts_inside = starts_inside || rest;
        if (rest && !climbs_out(*rest))
          return Located{&base, {false, text.names_directory, std::move(*rest)}};
      }
    }
    return std::nullopt;
  };
  if (auto located = search(text.components)) return std::move(*located);
  if (text.has_parent_component()) {
    if (auto located = search(normalised(text.components))) return std::move(*located);
    if (starts_inside) return refuse_traversal(path, " leads out of the workspace with `..`.");
  }
  return fail(path_error(
      ErrorKind::kOutsideBaseDir, path,
      concat(printable_path(path), " is outside of the workspace ", printable_path(real_path_), "."),
      "Name a path inside the workspace, relative to it; for other places ask the user."));
}

Expected<Place> Root::walk(const Located& located, std::string_view path, FinalLink final_link) const {
  return walk_beneath(*located.base, located.text, path, symlinks_, final_link);
}

Expected<Root::Opened> Root::open_existing(std::string_view path, int flags, FinalLink final_link,
                                           Missing missing) const {
  const auto located = locate(path);
  if (!located) return fail(located.error());
  const BaseDirectory& base = *located->base;
  if (auto there = check_in_place(base); !there) return fail(there.error());
  if (located->text.names_directory) flags |= O_DIRECTORY;
  if (final_link == FinalLink::kKeep) flags |= O_NOFOLLOW;

  // Most paths contain no symlink and no `..`: they resolve to themselves, in one system call.
  if (!located->text.has_parent_component()) {
    UniqueFd fd(open_plain(base.fd.get(), join_path(located->text.components), flags));
    if (fd) return Opened{std::move(fd), name_of(base, located->text.components)};
    if (errno != ELOOP && errno != ENOENT && errno != ENOTDIR && errno != EXDEV)
      return fail(open_error(path, errno));
  }
  for (int attempt = 0;; ++attempt) {
    const auto place = walk(*located, path, final_link);
    if (!place) return fail(place.error());
    if (!place->status) return fail(missing_error(base, *place, path, missing));
    UniqueFd fd(open_plain(place->directory.get(), place->name.empty() ? "." : place->name, flags));
    if (fd) return Opened{std::move(fd), name_of(base, place->all_components())};
    const bool was_swapped = errno == ELOOP || errno == ENOENT || errno == EXDEV;
    if (!was_swapped || attempt == kMostAttempts) return fail(open_error(path, errno));
  }
}

Expected<OpenFile> Root::open_read(std::string_view path) const {
  auto opened = open_existing(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, FinalLink::kFollow, Missing::kSuggest);
  if (!opened) return fail(opened.error());
  OpenFile file{std::move(opened->fd), {}, std::move(opened->path)};
  if (::fstat(file.fd.get(), &file.status) != 0) return fail(open_error(path, errno));
  if (auto regular = require_regular_file(file.path, file.status.st_mode); !regular)
    return fail(regular.error());
  return file;
}

Expected<Root::Directory> Root::open_directory(std::string_view path) const {
  auto opened =
      open_existing(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, FinalLink::kFollow, Missing::kSuggest);
  if (opened) return Directory{std::move(opened->fd), std::move(opened->path)};
  const auto status = opened.error().code == ErrorCode::kNotFound ? stat(path) : fail(opened.error());
  if (!status) return fail(opened.error());
  return fail(ErrorCode::kInvalidArgument,
              concat(printable_path(status->path), " is a ", file_type_name(status->status.st_mode),
                     ", not a directory."),
              "Name the directory that holds it.", JsonObject{{"path", printable_path(path)}});
}

Expected<Root::Status> Root::stat(std::string_view path, FinalLink final_link) const {
  auto opened = open_existing(path, O_PATH, final_link, Missing::kPlain);
  if (!opened) return fail(opened.error());
  Status result{{}, std::move(opened->path)};
  if (::fstat(opened->fd.get(), &result.status) != 0) return fail(open_error(path, errno));
  return result;
}

std::string Root::name_of(const BaseDirectory& base, std::span<const std::string> components) const {
  std::string rest = join_path(components);
  if (!base.read_only) return rest;
  const std::string start = concat("/", join_path(base.real));
  return components.empty() ? start : concat(start, "/", rest);
}

Expected<std::string> Root::check_text(std::string_view path, Purpose purpose) const {
  const auto located = locate(path);
  if (!located) return fail(located.error());
  const std::vector<std::string> components = normalised(located->text.components);
  if (purpose == Purpose::kWrite) {
    if (located->base->read_only) return fail(read_only_error(name_of(*located->base, components)));
    if (const ProtectedRule* rule = protected_.find(components))
      return fail(protected_error(name_of(*located->base, components), *rule));
  }
  return name_of(*located->base, components);
}

std::string Root::relative_name(std::string_view path) const {
  const auto located = locate(path);
  if (!located) return printable_path(path);
  return printable_path(name_of(*located->base, normalised(located->text.components)));
}

Error Root::missing_error(const BaseDirectory& base, const Place& place, std::string_view path,
                          Missing missing) const {
  Error error = open_error(path, ENOENT);
  error.details = JsonObject{{"path", printable_path(path)}};
  if (!place.beyond.empty()) {
    std::vector<std::string> gap = place.components;
    gap.push_back(place.name);
    error.message = concat("There is no ", printable_path(path), ": the directory ",
                           printable_path(name_of(base, gap)), " does not exist.");
  }
  if (missing == Missing::kPlain) return error;
  std::vector<std::string> near = near_paths(base, place);
  JsonArray listed;
  for (std::string& candidate : near) {
    const PathText text = split_path(candidate);
    candidate = printable_path(name_of(base, text.components));
    listed.emplace_back(candidate);
  }
  if (!near.empty()) {
    error.hint = concat("Did you mean ", enumerate(near, " or "), "?");
    error.details["nearest"] = std::move(listed);
  } else if (path.starts_with('~')) {
    error.hint = "`~` is not expanded. Use a path relative to the workspace.";
  }
  return error;
}

Error Root::not_found(std::string_view path) const {
  const auto located = locate(path);
  if (!located) return located.error();
  const auto place = walk(*located, path, FinalLink::kKeep);
  if (!place) return place.error();
  return missing_error(*located->base, *place, path, Missing::kSuggest);
}

const ProtectedRule* Root::find_protection(std::string_view resolved_path) const {
  return protected_.find(split_path(resolved_path).components);
}

Expected<void> Root::check_writable(const BaseDirectory& base,
                                    std::span<const std::string> components) const {
  const std::string path = name_of(base, components);
  if (base.read_only) return fail(read_only_error(path));
  const ProtectedRule* named = protected_.find(components);
  std::optional<ProtectedRule> rule = named != nullptr ? std::optional(*named)
                                      : protects_git_  ? find_git_protection(base.fd.get(), components)
                                                       : std::nullopt;
  if (!rule && protects_git_)
    rule = find_git_program(real_path_, components,
                            repositories_ ? repositories_() : std::vector<std::string>());
  if (!rule) return {};
  return fail(protected_error(path, *rule));
}

Expected<WriteTarget> Root::open_parent(std::string_view path, FinalLink final_link) const {
  const auto located = locate(path);
  if (!located) return fail(located.error());
  if (auto there = check_in_place(*located->base); !there) return fail(there.error());
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
  if (auto there = check_in_place(*located->base); !there) return fail(there.error());
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
    // Check the whole path first, so that no part of a refused path is created.
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
                  concat("The directory ", printable_path(path), " keeps disappearing."),
                  "Another program removes it. Find out which one.",
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

}  // namespace helve::workspace
