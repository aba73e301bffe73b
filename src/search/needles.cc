#include "search/needles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "search/byte_frequency.h"

namespace helve::search {
namespace {

using regex::CodeRange;
using regex::Hir;

// More or longer needles cost time without being rarer.
constexpr std::size_t kMostNeedles = 16;
constexpr std::size_t kLongestNeedle = 24;
// With a candidate on about every third line, matching everything is as fast.
constexpr double kTooCommon = 1.0 / 100;
// A cost per needle: several needles are slower to find than one, even if each is rare.
constexpr double kEachNeedle = 1.0 / 4096;
// The filter checks at most this many adjacent bytes.
constexpr std::size_t kWidth = 3;

using Alternatives = std::vector<Needle>;

Needle needle_of(std::string_view bytes) {
  Needle needle;
  for (const char c : bytes) needle.push_back(ByteSet().set(static_cast<unsigned char>(c)));
  return needle;
}

void add_range(ByteSet& set, unsigned first, unsigned last) {
  for (unsigned byte = first; byte <= last; ++byte) set.set(byte);
}

constexpr unsigned low_byte(char32_t value) { return static_cast<unsigned>(value & 0xFF); }

// Over-approximates the UTF-8 encodings of a set of code points: at each position, any byte that any code
// point has there. One needle per encoded length, because a class may have a thousand ranges.
class Utf8Forms {
 public:
  void add(CodeRange range) {
    for (Length& length : lengths_) {
      const char32_t first = std::max(range.first, length.first);
      const char32_t last = std::min(range.last, length.last);
      if (first <= last) add(length, first, last);
    }
  }

  [[nodiscard]] Alternatives needles() const {
    Alternatives all;
    for (const Length& length : lengths_)
      if (length.used) all.emplace_back(length.places.begin(), length.places.begin() + length.bytes);
    return all;
  }

 private:
  struct Length {
    char32_t first, last;
    std::uint8_t bytes;
    unsigned lead;
    bool used = false;
    std::array<ByteSet, 4> places = {};
  };

  static void add(Length& length, char32_t first, char32_t last) {
    static const ByteSet continuation = [] {
      ByteSet set;
      add_range(set, 0x80, 0xBF);
      return set;
    }();
    length.used = true;
    bool same_so_far = true;
    for (unsigned i = 0; i < length.bytes; ++i) {
      const unsigned shift = 6U * (length.bytes - 1U - i);
      const auto byte_of = [&](char32_t code) {
        return i == 0 ? low_byte(length.lead | (code >> shift)) : low_byte(0x80 | ((code >> shift) & 0x3F));
      };
      if (same_so_far)
        add_range(length.places[i], byte_of(first), byte_of(last));
      else
        length.places[i] |= continuation;
      same_so_far = same_so_far && byte_of(first) == byte_of(last);
    }
  }

  std::array<Length, 4> lengths_ = {
      {{0, 0x7F, 1, 0}, {0x80, 0x7FF, 2, 0xC0}, {0x800, 0xFFFF, 3, 0xE0}, {0x10000, 0x10FFFF, 4, 0xF0}}};
};

Alternatives class_alternatives(const regex::CodeSet& codes) {
  Utf8Forms forms;
  for (const CodeRange range : codes.ranges()) forms.add(range);
  return forms.needles();
}

// Estimates and compares the cost of searching for sets of needles.
class CostModel {
 public:
  // Replaces needles that share their rarest window by that window.
  Alternatives condensed(const Alternatives& alternatives);
  // Expected candidates per byte of text; infinite if the needles cannot be used.
  double cost_of(const Alternatives& alternatives);
  void take_better(Alternatives& found, Alternatives other);

 private:
  std::size_t shortest(const Alternatives& alternatives);

