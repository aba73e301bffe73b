// The files that a command would destroy, kept in Helve's state directory: hard links where the file system
// allows them, copies otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "base/file_io.h"
#include "effects/node_state.h"
#include "helve/error.h"

namespace helve::effects {

// A directory of numbered files. Owned by one thread.
class KeptObjects {
 public:
  // Uses the directory `name` in `parent`, and creates it if it is missing.
  [[nodiscard]] static Expected<KeptObjects> open(int parent, const std::string& name);

  // Keeps the inode itself: no bytes are copied, and later writes through another name change it. EXDEV and
  // EPERM are usual errors. Returns 0 or the errno.
  [[nodiscard]] int link(const Spot& spot, std::uint64_t number) const;
  // Keeps the present bytes. Shares them with the original where the file system can. Returns 0 or the errno.
  [[nodiscard]] int copy(const Spot& spot, std::uint64_t number) const;

  [[nodiscard]] NodeState node(std::uint64_t number) const;
  [[nodiscard]] Expected<UniqueFd> open_object(std::uint64_t number) const;
  void remove(std::uint64_t number) const;

  // Puts a new name for the object at a spot that is free. Returns 0 or the errno.
  [[nodiscard]] int link_to(std::uint64_t number, const Spot& spot) const;

 private:
  explicit KeptObjects(UniqueFd directory) : directory_(std::move(directory)) {}

  UniqueFd directory_;
};

// Copies from the start of one file to the start of the other, which is empty; holes stay holes. Returns 0 or
// the errno.
[[nodiscard]] int copy_bytes(int from, int to);

// Whether both files have the same bytes. False when one cannot be read.
[[nodiscard]] bool same_bytes(int one, int other);

}  // namespace helve::effects
