#include "process/output_excerpt.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "base/utf8.h"
#include "process/output_text.h"

namespace helve::process {
namespace {

// Cleaning shrinks progress bars a lot, so read more than is shown.
constexpr std::size_t kReadPerShown = 16;
constexpr std::size_t kLeastRead = std::size_t{64} << 10;
constexpr std::size_t kSample = std::size_t{8} << 10;

// Stores at most `room` bytes of cleaned text from the start (or end) of `raw` in `text`. Returns how many
// bytes of `raw` that text covers.
enum class Side { kStart, kEnd };
std::size_t fit_piece(std::string_view raw, std::size_t room, Side side, std::string& text) {
  std::size_t size = std::min(raw.size(), room);
  while (size > 0) {
    const std::string_view piece = side == Side::kStart ? utf8_prefix(raw, size) : utf8_suffix(raw, size);
    text = clean_text(piece);
    if (text.size() <= room) return piece.size();
    size = size * 2 / 3;
  }
  text.clear();
  return 0;
}

// Takes lines from the start of `raw` while their text fits.
std::size_t take_head(std::string_view raw, std::size_t room, std::string& text) {
  std::size_t taken = 0;
  while (taken < raw.size()) {
    const std::size_t line_end = raw.find('\n', taken);
    const std::string_view line =
        raw.substr(taken, line_end == std::string_view::npos ? raw.size() - taken : line_end + 1 - taken);
    const std::string cleaned = clean_text(line);
    if (text.size() + cleaned.size() > room) {
      // If a long line would leave half of the room empty, take its start.
      std::string piece;
      if (text.size() < room / 2) taken += fit_piece(line, room - text.size(), Side::kStart, piece);
      text += piece;
      break;
    }
    text += cleaned;
    taken += line.size();
  }
  return taken;
}

// Takes lines from the end of `raw` backwards.
std::size_t take_tail(std::string_view raw, std::size_t room, std::string& text) {
  std::size_t taken = 0;
  while (taken < raw.size()) {
    const std::string_view rest = raw.substr(0, raw.size() - taken);
    const std::size_t before = rest.size() < 2 ? std::string_view::npos : rest.rfind('\n', rest.size() - 2);
    const std::string_view line = before == std::string_view::npos ? rest : rest.substr(before + 1);
    const std::string cleaned = clean_text(line);
    if (text.size() + cleaned.size() > room) {
      std::string piece;
      if (text.size() < room / 2) taken += fit_piece(line, room - text.size(), Side::kEnd, piece);
      text.insert(0, piece);
      break;
    }
    text.insert(0, cleaned);
    taken += line.size();
  }
  return taken;
}

}  // namespace

Expected<Excerpt> head_and_tail(const OutputLog& log, std::size_t budget) {
  return head_and_tail(log, budget, 0, log.size());
}

Expected<Excerpt> head_and_tail(const OutputLog& log, std::size_t budget, std::uint64_t from,
                                std::uint64_t to) {
  Excerpt excerpt{.head_end = from, .tail_start = to};
  if (from >= to) {
    excerpt.head_end = excerpt.tail_start = to;
    return excerpt;
  }
  const std::size_t half = budget / 2;
  const std::uint64_t window = std::max<std::uint64_t>(kLeastRead, std::uint64_t{kReadPerShown} * half);
  auto head = log.read(from, static_cast<std::size_t>(std::min(window * 2, to - from)));
  if (!head) return fail(head.error());
  const bool available = head->offset == from;
  if (available && looks_binary(std::string_view(head->bytes).substr(0, kSample))) {
    excerpt.binary = true;
    auto lines = log.line_breaks_before(to);
    excerpt.lines_left_out = lines ? *lines : 0;
    return excerpt;
  }
  if (available && head->offset + head->bytes.size() == to) {
    std::string all = clean_text(head->bytes);
    if (all.size() <= budget) {
      excerpt.head = std::move(all);
      excerpt.head_end = to;
      return excerpt;
    }
  }
  if (available)
    excerpt.head_end += take_head(std::string_view(head->bytes).substr(0, window), half, excerpt.head);

  const std::uint64_t tail_from = std::max(excerpt.head_end, to - std::min(window, to - from));
  auto tail = log.read(tail_from, static_cast<std::size_t>(to - tail_from));
  if (!tail) return fail(tail.error());
  if (tail->offset + tail->bytes.size() == to) {
    excerpt.tail_start -= take_tail(tail->bytes, half, excerpt.tail);
  }

  auto before_tail = log.line_breaks_before(excerpt.tail_start);
  if (!before_tail) return fail(before_tail.error());
  auto before_gap = log.line_breaks_before(excerpt.head_end);
  if (!before_gap) return fail(before_gap.error());
  excerpt.tail_line = *before_tail + 1;
  excerpt.lines_left_out = *before_tail - *before_gap;
  if (excerpt.tail_start > excerpt.head_end) {
    // If the tail begins within a line, part of that line is left out too.
    auto last = log.read(excerpt.tail_start - 1, 1);
    if (last && last->bytes != "\n") ++excerpt.lines_left_out;
  }
  return excerpt;
}

std::string to_text(const Excerpt& excerpt, const OutputLog& log) {
  if (excerpt.binary)
    return concat("[binary output, ", with_thousands(excerpt.bytes_left_out()), " bytes, kept in ",
                  log.path(), "]");
  if (excerpt.complete()) return concat(excerpt.head, excerpt.tail);
  const std::string_view joint = excerpt.head.empty() || excerpt.head.ends_with('\n') ? "" : "\n";
  return concat(excerpt.head, joint, "[… ", with_thousands(excerpt.lines_left_out),
                excerpt.lines_left_out == 1 ? " line (" : " lines (",
                with_thousands(excerpt.bytes_left_out()), " bytes) left out …]\n", excerpt.tail);
}

}  // namespace helve::process
