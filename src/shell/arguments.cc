#include "shell/arguments.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "shell/analysis.h"
#include "shell/names.h"
#include "shell/options.h"
#include "shell/runners.h"

namespace helve::shell {
namespace {

// Long options that mean the same everywhere.
constexpr std::string_view kCommonFlags =
    "--help --version --verbose --quiet --silent --dry-run --json --color";
constexpr std::string_view kCommonValues = "true false yes no on off auto always never none";
// Programs of which effects.cc knows every option that runs code or writes files.
constexpr std::string_view kComplete =
    "find fd fdfind rg ag ack bat batcat less more most fzf tee sponge dd gdb lldb expect socat m4 dc ed "
    "sqlite3 psql mysql "
    "mariadb ftp telnet ldd git sed gsed awk gawk mawk nawk uniq";
// Parts of the name of an option that may run code even without a value.
constexpr std::string_view kTellingNames = "exec shell eval plugin hook script command unsafe trust load run";
// The next word after one of these is a program or code.
constexpr std::string_view kCodeWords =
    "exec run eval shell dlx source sh bash zsh dash fish python python3 perl ruby node php lua sudo doas "
    "env xargs rm "
    "curl wget dd nc ssh";
// Of files that hold data or text and that programs do not run, load or take as settings. Any other ending
// may be one of code.
constexpr std::string_view kDataEndings =
    "txt text md markdown rst adoc log csv tsv dat data json jsonl ndjson xml html htm xhtml css scss less "
    "sass "
    "svg png jpg jpeg gif webp ico bmp tif tiff pdf mp3 mp4 wav ogg flac webm mov avi ttf otf woff woff2 "
    "diff patch lock sum proto graphql avsc parquet po pot srt bib zip tar gz tgz bz2 xz zst 7z "
    "bak old orig tmp out err expected snap golden key pem crt c cc cpp cxx h hh hpp hxx";
// Files of these names are scripts or settings.
constexpr std::string_view kCodeNames =
    "configure gradlew mvnw makefile gnumakefile dockerfile containerfile rakefile gemfile jenkinsfile "
    "justfile "
    "vagrantfile procfile brewfile podfile fastfile tiltfile snakefile sconstruct sconscript "
    "earthfile cakefile guardfile package.json composer.json tsconfig.json deno.json";
constexpr std::string_view kBuildEndings =
    "o a so obj out exe d s i ii wasm class log prof pprof cov lcov info png svg pdf";
constexpr std::string_view kReportEndings = "xml html json";
constexpr auto kReportNames = std::to_array<std::string_view>({"junit", "report", "result", "coverage"});

bool is_numeric(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '.'; });
}

bool has_only(std::string_view text, std::string_view more) {
  return !text.empty() &&
         std::ranges::all_of(text, [&](char c) { return is_letter_or_digit(c) || more.contains(c); });
}

std::string_view ending_of(std::string_view path) {
  const std::string_view name = program_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1);
}

bool is_inside(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.starts_with('~')) return false;
  const auto components = split(path, '/');
  return std::ranges::none_of(components, [](std::string_view component) { return component == ".."; });
}

// A file that a compiler or a test runner makes: never a hidden file, a script or a configuration.
bool is_build_output(std::string_view path) {
  if (path == "/dev/null" || path == "-") return true;
  if (!is_inside(path)) return false;
  const auto components = split(path, '/');
  for (const std::string_view component : components)
    if (component.size() > 1 && component.starts_with('.')) return false;
  const std::string_view name = program_name(path);
  const std::string_view ending = ending_of(path);
  if (ending.empty())
    return is_lower(name.empty() ? 'A' : name[0]) && !lists("configure makefile gradlew mvnw justfile", name);
  const auto tells = [&](std::string_view part) { return name.contains(part); };
  return lists(kBuildEndings, ending) ||
         (lists(kReportEndings, ending) && std::ranges::any_of(kReportNames, tells));
}

