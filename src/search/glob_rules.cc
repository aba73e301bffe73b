#include "search/glob_rules.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace helve::search {
namespace {

// A fast hash for short names.
std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32;
  };
  while (text.size() > sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    mix(word);
    text.remove_prefix(sizeof word);
  }
  std::uint64_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  mix(word);
  return static_cast<std::uint32_t>(hash);
}

// Without the blanks at the end, except an escaped one.
std::string_view without_trailing(std::string_view blanks, std::string_view line) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (blanks.contains(line[i])) continue;
    if (line[i] == '\\') i = std::min(i + 1, line.size() - 1);
    kept = i + 1;
  }
  return line.substr(0, kept);
}

}  // namespace

Candidate::Candidate(std::string_view whole_path, std::size_t name_at, bool directory)
    : path(whole_path), name(whole_path.substr(name_at)), is_directory(directory) {
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) extension = name.substr(dot);
  name_hash = hash_of(name);
  extension_hash = hash_of(extension);
}

void RuleList::add_ignore_line(std::string_view line, LetterCase letters) {
  line = line.substr(0, line.find('\0'));
  if (line.starts_with('#')) return;
  line = without_trailing(" ", line);
  const bool negated = line.starts_with('!');
  if (negated) line.remove_prefix(1);
  const bool directories_only = line.ends_with('/');
  if (directories_only) line.remove_suffix(1);
  const bool has_path = line.contains('/');
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;
  auto glob =
      Glob::compile(line, {.syntax = has_path ? GlobOptions::Syntax::kGitPath : GlobOptions::Syntax::kGitName,
                           .ignore_case = letters == LetterCase::kIgnored});
  ignore_case_ = letters == LetterCase::kIgnored;
  if (glob) rules_.push_back({std::move(*glob), negated, directories_only});
}

Expected<void> RuleList::add_glob(std::string_view written, const GlobOptions& options) {
  std::string_view text = without_trailing(" \t\r\v\f\n", written);
  if (text.empty()) return {};
  const bool negated = is_exclusion(text, options);
  if (negated) text.remove_prefix(1);
  const bool anchored = text.starts_with('/');
  if (anchored) text.remove_prefix(1);
  const bool directories_only = text.ends_with('/');
  if (directories_only) text.remove_suffix(1);
  std::string pattern(text);
  if (!anchored && !pattern.contains('/') && pattern != "**") pattern.insert(0, "**/");
  // `dir/**` matches everything inside, but not the directory itself.
  if (pattern.ends_with("/**")) pattern += "/*";
  auto glob = Glob::compile(pattern, options);
  if (!glob) {
    // Compile the glob as written, so that the error position refers to the caller's text.
    auto as_written = Glob::compile(written, options);
    return fail(as_written ? glob.error() : as_written.error());
  }
  ignore_case_ = ignore_case_ || options.ignore_case;
  rules_.push_back({std::move(*glob), negated, directories_only});
  return {};
}

void RuleList::fill(std::vector<Slot>& table, const std::vector<Slot>& entries) {
  if (entries.empty()) return;
  table.assign(std::bit_ceil(entries.size() * 4), Slot{});
  // Insert the last rule first, so that lookups find it first among rules with the same hash.
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    std::size_t place = entry->hash & (table.size() - 1);
    while (table[place].rule >= 0) place = (place + 1) & (table.size() - 1);
    table[place] = *entry;
  }
}

void RuleList::finish() {
  std::vector<Slot> names;
  std::vector<Slot> extensions;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const Glob& glob = rules_[i].glob;
    const auto rule = static_cast<std::int32_t>(i);
    if (!ignore_case_ && !glob.required_name().empty())
      names.push_back({hash_of(glob.required_name()), rule});
    else if (!ignore_case_ && !glob.required_extension().empty())
      extensions.push_back({hash_of(glob.required_extension()), rule});
    else
      others_.push_back(rule);
  }
  std::ranges::reverse(others_);
  fill(by_name_, names);
  fill(by_extension_, extensions);
}

bool RuleList::holds(const Rule& rule, const Candidate& candidate) {
  if (rule.directories_only && !candidate.is_directory) return false;
  return rule.glob.matches(candidate.path, candidate.name);
}

void RuleList::search(const std::vector<Slot>& table, std::uint32_t hash, const Candidate& candidate,
                      int& best) const {
  if (table.empty()) return;
  const std::size_t mask = table.size() - 1;
  for (std::size_t place = hash & mask; table[place].rule >= 0; place = (place + 1) & mask) {
    const Slot& slot = table[place];
    if (slot.hash != hash || slot.rule <= best) continue;
    if (!holds(rules_[static_cast<std::size_t>(slot.rule)], candidate)) continue;
    best = slot.rule;
    return;
  }
}

int RuleList::last_match(const Candidate& candidate) const {
  int best = -1;
  search(by_name_, candidate.name_hash, candidate, best);
  if (!candidate.extension.empty()) search(by_extension_, candidate.extension_hash, candidate, best);
  for (const std::int32_t rule : others_) {
    if (rule <= best) break;
    if (!holds(rules_[static_cast<std::size_t>(rule)], candidate)) continue;
    best = rule;
    break;
  }
  return best;
}

int RuleList::last_match_by_trying_all(const Candidate& candidate) const {
  for (std::size_t i = rules_.size(); i > 0; --i)
    if (holds(rules_[i - 1], candidate)) return static_cast<int>(i - 1);
  return -1;
}

Verdict RuleList::judge(const Candidate& candidate) const {
  const int rule = last_match(candidate);
  if (rule < 0) return Verdict::kNone;
  return is_negated(static_cast<std::size_t>(rule)) ? Verdict::kTake : Verdict::kSkip;
}

Expected<FileGlobs> FileGlobs::compile(std::span<const std::string> globs, const GlobOptions& options,
                                       std::span<const std::string> plain) {
  FileGlobs result;
  const auto add = [&](const std::string& glob, const GlobOptions& syntax) -> Expected<void> {
    const std::size_t before = result.rules_.size();
    if (auto added = result.rules_.add_glob(glob, syntax); !added) return added;
    if (result.rules_.size() > before)
      result.has_inclusion_ = result.has_inclusion_ || !result.rules_.is_negated(before);
    return {};
  };
  for (const std::string& glob : globs)
    if (auto added = add(glob, options); !added) return fail(added.error());
  for (const std::string& glob : plain)
    if (auto added = add(glob, {}); !added) return fail(added.error());
  result.rules_.finish();
  return result;
}

Verdict FileGlobs::judge(const Candidate& candidate) const {
  if (rules_.empty()) return Verdict::kNone;
  switch (rules_.judge(candidate)) {
    case Verdict::kSkip: return Verdict::kTake;
    case Verdict::kTake: return Verdict::kSkip;
    case Verdict::kNone: break;
  }
  return has_inclusion_ && !candidate.is_directory ? Verdict::kSkip : Verdict::kNone;
}

}  // namespace helve::search
