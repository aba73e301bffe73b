#include "settings/named_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/shell_words.h"
#include "base/strings.h"

namespace helve::settings {
namespace {

constexpr std::size_t kMostBases = 32;
constexpr std::size_t kMostNamingWords = 20'000;
constexpr std::size_t kLongestWord = 4096;

constexpr auto kIndexFiles =
    std::to_array<std::string_view>({"index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py"});
constexpr auto kImpliedEndings = std::to_array<std::string_view>({".js", ".mjs", ".cjs", ".ts", ".json"});
constexpr auto kScriptEndings =
    std::to_array<std::string_view>({".sh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl"});
// Made by package managers and builds, which must stay able to make them.
constexpr auto kMadeDirectories = std::to_array<std::string_view>(
    {"node_modules/", "dist/", "build/", "out/", "target/", ".venv/", "venv/"});

// Programs that take what they run from a file of the current directory.
struct Runner {
  std::string_view program;
  std::string_view files;  // separated by blanks
};
constexpr auto kRunners = std::to_array<Runner>({{"make", "GNUmakefile makefile Makefile"},
                                                 {"gmake", "GNUmakefile makefile Makefile"},
                                                 {"just", "justfile Justfile .justfile"},
                                                 {"task", "Taskfile.yml Taskfile.yaml"},
                                                 {"deno", "deno.json deno.jsonc"},
                                                 {"rake", "Rakefile rakefile"}});
// Programs that find a file by the name of its directory, or without its ending.
constexpr auto kModuleRunners =
    std::to_array<std::string_view>({"node", "nodejs", "bun", "deno", "tsx", "ts-node", "python", "pypy"});
constexpr auto kPackageRunners = std::to_array<std::string_view>({"npm", "pnpm", "yarn", "bun"});

bool is_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Not lexically_normal(), because the component before a `..` can be a symlink.
std::string below(const std::string& base, std::string_view word) {
  if (word.starts_with("~/")) return concat(environment_variable("HOME"), word.substr(1));
  if (word.starts_with('/')) return std::string(word);
  while (word.starts_with("./")) word.remove_prefix(2);
  return concat(base, "/", word);
}

// The word, what follows a `=`, and the parts of a list of paths; without a variable in front: `$PWD/x`.
std::vector<std::string> readings(const std::string& word) {
  std::vector<std::string> found{word};
  const std::string_view value = std::string_view(word).substr(word.find('=') + 1);
  if (value.size() < word.size()) found.emplace_back(value);
  if (word.contains(':'))
    for (const std::string_view part : split(value, ':')) found.emplace_back(part);
  for (std::size_t i = 0, count = found.size(); i < count; ++i) {
    const std::string& text = found[i];
    const std::size_t slash = text.find('/');
    if (text.starts_with('$') && slash != std::string::npos) found.push_back(text.substr(slash + 1));
  }
  std::erase_if(found, [](const std::string& text) { return text.empty() || text.size() > kLongestWord; });
  return found;
}

class CommandFiles {
 public:
  explicit CommandFiles(const std::string& project) : project_(project), bases_{project} {}

  void add(const std::string& value) {
    const std::vector<std::string> words = shell_words(value);
    if (words.size() != 1 || words.front() != value) words_.push_back({value});
    for (const std::string& word : words) {
      if (words_.size() < kMostNamingWords) words_.push_back(readings(word));
      const std::string_view program = std::string_view(word).substr(word.rfind('/') + 1);
      const std::string_view plain = program.substr(0, program.find_last_not_of("0123456789.") + 1);
      if (std::ranges::find(kModuleRunners, plain) != kModuleRunners.end()) runs_modules_ = true;
    }
  }

  NamedFiles run() {
    // A directory can be below one that is found first.
    for (std::size_t i = 0; i < bases_.size(); ++i)
      for (const auto& word : words_)
        for (const std::string& reading : word) note_base(below(bases_[i], reading));
    for (std::size_t i = 0; i < words_.size(); ++i) look_for(words_[i], i == 0 ? std::string() : last_of(i));
    return {{existing_.begin(), existing_.end()}, {missing_.begin(), missing_.end()}};
  }

 private:
  [[nodiscard]] std::string last_of(std::size_t i) const {
    return words_[i - 1].empty() ? std::string() : words_[i - 1].front();
  }

  void note_base(const std::string& path) {
    if (bases_.size() >= kMostBases || !is_folder(path)) return;
    const auto real = real_path(path);
    if (real && is_within(*real, project_) && std::ranges::find(bases_, *real) == bases_.end())
      bases_.push_back(*real);
  }

  bool keep(const std::string& path) {
    if (!is_file(path)) return false;
    existing_.insert(path);
    return true;
  }

  void look_for(const std::vector<std::string>& readings, const std::string& before) {
    for (const std::string& word : readings) {
      bool found = false;
      for (const std::string& base : bases_) {
        found = look_at(below(base, word)) || found;
        if (before == "-m") look_for_module(base, word);
        if (word.starts_with("-m") && word.size() > 2) look_for_module(base, word.substr(2));
        look_for_runner(base, word);
      }
      // What is left of `${workspaceFolder}/x`.
      if (!found && word.starts_with('/')) found = look_at(concat(project_, word));
      if (!found && could_be_made(word)) missing_.insert(below(project_, word));
    }
  }

  bool look_at(const std::string& path) {
    if (keep(path)) return true;
    if (!runs_modules_) return is_folder(path);
    if (is_folder(path)) {
      for (const std::string_view name : kIndexFiles) keep(concat(path, "/", name));
      look_in_package(path);
      return true;
    }
    bool found = false;
    for (const std::string_view ending : kImpliedEndings) found = keep(concat(path, ending)) || found;
    return found;
  }