bool fits_choice(std::string_view choice, std::string_view text) {
  const std::size_t star = choice.find('*');
  if (star == std::string_view::npos) return choice == text;
  return text.size() + 1 >= choice.size() && text.starts_with(choice.substr(0, star)) &&
         text.ends_with(choice.substr(star + 1)) && !text.substr(star).contains('/');
}

// For go: -s -w -X name=value, and nothing that names a linker.
bool is_plain_linking(std::string_view flags) {
  const auto words = split(flags, ' ');
  return std::ranges::all_of(words, [](std::string_view word) {
    return word.empty() || word == "-s" || word == "-w" || word == "-X" ||
           (!word.starts_with('-') && word.contains('='));
  });
}

// An option of a row.
struct ListedOption {
  enum class Value { kNone, kNext, kAttached, kRest };
  std::string_view name = {};
  Value value = Value::kNone;
  std::string_view kind = {};
};

ListedOption listed(std::string_view token) {
  using Value = ListedOption::Value;
  const std::size_t mark = token.find_first_of("=?*");
  if (mark == std::string_view::npos) return {.name = token};
  const Value value = token[mark] == '='   ? Value::kNext
                      : token[mark] == '?' ? Value::kAttached
                                           : Value::kRest;
  return {.name = token.substr(0, mark), .value = value, .kind = token.substr(mark + 1)};
}

// Checks the arguments of one command against one row.
class RowReader {
 public:
  RowReader(const ArgumentRow& row, std::span<const Word> words, std::size_t covered)
      : row_(row), words_(words), covered_(covered) {
    for (const std::string_view token : split(row.options, ' '))
      if (!token.empty()) options_.push_back(listed(token));
  }

  // The first word that the row does not list, or null. `rest` is where the words after `--` begin.
  const Word* find_unlisted(std::size_t& rest) {
    std::size_t operands = 0;
    for (std::size_t i = 1; i < words_.size();) {
      const Word& word = words_[i];
      if (word.literal && word.text == "--") {
        rest = i + 1;
        if (!row_.rest.empty()) return nullptr;
        // Some programs look for options behind it, too.
        for (++i; i < words_.size(); ++i)
          if (i >= covered_ && (may_be_option(words_[i]) || !is_listed_operand(words_[i], operands++)))
            return &words_[i];
        return nullptr;
      }
      if (i == 1 && is_bundle(word)) {
        const std::size_t taken = letters_taken(concat("-", word.text), i);
        if (taken == 0 && i >= covered_) return &word;
        i += std::max<std::size_t>(taken, 1);
        continue;
      }
      const bool option =
          word.literal ? word.text.size() > 1 && word.text.starts_with('-') : may_be_option(word);
      if (!option) {
        if (i >= covered_ && !is_listed_operand(word, operands)) return &word;
        ++operands;
        if (row_.script) return nullptr;
        ++i;
        continue;
      }
      const std::size_t taken = word.literal ? words_taken(i) : 0;
      if (taken == 0 && i >= covered_) return &word;
      i += std::max<std::size_t>(taken, 1);
    }
    return nullptr;
  }

 private:
  // tar xzf: letters without a dash.
  [[nodiscard]] bool is_bundle(const Word& word) const {
    return lists(row_.programs, "tar") && word.literal && !word.text.empty() && !word.text.starts_with('-');
  }

  [[nodiscard]] bool is_listed_operand(const Word& word, std::size_t before) const {
    if (before == 0 && !row_.subcommands.empty()) return word.literal && lists(row_.subcommands, word.text);
    const std::size_t own = before - (row_.subcommands.empty() ? 0 : 1);
    if (own >= row_.most_operands) return false;
    // Many programs read options from @file; packages have names such as @types/node.
    if (word.text.starts_with('@') && row_.operands != "^" && !lists(row_.programs, "npm")) return false;
    return row_.operands.empty() || (word.literal && detail::fits_kind(row_.operands, word.text));
  }

