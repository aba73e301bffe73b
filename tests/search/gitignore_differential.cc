// Compares the ignore rules with git's, over generated ignore files.
//
//   gitignore_differential CASES [SEED]
//
// Each case writes ignore files into one tree and compares `git ls-files --others --exclude-standard` with
// find.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "search/find.h"

namespace {

using namespace helve;
namespace fs = std::filesystem;

constexpr std::string_view kDirectories[] = {"",       "a/",     "a/b/",     "abc/",
                                             "abc/d/", "build/", "build/a/", "d [1]/"};
constexpr std::string_view kNames[] = {
    "a", "b",   "abc", "abcx", "abcd", "ab c", "abc ", "#x",  "!x",  "a]b", "[a]", "a*b",   "a\\b", "é",
    "A", "x.c", ".h",  "1",    "-",    "{a}",  "a\tb", "x.h", "a-b", "**",  "\\",  "abc\t", "AbC",  "X.H"};

// Parts of patterns that occur in files or are special, and mistakes.
constexpr std::string_view kParts[] = {
    "a",     "b",     "abc",    "x",       "build", "d",           ".c",          "x.h",     "*",
    "*",     "**",    "***",    "?",       "[ab]",  "[!a]",        "[^b]",        "[a-c]",   "[c-a]",
    "[]a]",  "[]-a]", "[a\\]]", "[\\a-c]", "[a",    "[[:alpha:]]", "[[:punct:]]", "[[:x:]]", "[[:digit:]-]",
    "[[:a]", "\\*",   "\\a",    "\\\\",    "\\ ",   "\\#",         "\\!",         "\\[",     "/",
    "/",     "/",     "**/",    "/**",     "/**/",  "\\/",         " ",           "  ",      "\t",
    "{a}",   "{a,b}", "é",      "-",       "#",     "!",           "[!]a-]",      "[a-]",    "[--0]",
    "A",     "1",     "B",      "[A-C]",   "[AB]",  "[[:upper:]]", "ABC",         ".H",      "[!A-B]"};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  bool chance(int of) { return pick(static_cast<std::size_t>(of)) == 0; }
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  std::string line() {
    std::string text;
    if (chance(5)) text += "!";
    if (chance(6)) text += "/";
    if (chance(12)) text += "#";
    // Many patterns are a path of the tree with some parts replaced, so that they match something.
    std::string base = concat(kDirectories[pick(std::size(kDirectories))], kNames[pick(std::size(kNames))]);
    if (chance(2)) base.clear();
    for (std::size_t i = 0; i < base.size(); ++i)
      text += chance(5) ? std::string(kParts[pick(std::size(kParts))]) : base.substr(i, 1);
    const std::size_t more = base.empty() ? 1 + pick(4) : pick(2);
    for (std::size_t i = 0; i < more; ++i) text += kParts[pick(std::size(kParts))];
    if (chance(6)) text += "/";
    if (chance(8)) text += chance(2) ? " " : "\\ ";
    return text;
  }

  std::string file() {
    std::string text = chance(8) ? "\xEF\xBB\xBF" : "";
    const std::string_view ending = chance(5) ? "\r\n" : "\n";
    const std::size_t lines = 1 + pick(4);
    for (std::size_t i = 0; i < lines; ++i) text += concat(line(), ending);
    if (chance(4)) text.resize(text.size() - ending.size());
    return text;
  }

 private:
  std::mt19937 random_;
};

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> git_files(const fs::path& home, const fs::path& tree) {
  const std::string command =
      concat("cd '", tree.string(), "' && HOME='", home.string(), "' XDG_CONFIG_HOME= GIT_CONFIG_NOSYSTEM=1 ",
             "git ls-files --others --exclude-standard -z");
  std::vector<std::string> files;
  FILE* output = ::popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  if (output == nullptr) return files;
  std::string name;
  for (int byte = std::fgetc(output); byte != EOF; byte = std::fgetc(output)) {
    if (byte != 0) {
      name += static_cast<char>(byte);
      continue;
    }
    files.push_back(std::exchange(name, {}));
  }
  if (::pclose(output) != 0) files.emplace_back("(git failed)");
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> our_files(const workspace::Root& root) {
  const auto found =
      search::find_files(root, {.globs = {"*"}, .hidden = true, .most_results = 1'000'000, .details = false},
                         [] { return false; });
  std::vector<std::string> files;
  if (found)
    for (const search::FoundEntry& entry : found->entries) files.push_back(entry.path);
  std::ranges::sort(files);
  return files;
}

void show(std::string_view what, const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (!text.empty()) std::printf("  %s: %s\n", std::string(what).c_str(), to_text(Json(text)).c_str());
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: gitignore_differential CASES [SEED]\n");
    return 2;
  }
  const unsigned long cases = std::strtoul(arguments[1], nullptr, 10);
  const auto seed = static_cast<unsigned>(count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1);
  std::string place = (fs::temp_directory_path() / "helve-gitignore-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return 2;
  const fs::path home = fs::path(place) / "home";
  const fs::path tree = fs::path(place) / "tree";
  for (const std::string_view directory : kDirectories)
    for (const std::string_view name : kNames)
      if (concat(directory, name, "/") != "a/" && concat(directory, name, "/") != "a/b/" &&
          concat(directory, name, "/") != "abc/" && concat(directory, name, "/") != "build/a/")
        write(tree / directory / name, "");
  write(home / ".gitconfig", "[core]\n\texcludesFile = ~/ignored\n");
  ::setenv("HOME", home.c_str(), 1);
  ::unsetenv("XDG_CONFIG_HOME");
  if (std::system(concat("git -C '", tree.string(), "' init -q").c_str()) != 0) return 2;  // NOLINT
  const auto root = workspace::Root::open(tree.string());
  if (!root) return 2;

  const std::array<fs::path, 5> files = {tree / ".gitignore", tree / "a/.gitignore", tree / "abc/.gitignore",
                                         tree / ".git/info/exclude", home / "ignored"};
  Generator generator(seed);
  unsigned long differences = 0;
  unsigned long ignored = 0;
  for (unsigned long i = 0; i < cases; ++i) {
    if (i == cases / 2)
      write(tree / ".git/config", "[core]\n\trepositoryformatversion = 0\n\tignoreCase = true\n");
    for (const fs::path& file : files) {
      // The root's file always, the others sometimes.
      if (file == files[0] || generator.chance(3))
        write(file, generator.file());
      else
        fs::remove(file);
    }
    const auto theirs = git_files(home, tree);
    const auto ours = our_files(*root);
    ignored += std::size(kDirectories) * std::size(kNames) - theirs.size();
    if (ours == theirs) continue;
    if (++differences > 20) continue;
    std::printf("DIFFERENT in case %lu\n", i);
    for (const fs::path& file : files) show(fs::relative(file, place).string(), file);
    std::vector<std::string> only;
    std::ranges::set_difference(ours, theirs, std::back_inserter(only));
    for (const std::string& path : only) std::printf("  git ignores %s\n", to_text(Json(path)).c_str());
    only.clear();
    std::ranges::set_difference(theirs, ours, std::back_inserter(only));
    for (const std::string& path : only) std::printf("  we ignore %s\n", to_text(Json(path)).c_str());
  }
  fs::remove_all(place);
  std::printf("%lu cases, %lu files ignored, %lu differences\n", cases, ignored, differences);
  return differences == 0 && ignored > 0 ? 0 : 1;
}
