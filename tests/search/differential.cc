// Compares the two search engines, line by line and file by file, over a tree and many patterns.
//
//   search_differential TREE PATTERNS RIPGREP [WORDS]
//
// Adds patterns made of WORDS words that occur in the tree to those of the file PATTERNS.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "search/find.h"
#include "search/grep.h"
#include "search/pattern.h"
#include "search/ripgrep_process.h"

namespace {

using namespace helve;
using namespace helve::search;

std::vector<GrepQuery> read_patterns(const char* path) {
  std::vector<GrepQuery> queries;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("# ")) continue;
    GrepQuery query;
    const std::size_t tab = line.find('\t');
    const std::string flags = tab == std::string::npos ? "" : line.substr(0, tab);
    query.pattern = tab == std::string::npos ? line : line.substr(tab + 1);
    query.syntax.ignore_case = flags.find('i') != std::string::npos;
    query.syntax.across_lines = flags.find('m') != std::string::npos;
    query.syntax.dot_matches_line_break = flags.find('s') != std::string::npos;
    query.syntax.literal = flags.find('l') != std::string::npos;
    queries.push_back(query);
  }
  return queries;
}

// Picks words that occur in the tree; the same ones in every run.
std::vector<std::string> find_words(const workspace::Root& root, std::size_t count) {
  GrepQuery query{.pattern = "[A-Za-z_]{5,20}", .most_matches = 20'000, .longest_line = 1'000};
  const auto answer = grep_builtin(root, query, [] { return false; });
  std::set<std::string> words;
  if (answer) {
    for (const FoundFile& file : answer->files) {
      for (const FoundLine& line : file.lines) {
        for (const Submatch& match : line.matches) {
          if (match.end <= line.text.size() && line.bytes <= 1'000)
            words.insert(line.text.substr(match.begin, match.end - match.begin));
        }
      }
    }
  }
  std::vector<std::string> all(words.begin(), words.end());
  std::shuffle(all.begin(), all.end(), std::mt19937(1));
  if (all.size() > count) all.resize(count);
  return all;
}

void add_made_patterns(std::vector<GrepQuery>& queries, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& a = words[i];
    const std::string& b = words[i + 1];
    for (const std::string& pattern :
         {a, concat("(?i)", a), concat("\\b", a, "\\b"), concat("^\\s*", a), concat(a, "\\W*$"),
          concat(a, "|", b), concat(a.substr(0, 2), ".", a.substr(3)), concat(a.substr(0, 3), "\\w*"),
          concat("[", a.substr(0, 3), "]+", b), concat(a.substr(0, 3), ".*", b.substr(0, 3)),
          concat("(?:", a.substr(0, 2), "|", b.substr(0, 2), ")+\\w{3}"),
          concat("\\w+", a.substr(a.size() - 3), "\\(")})
      queries.push_back({.pattern = pattern});
  }
}

std::string describe(const FoundFile& file, const FoundLine& line) {
  std::string text = concat(file.path, ":", line.number, ":");
  for (const Submatch& match : line.matches) {
    // ripgrep misses the empty match at the end of a last line without a line break.
    if (match.begin == line.bytes && match.end == line.bytes) continue;
    text += concat(" ", match.begin, "-", match.end);
  }
  return concat(text, line.is_match() ? "  " : " context  ", line.text.substr(0, 100));
}

std::vector<std::string> lines_of(const GrepAnswer& answer) {
  std::vector<std::string> lines;
  for (const FoundFile& file : answer.files) {
    lines.push_back(concat(file.path, ": ", file.matches, " matches"));
    for (const FoundLine& line : file.lines) lines.push_back(describe(file, line));
  }
  return lines;
}

std::string flags_of(const GrepQuery& query) {
  return concat(query.syntax.ignore_case ? "i" : "", query.syntax.across_lines ? "m" : "",
                query.syntax.dot_matches_line_break ? "s" : "", query.syntax.literal ? "l" : "");
}

