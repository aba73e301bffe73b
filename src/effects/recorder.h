// Remembers what was at each path before a command changed it, and keeps the content that would be lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/file_io.h"
#include "effects/kept_objects.h"
#include "effects/node_state.h"
#include "helve/error.h"

namespace helve::effects {

// After any of these, the command goes on, and the record says from where on it has gaps.
struct Budget {
  std::uint64_t bytes = std::uint64_t{1} << 30;           // copied, not linked
  std::uint64_t largest_file = std::uint64_t{256} << 20;  // copied
  std::size_t entries = 200'000;
};

// The paths that are not recorded.
struct LeftOut {
  std::vector<std::string> names = {};  // directories with such a name, for instance "node_modules"
  std::vector<std::string> paths = {};  // relative; those that the sandbox keeps from being changed

  [[nodiscard]] bool contains(std::string_view path) const;
};

// Everything that is known about the time before the command.
struct Before {
  // Only paths that may have changed. Everything below a path that was not a directory did not exist.
  std::map<std::string, NodeState, std::less<>> nodes;
  std::unordered_map<InodeKey, std::uint64_t> copies;  // content from before the first write: object numbers
  std::unordered_map<InodeKey, std::uint64_t> links;   // the inodes themselves
  std::unordered_set<std::string> complete;            // directories whose former children are all in `nodes`
  std::string gap;  // the first change that was not kept, and why; usually empty
  std::uint64_t next_object = 1;
  std::uint64_t copied_bytes = 0;
};

// Replays the journal of a process that was killed.
[[nodiscard]] Before read_journal(std::string_view bytes);

// Where a recorder stores. Opened with the first change, so that a command that changes nothing costs
// nothing.
struct Storage {
  KeptObjects objects;
  UniqueFd journal;
};
using OpenStorage = std::function<Expected<Storage>()>;

// Each function is called before the command's system call runs, with the place that the call will change:
// relative to the workspace, without symlinks in its directories. Whether the call then succeeds does not
// matter, because only the state before it is recorded. Every fact is in the journal before the function
// returns. Used by one thread. `root` must outlive it.
class Recorder {
 public:
  Recorder(int root, OpenStorage open, Budget budget, LeftOut left_out)
      : root_(root), open_(std::move(open)), budget_(budget), left_out_(std::move(left_out)) {}

  void before_create(const std::string& path);
  void before_write(const std::string& path);
  void before_remove(const std::string& path);
  void before_attributes(const std::string& path);
  // Also for an exchange of both places.
  void before_rename(const std::string& from, const std::string& to);
  void before_link(const std::string& from, const std::string& to);
  // A change that could not be understood.
  void note_gap(std::string_view path, std::string_view reason);

  [[nodiscard]] const Before& before() const { return before_; }
  // Nothing before the first change, or when the storage could not be opened, which is then the gap.
  [[nodiscard]] const std::optional<Storage>& storage() const { return storage_; }

 private:
  [[nodiscard]] bool was_absent(std::string_view path) const;
  // Whether the node that is there now existed before the command, here or elsewhere.
  [[nodiscard]] bool is_from_before(std::string_view path, const NodeState& node) const;
  // The state now, which is the state before the command unless the path is in the record already.
  NodeState remember(const std::string& path, const Spot& spot);
  void remember_tree(const std::string& path);
  void keep_inode(const std::string& path, const Spot& spot, const NodeState& node);
  void keep_content(const std::string& path, const Spot& spot, const NodeState& node);
  bool copy_object(const std::string& path, const Spot& spot, const NodeState& node, std::uint64_t number);
  void add_object(bool is_copy, const InodeKey& inode, std::uint64_t number);
  void add_node(const std::string& path, const NodeState& node);
  void add_journal(std::string_view entry);
  // False when nothing can be stored.
  bool open_storage();

  const int root_;
  const OpenStorage open_;
  const Budget budget_;
  const LeftOut left_out_;
  std::optional<Storage> storage_;
  bool tried_ = false;
  Before before_;
  // Inodes from before the command that now also have a name that did not exist then.
  std::unordered_set<InodeKey> moved_;
  // Files whose content was copied before the first write, as they were then: another name may be seen only
  // later.
  std::unordered_map<InodeKey, NodeState> originals_;
};

}  // namespace helve::effects
