// Which paths of the file tree get a mount for a command, and in which order.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

enum class PlaceKind {
  kProc,
  kDev,
  kRun,        // empty, because daemons keep their sockets there
  kTemporary,  // the session's temporary directory, or a new one
  kWritable,   // the original, writable
  kVisible,    // the original, read-only; mounted again because a cover hides it
};

struct Place {
  std::string path;
  PlaceKind kind;
  bool operator==(const Place&) const = default;
};

// True for kinds that hide the original contents.
[[nodiscard]] constexpr bool is_cover(PlaceKind kind) { return kind < PlaceKind::kWritable; }

// Whether a directory can be made writable for commands; the error says what to do.
[[nodiscard]] Expected<void> check_writable(const std::string& path);

// Covers for the directories that exist on this machine; /var/run is often a symlink and then needs none.
[[nodiscard]] std::vector<Place> find_covers();

// Merges the covers and the plan's paths, outer ones first.
[[nodiscard]] Expected<std::vector<Place>> arrange_places(const Plan& plan, std::vector<Place> covers);

}  // namespace helve::sandbox