  // How many words the option at `i` takes; 0 if it is not listed.
  [[nodiscard]] std::size_t words_taken(std::size_t i) const {
    const std::string_view text = words_[i].text;
    if (is_numeric(text)) return 1;
    if (lists(kCommonFlags, text) || text.starts_with("--color=")) return 1;
    if (row_.single_dash && text.starts_with("--")) {
      if (const std::size_t taken = long_taken(text.substr(1), i)) return taken;
    }
    if (const std::size_t taken = long_taken(text, i)) return taken;
    return row_.single_dash || text.starts_with("--") ? 0 : letters_taken(text, i);
  }

  [[nodiscard]] bool fits_next(std::string_view kind, std::size_t i) const {
    if (i + 1 >= words_.size()) return true;
    const Word& next = words_[i + 1];
    if (!next.literal) return kind.empty() && is_one_word(next);
    // Some parsers take it as the next option.
    if (next.text.size() > 1 && next.text.starts_with('-') && !is_numeric(next.text) && kind != "link")
      return false;
    return detail::fits_kind(kind, next.text);
  }

  [[nodiscard]] std::size_t long_taken(std::string_view text, std::size_t i) const {
    using Value = ListedOption::Value;
    const bool is_long = text.starts_with("--") || row_.single_dash;
    for (const ListedOption& option : options_) {
      if (!text.starts_with(option.name)) continue;
      const std::string_view after = text.substr(option.name.size());
      switch (option.value) {
        case Value::kNone:
          if (after.empty() || (after.starts_with('=') && lists(kCommonValues, after.substr(1)))) return 1;
          break;
        case Value::kAttached:
          if (after.empty()) return 1;
          if (after.starts_with('=') && detail::fits_kind(option.kind, after.substr(1))) return 1;
          break;
        case Value::kNext:
          if (after.empty() && fits_next(option.kind, i)) return 2;
          if (is_long && after.starts_with('=') && detail::fits_kind(option.kind, after.substr(1))) return 1;
          // -DNAME, -Idir
          if (row_.single_dash && option.name.size() == 2 && is_upper(option.name[1]) && !after.empty() &&
              detail::fits_kind(option.kind, after))
            return 1;
          break;
        case Value::kRest:
          if (detail::fits_kind(option.kind, after) || after.empty()) return 1;
          break;
      }
    }
    return 0;
  }

  [[nodiscard]] std::size_t letters_taken(std::string_view text, std::size_t i) const {
    using Value = ListedOption::Value;
    for (std::size_t at = 1; at < text.size(); ++at) {
      const std::array<char, 2> name = {'-', text[at]};
      const auto option = std::ranges::find(options_, std::string_view(name.data(), 2), &ListedOption::name);
      if (option == options_.end()) return 0;
      if (option->value == Value::kNone) continue;
      std::string_view value = text.substr(at + 1);
      if (value.empty() && option->value == Value::kNext) return fits_next(option->kind, i) ? 2 : 0;
      if (value.starts_with('=')) value.remove_prefix(1);
      return value.empty() || detail::fits_kind(option->kind, value) ? 1 : 0;
    }
    return 1;
  }

  const ArgumentRow& row_;
  std::span<const Word> words_;
  std::size_t covered_;
  std::vector<ListedOption> options_ = {};
};

std::string_view family_of(std::string_view program) {
  if (program.starts_with("python")) return "python";
  if (program.starts_with("pypy")) return "python";
  if (program.starts_with("perl5")) return "perl";
  const std::size_t dash = program.rfind('-');  // clang-17, gcc-12
  if (dash != std::string_view::npos && dash + 1 < program.size() &&
      std::ranges::all_of(program.substr(dash + 1), [](char c) { return is_digit(c) || c == '.'; }))
    return program.substr(0, dash);
  return program;
}

const ArgumentRow* row_of(std::string_view program, std::string_view first) {
  const ArgumentRow* found = nullptr;
  for (const auto rows :
       {detail::file_arguments(), detail::build_arguments(), detail::language_arguments()}) {
    for (const ArgumentRow& row : rows) {
      if (!lists(row.programs, program)) continue;
      if (row.only.empty() ? found == nullptr : lists(row.only, first)) found = &row;
      if (!row.only.empty() && found == &row) return found;
    }
  }
  return found;
}