  ByteFrequencies frequencies_;
};

Alternatives CostModel::condensed(const Alternatives& alternatives) {
  Alternatives windows;
  std::vector<std::size_t> uses;   // per window: how many needles have it
  std::vector<std::size_t> users;  // per window: the last needle that has it
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const Needle& needle = alternatives[i];
    const auto begin =
        needle.begin() + static_cast<std::ptrdiff_t>(rarest_window(needle, kWidth, frequencies_).offset);
    Needle window(begin, begin + static_cast<std::ptrdiff_t>(std::min(kWidth, needle.size())));
    const auto place = static_cast<std::size_t>(std::ranges::find(windows, window) - windows.begin());
    if (place == windows.size()) {
      windows.push_back(std::move(window));
      uses.push_back(0);
      users.push_back(0);
    }
    ++uses[place];
    users[place] = i;
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (uses[i] == 1) windows[i] = alternatives[users[i]];
  }
  return windows;
}

double CostModel::cost_of(const Alternatives& alternatives) {
  if (alternatives.empty()) return HUGE_VAL;
  double sum = 0;
  for (const Needle& needle : condensed(alternatives)) {
    if (needle.empty()) return HUGE_VAL;
    sum += rarest_window(needle, kWidth, frequencies_).frequency + kEachNeedle;
  }
  return sum;
}

std::size_t CostModel::shortest(const Alternatives& alternatives) {
  std::size_t size = kLongestNeedle;
  for (const Needle& needle : condensed(alternatives)) size = std::min(size, needle.size());
  return size;
}

void CostModel::take_better(Alternatives& found, Alternatives other) {
  const double cost = cost_of(other);
  const double least = cost_of(found);
  // Of two equally rare choices, prefer the longer needles.
  if (cost < least || (cost == least && shortest(other) > shortest(found))) found = std::move(other);
}

class Extractor {
 public:
  explicit Extractor(CostModel& costs) : costs_(costs) {}

  Alternatives best(const Hir& hir) {
    Alternatives found = inner(hir);
    if (auto all = exact(hir)) costs_.take_better(found, std::move(*all));
    return found;
  }

 private:
  static bool too_large(const Alternatives& alternatives) {
    return alternatives.size() > kMostNeedles ||
           std::ranges::any_of(alternatives, [](const Needle& n) { return n.size() > kLongestNeedle; });
  }

  static std::optional<Alternatives> product(const Alternatives& left, const Alternatives& right) {
    if (left.size() * right.size() > kMostNeedles) return {};
    Alternatives out;
    for (const Needle& l : left) {
      for (const Needle& r : right) {
        Needle joined = l;
        joined.insert(joined.end(), r.begin(), r.end());
        out.push_back(std::move(joined));
      }
    }
    if (too_large(out)) return {};
    return out;
  }

  // All texts that the node matches, if they are few and short; nullopt otherwise.
  std::optional<Alternatives> exact(const Hir& hir) {
    switch (hir.kind) {
      case Hir::Kind::kEmpty:
      case Hir::Kind::kLook: return Alternatives{{}};
      case Hir::Kind::kNothing: return Alternatives{};
      case Hir::Kind::kLiteral: {
        if (hir.bytes.size() > kLongestNeedle) return {};
        return Alternatives{needle_of(hir.bytes)};
      }
      case Hir::Kind::kClass: {
        auto known = classes_.find(&hir);
        if (known == classes_.end()) known = classes_.emplace(&hir, class_alternatives(hir.codes)).first;
        return known->second;
      }
      case Hir::Kind::kByteClass: return Alternatives{{hir.byte_set}};
      case Hir::Kind::kRepeat: return exact_repeat(hir);
      case Hir::Kind::kConcat: {
        std::optional<Alternatives> all = Alternatives{{}};
        for (const Hir& child : hir.children) {
          const auto one = exact(child);
          if (one) all = product(*all, *one);
          if (!one || !all) return {};
        }
        return all;
      }
      case Hir::Kind::kAlternate: {
        Alternatives all;
        for (const Hir& child : hir.children) {
          const auto one = exact(child);
          if (!one) return {};
          all.insert(all.end(), one->begin(), one->end());
          if (too_large(all)) return {};
        }
        return all;
      }
    }
    return {};
  }

  std::optional<Alternatives> exact_repeat(const Hir& hir) {
    if (hir.max > kLongestNeedle) return {};
    if (hir.min != hir.max && hir.max > 1) return {};
    auto all = repeated(hir.children[0], hir.max);
    if (!all) return {};
    if (hir.min < hir.max) all->emplace_back();
    return too_large(*all) ? std::nullopt : all;
  }

  std::optional<Alternatives> repeated(const Hir& child, std::uint32_t times) {
    const auto one = exact(child);
    std::optional<Alternatives> all = Alternatives{{}};
    for (std::uint32_t i = 0; one && all && i < times; ++i) all = product(*all, *one);
    return one ? all : std::nullopt;
  }

  // The best needles that some part of every match must contain.
  Alternatives inner(const Hir& hir) {
    switch (hir.kind) {
      case Hir::Kind::kLiteral: return best_of_long_literal(hir.bytes);
      case Hir::Kind::kRepeat: return inner_repeat(hir);
      case Hir::Kind::kConcat: return inner_concat(hir);
      case Hir::Kind::kAlternate: {
        Alternatives all;
        for (const Hir& child : hir.children) {
          Alternatives one = best(child);
          if (costs_.cost_of(one) == HUGE_VAL) return {};
          all.insert(all.end(), one.begin(), one.end());
          if (too_large(all)) return {};
        }
        return all;
      }
      default: return {};
    }
  }

