// Compares the globs of find with the patterns of bash (`shopt -s extglob`), over generated globs.
//
//   glob_differential CASES [SEED]
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "search/glob.h"

namespace {

using namespace helve;

// Reads pairs of a pattern and a name, each ended by a NUL.
constexpr std::string_view kScript =
    "shopt -s extglob; while IFS= read -r -d '' p && IFS= read -r -d '' n; do "
    "if [[ $n == $p ]]; then echo 1; else echo 0; fi; done";

struct Case {
  std::string pattern;
  std::string name;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Case next() {
    Case made{.pattern = pattern(0)};
    const std::size_t length = 1 + pick(5);
    for (std::size_t i = 0; i < length; ++i) made.name += "aabbc.-1"[pick(8)];
    return made;
  }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  std::string pattern(int depth) {
    static constexpr std::string_view kParts[] = {
        "a",    "b",     "c",    ".",   "-",     "1",    "ab",     "*",           "?",
        "[ab]", "[!a]",  "[^b]", "\\a", "[a-c]", "[]a]", "[\\]a]", "[[:digit:]]", "[[:alpha:].]",
        "**",   "[!a-b]"};
    std::string text;
    const std::size_t parts = pick(depth == 0 ? 5 : 3);
    for (std::size_t i = 0; i < parts; ++i) {
      // Bash is wrong about a star right before a group: `*@(|)` and `*?@(|)` match nothing.
      const std::size_t last = text.find_last_not_of('?');
      const bool after_star = last != std::string::npos && text[last] == '*';
      if (depth < 3 && pick(3) == 0 && !after_star)
        text += group(depth + 1);
      else
        text += kParts[pick(std::size(kParts))];
    }
    return text;
  }

  std::string group(int depth) {
    std::string text = concat(std::string(1, "?*+@!!"[pick(6)]), "(");
    const std::size_t branches = 1 + pick(3);
    for (std::size_t i = 0; i < branches; ++i) text += concat(i == 0 ? "" : "|", pattern(depth));
    return text + ")";
  }

  std::mt19937 random_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: glob_differential CASES [SEED]\n");
    return 2;
  }
  const unsigned long cases = std::strtoul(arguments[1], nullptr, 10);
  Generator generator(static_cast<unsigned>(count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1));
  std::string place = (std::filesystem::temp_directory_path() / "helve-globs-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return 2;
  std::vector<Case> made;
  {
    std::ofstream input(place + "/input", std::ios::binary);
    for (unsigned long i = 0; i < cases; ++i) {
      made.push_back(generator.next());
      input << made.back().pattern << '\0' << made.back().name << '\0';
    }
  }
  std::ofstream(place + "/script") << kScript;
  FILE* output =
      ::popen(concat("LC_ALL=C bash '", place, "/script' <'", place, "/input'").c_str(), "r");  // NOLINT
  unsigned long differences = 0;
  unsigned long matches = 0;
  unsigned long compared = 0;
  char line[8];
  for (const Case& one : made) {
    if (output == nullptr || std::fgets(line, sizeof line, output) == nullptr) break;
    ++compared;
    const bool theirs = line[0] == '1';
    const auto glob = search::Glob::compile(one.pattern, {.syntax = search::GlobOptions::Syntax::kExtended});
    const bool ours = glob && glob->matches(one.name);
    matches += theirs ? 1 : 0;
    if (ours == theirs || ++differences > 20) continue;
    std::printf("DIFFERENT %s on \"%s\": ours %s, bash %s\n", one.pattern.c_str(), one.name.c_str(),
                !glob  ? glob.error().message.c_str()
                : ours ? "matches"
                       : "does not match",
                theirs ? "matches" : "does not match");
  }
  if (output != nullptr) ::pclose(output);
  std::filesystem::remove_all(place);
  std::printf("%lu cases, %lu matches, %lu differences\n", compared, matches, differences);
  return differences == 0 && compared == cases && matches > 0 ? 0 : 1;
}
