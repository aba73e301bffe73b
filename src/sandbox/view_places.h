// Which places of the file tree are laid anew for a command, and in which order.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

enum class PlaceKind {
  kProc,
  kDev,
  kRun,        // empty: where daemons have their sockets
  kTemporary,  // the session's temporary directory, or a fresh one
  kWritable,   // as it is, and can be written
  kVisible,    // as it is; laid again only because something above was laid over it
};

struct Place {
  std::string path;
  PlaceKind kind;
  bool operator==(const Place&) const = default;
};

// True for kinds that hide what was there before.
[[nodiscard]] constexpr bool is_cover(PlaceKind kind) { return kind < PlaceKind::kWritable; }

// Whether a directory can be made writable for commands at all; says what to do where it cannot.
[[nodiscard]] Expected<void> check_writable(const std::string& path);

// The covers for the directories that this machine has; /var/run often is a link and then needs none.
[[nodiscard]] std::vector<Place> find_covers();

// The covers and the plan's own places, outer ones first. Plain data in and out.
[[nodiscard]] Expected<std::vector<Place>> arrange_places(const Plan& plan, std::vector<Place> covers);

}  // namespace helve::sandbox
