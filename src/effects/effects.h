// The effects of a command on the workspace: each path before and after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "effects/kept_objects.h"
#include "effects/node_state.h"
#include "effects/recorder.h"
#include "helve/error.h"

namespace helve::effects {

// One side of a path: what is there, and which objects hold its content.
struct Side {
  NodeState node = {};
  std::optional<std::uint64_t> copy = {};  // the bytes
  std::optional<std::uint64_t> link = {};  // the inode; without a copy also the bytes
  std::string hash = {};                   // SHA-256 of the bytes, if they were read

  [[nodiscard]] bool is_kept() const { return !node.is_file() || copy || link; }
};

struct Effect {
  std::string path;
  Side before;
  Side after;
};

// Sorted by path, so that a directory precedes what is in it.
struct Effects {
  std::vector<Effect> all;
  std::string gap;  // what cannot be undone, and why; empty when all can
  std::uint64_t next_object = 1;

  // The bytes that the kept objects hold.
  [[nodiscard]] std::uint64_t kept_bytes() const;
};

// Compares what was recorded with what is there now. Objects that nothing needs are removed.
[[nodiscard]] Effects settle(int root, const KeptObjects& objects, const Before& before,
                             const LeftOut& left_out);

[[nodiscard]] std::string encode_effects(const Effects& effects);
[[nodiscard]] std::optional<Effects> decode_effects(std::string_view bytes);

// Of the content that one command makes Helve keep; more is not checked for damage of the disk.
inline constexpr std::uint64_t kMostHashedKeptBytes = std::uint64_t{128} << 20;

// SHA-256 of a file's bytes; empty when it cannot be read.
[[nodiscard]] std::string hash_of(int file);

}  // namespace helve::effects
