// Compares the options of grep with those of ripgrep, over a small tree with files of every kind.
//
//   options_differential RIPGREP CASES [SEED]
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "search/grep.h"
#include "search/pattern.h"

namespace {

using namespace helve;
using namespace helve::search;
namespace fs = std::filesystem;
using Wanted = GrepQuery::Wanted;
using Whole = regex::SyntaxOptions::Whole;

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

void make_tree(const fs::path& tree) {
  write(tree / ".git/HEAD", "");
  write(tree / ".gitignore", "ignored/\n*.log\n");
  write(tree / "a.py", "import os\nfoo bar\n\nFoo\nfoobar foo\nbar\n");
  write(tree / "b.js", "foo\nfoo\nfoo\nx\nfoo\ny\nz\nfoo");
  write(tree / "Makefile", "all:\n\tfoo bar\n");
  write(tree / ".bashrc", "foo\n");
  write(tree / ".hidden/c.py", "foo\n");
  write(tree / "dir/crlf.txt", "foo\r\nbar\r\n\r\nfoo bar\r\n");
  write(tree / "dir/empty.txt", "");
  write(tree / "dir/none.md", "nothing here\nat all\n");
  write(tree / "dir/deep/d.cpp", "int foo;  // bar\nfoo\n  foo\n\n\n");
  write(tree / "dir/nul.bin", std::string_view("foo\0bar\n", 8));
  write(tree / "dir/words.txt",
        "a-foo-b\n_foo\nfoo_\nfo o\n\xC3\xBC"
        "foo\nFOO foo FOO\n");
  write(tree / "ignored/e.py", "foo\n");
  write(tree / "x.log", "foo\n");
  fs::create_symlink("a.py", tree / "link.py");
  fs::create_symlink("../dir/deep", tree / "ignored/inner");
  fs::create_directory_symlink("dir/deep", tree / "linked");
  fs::create_directory_symlink(".", tree / "loop");
  fs::create_symlink("nowhere", tree / "broken.py");
  // Times in an order that is not that of the names.
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(tree))
    if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::shuffle(files.begin(), files.end(), std::mt19937(7));
  for (std::size_t i = 0; i < files.size(); ++i) {
    const timespec times[2] = {{1'700'000'000 + static_cast<time_t>(i), 0},
                               {1'700'000'000 + static_cast<time_t>(i), 0}};
    ::utimensat(AT_FDCWD, files[i].c_str(), times, 0);
  }
}

struct Case {
  GrepQuery query;
  std::vector<std::string> options;  // of ripgrep
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Case next() {
    static constexpr std::string_view kPatterns[] = {
        "foo", "bar", "", "fo+", "^foo", "foo$", "nothing", "o b", "^$", "[a-f]", "z|y", "foo bar", "absent"};
    static constexpr std::string_view kTypes[] = {"py",   "js",  "sh",       "cpp",   "md,txt",
                                                  "make", "!py", "!txt,!js", "py,!py"};
    Case made{
        .query = {.pattern = std::string(kPatterns[pick(std::size(kPatterns))]), .most_matches = 100'000}};
    GrepQuery& query = made.query;
    const auto option = [&](std::string text) { made.options.push_back(std::move(text)); };
    if (one_in(4)) query.syntax.ignore_case = (option("--ignore-case"), true);
    if (one_in(5)) query.syntax.literal = (option("--fixed-strings"), true);
    if (one_in(3)) query.invert = (option("--invert-match"), true);
    if (one_in(4))
      query.syntax.whole = (option("--word-regexp"), Whole::kWord);
    else if (one_in(4))
      query.syntax.whole = (option("--line-regexp"), Whole::kLine);
    if (one_in(3)) query.hidden = (option("--hidden"), option("--glob=!.git"), true);
    if (one_in(4)) query.ignored = (option("--no-ignore"), true);
    if (one_in(3)) query.follow = (option("--follow"), true);
    if (one_in(3)) {
      const std::string_view types = kTypes[pick(std::size(kTypes))];
      query.types = find_types(types).value();
      for (const std::string_view type : split(types, ','))
        option(type.starts_with('!') ? concat("--type-not=", type.substr(1)) : concat("--type=", type));
    }
    if (one_in(3)) {
      query.most_per_file = 1 + pick(3);
      option(concat("--max-count=", query.most_per_file));
    }
    query.newest_first = one_in(4) && !query.follow;
    option(query.newest_first ? "--sortr=modified" : "--sort=path");
    switch (pick(6)) {
      case 0: query.wanted = (option("--count"), Wanted::kCounts); break;
      case 1: query.wanted = (option("--files-without-match"), Wanted::kFilesWithout); break;
      case 2: query.wanted = (option("--files-with-matches"), files_only_ = true, Wanted::kCounts); break;
      default:
        query.lines_before = pick(3);
        query.lines_after = pick(3);
        option(concat("--before-context=", query.lines_before));
        option(concat("--after-context=", query.lines_after));
    }
    query.syntax.crlf = wants_crlf(query.pattern, query.syntax);
    if (query.syntax.crlf) option("--crlf");
    option(concat("--regexp=", query.pattern));
    return made;
  }
  bool take_files_only() { return std::exchange(files_only_, false); }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  bool one_in(std::size_t count) { return pick(count) == 0; }

  std::mt19937 random_;
  bool files_only_ = false;
};

// Past the limit per file, ripgrep shows matching lines of the context as matches, and Helve as context.
std::string sign_of(const GrepQuery& query, std::string_view sign) {
  return std::string(query.most_per_file < 100 ? ":" : sign);
}

std::vector<std::string> lines_of(const GrepAnswer& answer, const GrepQuery& query, bool files_only) {
  std::vector<std::string> lines;
  for (const FoundFile& file : answer.files) {
    if (files_only || query.wanted == Wanted::kFilesWithout)
      lines.push_back(file.path);
    else if (query.wanted == Wanted::kCounts)
      lines.push_back(concat(file.path, ":", file.matches));
    else
      for (const FoundLine& line : file.lines)
        lines.push_back(
            concat(file.path, sign_of(query, line.is_match() ? ":" : "-"), line.number, ":", line.text));
  }
  return lines;
}

// Rewrites ripgrep's lines to the form above.
std::vector<std::string> run_ripgrep(const std::string& program, const fs::path& tree, const Case& made) {
  std::string command =
      concat("cd ", shell_quoted(tree.string()), " && ", shell_quoted(program),
             " --no-config --no-messages --color=never --line-number --no-heading --with-filename --null");
  for (const std::string& option : made.options) command += concat(" ", shell_quoted(option));
  command += " ./ </dev/null";
  std::string output;
  FILE* stream = ::popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  for (int byte = stream == nullptr ? EOF : std::fgetc(stream); byte != EOF; byte = std::fgetc(stream))
    output += static_cast<char>(byte);
  if (stream != nullptr) ::pclose(stream);
  std::vector<std::string> lines;
  const bool names_only = made.query.wanted == Wanted::kFilesWithout ||
                          std::ranges::count(made.options, "--files-with-matches") > 0;
  for (std::string_view line : split(output, names_only ? '\0' : '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line == "--" || line.empty() || line.contains("binary file matches")) continue;
    const std::size_t nul = line.find('\0');
    std::string path(line.substr(0, nul));
    if (path.starts_with("./")) path.erase(0, 2);
    if (nul == std::string_view::npos) {
      lines.push_back(path);
      continue;
    }
    const std::string_view rest = line.substr(nul + 1);
    const std::size_t sign = rest.find_first_not_of("0123456789");
    if (sign == std::string_view::npos)
      lines.push_back(concat(path, ":", rest));
    else
      lines.push_back(concat(path, sign_of(made.query, rest.substr(sign, 1)), rest.substr(0, sign), ":",
                             rest.substr(sign + 1)));
  }
  return lines;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: options_differential RIPGREP CASES [SEED]\n");
    return 2;
  }
  const std::string ripgrep = fs::absolute(arguments[1]).string();
  std::string place = (fs::temp_directory_path() / "helve-options-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return 2;
  ::setenv("HOME", place.c_str(), 1);
  const fs::path tree = fs::path(place) / "tree";
  make_tree(tree);
  const auto root = workspace::Root::open(tree.string());
  if (!root) return 2;
  Generator generator(static_cast<unsigned>(count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 1));
  unsigned long differences = 0;
  unsigned long compared = 0;
  const unsigned long cases = std::strtoul(arguments[2], nullptr, 10);
  for (unsigned long i = 0; i < cases; ++i) {
    const Case made = generator.next();
    const auto answer = grep_builtin(*root, made.query, [] { return false; });
    const auto ours = answer ? lines_of(*answer, made.query, generator.take_files_only())
                             : std::vector<std::string>{answer.error().message};
    const auto theirs = run_ripgrep(ripgrep, tree, made);
    compared += theirs.size();
    if (ours == theirs || ++differences > 12) continue;
    const auto [left, right] = std::ranges::mismatch(ours, theirs);
    if (ours.size() <= 12)
      std::printf("ours: %s\ntheirs: %s\n", join(ours, " ").c_str(), join(theirs, " ").c_str());
    std::printf("DIFFERENT rg %s\n  ours:   %s (%zu lines)\n  theirs: %s (%zu lines)\n",
                join(made.options, " ").c_str(), left == ours.end() ? "(end)" : left->c_str(), ours.size(),
                right == theirs.end() ? "(end)" : right->c_str(), theirs.size());
  }
  fs::remove_all(place);
  std::printf("%lu cases, %lu lines compared, %lu differences\n", cases, compared, differences);
  return differences == 0 && compared > 0 ? 0 : 1;
}
