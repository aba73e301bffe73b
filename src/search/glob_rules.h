// Lists of globs in which the last match decides, as in an ignore file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

// Whether rules of ignore files tell `A` from `a`: they do unless core.ignoreCase is set.
enum class LetterCase { kDiffers, kIgnored };

// A path with the properties that all rule lists need, computed once. Refers to the caller's text.
struct Candidate {
  Candidate(std::string_view whole_path, bool directory)
      : Candidate(whole_path, whole_path.rfind('/') + 1, directory) {}
  // `name_at` is the offset of the last component.
  Candidate(std::string_view whole_path, std::size_t name_at, bool directory);

  // The same entry with a path relative to an inner directory: without the first `bytes` of the path.
  [[nodiscard]] Candidate without_prefix(std::size_t bytes) const {
    Candidate shorter = *this;
    shorter.path.remove_prefix(bytes);
    return shorter;
  }

  std::string_view path;
  std::string_view name;       // the last component
  std::string_view extension;  // ".h": the name from its last dot on; empty if there is none
  std::uint32_t name_hash;
  std::uint32_t extension_hash;
  bool is_directory;
};

// Filled by one thread; after finish() it may be used from all threads.
class RuleList {
 public:
  // Adds one line of an ignore file, without its line ending. Comments, blank lines and mistakes add nothing.
  // A rule that begins with `!` includes files.
  void add_ignore_line(std::string_view line, LetterCase letters = LetterCase::kDiffers);
  // Adds one glob of a call.
  [[nodiscard]] Expected<void> add_glob(std::string_view glob, const GlobOptions& options);
  // Call after the last rule was added and before the first lookup.
  void finish();

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }
  // kSkip if the last matching rule excludes, kTake if it begins with `!`.
  [[nodiscard]] Verdict judge(const Candidate& candidate) const;
  // The index of the last rule that matches, or -1.
  [[nodiscard]] int last_match(const Candidate& candidate) const;
  // The same by brute force, as a reference for tests.
  [[nodiscard]] int last_match_by_trying_all(const Candidate& candidate) const;
  [[nodiscard]] bool is_negated(std::size_t index) const { return rules_[index].negated; }

 private:
  struct Rule {
    Glob glob;
    bool negated;
    bool directories_only;
  };
  // A slot of an open-addressing table. Rules with the same key follow each other, the last rule first.
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
  std::vector<std::int32_t> others_;  // the last rule first
  bool ignore_case_ = false;
};

// Whether a glob of a call excludes: it begins with `!`, and not with `!(`, which begins a group of the
// extended syntax.
[[nodiscard]] inline bool is_exclusion(std::string_view glob, const GlobOptions& options) {
  return glob.starts_with('!') &&
         (options.syntax != GlobOptions::Syntax::kExtended || !glob.starts_with("!("));
}

// The globs of a call, read like lines of an ignore file with the meaning reversed: `*.cc` includes files,
// `!*.h` excludes them, and the last match decides.
//
// - A glob without `/` matches at any depth; others match from the workspace root. `dir/` matches only
// directories.
// - If any glob includes, files that match no glob are excluded. Directories are still entered.
// - A glob that includes an entry overrides ignore files and the hiding of dot files.
//
// Immutable; usable from all threads.
class FileGlobs {
 public:
  FileGlobs() = default;  // kNone for every path
  // `plain` is a second list, which is not affected by the options.
  [[nodiscard]] static Expected<FileGlobs> compile(std::span<const std::string> globs,
                                                   const GlobOptions& options = {},
                                                   std::span<const std::string> plain = {});

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  // `path` is relative to the workspace root.
  [[nodiscard]] Verdict judge(const Candidate& candidate) const;
  [[nodiscard]] Verdict judge(std::string_view path, bool is_directory) const {
    return judge(Candidate(path, is_directory));
  }

 private:
  RuleList rules_;
  bool has_inclusion_ = false;  // at least one glob does not begin with `!`
};

}  // namespace helve::search
