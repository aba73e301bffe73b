// Finds the place of each hunk of a patch in a text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "patch/patch_apply.h"
#include "patch/patch_target.h"

namespace helve::patch {

struct Placement {
  std::size_t hunk = 0;   // its index
  std::size_t at = 0;     // the first compared line, counting from 0
  std::size_t lead = 0;   // context lines ignored before it
  std::size_t trail = 0;  // context lines ignored after the last one
  MatchTier tier = MatchTier::kExact;
  std::size_t change_begin = 0;  // the lines from its first to its last change
  std::size_t change_end = 0;
  std::ptrdiff_t offset = 0;
  std::string note = {};
};

enum class MisfitReason {
  kNotFound,
  kAmbiguous,       // several places fit
  kAlreadyApplied,  // the file already has the hunk's new lines
  kTaken,           // other hunks change the places that fit
  kNotAtEdge,       // it has context on one side only, so it fits only at the start or the end of the file
  kOutOfOrder,      // it fits only above a hunk before it
  kNoAnchor,        // the line of its @@ is not below the hunk before it
  kNotBelowAnchor,  // it fits only above that line
  kNoContext,       // it has an @@ line, but no line next to which to add its own
  kTooMuchWork,
};

struct Misfit {
  std::size_t hunk = 0;
  MisfitReason reason = MisfitReason::kNotFound;
  std::vector<std::size_t> places = {};  // lines, counting from 0
};

struct Placements {
  std::vector<Placement> found;  // ordered by line
  std::vector<Misfit> misfits;   // in patch order
};

[[nodiscard]] Placements place_hunks(PatchTarget& target, const FilePatch& patch,
                                     const PatchApplyOptions& options);

}  // namespace helve::patch