// Whether nothing after the option can be its value.
bool stands_alone(std::span<const Word> words, std::size_t i) {
  if (i + 1 >= words.size()) return true;
  const Word& next = words[i + 1];
  return next.literal && (next.text.starts_with('-') || is_numeric(next.text));
}

bool is_plain_option(std::span<const Word> words, std::size_t i) {
  const std::string_view text = words[i].text;
  if (is_numeric(text)) return true;
  const std::size_t equals = text.find('=');
  if (text.starts_with("--")) {
    const std::string_view name = text.substr(0, equals);
    const auto parts = split(kTellingNames, ' ');
    if (std::ranges::any_of(parts, [&](std::string_view part) { return name.contains(part); }) &&
        !lists(kCommonFlags, name))
      return false;
    if (equals != std::string_view::npos) {
      const std::string_view value = text.substr(equals + 1);
      return is_numeric(value) || lists(kCommonValues, value);
    }
    return lists(kCommonFlags, text) || name.starts_with("--no-") || stands_alone(words, i);
  }
  if (text.size() > 2) return is_numeric(text.substr(2));
  return stands_alone(words, i);
}

bool is_data_file(std::string_view path) {
  const std::string_view ending = ending_of(path);
  const bool number = std::ranges::all_of(ending, is_digit);  // v1.2
  return (number || lists(kDataEndings, ending)) && !lists(kCodeNames, to_lower(program_name(path)));
}

// Without an ending, a name with a directory can be a program: ./run, /tmp/run, .cache/run. Elsewhere in the
// workspace it is mostly a directory.
bool names_program_file(std::string_view path) {
  const auto components = split(path, '/');
  const bool hidden = std::ranges::any_of(components, [](std::string_view component) {
    return (component.starts_with('.') && component.find_first_not_of('.') != component.npos) ||
           component == "node_modules";
  });
  const bool named_here = path.starts_with("./") && !path.substr(2).contains('/') && path.size() > 2;
  return hidden || named_here || (path.contains('/') && path != "." && !is_inside(path) && path != "/");
}

// A word that is data and not code: no program, no script, no assignment, no text with blanks.
bool is_plain_operand(std::span<const Word> words, std::size_t i) {
  const Word& word = words[i];
  const std::string_view text = word.text;
  if (text.ends_with('.') && text.find_first_not_of("./") != text.npos) return false;
  if (!ending_of(text).empty() && !is_data_file(text)) return false;
  if (!word.literal) return !text.starts_with("~/") || !ending_of(text).empty();  // the caller checks others
  const bool last = i + 1 >= words.size();
  if (lists(kCodeWords, text) && (!last || text.ends_with("sh"))) return false;
  if (text.empty() || text[0] == '@' || text[0] == '+') return false;
  if (text.contains("://")) return false;
  if (lists(kCodeNames, to_lower(program_name(text)))) return false;
  if (ending_of(text).empty() && names_program_file(text)) return false;
  if (text.contains("bin/")) return false;
  return std::ranges::all_of(text, [](char c) {
    return is_letter_or_digit(c) || std::string_view("._/-+:,@^~%").contains(c) ||
           static_cast<unsigned char>(c) > 0x7F;
  });
}

std::optional<std::string> undescribed_argument(std::string_view program, std::span<const Word> words,
                                                std::size_t covered) {
  bool options = true;
  for (std::size_t i = std::max<std::size_t>(covered, 1); i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.literal && word.text == "--") {
      options = false;
      continue;
    }
    const bool option =
        word.literal ? word.text.size() > 1 && word.text.starts_with('-') : may_be_option(word);
    if (option && !options)  // what is behind `--` can be passed on to another program
      return concat("the argument ", shortened(word.text, 80), " of ", program, " can be an option");
    if (option) {
      if (!word.literal)
        return concat("an argument of ", program,
                      " is not literal and could be an option: ", shortened(word.text, 80));
      if (!is_plain_option(words, i))
        return concat("the option ", shortened(word.text, 80), " of ", program,
                      " is not known to be harmless");
      if (i + 1 < words.size() && stands_alone(words, i) && !words[i + 1].text.starts_with('-'))
        ++i;  // a number
    } else if (!is_plain_operand(words, i)) {
      return concat("the argument ", shortened(word.text, 80), " of ", program, " can be code");
    }
  }
  return std::nullopt;
}

