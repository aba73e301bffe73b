#include "workspace/journal_settle.h"

#include <algorithm>
#include <ranges>

#include "workspace/atomic_write.h"
#include "workspace/file_move.h"
#include "workspace/locked_file.h"

namespace helve {
namespace {

using Kind = FileChange::Kind;

// Takes one changed file back to what it was.
class TakeBack {
 public:
  TakeBack(const SettleContext& context, const FileRecord& file) : context_(context), file_(file) {}

  Expected<void> run(const LookedAt& looked) const {
    switch (file_.kind) {
      case Kind::kWrite: return file_.existed ? rewrite(looked.from, looked.progress) : remove(looked.from);
      case Kind::kRemove: return create(looked.from);
      case Kind::kMove: return move(looked);
    }
    return {};
  }

 private:
  [[nodiscard]] WriteOptions write_options() const {
    WriteOptions options;
    options.durability = context_.durability;
    options.hard_links = file_.in_place ? HardLinks::kWriteInPlace : HardLinks::kRefuse;
    options.temporary_name = file_.temporary;
    if (file_.old_mode != file_.new_mode || !file_.existed) options.mode = file_.old_mode;
    return options;
  }

  Expected<void> rewrite(const Seen& place, JournalProgress progress) const {
    const auto old_bytes = context_.fetch(file_.old_bytes);
    if (!old_bytes) return fail(old_bytes.error());
    std::vector<std::string_view> pieces;
    if (progress == JournalProgress::kBetween) {
      pieces.emplace_back(*old_bytes);
    } else {
      pieces = turn_content(file_.splice, SpliceSide::kNew, *place.content, *old_bytes);
    }
    const auto written = atomic_write(*place.target, pieces, place.state(), write_options());
    if (!written) return fail(written.error());
    return {};
  }

  Expected<void> remove(const Seen& place) const {
    return remove_file(*place.target, place.state(),
                       {.durability = context_.durability, .temporary_name = file_.temporary});
  }

  Expected<void> create(const Seen& place) const {
    const auto old_bytes = context_.fetch(file_.old_bytes);
    if (!old_bytes) return fail(old_bytes.error());
    const auto written = atomic_write(*place.target, *old_bytes, ExpectedState::absent(), write_options());
    if (!written) return fail(written.error());
    return {};
  }

  Expected<void> move(const LookedAt& looked) const {
    const Seen* now = &looked.to;
    Seen rewritten;
    if (looked.progress == JournalProgress::kNew &&
        (!file_.splice.parts.empty() || file_.old_mode != file_.new_mode)) {
      if (auto done = rewrite(looked.to, JournalProgress::kNew); !done) return done;
      auto seen = see_path(context_.root, file_.new_path);
      if (!seen) return fail(seen.error());
      rewritten = std::move(*seen);
      now = &rewritten;
    }
    if (!now->content) return fail(conflict_error(Conflict::kDeleted, file_.new_path));
    const auto renamed =
        rename_file(*now->target, *looked.from.target, now->state(), {.durability = context_.durability});
    if (!renamed) return fail(renamed.error());
    return {};
  }

  const SettleContext& context_;
  const FileRecord& file_;
};

}  // namespace

Expected<Settled> settle(const SettleContext& context, const ChangeRecord& record, SettleWish wish,
                         std::size_t count) {
  Settled settled;
  std::vector<LookedAt> looked;
  for (const FileRecord& file : std::span(record.files).first(count)) {
    auto one = look_at_file(context.root, file, context.key, context.fetch);
    if (!one) return fail(one.error());
    std::ranges::move(one->notes, std::back_inserter(settled.notes));
    if (one->progress == JournalProgress::kForeign) settled.foreign.push_back(file.place(SpliceSide::kNew));
    looked.push_back(std::move(*one));
  }
  const bool is_complete =
      count == record.files.size() && !looked.empty() && looked.back().progress == JournalProgress::kNew;
  if (wish == SettleWish::kFinishOrTakeBack && is_complete) {
    context.root.remove_directories(record.unmade_directories);
    settled.foreign.clear();  // changed by others after it was complete: nothing unusual
    settled.outcome = RecoveredChange::Outcome::kFinished;
    return settled;
  }
  for (std::size_t i = looked.size(); i-- > 0;) {
    if (looked[i].progress != JournalProgress::kNew && looked[i].progress != JournalProgress::kBetween)
      continue;
    if (!looked[i].from.target) {
      // Its directory is gone, and whoever removed that did not want the file back.
      settled.foreign.push_back(record.files[i].path);
      continue;
    }
    if (auto done = TakeBack(context, record.files[i]).run(looked[i]); !done) return fail(done.error());
  }
  context.root.remove_directories(record.made_directories);
  settled.outcome =
      settled.foreign.empty() ? RecoveredChange::Outcome::kRolledBack : RecoveredChange::Outcome::kKeptAside;
  return settled;
}

}  // namespace helve
