#include "process/error_lines.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <deque>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "process/output_text.h"

namespace helve::process {
namespace {

constexpr std::size_t kScanStep = std::size_t{1} << 20;
// Only the start of a longer line is searched.
constexpr std::size_t kLongestLine = std::size_t{16} << 10;

enum class Before { kAnything, kNoLetter };

// A text that marks a line, in lower case. `rare` is the offset of a byte pair in `text` that is rare in
// other words.
struct Marker {
  std::string_view text;
  std::size_t rare;
  Before before;
  Severity severity;
};
constexpr auto kMarkers = std::to_array<Marker>({
    {"error:", 1, Before::kAnything, Severity::kError},
    {"error[", 1, Before::kAnything, Severity::kError},
    {"error ", 1, Before::kNoLetter, Severity::kError},
    {"errors:", 1, Before::kNoLetter, Severity::kError},
    {"error]", 1, Before::kNoLetter, Severity::kError},
    {"error -", 1, Before::kNoLetter, Severity::kError},
    {" err!", 2, Before::kAnything, Severity::kError},
    {"fatal", 0, Before::kNoLetter, Severity::kError},
    {"failed", 0, Before::kNoLetter, Severity::kError},
    {"failure", 0, Before::kNoLetter, Severity::kError},
    {"fail:", 0, Before::kNoLetter, Severity::kError},
    {"fail ", 0, Before::kNoLetter, Severity::kError},
    {"not ok ", 3, Before::kNoLetter, Severity::kError},
    {"panic:", 0, Before::kNoLetter, Severity::kError},
    {"panicked at", 0, Before::kNoLetter, Severity::kError},
    {"traceback (most", 4, Before::kNoLetter, Severity::kError},
    {"exception:", 1, Before::kAnything, Severity::kError},
    {"unhandled", 4, Before::kNoLetter, Severity::kError},
    {"undefined reference", 8, Before::kNoLetter, Severity::kError},
    {"assertion", 5, Before::kNoLetter, Severity::kError},
    {"assert failed", 4, Before::kNoLetter, Severity::kError},
    {"segmentation fault", 2, Before::kNoLetter, Severity::kError},
    {"core dumped", 7, Before::kNoLetter, Severity::kError},
    {"out of memory", 9, Before::kNoLetter, Severity::kError},
    {"command not found", 3, Before::kNoLetter, Severity::kError},
    {"no such file or directory", 3, Before::kNoLetter, Severity::kError},
    {"permission denied", 11, Before::kNoLetter, Severity::kError},
    {"✗", 1, Before::kAnything, Severity::kError},
    {"✘", 1, Before::kAnything, Severity::kError},
    {"warning:", 1, Before::kNoLetter, Severity::kWarning},
    {"warning[", 1, Before::kNoLetter, Severity::kWarning},
    {" warn ", 1, Before::kAnything, Severity::kWarning},
    {"[warn", 1, Before::kAnything, Severity::kWarning},
});

// "0 errors", "no failures" are not errors.
constexpr auto kNegations = std::to_array<std::string_view>({"0 ", "no ", "without ", "zero "});

constexpr std::size_t pair_of(char first, char second) {
  return static_cast<std::size_t>(static_cast<unsigned char>(to_lower(first))) << 8 |
         static_cast<unsigned char>(to_lower(second));
}

// Skips positions whose byte pair is the rare pair of no marker; built once per search.
class MarkerFinder {
 public:
  MarkerFinder() {
    for (const Marker& marker : kMarkers)
      pairs_.set(pair_of(marker.text[marker.rare], marker.text[marker.rare + 1]));
  }

  // The highest severity of any marker in the line.
  [[nodiscard]] Severity find(std::string_view line) const {
    Severity worst = Severity::kNone;
    for (std::size_t at = 0; at + 1 < line.size(); ++at) {
      if (!pairs_.test(pair_of(line[at], line[at + 1]))) continue;
      for (const Marker& marker : kMarkers) {
        if (marker.severity > worst && is_at(line, at, marker)) worst = marker.severity;
      }
      if (worst == Severity::kError) break;
    }
    return worst;
  }

