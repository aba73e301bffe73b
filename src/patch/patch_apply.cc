#include "patch/patch_apply.h"

#include "patch/patch_assemble.h"
#include "patch/patch_conflict.h"
#include "patch/patch_place.h"

namespace helve::patch {

Expected<PatchedText> apply_hunks(std::string_view old_text, const FilePatch& patch,
                                  const PatchApplyOptions& options) {
  if ((patch.kind == PatchKind::kCreate || patch.may_create) && !old_text.empty())
    return fail(conflict_with_existing(old_text, patch));
  if (patch.hunks.empty()) {
    if (patch.kind != PatchKind::kDelete) return PatchedText{std::string(old_text), {}};
    // Without hunks, a unified diff deletes an empty file.
    if (patch.form == PatchForm::kBeginPatch || old_text.empty()) return PatchedText{};
    return fail(conflict_with_leftover(old_text, patch));
  }
  PatchTarget target(old_text, patch);
  const Placements placements = place_hunks(target, patch, options);
  if (!placements.misfits.empty()) return fail(conflict_of(target, patch, placements.misfits));
  PatchedText result = assemble(target, patch, placements.found);
  if (patch.kind == PatchKind::kDelete && !result.text.empty())
    return fail(conflict_with_leftover(result.text, patch));
  return result;
}

}  // namespace helve::patch
