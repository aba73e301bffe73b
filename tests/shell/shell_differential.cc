// Compares the parser of command lines with `bash -n`, over generated lines and those of a file.
//
//   shell_differential CASES [FILE] [SEED]
//
// FILE has one line per case, with \n for line breaks. A line that bash refuses must not be understood.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "helve/json.h"
#include "shell/command_line.h"

namespace {

using namespace helve;

// Reads lines, each ended by a NUL. Each is parsed by its own shell, which runs nothing. Some errors show
// only in its messages; a here-document without an end is merely a warning.
constexpr std::string_view kScript =
    "while IFS= read -r -d '' line; do said=$(LC_ALL=C bash -n -c -- \"$line\" 2>&1); "
    "if [ $? = 0 ] && [ -z \"${said##*: warning: *}\" ]; then echo 1; else echo 0; fi; done";

constexpr std::string_view kTokens[] = {
    "ls",   "pwd",  "echo a",   "rm -- -f", ";",     ";;",       ";&",         "&",      "&&",    "||",
    "|",    "|&",   "(",        ")",        "{",     "}",        "!",          "time",   "if",    "then",
    "fi",   "else", "elif",     "for",      "x",     "in",       "do",         "done",   "while", "until",
    "case", "esac", "select",   "a)",       "*)",    "function", "f()",        "[[",     "]]",    "-n $x",
    "((",   "))",   "1+2",      "<",        ">",     ">>",       "<f",         ">f",     "2>&1",  "&>f",
    "<<<",  "<<<w", "<<E",      "\nE\n",    "\n",    "$(",       "$((1+2))",   "`ls`",   "`",     "'",
    "'q'",  "\"",   "\"q $x\"", "\\",       "${x}",  "${x:-y}",  "${",         "$x",     "a=1",   "a=(1 2)",
    "a=(",  "a+=b", "#c",       "-f",       "<(ls)", "$(ls)",    "coproc",     "==",     "=~",    "-eq",
    "[",    "]",    ">|f",      "3<f",      "<&-",   ">&",       "export a=b", "local b"};

// Valid lines, which are changed a little.
constexpr std::string_view kLines[] = {"ls -la | grep x && pwd",
                                       "if test -f a ; then ls ; elif pwd ; then ls ; else echo b ; fi",
                                       "for x in a b c ; do echo $x ; done",
                                       "while true ; do ls ; break ; done",
                                       "until ls ; do pwd ; done > f",
                                       "case $x in a ) ls ;; b | c ) pwd ;; esac",
                                       "( cd a && ls ) ; { pwd ; }",
                                       "[[ -n $x && $y == z ]] && ls",
                                       "(( 1 + 2 )) || ls",
                                       "ls $( pwd ; ls ) \"$( ls )\" `pwd`",
                                       "cat <<E\ntext\nE\nls",
                                       "a=1 b=2 ls > f 2>&1 < g",
                                       "for (( i = 0 ; i < 3 ; i++ )) ; do ls ; done",
                                       "! ls | wc -l & pwd",
                                       "f() { ls ; }",
                                       "ls <( pwd ) >( cat )",
                                       "if ls ; then ( pwd ) ; fi | wc",
                                       "echo ${x:-$( ls )} $(( 1 + 2 ))",
                                       "select x in a b ; do ls ; done",
                                       "time ls ; coproc pwd"};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string next() {
    if (pick(2) == 0) {
      std::string line;
      const std::size_t tokens = 1 + pick(7);
      for (std::size_t i = 0; i < tokens; ++i)
        line += concat(i == 0 || pick(6) == 0 ? "" : " ", kTokens[pick(std::size(kTokens))]);
      return line;
    }
    std::vector<std::string> words;
    for (const std::string_view word : split(kLines[pick(std::size(kLines))], ' ')) words.emplace_back(word);
    for (std::size_t changes = pick(3); changes > 0 && !words.empty(); --changes) {
      const std::size_t at = pick(words.size());
      const auto place = words.begin() + static_cast<std::ptrdiff_t>(at);
      switch (pick(4)) {
        case 0: words.erase(place); break;
        case 1: words.insert(place, std::string(kTokens[pick(std::size(kTokens))])); break;
        case 2: *place = kTokens[pick(std::size(kTokens))]; break;
        default: std::swap(*place, words[pick(words.size())]); break;
      }
    }
    return join(words, " ");
  }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  std::mt19937 random_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: shell_differential CASES [FILE] [SEED]\n");
    return 2;
  }
  std::vector<std::string> lines;
  if (count > 2) {
    std::ifstream file(arguments[2]);
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && !line.starts_with("# ")) lines.push_back(replace_all(line, "\\n", "\n"));
  }
  Generator generator(static_cast<unsigned>(count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 1));
  for (unsigned long i = std::strtoul(arguments[1], nullptr, 10); i > 0; --i)
    lines.push_back(generator.next());

  std::string place = (std::filesystem::temp_directory_path() / "helve-shell-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return 2;
  {
    std::ofstream input(place + "/input", std::ios::binary);
    for (const std::string& line : lines) input << line << '\0';
  }
  std::ofstream(place + "/script") << kScript;
  FILE* output = ::popen(concat("bash '", place, "/script' <'", place, "/input'").c_str(), "r");  // NOLINT
  unsigned long compared = 0;
  unsigned long accepted = 0;
  unsigned long doubted = 0;
  unsigned long differences = 0;
  char verdict[8];
  for (const std::string& line : lines) {
    if (output == nullptr || std::fgets(verdict, sizeof verdict, output) == nullptr) break;
    ++compared;
    const bool theirs = verdict[0] == '1';
    const shell::CommandLine parsed = shell::parse_command_line(line);
    const bool ours = parsed.unknown.empty();
    accepted += theirs ? 1 : 0;
    doubted += theirs && !ours ? 1 : 0;
    if (theirs && !ours && std::getenv("SHOW_DOUBTED") != nullptr)
      std::printf("doubted: %s  (%s)\n", to_text(Json(line)).c_str(), parsed.unknown.front().c_str());
    if (theirs || !ours || ++differences > 40) continue;
    std::printf("bash refuses: %s\n", to_text(Json(line)).c_str());
  }
  if (output != nullptr) ::pclose(output);
  std::filesystem::remove_all(place);
  std::printf(
      "%lu lines, bash accepts %lu, of which %lu are not understood; %lu are understood though bash "
      "refuses them\n",
      compared, accepted, doubted, differences);
  return differences == 0 && compared == lines.size() && accepted > doubted ? 0 : 1;
}
