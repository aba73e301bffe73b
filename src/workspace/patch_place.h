// Finds the place of every hunk of a patch in a text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workspace/patch_apply.h"
#include "workspace/patch_target.h"

namespace helve {

struct Placement {
  std::size_t hunk = 0;   // its index
  std::size_t at = 0;     // the line, counting from 0, of the first line that was compared
  std::size_t lead = 0;   // context lines ignored before it
  std::size_t trail = 0;  // and behind the last one
  MatchTier tier = MatchTier::kExact;
  std::size_t change_begin = 0;  // the lines between its first and its last change
  std::size_t change_end = 0;
  std::ptrdiff_t offset = 0;
  std::string note = {};
};

enum class MisfitReason {
  kNotFound,
  kAmbiguous,       // several places fit
  kAlreadyApplied,  // the file has the lines that the hunk would leave
  kBeyondEnd,       // it only adds, behind the last line
  kTaken,           // the places that fit are changed by other hunks
  kTooMuchWork,
};

struct Misfit {
  std::size_t hunk = 0;
  MisfitReason reason = MisfitReason::kNotFound;
  std::vector<std::size_t> places = {};  // lines, counting from 0
};

struct Placements {
  std::vector<Placement> found;  // in the order of their lines
  std::vector<Misfit> misfits;   // in the order of the patch
};

[[nodiscard]] Placements place_hunks(PatchTarget& target, const FilePatch& patch,
                                     const PatchApplyOptions& options);

}  // namespace helve
