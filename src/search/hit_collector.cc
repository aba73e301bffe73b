#include "search/hit_collector.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "text/text_lines.h"

namespace helve::search {
namespace {

constexpr std::string_view kCut = "…";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

void show_line(FoundLine& found, std::string_view line, std::size_t longest) {
  found.bytes = line.size();
  found.last_number = found.number + static_cast<std::size_t>(std::ranges::count(line, '\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() <= longest) {
    found.text = to_valid_utf8(line);
    return;
  }
  // Show the match; a third of the remaining space goes before it, two thirds after.
  const Submatch focus = found.matches.empty() ? Submatch{} : found.matches.front();
  const std::size_t match = std::min(focus.end - focus.begin, longest);
  const std::size_t before = (longest - match) / 3;
  std::size_t begin = focus.begin > before ? focus.begin - before : 0;
  std::size_t end = std::min(begin + longest, line.size());
  begin = end > longest ? std::min(begin, end - longest) : 0;
  while (begin > 0 && begin < end && is_continuation(line[begin])) ++begin;
  while (end < line.size() && end > begin && is_continuation(line[end])) --end;
  found.text_begin = begin;
  found.text = concat(begin > 0 ? kCut : "", to_valid_utf8(line.substr(begin, end - begin)),
                      end < line.size() ? kCut : "");
}

void keep_first(FoundFile& file, std::size_t most, std::size_t lines_after) {
  std::size_t hits = 0;
  std::size_t last = 0;  // line number of the last hit that is kept
  std::erase_if(file.lines, [&](FoundLine& line) {
    if (line.is_match() && hits < most) {
      ++hits;
      last = line.last_number;
      return false;
    }
    line.matches.clear();  // a hit over the limit may still be context
    return hits == most && line.number > last + lines_after;
  });
  file.matches = std::min(file.matches, most);
}

std::size_t HitCollector::line_number(std::string_view text, std::size_t place) {
  if (place < counted_) {  // this hit begins on a line where another one ended
    return lines_before_ + 1 - text::count_breaks(text.substr(place, counted_ - place), {});
  }
  lines_before_ += text::count_breaks(text.substr(counted_, place - counted_), {});
  counted_ = place;
  return lines_before_ + 1;
}

void HitCollector::add(std::string_view text, const LineSearch::Hit& hit, LineSearch& search) {
  finish(text.substr(0, hit.begin));
  add_context(text, std::max(shown_, context_begin(text, hit.begin)), hit.begin);
  ++file_.matches;
  FoundLine line{.number = line_number(text, hit.begin)};
  if (!query_.invert) search.find_matches(text, hit, kMostSubmatches, line.matches);
  // The line is a hit even if the search was stopped before its match was located.
  if (line.matches.empty()) line.matches.push_back({0, 0});
  show_line(line, text.substr(hit.begin, hit.end - hit.begin), query_.longest_line);
  file_.lines.push_back(std::move(line));
  shown_ = std::min(hit.end + 1, text.size());
  after_left_ = query_.lines_after;
}

void HitCollector::finish(std::string_view text) {
  while (after_left_ > 0 && shown_ < text.size()) {
    const std::size_t end = std::min(line_end(text, shown_) + 1, text.size());
    add_context(text, shown_, end);
    shown_ = end;
    --after_left_;
  }
}

void HitCollector::add_context(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin < end) {
    const std::size_t stop = line_end(text, begin);
    FoundLine line{.number = line_number(text, begin)};
    show_line(line, text.substr(begin, stop - begin), query_.longest_line);
    file_.lines.push_back(std::move(line));
    begin = stop + 1;
  }
}

std::size_t HitCollector::context_begin(std::string_view text, std::size_t end) const {
  std::size_t begin = end;
  for (std::size_t i = 0; i < query_.lines_before && begin > 0; ++i)
    begin = line_around(text, begin - 1).begin;
  return begin;
}

void HitCollector::drop(std::string_view text, std::size_t bytes) {
  [[maybe_unused]] const std::size_t number = line_number(text, std::max(bytes, counted_));
  counted_ -= bytes;
  shown_ -= std::min(bytes, shown_);
}

}  // namespace helve::search
