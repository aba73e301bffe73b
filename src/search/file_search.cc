#include "search/file_search.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "text/text_encoding.h"

namespace helve::search {
namespace {

// Nearly all source files fit, so one read suffices.
constexpr std::size_t kFirstRead = std::size_t{128} << 10;
// Larger files are searched in pieces of this size, which fit in the processor's cache.
constexpr std::size_t kPiece = std::size_t{1} << 20;
// A longer line is split in two. A larger file is skipped if it is UTF-16 or the pattern spans lines.
constexpr std::size_t kMostInMemory = std::size_t{256} << 20;
// A larger buffer is freed after the file that needed it.
constexpr std::size_t kKept = std::size_t{1} << 20;

bool has_nul(std::string_view text) { return std::memchr(text.data(), 0, text.size()) != nullptr; }

std::optional<text::Charset> utf16_mark(std::string_view text) {
  if (text.starts_with("\xFF\xFE")) return text::Charset::kUtf16Le;
  if (text.starts_with("\xFE\xFF")) return text::Charset::kUtf16Be;
  return {};
}

std::size_t utf8_mark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

}  // namespace

FileSearch::FileSearch(const GrepQuery& query, const Pattern& pattern, const ShouldStop& should_stop,
                       StopMonitor& monitor)
    : query_(query), should_stop_(should_stop), search_(pattern, monitor) {
  reserve(kFirstRead);
}

void FileSearch::reserve(std::size_t capacity) {
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
  if (buffer_.size > 0) std::memcpy(bytes.get(), buffer_.bytes.get(), buffer_.size);
  buffer_.bytes = std::move(bytes);
  buffer_.capacity = capacity;
}

// Reads until the buffer is full or the file ends. A short read means the end of a regular file.
FileSearch::Filled FileSearch::fill(int file) {
  while (buffer_.size < buffer_.capacity) {
    const std::size_t wanted = buffer_.capacity - buffer_.size;
    const ssize_t got = ::read(file, buffer_.bytes.get() + buffer_.size, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Filled::kError;
    buffer_.size += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) < wanted) return Filled::kEnd;
  }
  return Filled::kFull;
}

FileSearch::Outcome FileSearch::search(int directory, const char* name, const Options& options,
                                       FoundFile& found) {
  const UniqueFd fd(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) return errno == ENOENT ? Outcome::kSearched : Outcome::kUnreadable;
  return search(fd.get(), options, found);
}

FileSearch::Outcome FileSearch::search(int file, const Options& options, FoundFile& found) {
  buffer_.size = 0;
  stopped_ = false;
  passed_ = 0;
  const Filled filled = fill(file);
  if (filled == Filled::kError) return Outcome::kUnreadable;
  Outcome outcome = Outcome::kSearched;
  if (utf16_mark(buffer_.text())) {
    outcome = search_utf16(file, options, found);
  } else if (filled == Filled::kEnd) {
    // Check for binary content only if the file may be in the answer.
    outcome = search_text(buffer_.text(), options, found);
    const bool may_be_found = found.matches > 0 || query_.wanted == GrepQuery::Wanted::kFilesWithout;
    if (may_be_found && !options.as_text && has_nul(buffer_.text())) outcome = Outcome::kBinary;
  } else if (!options.as_text && has_nul(buffer_.text())) {
    outcome = Outcome::kBinary;
  } else {
    outcome = search_pieces(file, options, found);
  }
  const bool is_taken = outcome == Outcome::kSearched || outcome == Outcome::kStopped;
  if (outcome == Outcome::kBinary && found.matches == 0 && query_.wanted != GrepQuery::Wanted::kFilesWithout)
    outcome = Outcome::kSearched;
  if (!is_taken) found = {};
  if (found.matches > most_in_file()) keep_first(found, most_in_file(), query_.lines_after);
  if (buffer_.capacity > kKept) {
    buffer_ = {};
    reserve(kFirstRead);
  }
  return outcome;
}

template <class Use>
void FileSearch::for_each_hit(std::string_view text, std::size_t from, const Use& use) {
  if (!query_.invert) {
    while (const auto hit = search_.next(text, from)) {
      from = hit->resume;
      if (!use(*hit)) return;
    }
    return;
  }
  for (std::size_t line = from; line < text.size();) {
    const auto hit = search_.next(text, from);
    for (const std::size_t gap_end = hit ? hit->begin : text.size(); line < gap_end;) {
      const std::size_t end = line_end(text, line);
      if (!use({.begin = line, .end = end, .first = line, .resume = end + 1})) return;
      line = end + 1;
    }
    if (!hit) return;
    line = std::max(line, hit->end + 1);
    from = hit->resume;
  }
}

