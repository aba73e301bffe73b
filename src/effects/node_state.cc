#include "effects/node_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "workspace/root_walk.h"

namespace helve::effects {
namespace {

NodeKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return NodeKind::kFile;
  if (S_ISDIR(mode)) return NodeKind::kDirectory;
  if (S_ISLNK(mode)) return NodeKind::kLink;
  return NodeKind::kOther;
}

std::string read_target(int directory, const char* name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlinkat(directory, name, target.data(), target.size());
  return length > 0 ? std::string(target.data(), static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

bool same_shape(const NodeState& one, const NodeState& other) {
  return one.kind == other.kind && one.mode == other.mode && one.owner == other.owner &&
         one.group == other.group && one.target == other.target && one.special == other.special;
}

void write_node(ByteWriter& writer, const NodeState& node) {
  writer.number(static_cast<unsigned char>(node.kind));
  if (!node.exists()) return;
  for (const std::uint64_t number :
       {std::uint64_t{node.mode}, node.owner, node.group, node.inode.device, node.inode.inode, node.names,
        node.size, static_cast<std::uint64_t>(node.modified_ns), node.special})
    writer.number(number);
  writer.text(node.target);
}

NodeState read_node(ByteReader& reader) {
  NodeState node;
  const std::uint64_t kind = reader.number();
  if (kind == 0 || kind > static_cast<std::uint64_t>(NodeKind::kOther)) return node;
  node.kind = static_cast<NodeKind>(kind);
  node.mode = static_cast<mode_t>(reader.number());
  node.owner = reader.number();
  node.group = reader.number();
  node.inode.device = reader.number();
  node.inode.inode = reader.number();
  node.names = reader.number();
  node.size = reader.number();
  node.modified_ns = static_cast<std::int64_t>(reader.number());
  node.special = reader.number();
  node.target = reader.text();
  return node;
}

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

Spot find_spot(int root, std::string_view path) {
  const std::string_view parent = parent_path(path);
  Spot spot;
  spot.name = parent.empty() ? path : path.substr(parent.size() + 1);
  spot.directory.reset(workspace::open_plain(root, parent.empty() ? "." : std::string(parent),
                                             O_PATH | O_DIRECTORY | O_CLOEXEC));
  return spot;
}

NodeState node_in(const Spot& spot) {
  struct stat status;
  NodeState node;
  if (!spot || ::fstatat(spot.directory.get(), spot.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return node;
  node.kind = kind_of(status.st_mode);
  node.mode = node.kind == NodeKind::kOther ? status.st_mode : status.st_mode & 07777;
  node.owner = status.st_uid;
  node.group = status.st_gid;
  node.inode = {status.st_dev, status.st_ino};
  node.names = status.st_nlink;
  if (node.is_file()) node.size = static_cast<std::uint64_t>(status.st_size);
  node.modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  if (node.kind == NodeKind::kOther) node.special = status.st_rdev;
  if (node.kind == NodeKind::kLink) {
    node.mode = 0777;
    node.target = read_target(spot.directory.get(), spot.name.c_str());
  }
  return node;
}

NodeState node_at(int root, std::string_view path) { return node_in(find_spot(root, path)); }

bool walk_below(int root, const std::string& path, const VisitNode& visit) {
  const UniqueFd place(workspace::open_plain(root, path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place) return errno == ENOENT || errno == ENOTDIR;
  UniqueFd readable(::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!readable) return false;
  const DirectoryStream stream(::fdopendir(readable.get()));
  if (!stream) return false;
  static_cast<void>(readable.release());
  Spot spot{UniqueFd(::fcntl(place.get(), F_DUPFD_CLOEXEC, 0)), {}};
  bool whole = true;
  std::vector<std::string> directories;
  while (const dirent* entry = ::readdir(stream.get())) {
    spot.name = entry->d_name;
    if (spot.name == "." || spot.name == "..") continue;
    const NodeState node = node_in(spot);
    if (!node.exists()) continue;
    const std::string child = path.empty() || path == "." ? spot.name : path + "/" + spot.name;
    if (!visit(child, node)) return false;
    if (node.is_directory()) directories.push_back(child);
  }
  for (const std::string& directory : directories) whole = walk_below(root, directory, visit) && whole;
  return whole;
}

}  // namespace helve::effects