// Returns true if both engines give the same answer.
bool compare(const workspace::Root& root, GrepQuery query, const std::string& ripgrep, std::size_t& compared,
             bool next_page_too = false) {
  query.syntax.crlf = wants_crlf(query.pattern, query.syntax);
  const auto never = [] { return false; };
  const auto ours = grep_builtin(root, query, never);
  const auto theirs = grep_ripgrep(root, query, ripgrep, never);
  if (!ours || !theirs) {
    // Both engines must reject the same patterns; ripgrep then exits without an answer.
    if (!ours && !theirs) return true;
    std::printf("DIFFERENT [%s] %s\n  ours: %s\n  theirs: %s\n", flags_of(query).c_str(),
                query.pattern.c_str(), ours ? "accepted" : ours.error().message.c_str(),
                theirs ? "accepted" : theirs.error().message.c_str());
    return false;
  }
  const auto our_lines = lines_of(*ours);
  const auto their_lines = lines_of(*theirs);
  compared += our_lines.size();
  if (our_lines == their_lines && ours->more == theirs->more) {
    if (!next_page_too || !ours->more) return true;
    query.after = GrepPosition{ours->files.back().path, 0};
    for (const FoundLine& line : ours->files.back().lines) {
      if (line.is_match()) query.after->line = line.number;
    }
    return compare(root, query, ripgrep, compared);
  }
  const auto [left, right] = std::ranges::mismatch(our_lines, their_lines);
  std::printf("DIFFERENT [%s] %s\n  ours:   %s (%zu lines%s)\n  theirs: %s (%zu lines%s)\n",
              flags_of(query).c_str(), query.pattern.c_str(),
              left == our_lines.end() ? "(end)" : left->c_str(), our_lines.size(), ours->more ? ", more" : "",
              right == their_lines.end() ? "(end)" : right->c_str(), their_lines.size(),
              theirs->more ? ", more" : "");
  return false;
}

// `ripgrep --files` and find must list the same files.
bool compare_files(const workspace::Root& root, const std::string& ripgrep, bool hidden, bool ignored) {
  FindQuery query{.globs = {"*"}, .hidden = hidden, .ignored = ignored, .most_results = 10'000'000};
  const auto ours = find_files(root, query, [] { return false; });
  std::vector<std::string> arguments = {"--files", "--no-config", "--no-messages", "--sort=path"};
  if (hidden) arguments.insert(arguments.end(), {"--hidden", "--glob=!.git/"});
  if (ignored) arguments.emplace_back("--no-ignore");
  const auto directory = root.open_directory(".");
  auto process = RipgrepProcess::start(
      {.program = ripgrep, .arguments = arguments, .directory = directory ? directory->fd.get() : -1});
  if (!ours || !process) return false;
  std::vector<std::string> theirs;
  std::string_view line;
  while (process->next_line(line, [] { return false; }) == RipgrepProcess::Read::kLine)
    theirs.emplace_back(line);
  std::vector<std::string> paths;
  for (const FoundEntry& entry : ours->entries) paths.push_back(entry.path);
  std::printf("files%s%s: %zu ours, %zu theirs\n", hidden ? ", with hidden" : "",
              ignored ? ", with ignored" : "", paths.size(), theirs.size());
  const auto [left, right] = std::ranges::mismatch(paths, theirs);
  if (left == paths.end() && right == theirs.end()) return true;
  std::printf("DIFFERENT\n  ours:   %s\n  theirs: %s\n", left == paths.end() ? "(end)" : left->c_str(),
              right == theirs.end() ? "(end)" : right->c_str());
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fprintf(stderr, "usage: search_differential TREE PATTERNS RIPGREP [WORDS]\n");
    return 2;
  }
  const auto root = workspace::Root::open(arguments[1]);
  const auto ripgrep = find_program(arguments[3]);
  if (!root || !ripgrep) {
    std::fprintf(stderr, "TREE cannot be opened or RIPGREP is not a program\n");
    return 2;
  }
  std::vector<GrepQuery> queries = read_patterns(arguments[2]);
  add_made_patterns(queries, find_words(*root, count > 4 ? std::strtoul(arguments[4], nullptr, 10) : 20));
  std::size_t differences = 0;
  std::size_t compared = 0;
  for (GrepQuery query : queries) {
    query.most_matches = 3'000;
    if (!compare(*root, query, *ripgrep, compared)) ++differences;
  }
  // Some of them again: with context, a small limit and the next page, and as counts.
  for (std::size_t i = 0; i < queries.size(); i += 4) {
    GrepQuery query = queries[i];
    query.lines_before = 1 + i % 3;
    query.lines_after = i % 4;
    query.most_matches = 50;
    query.hidden = i % 8 == 0;
    query.ignored = i % 3 == 0;
    if (!compare(*root, query, *ripgrep, compared, true)) ++differences;
    query.wanted = GrepQuery::Wanted::kCounts;
    query.most_matches = 500;
    if (!compare(*root, query, *ripgrep, compared)) ++differences;
  }
  for (const bool hidden : {false, true}) {
    for (const bool ignored : {false, true}) {
      if (!compare_files(*root, *ripgrep, hidden, ignored)) ++differences;
    }
  }
  std::printf("%zu patterns, %zu lines compared, %zu differences\n", queries.size(), compared, differences);
  return differences == 0 && compared > 0 ? 0 : 1;
}