bool FileSearch::collect(std::string_view text, std::size_t from, const Options& options,
                         HitCollector& collector, const FoundFile& found) {
  search_.begin_text(text.substr(from));
  std::size_t hits = 0;
  bool enough = false;
  const auto is_time_to_stop = [&] {
    stopped_ = (++hits & 0xFF) == 0 && should_stop_();
    return stopped_;
  };
  if (query_.wanted == GrepQuery::Wanted::kMatches) {
    for_each_hit(text, from, [&](const LineSearch::Hit& hit) {
      if (is_time_to_stop()) return false;
      if (options.after_line > 0 && collector.line_number(text, hit.begin) <= options.after_line) {
        collector.pass(hit);
        ++passed_;
        return true;
      }
      collector.add(text, hit, search_);
      // Lines after the last counted hit are its context, even if they match too.
      enough = found.matches > std::min(options.most_matches, most_in_file()) + query_.lines_after;
      return !enough;
    });
  } else if (const auto count = query_.invert ? std::nullopt : search_.count_at_once(text, from)) {
    collector.count(*count);
  } else {
    for_each_hit(text, from, [&](const LineSearch::Hit&) {
      collector.count(1);
      enough = query_.wanted == GrepQuery::Wanted::kFilesWithout || found.matches >= query_.most_per_file;
      return !enough && !is_time_to_stop();
    });
  }
  if (enough || stopped_) return false;
  stopped_ = should_stop_();
  return !stopped_;
}

// How many hits of this file may still be in the answer.
std::size_t FileSearch::most_in_file() const {
  return query_.most_per_file - std::min(passed_, query_.most_per_file);
}

FileSearch::Outcome FileSearch::search_text(std::string_view text, const Options& options, FoundFile& found) {
  text.remove_prefix(utf8_mark(text));
  HitCollector collector(query_, found);
  if (collect(text, 0, options, collector, found)) collector.finish(text);
  return stopped_ ? Outcome::kStopped : Outcome::kSearched;
}

FileSearch::Outcome FileSearch::search_utf16(int file, const Options& options, FoundFile& found) {
  while (buffer_.size == buffer_.capacity) {
    if (buffer_.capacity >= kMostInMemory) return Outcome::kTooLarge;
    reserve(std::min(buffer_.capacity * 4, kMostInMemory));
    if (fill(file) == Filled::kError) return Outcome::kUnreadable;
  }
  const text::TextEncoding encoding{*utf16_mark(buffer_.text()), true};
  const std::string text = text::decode(text::without_bom(buffer_.text(), encoding), encoding);
  const Outcome outcome = search_text(text, options, found);
  return found.matches > 0 && !options.as_text && has_nul(text) ? Outcome::kBinary : outcome;
}

FileSearch::Outcome FileSearch::search_pieces(int file, const Options& options, FoundFile& found) {
  const bool whole = query_.syntax.across_lines;
  HitCollector collector(query_, found);
  std::size_t searched = utf8_mark(buffer_.text());
  if (searched > 0) {
    std::memmove(buffer_.bytes.get(), buffer_.bytes.get() + searched, buffer_.size - searched);
    buffer_.size -= searched;
    searched = 0;
  }
  reserve(kPiece);
  for (;;) {
    const Filled filled = fill(file);
    if (filled == Filled::kError) return Outcome::kUnreadable;
    const std::string_view text = buffer_.text();
    if (!options.as_text && has_nul(text.substr(searched))) return Outcome::kBinary;
    const void* last_break = filled == Filled::kEnd ? nullptr : ::memrchr(text.data(), '\n', text.size());
    std::size_t end = filled == Filled::kEnd ? text.size()
                      : last_break == nullptr
                          ? 0
                          : static_cast<std::size_t>(static_cast<const char*>(last_break) - text.data()) + 1;
    if (filled == Filled::kFull && (whole || end <= searched)) {
      if (buffer_.capacity < kMostInMemory) {
        reserve(std::min(buffer_.capacity * 4, kMostInMemory));
        continue;
      }
      if (whole) return Outcome::kTooLarge;
      end = text.size();
    }
    const std::string_view lines = text.substr(0, end);
    const bool go_on = collect(lines, searched, options, collector, found);
    if (go_on) collector.finish(lines);
    if (!go_on || filled == Filled::kEnd) return stopped_ ? Outcome::kStopped : Outcome::kSearched;
    std::size_t kept_from = collector.context_begin(lines, end);
    // Give up context that would fill the whole buffer.
    if (kept_from == 0 && buffer_.capacity >= kMostInMemory) kept_from = end;
    // Keep one byte, so that the next piece does not look like the start of the file.
    kept_from = std::min(kept_from, end - 1);
    collector.drop(lines, kept_from);
    std::memmove(buffer_.bytes.get(), buffer_.bytes.get() + kept_from, buffer_.size - kept_from);
    buffer_.size -= kept_from;
    searched = end - kept_from;
  }
}

}  // namespace helve::search
