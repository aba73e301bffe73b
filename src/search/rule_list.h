// Globs in the order of an ignore file, of which the last that matches decides; many are asked at little
// cost.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "search/glob.h"

namespace helve::search {

enum class Verdict {
  kNone,  // no rule matches
  kTake,
  kSkip,
};

// A path with what all rule lists want to know of it, found out once. Refers to the caller's text.
struct Candidate {
  Candidate(std::string_view whole_path, bool directory)
      : Candidate(whole_path, whole_path.rfind('/') + 1, directory) {}
  // `name_at`: where the last component begins.
  Candidate(std::string_view whole_path, std::size_t name_at, bool directory);

  // The same entry seen from a directory further down: without the first `bytes` of the path.
  [[nodiscard]] Candidate without_prefix(std::size_t bytes) const {
    Candidate shorter = *this;
    shorter.path.remove_prefix(bytes);
    return shorter;
  }

  std::string_view path;
  std::string_view name;       // the last component
  std::string_view extension;  // ".h", from the last dot of the name on; empty when there is none
  std::uint32_t name_hash;
  std::uint32_t extension_hash;
  bool is_directory;
};

// Filled by one thread, then used from all.
class RuleList {
 public:
  // One line of an ignore file, without its line end: comments and blank lines add nothing. `!` at the front
  // makes it a rule that takes.
  enum class Comments { kSkip, kNone };
  [[nodiscard]] Expected<void> add_line(std::string_view line, const GlobOptions& options,
                                        Comments comments = Comments::kSkip);
  // To be called after the last rule and before the first question.
  void finish();

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }
  // kSkip for a rule, kTake for a rule with `!`.
  [[nodiscard]] Verdict judge(const Candidate& candidate) const;
  // Index of the last rule that matches; -1 when none does.
  [[nodiscard]] int last_match(const Candidate& candidate) const;
  // The same the plain way, for tests of the quick one.
  [[nodiscard]] int last_match_by_trying_all(const Candidate& candidate) const;
  [[nodiscard]] bool is_negated(std::size_t index) const { return rules_[index].negated; }

 private:
  struct Rule {
    Glob glob;
    bool negated;
    bool directories_only;
  };
  // Open addressing; rules with the same key follow each other, the last first.
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t rule = -1;
  };
  static void fill(std::vector<Slot>& table, const std::vector<Slot>& entries);
  void search(const std::vector<Slot>& table, std::uint32_t hash, const Candidate& candidate,
              int& best) const;
  static bool holds(const Rule& rule, const Candidate& candidate);

  std::vector<Rule> rules_;
  std::vector<Slot> by_name_;
  std::vector<Slot> by_extension_;
  std::vector<std::int32_t> others_;  // the last first
  bool ignore_case_ = false;
};

}  // namespace helve::search
