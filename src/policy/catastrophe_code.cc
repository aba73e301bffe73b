#include "policy/catastrophe_code.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/catastrophe_programs.h"

namespace helve::policy {
namespace {

struct Literal {
  std::string text;
  std::size_t begin;
  std::size_t end;
};

// Whether the text between two literals joins them to one text: "rm" " -rf", "rm" + " -rf".
bool joins_texts(std::string_view gap) {
  gap = trim(gap);
  return gap.empty() || gap == "+" || gap == ".";
}

// Whether it leaves them words of one command: "rm", ["-rf", "/"].
bool joins_words(std::string_view gap) {
  std::string plain = replace_all(gap, "args:", "");
  std::erase_if(plain, [](char c) { return std::string_view(" \t\n,[({").contains(c); });
  return plain.empty();
}

// qw(rm -rf /) and qw{…} of Perl.
void add_word_lists(std::string_view code, std::vector<std::string>& texts) {
  for (std::size_t at = code.find("qw"); at != code.npos; at = code.find("qw", at + 1)) {
    const std::size_t open = at + 2;
    if (open >= code.size() || is_word_character(code[open]) || (at > 0 && is_word_character(code[at - 1])))
      continue;
    const std::size_t kind = std::string_view("([{<").find(code[open]);
    const char close = kind == std::string_view::npos ? code[open] : ")]}>"[kind];
    const std::size_t end = code.find(close, open + 1);
    if (end != code.npos) texts.emplace_back(code.substr(open + 1, end - open - 1));
  }
}

std::vector<Literal> literals_of(std::string_view code) {
  std::vector<Literal> found;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char quote = code[i];
    if (quote != '"' && quote != '\'' && quote != '`') continue;
    std::string text;
    std::size_t end = i + 1;
    for (; end < code.size() && code[end] != quote; ++end) {
      if (code[end] == '\\' && end + 1 < code.size()) ++end;
      text += code[end];
    }
    if (end >= code.size()) break;
    if (!found.empty() && joins_texts(code.substr(found.back().end, i - found.back().end))) {
      found.back().text += text;
      found.back().end = end + 1;
    } else {
      found.push_back({.text = std::move(text), .begin = i, .end = end + 1});
    }
    i = end;
  }
  return found;
}

constexpr auto kDeleteCalls = std::to_array<std::string_view>(
    {"rmtree", "rm_rf", "rm_r", "rmSync", "fs.rm", "rmdirSync", "remove_tree", "remove_dir_all", "removeSync",
     "emptyDirSync", "rimraf", "RemoveAll", "deltree", "remove_entry_secure", "deleteDir", "rmdir_r",
     "remove_all", "trash("});
constexpr auto kHomes = std::to_array<std::string_view>(
    {"homedir()", "Path.home()", "Dir.home", "UserHomeDir()", "env.HOME", "environ[\"HOME\"]",
     "environ['HOME']", "ENV[\"HOME\"]", "ENV['HOME']", "$ENV{HOME}", "getenv(\"HOME\")", "getenv('HOME')"});
constexpr auto kHere =
    std::to_array<std::string_view>({"process.cwd()", "os.getcwd()", "Path.cwd()", "Dir.pwd", "getcwd()"});
constexpr auto kEndlessLoops =
    std::to_array<std::string_view>({"while fork", "while(fork", "loop{", "while 1", "while(1)", "while (1)",
                                     "while True", "while true", "while(true)", "while (true)", "for(;;)",
                                     "for (;;)", "loop do", "loop {", "until 0", "until false", "while:"});

constexpr auto kRunCalls = std::to_array<std::string_view>({"system", "popen", "exec", "spawn", "run", "call",
                                                            "check_output", "Popen", "shell", "passthru",
                                                            "qx", "%x", "Command", "sh(", "proc_open"});

bool starts_programs(std::string_view code) {
  return std::ranges::any_of(kRunCalls, [&](std::string_view call) { return code.contains(call); });
}

// Whether the code before a literal calls something that runs it.
bool runs_text(std::string_view before) {
  constexpr std::size_t kNear = 40;
  if (before.size() > kNear) before.remove_prefix(before.size() - kNear);
  if (const std::size_t start = before.find_last_of(";\n"); start != before.npos) before.remove_prefix(start);
  return starts_programs(before);
}

// The name that the code before a literal assigns it to.
std::string_view assigned_name(std::string_view before) {
  before = trim(before);
  if (!before.ends_with('=')) return {};
  before.remove_suffix(1);
  if (before.ends_with(':')) before.remove_suffix(1);
  before = trim(before);
  std::size_t begin = before.size();
  while (begin > 0 && is_word_character(before[begin - 1])) --begin;
  return before.substr(begin);
}

// awk: "cmd" | getline, print x | "cmd", print "cmd" | "sh"
bool is_piped(std::string_view code, const Literal& literal) {
  const std::string_view before = trim(code.substr(0, literal.begin));
  std::string_view after = trim(code.substr(literal.end));
  if (before.ends_with("|") || before.ends_with("|&")) return true;
  if (!after.starts_with('|')) return false;
  after.remove_prefix(after.starts_with("|&") ? 2 : 1);
  after = trim(after);
  return after.starts_with("getline") || after.starts_with("\"sh\"") || after.starts_with("\"bash\"") ||
         after.starts_with("\"sh -\"");
}

// c = "rm -rf /"; system(c)
bool is_run_by_name(std::string_view code, const Literal& literal) {
  const std::string_view name = assigned_name(code.substr(0, literal.begin));
  if (name.empty()) return false;
  for (std::size_t at = code.find(name, literal.end); at != code.npos; at = code.find(name, at + 1)) {
    const bool whole = !is_word_character(code[at - 1]) &&
                       (at + name.size() >= code.size() || !is_word_character(code[at + name.size()]));
    if (whole && runs_text(code.substr(0, at))) return true;
  }
  return false;
}

// The paths that an argument names: a literal, the home directory, the current one.
std::vector<std::string> paths_in(std::string_view argument, const std::vector<Literal>& literals,
                                  std::size_t offset, const LineValues& values) {
  std::vector<std::string> found;
  for (const std::string_view home : kHomes)
    if (argument.contains(home)) {
      for (std::string& field : values.expand({.text = "~", .literal = false}))
        found.push_back(std::move(field));
      return found;
    }
  for (const std::string_view here : kHere)
    if (argument.contains(here)) return {"."};
  for (const Literal& literal : literals) {
    if (literal.begin < offset || literal.begin >= offset + argument.size()) continue;
    const bool expands = literal.text.starts_with('~') || literal.text.starts_with("$HOME");
    if (expands) return values.expand({.text = literal.text, .literal = false});
    return {escape_pattern(literal.text)};
  }
  return found;
}

}  // namespace

