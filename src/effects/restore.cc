#include "effects/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <ranges>
#include <set>

#include "base/strings.h"
#include "workspace/path_check.h"
#include "workspace/temporary_file.h"

namespace helve::effects {
namespace {

std::unexpected<Error> cannot(std::string_view action, std::string_view path, int error) {
  return fail(system_error(concat("Cannot ", action, " ", workspace::printable_path(path)), error));
}

// Ownership first, because changing it clears mode bits. Best effort: an ordinary user cannot give files
// away.
int set_owner_and_mode(const Spot& spot, const NodeState& node) {
  const NodeState now = node_in(spot);
  if (now.owner != node.owner || now.group != node.group)
    static_cast<void>(!::fchownat(spot.directory.get(), spot.name.c_str(), static_cast<uid_t>(node.owner),
                                  static_cast<gid_t>(node.group), AT_SYMLINK_NOFOLLOW));
  if (node.kind == NodeKind::kLink || node_in(spot).mode == node.mode) return 0;
  return ::fchmodat(spot.directory.get(), spot.name.c_str(), node.mode & 07777, AT_SYMLINK_NOFOLLOW) == 0
             ? 0
             : errno;
}

void set_time(const Spot& spot, const NodeState& node) {
  const timespec time{.tv_sec = node.modified_ns / 1'000'000'000,
                      .tv_nsec = node.modified_ns % 1'000'000'000};
  const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, time};
  ::utimensat(spot.directory.get(), spot.name.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

// Moves a complete new file, symlink or other name to its place.
int rename_into_place(const Spot& spot, const std::string& temporary) {
  const int directory = spot.directory.get();
  int error = ::renameat(directory, temporary.c_str(), directory, spot.name.c_str()) == 0 ? 0 : errno;
  // Two names of one file: the kernel leaves both.
  if (::unlinkat(directory, temporary.c_str(), 0) != 0 && errno != ENOENT && error == 0) error = errno;
  return error;
}

int place_copy(int object, const Spot& spot, const NodeState& node) {
  const std::string temporary = workspace::random_temporary_name();
  const UniqueFd file(::openat(spot.directory.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return errno;
  int error = copy_bytes(object, file.get());
  const Spot placed{UniqueFd(::fcntl(spot.directory.get(), F_DUPFD_CLOEXEC, 0)), temporary};
  if (error == 0) error = set_owner_and_mode(placed, node);
  set_time(placed, node);
  if (error == 0) error = rename_into_place(spot, temporary);
  if (error != 0) ::unlinkat(spot.directory.get(), temporary.c_str(), 0);
  return error;
}

int write_in_place(int object, const Spot& spot) {
  UniqueFd file(
      ::openat(spot.directory.get(), spot.name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == EACCES &&
      ::fchmodat(spot.directory.get(), spot.name.c_str(), 0600, AT_SYMLINK_NOFOLLOW) == 0)
    file.reset(
        ::openat(spot.directory.get(), spot.name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return errno;
  if (::ftruncate(file.get(), 0) != 0) return errno;
  return copy_bytes(object, file.get());
}

}  // namespace

bool Restorer::has_bytes_of(const std::string& path, const Side& side) const {
  const Spot spot = find_spot(root_, path);
  const UniqueFd file(::openat(spot.directory.get(), spot.name.c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return false;
  if (!side.hash.empty()) return hash_of(file.get()) == side.hash;
  if (!side.copy && !side.link) return false;
  const auto object = objects_.open_object(side.copy ? *side.copy : *side.link);
  return object && same_bytes(object->get(), file.get());
}

Difference Restorer::difference_of(const Effect& effect) const {
  const Side& side = present(effect);
  const NodeState now = node_at(root_, effect.path);
  if (!side.node.exists()) return now.exists() ? Difference::kCreated : Difference::kNone;
  if (!now.exists()) return Difference::kDeleted;
  if (now.kind != side.node.kind || now.target != side.node.target) return Difference::kChanged;
  if (now.is_file()) {
    const bool is_untouched = now.inode == side.node.inode && now.size == side.node.size &&
                              now.modified_ns == side.node.modified_ns;
    if (!is_untouched && (now.size != side.node.size || !has_bytes_of(effect.path, side)))
      return Difference::kChanged;
  }
  return now.mode == side.node.mode ? Difference::kNone : Difference::kMode;
}

std::optional<Disagreement> Restorer::find_disagreement() const {
  std::set<std::string_view> known;
  for (const Effect& effect : effects_.all) {
    if (const Difference difference = difference_of(effect); difference != Difference::kNone)
      return Disagreement{effect.path, difference};
    if (present(effect).node.exists()) known.insert(effect.path);
  }
  // A directory that will be removed may hold nothing else.
  std::optional<Disagreement> found;
  for (const Effect& effect : effects_.all) {
    if (!present(effect).node.is_directory() || wanted(effect).node.is_directory()) continue;
    const bool read = walk_below(root_, effect.path, [&](const std::string& path, const NodeState&) {
      if (known.contains(path)) return true;
      found = Disagreement{path, Difference::kCreated};
      return false;
    });
    if (found) return found;
    if (!read) return Disagreement{effect.path, Difference::kChanged};
  }
  return std::nullopt;
}

bool Restorer::is_written_in_place(const Side& wanted, const NodeState& now) const {
  return wanted.node.is_file() && wanted.copy && wanted.node.names > 1 && now.inode == wanted.node.inode;
}

Expected<void> Restorer::keep_present() {
  for (Effect& effect : effects_.all) {
    Side& side = present(effect);
    const Side& target = wanted(effect);
    if (!side.node.is_file()) continue;
    const NodeState now = node_at(root_, effect.path);
    const bool in_place = is_written_in_place(target, now);
    const bool only_attributes = target.node.is_file() && target.node.inode == now.inode && !target.copy;
    if (only_attributes || side.copy || (side.link && !in_place)) continue;
    const Spot spot = find_spot(root_, effect.path);
    if (!spot) return cannot("keep", effect.path, errno);
    // A step that was killed before it stored the effects has used the next numbers.
    std::uint64_t number = 0;
    int error = EEXIST;
    bool is_linked = false;
    while (error == EEXIST) {
      number = effects_.next_object++;
      error = in_place ? EXDEV : objects_.link(spot, number);
      is_linked = error == 0;
      if (!is_linked && error != EEXIST) error = objects_.copy(spot, number);
    }
    if (error != 0) return cannot("keep", effect.path, error);
    (is_linked ? side.link : side.copy) = number;
    // The first settling hashed it, unless there was too much; what is kept now must be the same.
    if (const auto object = objects_.open_object(number);
        object && side.hash.empty() && now.size <= kMostHashedKeptBytes)
      side.hash = hash_of(object->get());
    side.node.inode = now.inode;
    side.node.modified_ns = now.modified_ns;
    side.node.size = now.size;
  }
  return {};
}

Expected<void> Restorer::check_object(const Effect& effect, const Side& side) const {
  const NodeState object = objects_.node(side.copy ? *side.copy : *side.link);
  const bool is_whole = object.is_file() && object.size == side.node.size &&
                        (side.copy || object.modified_ns == side.node.modified_ns);
  if (is_whole) return {};
  return fail(ErrorCode::kConflict,
              concat("The content that was kept of ", workspace::printable_path(effect.path),
                     " has changed since, through another name of the same file."),
              "Restore it from version control or a backup.");
}

Expected<void> Restorer::check_objects() const {
  for (const Effect& effect : effects_.all) {
    const Side& side = wanted(effect);
    if (!side.node.is_file() || (!side.copy && !side.link)) continue;
    const NodeState now = node_at(root_, effect.path);
    if (!side.copy && now.is_file() && now.inode == side.node.inode) continue;  // it is in its place
    if (auto checked = check_object(effect, side); !checked) return checked;
    if (side.hash.empty()) continue;
    const auto object = objects_.open_object(side.copy ? *side.copy : *side.link);
    if (!object) return fail(object.error());
    if (hash_of(object->get()) != side.hash)
      return fail(
          ErrorKind::kHistoryDamaged, ErrorCode::kExecutionFailed,
          concat("The history is damaged: the content that was kept of ",
                 workspace::printable_path(effect.path), " does not match its hash. Nothing was changed."),
          "The disk may be failing. Restore the file from version control or a backup.");
  }
  return {};
}

Expected<void> Restorer::make_directories_writable() const {
  if (::geteuid() == 0) return {};
  for (const Effect& effect : effects_.all) {
    const Spot spot = find_spot(root_, effect.path);
    const NodeState now = node_in(spot);
    if (!now.is_directory() || (now.mode & 0700) == 0700) continue;
    if (::fchmodat(spot.directory.get(), spot.name.c_str(), now.mode | 0700, AT_SYMLINK_NOFOLLOW) != 0)
      return cannot("change", effect.path, errno);
  }
  return {};
}

Expected<void> Restorer::remove_present() const {
  for (const Effect& effect : effects_.all | std::views::reverse) {
    const NodeKind kind = present(effect).node.kind;
    const NodeKind target = wanted(effect).node.kind;
    if (kind == NodeKind::kAbsent || kind == target) continue;
    const Spot spot = find_spot(root_, effect.path);
    // After a crash it may be gone, or what is wanted may be in its place.
    if (!spot || node_in(spot).kind != kind) continue;
    if (::unlinkat(spot.directory.get(), spot.name.c_str(),
                   kind == NodeKind::kDirectory ? AT_REMOVEDIR : 0) != 0)
      return cannot("remove", effect.path, errno);
  }
  return {};
}

Expected<void> Restorer::place_file(const Effect& effect, const Spot& spot) const {
  const Side& side = wanted(effect);
  const NodeState now = node_in(spot);
  if (!side.copy && now.is_file() && now.inode == side.node.inode) return {};
  if (!side.copy && !side.link)
    return fail(ErrorCode::kNotFound,
                concat("The content of ", workspace::printable_path(effect.path), " was not kept."));
  if (auto checked = check_object(effect, side); !checked) return checked;
  if (!side.copy) {
    const std::string temporary = workspace::random_temporary_name();
    const Spot place{UniqueFd(::fcntl(spot.directory.get(), F_DUPFD_CLOEXEC, 0)), temporary};
    int error = objects_.link_to(*side.link, place);
    if (error == 0) error = rename_into_place(spot, temporary);
    if (error != 0) return cannot("restore", effect.path, error);
    return {};
  }
  const auto object = objects_.open_object(*side.copy);
  if (!object) return fail(object.error());
  int error = 0;
  if (is_written_in_place(side, now)) {
    error = write_in_place(object->get(), spot);
    set_time(spot, side.node);
  } else if (side.link && side.node.names > 1) {
    // The file has other names, which must keep sharing its bytes.
    const std::string temporary = workspace::random_temporary_name();
    const Spot place{UniqueFd(::fcntl(spot.directory.get(), F_DUPFD_CLOEXEC, 0)), temporary};
    error = objects_.link_to(*side.link, place);
    if (error == 0) error = write_in_place(object->get(), place);
    set_time(place, side.node);
    if (error == 0) error = rename_into_place(spot, temporary);
  } else {
    error = place_copy(object->get(), spot, side.node);
  }
  if (error != 0) return cannot("restore", effect.path, error);
  return {};
}

Expected<void> Restorer::place_wanted() const {
  for (const Effect& effect : effects_.all) {
    const NodeState& node = wanted(effect).node;
    if (!node.exists()) continue;
    const Spot spot = find_spot(root_, effect.path);
    if (!spot) return cannot("restore", effect.path, errno);
    const NodeState now = node_in(spot);
    const int directory = spot.directory.get();
    switch (node.kind) {
      case NodeKind::kFile:
        if (auto placed = place_file(effect, spot); !placed) return placed;
        break;
      case NodeKind::kDirectory:
        if (!now.is_directory() && ::mkdirat(directory, spot.name.c_str(), 0700) != 0)
          return cannot("create the directory", effect.path, errno);
        break;
      case NodeKind::kLink: {
        if (now.kind == NodeKind::kLink && now.target == node.target) break;
        const std::string temporary = workspace::random_temporary_name();
        int error = ::symlinkat(node.target.c_str(), directory, temporary.c_str()) == 0 ? 0 : errno;
        if (error == 0) error = rename_into_place(spot, temporary);
        if (error != 0) return cannot("restore the symlink", effect.path, error);
        break;
      }
      case NodeKind::kOther:
        if (!now.exists() && S_ISFIFO(node.mode) &&
            ::mknodat(directory, spot.name.c_str(), node.mode, 0) != 0)
          return cannot("restore", effect.path, errno);
        break;
      case NodeKind::kAbsent: break;
    }
  }
  return {};
}

// Deepest first: a directory may end read-only, and what happens in it changes its time.
Expected<void> Restorer::set_attributes() const {
  for (const Effect& effect : effects_.all | std::views::reverse) {
    const NodeState& node = wanted(effect).node;
    if (!node.exists()) continue;
    const Spot spot = find_spot(root_, effect.path);
    if (!spot || node_in(spot).kind != node.kind) continue;
    if (const int error = set_owner_and_mode(spot, node); error != 0)
      return cannot("set the permissions of", effect.path, error);
    if (node.is_directory() || node.kind == NodeKind::kLink) set_time(spot, node);
  }
  return {};
}

Expected<void> Restorer::apply() {
  for (const auto step : {&Restorer::make_directories_writable, &Restorer::remove_present,
                          &Restorer::place_wanted, &Restorer::set_attributes})
    if (auto done = (this->*step)(); !done) return done;
  return {};
}

}  // namespace helve::effects
