#include "patch/splice.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "text/text_match.h"

namespace helve::patch {
namespace {

// The offset of a piece in the text; npos when it is elsewhere.
std::size_t position_in(std::string_view text, std::string_view piece) {
  const std::less_equal<const char*> not_after;
  if (!not_after(text.data(), piece.data()) ||
      !not_after(piece.data() + piece.size(), text.data() + text.size()))
    return std::string_view::npos;
  return static_cast<std::size_t>(piece.data() - text.data());
}

// Removes the common prefix of both and returns its length.
std::size_t trim_front(std::string_view& removed, std::span<std::string_view>& inserted) {
  std::size_t trimmed = 0;
  while (!inserted.empty()) {
    const std::size_t same = text::common_prefix(removed, inserted.front());
    trimmed += same;
    removed.remove_prefix(same);
    inserted.front().remove_prefix(same);
    if (!inserted.front().empty()) break;
    inserted = inserted.subspan(1);
  }
  return trimmed;
}

std::size_t trim_back(std::string_view& removed, std::span<std::string_view>& inserted) {
  std::size_t trimmed = 0;
  while (!inserted.empty()) {
    const std::size_t same = text::common_suffix(removed, inserted.back());
    trimmed += same;
    removed.remove_suffix(same);
    inserted.back().remove_suffix(same);
    if (!inserted.back().empty()) break;
    inserted = inserted.first(inserted.size() - 1);
  }
  return trimmed;
}

class Builder {
 public:
  void keep(std::uint64_t bytes) { splice_.tail += bytes; }

  void exchange(std::string_view removed, std::span<std::string_view> inserted) {
    keep(trim_front(removed, inserted));
    const std::uint64_t after = trim_back(removed, inserted);
    std::uint64_t added = 0;
    for (const std::string_view piece : inserted) added += piece.size();
    if (!removed.empty() || added > 0) {
      splice_.parts.push_back({splice_.tail, removed.size(), added});
      splice_.tail = 0;
    }
    keep(after);
  }

  Splice finish() { return std::move(splice_); }

 private:
  Splice splice_;
};

// Returns the bytes of several pieces in order, in runs of any length.
class Runs {
 public:
  explicit Runs(std::span<const std::string_view> pieces) : pieces_(pieces) {}

  void take(std::uint64_t bytes, std::vector<std::string_view>& to) {
    while (bytes > 0 && next_ < pieces_.size()) {
      const std::string_view run =
          pieces_[next_].substr(used_, static_cast<std::size_t>(std::min<std::uint64_t>(bytes, SIZE_MAX)));
      if (!run.empty()) to.push_back(run);
      bytes -= run.size();
      used_ += run.size();
      if (used_ < pieces_[next_].size()) continue;
      ++next_;
      used_ = 0;
    }
  }

 private:
  std::span<const std::string_view> pieces_;
  std::size_t next_ = 0;
  std::size_t used_ = 0;
};

}  // namespace

std::string join_pieces(std::span<const std::string_view> pieces) {
  std::string whole;
  for (const std::string_view piece : pieces) whole += piece;
  return whole;
}

std::uint64_t Splice::kept_size() const {
  std::uint64_t sum = tail;
  for (const SplicePart& part : parts) sum += part.kept;
  return sum;
}

std::uint64_t Splice::changed_size(SpliceSide side) const {
  std::uint64_t sum = 0;
  for (const SplicePart& part : parts) sum += side == SpliceSide::kOld ? part.removed : part.inserted;
  return sum;
}

Splice find_splice(std::string_view old_content, std::span<const std::string_view> new_pieces) {
  Builder builder;
  std::size_t reached = 0;  // in the old content
  std::vector<std::string_view> inserted;
  for (const std::string_view piece : new_pieces) {
    if (piece.empty()) continue;
    const std::size_t position = position_in(old_content, piece);
    if (position == std::string_view::npos || position < reached) {
      inserted.push_back(piece);
      continue;
    }
    builder.exchange(old_content.substr(reached, position - reached), inserted);
    inserted.clear();
    builder.keep(piece.size());
    reached = position + piece.size();
  }
  builder.exchange(old_content.substr(reached), inserted);
  return builder.finish();
}

SpliceCut cut_content(const Splice& splice, SpliceSide side, std::span<const std::string_view> pieces) {
  SpliceCut cut;
  Runs runs(pieces);
  for (const SplicePart& part : splice.parts) {
    runs.take(part.kept, cut.kept);
    runs.take(side == SpliceSide::kOld ? part.removed : part.inserted, cut.changed);
  }
  runs.take(splice.tail, cut.kept);
  return cut;
}

std::vector<std::string_view> turn_content(const Splice& splice, SpliceSide side, std::string_view content,
                                           std::string_view other_bytes) {
  std::vector<std::string_view> result;
  Runs own(std::span(&content, 1));
  Runs other(std::span(&other_bytes, 1));
  std::vector<std::string_view> dropped;
  for (const SplicePart& part : splice.parts) {
    own.take(part.kept, result);
    own.take(side == SpliceSide::kOld ? part.removed : part.inserted, dropped);
    other.take(side == SpliceSide::kOld ? part.inserted : part.removed, result);
  }
  own.take(splice.tail, result);
  return result;
}

}  // namespace helve::patch