CodeReview review_code(std::string_view code, const LineValues& values, const CatastrophePlaces& places) {
  CodeReview review;
  const std::vector<Literal> literals = literals_of(code);
  for (const std::string_view call : kDeleteCalls) {
    for (std::size_t at = code.find(call); at != code.npos; at = code.find(call, at + 1)) {
      const std::size_t begin = at + call.size();
      constexpr std::size_t kArgument = 60;
      std::string_view argument = code.substr(begin, kArgument);
      argument = argument.substr(0, argument.find_first_of(";\n"));
      if (argument.find_first_not_of(" \t") == argument.npos || is_word_character(argument[0])) continue;
      std::vector<std::string> paths = paths_in(argument, literals, begin, values);
      // p = "/"; rmtree(p)
      for (const Literal& literal : literals)
        if (const std::string_view name = assigned_name(code.substr(0, literal.begin));
            !name.empty() &&
            (argument.starts_with(concat("(", name, ")")) || argument.starts_with(concat("(", name, ","))))
          paths.push_back(escape_pattern(literal.text));
      for (const std::string& path : paths)
        if (places.extent_of(path) != Extent::kOrdinary)
          review.disaster = concat("delete everything in ", unescaped(path));
    }
  }
  Fields words;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    const Literal& literal = literals[i];
    const std::string_view gap =
        i == 0 ? code.substr(0, 0) : code.substr(literals[i - 1].end, literal.begin - literals[i - 1].end);
    if (!joins_words(gap)) words.clear();
    words.push_back(escape_pattern(literal.text));
    if (!words.empty() && starts_programs(code)) {
      Fields whole = words;
      // ["-rf", process.cwd()]
      const std::string_view after =
          code.substr(literal.end, code.find_first_of("];\n", literal.end) - literal.end);
      for (std::string& path : paths_in(after, {}, 0, values)) whole.push_back(std::move(path));
      if (whole.size() > 1)
        if (auto what = judge_program(whole, places)) review.disaster = std::move(what);
    }
    const bool command = literal.text.contains(' ') &&
                         (code[literal.begin] == '`' || runs_text(code.substr(0, literal.begin)) ||
                          is_piped(code, literal) || is_run_by_name(code, literal));
    if (command) review.texts.push_back(literal.text);
    std::string_view opened = literal.text;
    const bool perl_write = opened.starts_with('>');
    while (!opened.empty() && std::string_view("> +").contains(opened[0])) opened.remove_prefix(1);
    const bool writes = perl_write ||
                        (i + 1 < literals.size() && !literals[i + 1].text.empty() &&
                         (std::string_view("wa>").contains(literals[i + 1].text[0]) ||
                          literals[i + 1].text.starts_with("r+"))) ||
                        code.substr(0, literal.begin).ends_with("writeFileSync(") ||
                        trim(code.substr(0, literal.begin)).ends_with('>') ||  // awk: print > "file"
                        (i > 0 && literals[i - 1].text.starts_with('>'));
    if (writes && opened.starts_with('/'))
      if (auto what = judge_written_file(escape_pattern(opened), places)) review.disaster = std::move(what);
  }
  const bool loops =
      std::ranges::any_of(kEndlessLoops, [&](std::string_view loop) { return code.contains(loop); });
  if (starts_programs(code)) add_word_lists(code, review.texts);
  const std::size_t fork = code.find("fork");
  const bool forks = fork != code.npos && (fork == 0 || !is_word_character(code[fork - 1]) ||
                                           code.contains("pcntl_fork") || code.contains("vfork"));
  const bool starts =
      code.contains("spawn(") || code.contains("Process(") || code.contains("Popen(") ||
      std::ranges::any_of(literals, [](const Literal& literal) { return trim(literal.text).ends_with('&'); });
  if (loops && (forks || starts) && !code.contains("wait") && !code.contains("sleep(") &&
      !code.contains("join("))
    review.disaster = "start processes without end";
  return review;
}

}  // namespace helve::policy