std::optional<std::string> words_unlisted(std::span<const Word> words, std::size_t covered);

std::optional<std::string> row_unlisted(const ArgumentRow& row, std::string_view program,
                                        std::span<const Word> words, std::size_t covered) {
  std::size_t rest = 0;
  if (const Word* word = RowReader(row, words, covered).find_unlisted(rest)) {
    const bool option = word->text.starts_with('-');
    return option ? concat("the option ", shortened(word->text, 80), " of ", program,
                           " is not known to be harmless")
                  : concat(program, " with ", shortened(word->text, 80), " can run programs or write files");
  }
  if (rest == 0 || row.rest.empty()) return std::nullopt;
  std::vector<Word> inner{{.text = std::string(row.rest)}};
  inner.insert(inner.end(), words.begin() + static_cast<std::ptrdiff_t>(rest), words.end());
  return words_unlisted(inner, covered > rest ? covered - rest + 1 : 1);
}

std::optional<std::string> words_unlisted(std::span<const Word> words, std::size_t covered) {
  const std::string_view program = program_name(words.front().text);
  const std::string_view family = family_of(program);
  if (lists(detail::plain_programs(), family) || lists(kComplete, family) || is_unwrapped(family))
    return std::nullopt;
  const auto runner = find_runner(words);
  const bool behind =
      runner && !runner->elsewhere && words.size() > runner->command && covered <= runner->command;
  if (behind && !lists("yarn python", family))
    return concat(program, " runs a program that the rule does not name");
  if (const ArgumentRow* row = row_of(family, words.size() > 1 ? std::string_view(words[1].text) : ""))
    return row_unlisted(*row, program, words, covered);
  return undescribed_argument(program, words, covered);
}

}  // namespace

bool detail::fits_kind(std::string_view kind, std::string_view text) {
  if (kind.empty()) return !text.starts_with('@') && !text.contains("=@");  // a file to read
  if (kind == "#") return is_numeric(text);
  if (kind == "%") return has_only(text, "_+-");
  if (kind == "&") return has_only(text, "_+,-");
  if (kind == "~") return is_build_output(text);
  if (kind == "@") return is_inside(text);
  if (kind == ":") return !text.contains(':');
  if (kind == "^")
    return has_only(text, "_.-[],=<>!~*") && text[0] != '.' && !lists("whl gz zip bz2", ending_of(text));
  if (kind == "link") return is_plain_linking(text);
  if (kind == "!") {
    const std::size_t equals = text.find('=');
    const std::string value =
        equals == std::string_view::npos ? std::string() : to_lower(text.substr(equals + 1));
    return equals != std::string_view::npos && has_only(text.substr(0, equals), "_.:-") &&
           (is_numeric(value) || lists(kCommonValues, value));
  }
  const auto choices = split(kind, '|');
  return std::ranges::any_of(choices, [&](std::string_view choice) {
    const bool is_kind = choice.size() == 1 && std::string_view("#%&~@!:^").contains(choice[0]);
    return is_kind ? fits_kind(choice, text) : fits_choice(choice, text);
  });
}

std::optional<std::string> unlisted_argument(const SimpleCommand& command, std::size_t covered) {
  if (command.words.empty() || !command.words.front().literal) return std::nullopt;
  return words_unlisted(command.words, covered);
}

bool is_wrapper(std::string_view program) {
  return is_in_wrapper_table(program) || is_wrapping_program(program);
}

bool is_described(std::string_view program) {
  const std::string_view family = family_of(program);
  return lists(detail::plain_programs(), family) || lists(detail::named_programs(), family) ||
         is_unwrapped(family) || row_of(family, {}) != nullptr || lists(kComplete, family);
}

}  // namespace helve::shell
