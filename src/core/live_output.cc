#include "core/live_output.h"

#include <algorithm>

#include "process/output_text.h"

namespace helve::core {
namespace {

constexpr std::size_t kStep = std::size_t{256} << 10;
constexpr std::size_t kLongestPending = std::size_t{64} << 10;

// Removes what could erase text on a terminal.
bool is_plain_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '\t' || (c >= 0x20 && c < 0x7F); });
}

}  // namespace

void LiveOutput::read_new() {
  const auto part = log_.read(at_, kStep);
  // If the log exceeded its limit, only the newest part is left; the answer says what is missing.
  if (!part || part->offset != at_ || part->bytes.empty() ||
      (at_ == 0 && process::looks_binary(part->bytes))) {
    given_up_ = true;
    return;
  }
  at_ += part->bytes.size();
  pending_ += part->bytes;
}

void LiveOutput::show_lines(std::size_t length) {
  std::string text = process::clean_text(std::string_view(pending_).substr(0, length));
  pending_.erase(0, length);
  std::string_view rest = text;
  if (!part_shown_.empty()) {
    if (rest.starts_with(part_shown_))
      rest.remove_prefix(part_shown_.size());
    else
      sink_("\n");
    part_shown_.clear();
  }
  if (!rest.empty()) sink_(rest);
}

void LiveOutput::show_new(bool unfinished) {
  while (!given_up_ && at_ < log_.size()) {
    read_new();
    const std::size_t line_break = pending_.rfind('\n');
    if (line_break != std::string::npos)
      show_lines(line_break + 1);
    else if (pending_.size() > kLongestPending)
      show_lines(pending_.size());
  }
  if (!unfinished || given_up_ || pending_.size() <= part_shown_.size() || !is_plain_text(pending_)) return;
  sink_(std::string_view(pending_).substr(part_shown_.size()));
  part_shown_ = pending_;
}

void LiveOutput::finish() {
  show_new(false);
  if (given_up_ || pending_.empty()) return;
  show_lines(pending_.size());
  sink_("\n");
}

}  // namespace helve::core