  Alternatives inner_repeat(const Hir& hir) {
    if (hir.min == 0) return {};
    Alternatives found = best(hir.children[0]);
    // Several repetitions are rarer than one.
    for (std::uint32_t times = 2; times <= std::min<std::uint32_t>(hir.min, 8); ++times) {
      auto more = repeated(hir.children[0], times);
      if (!more) break;
      costs_.take_better(found, std::move(*more));
    }
    return found;
  }

  // Candidate sequences that end directly before the next child and begin at different children. A longer
  // sequence is rarer, but may expand to more needles.
  class Runs {
   public:
    Runs(Alternatives& found, CostModel& costs) : found_(found), costs_(costs) {}

    void extend(const Alternatives& with) {
      std::vector<Alternatives> longer;
      for (Alternatives& run : runs_) {
        if (auto both = product(run, with)) longer.push_back(std::move(*both));
        if (with.size() > 1) costs_.take_better(found_, std::move(run));
      }
      longer.push_back(with);
      if (longer.size() > kMostRuns) longer.erase(longer.begin() + 1);
      runs_ = std::move(longer);
    }
    void finish() {
      for (Alternatives& run : runs_) costs_.take_better(found_, std::move(run));
      runs_.clear();
    }

   private:
    static constexpr std::size_t kMostRuns = 6;
    Alternatives& found_;
    CostModel& costs_;
    std::vector<Alternatives> runs_;
  };

  Alternatives inner_concat(const Hir& hir) {
    Alternatives found;
    Runs runs(found, costs_);
    for (const Hir& child : hir.children) {
      if (const auto all = exact(child)) {
        runs.extend(*all);
        continue;
      }
      // The first iteration of a repetition ends this run; the last one begins the next run.
      const bool repeats = child.kind == Hir::Kind::kRepeat && child.min >= 1;
      const auto once = repeats ? repeated(child.children[0], 1) : std::nullopt;
      if (once) runs.extend(*once);
      runs.finish();
      costs_.take_better(found, inner(child));
      if (once) runs.extend(*once);
    }
    runs.finish();
    return found;
  }

  Alternatives best_of_long_literal(std::string_view bytes) {
    Alternatives found;
    for (std::size_t begin = 0; begin < bytes.size(); begin += kLongestNeedle / 2) {
      costs_.take_better(found, {needle_of(bytes.substr(begin, kLongestNeedle))});
    }
    return found;
  }

  CostModel& costs_;
  std::map<const Hir*, Alternatives> classes_;  // cache: a repetition evaluates its child several times
};

}  // namespace

NeedleWindow rarest_window(const Needle& needle, std::size_t width, ByteFrequencies& frequencies) {
  const std::size_t used = std::min(width, needle.size());
  if (used == 0) return {};
  std::vector<const ByteFrequencies::Facts*> facts;
  std::vector<double> following;  // frequency of each set after the set before it
  for (const ByteSet& set : needle) {
    facts.push_back(&frequencies.of(set));
    following.push_back(facts.size() > 1 ? frequencies.after(*facts.end()[-2], *facts.back()) : 1);
  }
  NeedleWindow best;
  for (std::size_t begin = 0; begin + used <= needle.size(); ++begin) {
    double frequency = facts[begin]->frequency;
    for (std::size_t i = 1; i < used; ++i) frequency *= following[begin + i];
    if (begin == 0 || frequency < best.frequency) best = {begin, frequency};
  }
  return best;
}

namespace {

// The alternatives of a pattern that consists of a few literals; empty otherwise.
Alternatives literals_of(const Hir& pattern) {
  Alternatives literals;
  const auto add = [&](const Hir& hir) {
    if (hir.kind != Hir::Kind::kLiteral || hir.bytes.size() > kLongestNeedle) return false;
    literals.push_back(needle_of(hir.bytes));
    return true;
  };
  if (pattern.kind == Hir::Kind::kAlternate && pattern.children.size() <= kMostNeedles)
    return std::ranges::all_of(pattern.children, add) ? literals : Alternatives{};
  return add(pattern) ? literals : Alternatives{};
}

}  // namespace

Needles find_needles(const Hir& pattern) {
  if (Alternatives literals = literals_of(pattern); !literals.empty())
    return {.needles = std::move(literals), .are_matches = true, .whole_pattern = pattern.bytes};
  CostModel costs;
  Needles found{costs.condensed(Extractor(costs).best(pattern))};
  if (costs.cost_of(found.needles) > kTooCommon) found.needles.clear();
  return found;
}

}  // namespace helve::search