 private:
  static bool is_at(std::string_view line, std::size_t rare, const Marker& marker) {
    if (rare < marker.rare) return false;
    const std::size_t start = rare - marker.rare;
    if (line.size() - start < marker.text.size()) return false;
    for (std::size_t i = 0; i < marker.text.size(); ++i)
      if (to_lower(line[start + i]) != marker.text[i]) return false;
    const std::string_view before = line.substr(0, start);
    // `ValueError:` is an error, but `terror ` is not.
    if (marker.before == Before::kNoLetter && !before.empty() && is_letter(before.back())) return false;
    return std::ranges::none_of(kNegations, [&](std::string_view negation) {
      if (before.size() < negation.size()) return false;
      const std::string_view word = before.substr(before.size() - negation.size());
      const bool whole = before.size() == negation.size() ||
                         !is_letter_or_digit(before[before.size() - negation.size() - 1]);
      return whole && to_lower(word) == negation;
    });
  }

  std::bitset<std::size_t{1} << 16> pairs_;
};

// Keeps a bounded number of lines: the first ones and the last ones.
class Collector {
 public:
  explicit Collector(std::size_t most) : first_most_(most - most / 4), last_most_(most / 4) {}
  void add(ErrorLine line) {
    ++seen_;
    if (first_.size() < first_most_) {
      first_.push_back(std::move(line));
      return;
    }
    last_.push_back(std::move(line));
    if (last_.size() > last_most_) last_.pop_front();
  }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  void move_to(std::vector<ErrorLine>& lines, std::size_t most) {
    for (auto* part : {&first_, &last_})
      for (ErrorLine& line : *part)
        if (lines.size() < most) lines.push_back(std::move(line));
  }

 private:
  std::size_t first_most_;
  std::size_t last_most_;
  std::deque<ErrorLine> first_;
  std::deque<ErrorLine> last_;
  std::uint64_t seen_ = 0;
};

}  // namespace

Severity severity_of(std::string_view line) { return MarkerFinder().find(line); }

Expected<ErrorLines> find_error_lines(const OutputLog& log, std::uint64_t from, std::uint64_t to,
                                      const ErrorLineOptions& options) {
  const auto deadline = std::chrono::steady_clock::now() + options.time;
  const MarkerFinder finder;
  Collector errors(options.most);
  Collector warnings(options.most);
  ErrorLines result;
  auto breaks = log.line_breaks_before(from);
  if (!breaks) return fail(breaks.error());
  std::uint64_t number = *breaks + 1;

  const auto examine = [&](std::string_view line) {
    const Severity severity = finder.find(line.substr(0, kLongestLine));
    if (severity == Severity::kNone) return;
    Collector& collector = severity == Severity::kError ? errors : warnings;
    collector.add(
        {number, shortened(trim(clean_text(line.substr(0, kLongestLine))), options.longest_text), severity});
  };
  std::string pending;  // the start of a line that continues in the next part
  std::uint64_t offset = from;
  while (offset < to) {
    if (std::chrono::steady_clock::now() >= deadline) {
      result.complete = false;
      break;
    }
    auto part = log.read(offset, static_cast<std::size_t>(std::min<std::uint64_t>(kScanStep, to - offset)));
    if (!part) return fail(part.error());
    if (part->bytes.empty()) break;
    if (part->offset != offset) {
      // The bytes between are lost; count lines from the log's own index.
      if (part->offset >= to) break;
      pending.clear();
      auto again = log.line_breaks_before(part->offset);
      if (again) number = *again + 1;
    }
    std::string_view rest = part->bytes;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (pending.empty()) {
        examine(rest.substr(0, end));
      } else {
        if (pending.size() < kLongestLine) pending += rest.substr(0, end);
        examine(pending);
        pending.clear();
      }
      ++number;
      rest.remove_prefix(end + 1);
    }
    if (pending.size() < kLongestLine) pending += rest.substr(0, kLongestLine);
    offset = part->offset + part->bytes.size();
  }
  if (!pending.empty()) examine(pending);
  result.errors = errors.seen();
  result.warnings = warnings.seen();
  errors.move_to(result.lines, options.most);
  warnings.move_to(result.lines, options.most);
  std::ranges::sort(result.lines, {}, &ErrorLine::number);
  return result;
}

}  // namespace helve::process
