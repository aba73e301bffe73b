// The state of a path: the facts that tell whether it changed, and that are needed to restore it.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/byte_codec.h"
#include "base/file_io.h"

namespace helve::effects {

enum class NodeKind : unsigned char { kAbsent, kFile, kDirectory, kLink, kOther };

struct InodeKey {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const InodeKey&) const = default;
};

struct NodeState {
  NodeKind kind = NodeKind::kAbsent;
  mode_t mode = 0;  // permission bits; with the file type for kOther
  std::uint64_t owner = 0;
  std::uint64_t group = 0;
  InodeKey inode = {};
  std::uint64_t names = 0;  // hard links
  std::uint64_t size = 0;   // kFile
  std::int64_t modified_ns = 0;
  std::uint64_t special = 0;  // kOther: the device number
  std::string target = {};    // kLink

  [[nodiscard]] bool is_file() const { return kind == NodeKind::kFile; }
  [[nodiscard]] bool is_directory() const { return kind == NodeKind::kDirectory; }
  [[nodiscard]] bool exists() const { return kind != NodeKind::kAbsent; }
  bool operator==(const NodeState&) const = default;
};

// The same kind with the same permissions and owner; of a file the content may differ.
[[nodiscard]] bool same_shape(const NodeState& one, const NodeState& other);

void write_node(ByteWriter& writer, const NodeState& node);
[[nodiscard]] NodeState read_node(ByteReader& reader);

// A name in an open directory. No symlink was followed on the way there.
struct Spot {
  UniqueFd directory = {};  // O_PATH
  std::string name = {};
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(directory); }
};

// Paths are relative to `root`, without symlinks in their directories. Invalid, with errno set, when a
// directory is missing or is a symlink.
[[nodiscard]] Spot find_spot(int root, std::string_view path);
// kAbsent also when a directory on the way is missing.
[[nodiscard]] NodeState node_at(int root, std::string_view path);
[[nodiscard]] NodeState node_in(const Spot& spot);

// Visits everything below a directory, parents first. Stops when `visit` returns false. Returns false if it
// was stopped or if a directory could not be read.
using VisitNode = std::function<bool(const std::string& path, const NodeState& node)>;
[[nodiscard]] bool walk_below(int root, const std::string& path, const VisitNode& visit);

[[nodiscard]] std::string_view parent_path(std::string_view path);  // "" for a name in the root

}  // namespace helve::effects

template <>
struct std::hash<helve::effects::InodeKey> {
  std::size_t operator()(const helve::effects::InodeKey& key) const noexcept {
    return std::hash<std::uint64_t>()(key.inode * 0x9E3779B97F4A7C15ULL ^ key.device);
  }
};
