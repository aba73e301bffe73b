// Brings the paths of a command's change back to one of their two sides.
#pragma once

#include <string>
#include <vector>

#include "effects/effects.h"
#include "effects/kept_objects.h"
#include "helve/error.h"

namespace helve::effects {

enum class Direction { kUndo, kRedo };

enum class Difference { kNone, kChanged, kCreated, kDeleted, kMode };

// A path that is not as the change left it.
struct Disagreement {
  std::string path;
  Difference difference = Difference::kChanged;
};

// Undo and redo in steps, each of which may be repeated after a crash. Used by one thread; everything
// that is passed must outlive it.
class Restorer {
 public:
  Restorer(int root, const KeptObjects& objects, Effects& effects, Direction direction)
      : root_(root), objects_(objects), effects_(effects), direction_(direction) {}

  // The first path that others changed since.
  [[nodiscard]] std::optional<Disagreement> find_disagreement() const;
  // Whether what will be restored is what was kept. CONFLICT or HISTORY_DAMAGED if not. Reads it all.
  [[nodiscard]] Expected<void> check_objects() const;
  // Keeps what is there now, so that the step can be reversed, and notes it in the effects, which the caller
  // stores.
  [[nodiscard]] Expected<void> keep_present();
  // Changes the workspace. Paths that already have the wanted state stay.
  [[nodiscard]] Expected<void> apply();

 private:
  [[nodiscard]] const Side& present(const Effect& effect) const {
    return direction_ == Direction::kUndo ? effect.after : effect.before;
  }
  [[nodiscard]] Side& present(Effect& effect) const {
    return direction_ == Direction::kUndo ? effect.after : effect.before;
  }
  [[nodiscard]] const Side& wanted(const Effect& effect) const {
    return direction_ == Direction::kUndo ? effect.before : effect.after;
  }
  [[nodiscard]] Difference difference_of(const Effect& effect) const;
  [[nodiscard]] bool has_bytes_of(const std::string& path, const Side& side) const;
  [[nodiscard]] bool is_written_in_place(const Side& wanted, const NodeState& now) const;
  [[nodiscard]] Expected<void> check_object(const Effect& effect, const Side& side) const;

  [[nodiscard]] Expected<void> make_directories_writable() const;
  [[nodiscard]] Expected<void> remove_present() const;
  [[nodiscard]] Expected<void> place_wanted() const;
  [[nodiscard]] Expected<void> place_file(const Effect& effect, const Spot& spot) const;
  [[nodiscard]] Expected<void> set_attributes() const;

  const int root_;
  const KeptObjects& objects_;
  Effects& effects_;
  const Direction direction_;
};

}  // namespace helve::effects