  void look_for_module(const std::string& base, const std::string& name) {
    std::string path = base;
    for (const std::string_view part : split(name, '.')) {
      path += concat("/", part);
      keep(concat(path, "/__init__.py"));
    }
    keep(concat(path, "/__main__.py"));
    keep(concat(path, ".py"));
  }

  void look_for_runner(const std::string& base, const std::string& word) {
    const std::string_view program = std::string_view(word).substr(word.rfind('/') + 1);
    if (std::ranges::find(kPackageRunners, program) != kPackageRunners.end()) look_in_package(base);
    for (const Runner& runner : kRunners)
      if (runner.program == program)
        for (const std::string_view file : split(runner.files, ' ')) keep(concat(base, "/", file));
  }

  void look_in_package(const std::string& folder) {
    const std::string file = concat(folder, "/package.json");
    if (!packages_.insert(folder).second || !keep(file)) return;
    const auto text = read_file(file);
    const auto json = text ? parse_json(*text) : fail(text.error());
    if (!json) return;
    std::vector<std::string> named{text_in(*json, "main")};
    for (const char* member : {"scripts", "bin"}) {
      if (const Json* all = object_in(*json, member))
        for (const auto& [name, value] : all->as_object())
          if (value.is_string()) named.push_back(value.as_string());
      named.push_back(text_in(*json, member));
    }
    for (const std::string& line : named)
      for (const std::string& word : shell_words(line)) look_at(below(folder, word));
  }

  // Whether the word is surely a file that the command runs.
  static bool could_be_made(std::string_view word) {
    if (word.find_first_of("*?[]{}$:@%\n") != std::string_view::npos || word.starts_with('-')) return false;
    const bool is_relative = word.starts_with("./");
    while (word.starts_with("./")) word.remove_prefix(2);
    if (word.empty() || word.starts_with('/') || word.starts_with('~')) return false;
    if (std::ranges::any_of(kMadeDirectories, [&](std::string_view made) { return word.starts_with(made); }))
      return false;
    return is_relative || (!word.contains(' ') && std::ranges::any_of(kScriptEndings, [&](auto ending) {
             return word.ends_with(ending);
           }));
  }

  const std::string& project_;
  std::vector<std::string> bases_;
  std::vector<std::vector<std::string>> words_;
  bool runs_modules_ = false;
  std::set<std::string> packages_;
  std::set<std::string> existing_;
  std::set<std::string> missing_;
};

bool is_path_character(char c) {
  return is_letter_or_digit(c) || std::string_view("_./+@-~,").contains(c) || (c & 0x80) != 0;
}

void add_utf8(std::string& out, unsigned code) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Four hexadecimal digits at `at`.
std::optional<unsigned> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  unsigned code = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
  return error == std::errc() && end == text.data() + at + 4 ? std::optional(code) : std::nullopt;
}

// Reads the escape behind a backslash at `i`, and moves `i` to its last character.
void add_escaped(std::string& out, std::string_view text, std::size_t& i) {
  constexpr std::string_view kLetters = "bfnrt";
  constexpr std::string_view kMeanings = "\b\f\n\r\t";
  if (const std::size_t which = kLetters.find(text[i]); which != std::string_view::npos) {
    out += kMeanings[which];
    return;
  }
  const auto code = text[i] == 'u' ? hex4(text, i + 1) : std::nullopt;
  if (!code) {
    out += text[i];
    return;
  }
  i += 4;
  unsigned whole = *code;
  const bool is_high = whole >= 0xD800 && whole < 0xDC00;
  if (is_high && text.substr(i + 1, 2) == "\\u")
    if (const auto low = hex4(text, i + 3); low && *low >= 0xDC00 && *low < 0xE000) {
      whole = 0x10000 + ((whole - 0xD800) << 10) + (*low - 0xDC00);
      i += 6;
    }
  add_utf8(out, whole);
}

}  // namespace

std::vector<std::string> quoted_strings(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < text.size() && found.size() < kMostNamingWords; ++i) {
    if (text[i] != '"') continue;
    std::string value;
    for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size())
        add_escaped(value, text, ++i);
      else
        value += text[i];
    }
    found.push_back(std::move(value));
  }
  return found;
}

NamedFiles files_of_command(const std::string& project, std::span<const std::string> values) {
  CommandFiles files(project);
  for (const std::string& value : values) files.add(value);
  return files.run();
}

std::vector<std::string> files_in_text(const std::string& project, std::string_view text) {
  std::set<std::string> words;
  for (std::string_view rest = text; !rest.empty() && words.size() < kMostNamingWords;) {
    const auto end = std::ranges::find_if_not(rest, is_path_character);
    const std::string_view word(rest.begin(), end);
    if (!word.empty()) words.emplace(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  for (const std::string& value : quoted_strings(text)) {
    if (words.size() >= kMostNamingWords) break;
    words.insert(value);
    for (const std::string& word : shell_words(value))
      for (std::string& reading : readings(word)) words.insert(std::move(reading));
  }
  std::vector<std::string> found;
  for (const std::string& word : words) {
    if (word.size() > kLongestWord) continue;
    if (std::string path = below(project, word); is_file(path)) found.push_back(std::move(path));
    if (!word.starts_with('/')) continue;
    if (std::string path = concat(project, word); is_file(path)) found.push_back(std::move(path));
  }
  return found;
}

}  // namespace helve::settings
