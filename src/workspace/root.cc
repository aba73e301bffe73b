#include "workspace/root.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "base/strings.h"
#include "workspace/near_paths.h"

namespace helve {
namespace {

constexpr int kMostAttempts = 16;  // against a name that is swapped again and again

Expected<BaseDirectory> open_base(const std::string& path) {
  const auto cannot = [&](int error_number) {
    Error error = open_error(path, error_number);
    error.message =
        concat("Cannot open the directory ", printable_path(path), ": ", errno_text(error_number), ".");
    error.hint = "Give an existing directory that this user may enter.";
    return fail(std::move(error));
  };
  const std::unique_ptr<char, decltype([](char* text) { std::free(text); })> real(
      ::realpath(path.c_str(), nullptr));
  if (!real) return cannot(errno);
  BaseDirectory base;
  base.fd.reset(::open(real.get(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!base.fd) return cannot(errno);
  base.real = split_path(real.get()).components;
  PathText given = split_path(path);
  if (!given.absolute) {
    const std::unique_ptr<char, decltype([](char* text) { std::free(text); })> here(::getcwd(nullptr, 0));
    if (here) {
      const std::vector<std::string> prefix = split_path(here.get()).components;
      given.components.insert(given.components.begin(), prefix.begin(), prefix.end());
    }
  }
  // With `..` in it the text does not say where the directory is: the one before may be a link.
  base.given = given.has_parent_component() ? base.real : std::move(given.components);
  return base;
}

std::unexpected<Error> refuse_traversal(std::string_view path, std::string_view why) {
  return fail(path_error(PathFault::kTraversal, path, concat(printable_path(path), why),
                         "Name a path inside the workspace, relative to it and without `..`."));
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
                  "Give it from / on.");
    auto read_only = open_base(extra);
    if (!read_only) return fail(read_only.error());
    read_only->read_only = true;
    root.bases_.push_back(std::move(*read_only));
  }
  root.symlinks_ = options.symlinks;
  root.refuse_parent_components_ = options.refuse_parent_components;
  std::optional<std::vector<std::string>> home;
  if (!options.home_directory.empty()) {
    // A home that does not exist yet is protected by its name.
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
      PathFault::kOutside, path,
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
  if (located->text.names_directory) flags |= O_DIRECTORY;
  if (final_link == FinalLink::kKeep) flags |= O_NOFOLLOW;

  // Nearly all paths go through no link and no `..`: then the path is its own resolution, in one system call.
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
    error.hint = "`~` is not expanded: name the path relative to the workspace.";
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

}  // namespace helve
