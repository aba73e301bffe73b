#include "cli/shell_spellings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "cli/flags.h"

namespace helve::cli {
namespace {

using Strings = std::vector<std::string>;

// How a flag is written as flags of the tool. In `own`, `%` stands for its value.
struct Spelling {
  std::string_view flags;
  std::string_view own;  // empty: the tool always does this
  bool has_value = false;
};

constexpr auto kGrep = std::to_array<Spelling>({
    {"-n --line-number -N --no-line-number -H --with-filename -r --recursive -E --extended-regexp -P "
     "--perl-regexp -G --basic-regexp -I -s --no-messages --heading --no-heading --color --colour --column "
     "--no-filename",
     ""},
    {"-j --threads", "", true},
    {"-i --ignore-case -y", "--no-case-sensitive"},
    {"-R --dereference-recursive", "--follow"},
    {"-A --after-context", "--lines-after %", true},
    {"-B --before-context", "--lines-before %", true},
    {"-C --context", "--context-lines %", true},
    {"-S --smart-case", "smart"},
    {"-F --fixed-strings", "--literal"},
    {"-w --word-regexp", "--whole word"},
    {"-x --line-regexp", "--whole line"},
    {"-v --invert-match", "--invert"},
    {"-l --files-with-matches -c --count", "--output files"},
    {"-L --files-without-match --files-without-matches", "--output files-without"},
    {"--sortr", "newest %", true},
    {"-m --max-count", "--max-per-file %", true},
    {"-t --type", "--type %", true},
    {"-T --type-not", "--type !%", true},
    {"-g --glob --include", "--file-pattern %", true},
    {"--exclude", "--file-pattern !%", true},
    {"--exclude-dir", "--file-pattern !%/", true},
    {"-e --regexp", "--pattern %", true},
    {"-U", "--multiline"},
    {"-u --no-ignore", "--ignored"},
    {"-.", "--hidden"},
});

constexpr auto kLs = std::to_array<Spelling>({
    {"-l -a -A --all --almost-all --long -1 -F -p --human-readable --color", ""},
    {"-R --recursive --tree", "--depth 20"},
});

constexpr auto kRead = std::to_array<Spelling>({
    {"-n --lines --line --range --head", "lines %", true},
    {"--tail", "--offset -%", true},
    {"--start --from --start-line", "--offset %", true},
});

constexpr auto kFind = std::to_array<Spelling>({
    {"-name --name", "--pattern %", true},
    {"-iname", "--pattern % --no-case-sensitive", true},
    {"-path -wholename", "path %", true},
    {"-type --type -t", "type %", true},
    {"-maxdepth --max-depth -d", "depth %", true},
    {"-e --extension", "--pattern *.%", true},
    {"-E", "--exclude %", true},
    {"-not !", "not"},
    {"-o -or -a -and -g --glob", ""},
    {"-print", "print"},
    {"-H", "--hidden"},
    {"-I --no-ignore", "--ignored"},
    {"-i --ignore-case", "--no-case-sensitive"},
});

std::span<const Spelling> spellings_of(std::string_view tool) {
  if (tool == "grep") return kGrep;
  if (tool == "ls") return kLs;
  if (tool == "read") return kRead;
  if (tool == "find") return kFind;
  return {};
}

const Spelling* find_spelling(std::span<const Spelling> spellings, std::string_view flag) {
  const auto found = std::ranges::find_if(spellings, [&](const Spelling& spelling) {
    return concat(" ", spelling.flags, " ").contains(concat(" ", flag, " "));
  });
  return found == spellings.end() ? nullptr : &*found;
}

// `*/src/*` of find, whose stars match slashes.
std::string as_deep_glob(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  std::vector<std::string> components;
  for (const std::string_view component : split(path, '/'))
    components.emplace_back(component == "*" ? "**" : component);
  return join(components, "/");
}

bool is_number(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

class Speller {
 public:
  Speller(std::string_view tool, const ParamType& params, const ParamType& globals)
      : tool_(tool), params_(params), globals_(globals), spellings_(spellings_of(tool)) {}

  Spelled spell(std::span<const std::string> words) {
    rest_ = words;
    bool ended = false;
    while (!rest_.empty()) {
      const std::string& word = take();
      const bool is_flag = word.size() > 1 && word.starts_with('-');
      if (!ended && word == "--")
        ended = true;
      else if (ended || (!is_flag && (word != "!" || tool_ != "find")))
        positionals_.push_back(word);
      else if (!read_flag(word))
        return tool_ == "find" ? Spelled{.words = {word}} : Spelled{.words = {words.begin(), words.end()}};
    }
    return finish();
  }

 private:
  const std::string& take() {
    const std::string& word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }

  // Returns false for an unknown flag.
  bool read_flag(const std::string& word) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    if (const Spelling* spelling = find_spelling(spellings_, name)) return use(*spelling, std::move(value));
    if (const Param* own = find_own(name)) {
      flags_.push_back(word);
      if (!value && own->type.kind != ParamType::Kind::kBoolean && !rest_.empty()) flags_.push_back(take());
      return true;
    }
    if (tool_ == "grep" && word == "-h" && !rest_.empty()) return true;  // without file names
    if (tool_ == "grep" && is_number(std::string_view(word).substr(1))) {
      flags_.insert(flags_.end(), {"--context-lines", word.substr(1)});
      return true;
    }
    if (word == "-h" || word == "-q" || word == "-v" || word == "--help" || word.starts_with("--no-")) {
      flags_.push_back(word);
      return true;
    }
    if (tool_ == "read" && is_number(std::string_view(word).substr(1)))
      return read_lines(std::string_view(word).substr(1));
    return !word.starts_with("--") && read_letters(word);
  }

  [[nodiscard]] const Param* find_own(std::string_view name) const {
    const Param* own = find_flag(params_, name);
    return own != nullptr ? own : find_flag(globals_, name);
  }

  // `-rni`, `-la`, `-C3`: letters, of which the last may have a value.
  bool read_letters(const std::string& word) {
    // Most long words are tests and actions of find: `-empty` is not `-e mpty`.
    const bool attached_number = word.starts_with("-d") && is_number(std::string_view(word).substr(2));
    const bool attached_type = word.size() == 3 && word.starts_with("-t");
    const bool only_letters = word.find_first_not_of("-HIEi") == std::string::npos;
    if (tool_ == "find" && word.size() > 2 && !attached_number && !attached_type && !only_letters)
      return false;
    for (std::size_t i = 1; i < word.size(); ++i) {
      if (word[i] == 'h' && (tool_ == "grep" || tool_ == "ls")) continue;
      const char flag[] = {'-', word[i]};
      const Spelling* spelling = find_spelling(spellings_, std::string_view(flag, 2));
      if (spelling == nullptr) return false;
      const std::string attached = word.substr(i + 1);
      if (spelling->has_value)
        return use(*spelling, attached.empty() ? std::nullopt : std::optional(attached));
      if (!use(*spelling, std::nullopt)) return false;
    }
    return true;
  }

  bool use(const Spelling& spelling, std::optional<std::string> value) {
    if (spelling.has_value && !value) {
      // `cat -n` numbers lines, and `head -n 20` limits them.
      const bool counts = !rest_.empty() && rest_.front().find_first_of("0123456789+") == 0;
      if (tool_ == "read" && spelling.flags.starts_with("-n ") && !counts) return true;
      if (rest_.empty()) return false;
      value = take();
    }
    if (spelling.own == "lines %") return read_lines(*value);
    if (spelling.own == "type %") return read_type(*value);
    if (spelling.own == "newest %") {
      flags_.insert(flags_.end(), {"--sort", "newest"});
      return *value == "modified";
    }
    if (spelling.own == "depth %") return read_depth(*value);
    if (spelling.own == "path %") return take_pattern(as_deep_glob(*value));
    if (spelling.own == "not") return excludes_next_ = true;
    if (spelling.own == "smart") return smart_case_ = true;
    if (spelling.own == "print") return has_find_flags_ = true;
    if (spelling.own == "--ignored" && std::ranges::find(flags_, "--ignored") != flags_.end())
      flags_.emplace_back("--hidden");  // -uu
    std::string_view own = spelling.own;
    if (own.starts_with("--pattern ")) {
      take_pattern(replace_all(own.substr(own.find(' ') + 1, own.find(' ', 10) - 10), "%", *value));
      own.remove_prefix(std::min(own.find(' ', 10), own.size()));
    }
    for (const std::string_view word : split(own, ' '))
      if (!word.empty()) flags_.push_back(value ? replace_all(word, "%", *value) : std::string(word));
    return true;
  }

  // A pattern may be given several times, and find has the path first.
  bool take_pattern(std::string pattern) {
    (std::exchange(excludes_next_, false) ? excluded_ : patterns_).push_back(std::move(pattern));
    return true;
  }

  // `20`, `+5`, `3-5`, `3:5`, `3,5`
  bool read_lines(std::string_view text) {
    if (text.starts_with('+')) {
      flags_.insert(flags_.end(), {"--offset", std::string(text.substr(1))});
      return true;
    }
    const std::size_t sign = text.find_first_of("-:,");
    if (sign == std::string_view::npos) {
      flags_.insert(flags_.end(), {"--limit", std::string(text)});
      return true;
    }
    const auto first = to_number<int>(text.substr(0, sign));
    const auto last = to_number<int>(text.substr(sign + 1));
    if (!first || !last || *last < *first) return false;
    flags_.insert(flags_.end(), {"--offset", concat(*first), "--limit", concat(*last - *first + 1)});
    return true;
  }

  bool read_type(const std::string& type) {
    const bool known = type == "f" || type == "d" || type == "l";
    flags_.insert(flags_.end(), {"--type", type == "f"   ? "file"
                                           : type == "d" ? "directory"
                                           : type == "l" ? "link"
                                                         : type});
    has_find_flags_ = has_find_flags_ || known;
    return true;
  }

  bool read_depth(const std::string& text) {
    constexpr int kDeepest = 20;
    const auto depth = to_number<int>(text);
    if (!depth || *depth < 1 || *depth > kDeepest) return false;
    depth_ = *depth;
    has_find_flags_ = true;
    return true;
  }

  // A glob that matches only down to the given depth: {/x,/*/x}.
  [[nodiscard]] std::string down_to_depth(const std::string& pattern) const {
    if (depth_ == 0 || pattern.contains('/')) return pattern;
    std::vector<std::string> levels;
    std::string above = "/";
    for (int level = 0; level < depth_; ++level, above += "*/") levels.push_back(concat(above, pattern));
    return join(levels, ",");
  }

  Spelled finish() {
    Spelled spelled{.words = std::move(flags_)};
    const auto add = [&](std::string_view flag, const std::string& value) {
      spelled.words.insert(spelled.words.end(), {std::string(flag), value});
    };
    const bool own_pattern = std::ranges::find(spelled.words, "--pattern") != spelled.words.end();
    std::size_t first_path = tool_ == "grep" || tool_ == "find" ? 1 : 0;
    const bool is_place =
        tool_ == "find" && positionals_.size() == 1 &&
        (positionals_[0] == "." || positionals_[0] == ".." || positionals_[0].ends_with('/'));
    if (!patterns_.empty() || !excluded_.empty() || own_pattern || has_find_flags_ || is_place) {
      // `find src -type f` has a path only.
      const bool has_glob = tool_ == "find" && patterns_.empty() && !own_pattern && positionals_.size() > 0 &&
                            positionals_.front().find_first_of("*?[{") != std::string::npos;
      if (!has_glob) first_path = 0;
      if (patterns_.empty() && !own_pattern && !has_glob) patterns_.emplace_back("*");
    }
    if (tool_ == "find") {
      if (first_path == 1 && !positionals_.empty()) positionals_[0] = down_to_depth(positionals_[0]);
      for (std::string& pattern : patterns_) pattern = down_to_depth(pattern);
      if (!patterns_.empty()) add("--pattern", join(patterns_, ","));
      if (!excluded_.empty()) add("--exclude", join(excluded_, ","));
    } else if (patterns_.size() == 1) {
      add("--pattern", patterns_.front());
    } else if (patterns_.size() > 1) {
      for (std::string& pattern : patterns_) pattern = concat("(?:", pattern, ")");
      add("--pattern", join(patterns_, "|"));
    }
    const std::string searched = !patterns_.empty()      ? patterns_.front()
                                 : !positionals_.empty() ? positionals_.front()
                                                         : std::string();
    if (smart_case_ && to_lower(searched) == searched) spelled.words.emplace_back("--no-case-sensitive");
    join_repeated(spelled.words, "--file-pattern");
    if (tool_ == "grep") join_repeated(spelled.words, "--type");
    if (std::ranges::any_of(positionals_, [](const std::string& word) { return word.starts_with('-'); }))
      spelled.words.emplace_back("--");
    for (std::size_t i = 0; i < positionals_.size(); ++i)
      (i <= first_path ? spelled.words : spelled.more_paths).push_back(positionals_[i]);
    return spelled;
  }

  // `-g a -g b` is one list.
  static void join_repeated(Strings& words, std::string_view flag) {
    const auto first = std::ranges::find(words, flag);
    if (first == words.end() || first + 1 == words.end()) return;
    for (auto next = std::find(first + 2, words.end(), flag); next != words.end() && next + 1 != words.end();
         next = std::find(next, words.end(), flag)) {
      first[1] += concat(",", next[1]);
      next = words.erase(next, next + 2);
    }
  }

  std::string_view tool_;
  const ParamType& params_;
  const ParamType& globals_;
  std::span<const Spelling> spellings_;
  std::span<const std::string> rest_;
  Strings flags_;
  Strings positionals_;
  Strings patterns_;
  Strings excluded_;
  bool excludes_next_ = false;
  bool has_find_flags_ = false;
  bool smart_case_ = false;
  int depth_ = 0;
};

// Quotes a word of a command only if the shell would change it.
std::string as_word(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return is_letter_or_digit(c) || std::string_view("_-+=./:,@%").contains(c);
  });
  return plain ? word : shell_quoted(word);
}

// `helve exec -- ls -la`: the words after `--` are the program and its arguments.
Spelled spell_exec(std::span<const std::string> words) {
  const auto end = std::ranges::find(words, "--");
  Spelled spelled{.words = {words.begin(), end}};
  if (end == words.end()) return spelled;
  const std::span<const std::string> command(end + 1, words.end());
  Strings quoted;
  for (const std::string& word : command) quoted.push_back(command.size() == 1 ? word : as_word(word));
  spelled.words.emplace_back("--");
  if (!command.empty()) spelled.words.push_back(join(quoted, " "));
  return spelled;
}

}  // namespace

Spelled from_shell_spelling(std::string_view tool, const ParamType& params, const ParamType& globals,
                            std::span<const std::string> words) {
  if (tool == "exec") return spell_exec(words);
  if (spellings_of(tool).empty()) return {.words = {words.begin(), words.end()}};
  return Speller(tool, params, globals).spell(words);
}

}  // namespace helve::cli
