#include "terminal/highlight.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

// The syntax of languages that look alike. Lists are separated by spaces.
struct Family {
  std::string_view languages;
  std::string_view line_comments;
  std::string_view block_comment_begin;
  std::string_view block_comment_end;
  std::string_view quotes;        // each begins and ends a string on one line
  std::string_view long_strings;  // each begins and ends a multi-line string
  std::string_view keywords;
  bool any_case = false;  // keywords ignore case
};

constexpr Family kFamilies[] = {
    {"c cpp objective-c cuda-cpp", "//", "/*", "*/", "\"'", "",
     "if else for while do switch case default break continue return goto sizeof struct union enum typedef "
     "static "
     "const void int char long short unsigned signed float double bool true false auto class namespace "
     "template "
     "typename using public private protected virtual override final constexpr consteval noexcept nullptr "
     "new delete "
     "this operator explicit friend inline extern mutable try catch throw co_await co_return co_yield "
     "concept requires"},
    {"javascript javascriptreact typescript typescriptreact dart", "//", "/*", "*/", "\"'", "`",
     "if else for while do switch case default break continue return function const let var class extends "
     "new this "
     "super import export from async await yield try catch finally throw typeof instanceof in of null "
     "undefined true "
     "false interface type enum implements public private protected readonly static abstract declare "
     "namespace as"},
    {"java kotlin scala groovy csharp swift", "//", "/*", "*/", "\"'", "\"\"\"",
     "if else for while do switch case default break continue return class interface enum extends implements "
     "new this "
     "super import package public private protected static final abstract void int long short byte char "
     "float double "
     "boolean bool string var val fun func let def object trait override try catch finally throw throws null "
     "nil true "
     "false when where is as in using namespace struct record sealed async await yield guard defer init "
     "extension"},
    {"go", "//", "/*", "*/", "\"'", "`",
     "break case chan const continue default defer else fallthrough for func go goto if import interface map "
     "package "
     "range return select struct switch type var nil true false iota"},
    {"rust zig", "//", "/*", "*/", "\"", "",
     "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match "
     "mod move "
     "mut pub ref return self Self static struct super trait true type unsafe use where while try catch "
     "defer comptime"},
    {"php", "// #", "/*", "*/", "\"'", "",
     "if else elseif for foreach while do switch case default break continue return function class extends "
     "implements "
     "new this public private protected static abstract final namespace use as try catch finally throw null "
     "true false "
     "echo print fn match yield"},
    {"python", "#", "", "", "\"'", "\"\"\" '''",
     "and as assert async await break class continue def del elif else except finally for from global if "
     "import in is "
     "lambda nonlocal not or pass raise return try while with yield None True False match case self"},
    {"ruby elixir crystal", "#", "", "", "\"'", "",
     "if elsif else unless case when while until for in do end def class module return yield begin rescue "
     "ensure raise "
     "nil true false self super then and or not require include attr_accessor defmodule defp fn use alias"},
    {"shellscript fish powershell makefile dockerfile perl r awk", "#", "", "", "\"'`", "",
     "if then else elif fi for in do done while until case esac function return local export set unset echo "
     "exit "
     "break continue trap source readonly declare shift eval exec my sub use foreach begin end from run cmd "
     "copy "
     "workdir env arg entrypoint expose param"},
    {"yaml toml ini properties dotenv cmake", "#", "", "", "\"'", "\"\"\"",
     "true false null yes no on off if else endif foreach endforeach function endfunction set macro "
     "endmacro"},
    {"json jsonc json5", "//", "/*", "*/", "\"", "", "true false null"},
    {"sql plsql", "--", "/*", "*/", "'\"", "",
     "select from where and or not insert into values update set delete create table index view drop alter "
     "add "
     "primary key foreign references join left right inner outer on group by order having limit offset union "
     "all "
     "distinct as case when then else end null is in like between exists begin commit rollback with "
     "returning",
     true},
    {"lua haskell elm ada", "--", "--[[", "]]", "\"'", "",
     "and break do else elseif end false for function goto if in local nil not or repeat return then true "
     "until while "
     "module import where let of case data type class instance deriving newtype"},
    {"css scss less", "//", "/*", "*/", "\"'", "",
     "import media charset keyframes include mixin extend if else for"},
    {"html xml vue svelte", "", "<!--", "-->", "\"", "", ""},
    {"lisp clojure scheme", ";", "", "", "\"", "",
     "def defn defun defmacro let lambda fn if cond when unless do loop recur nil true false quote setq ns "
     "require"},
    {"latex erlang matlab", "%", "", "", "\"", "",
     "begin end documentclass usepackage section case of fun when if else for"},
};

const Family* family_of(std::string_view language) {
  for (const Family& family : kFamilies) {
    const auto words = split(family.languages, ' ');
    if (!language.empty() && std::ranges::find(words, language) != words.end()) return &family;
  }
  return nullptr;
}

// Receives all of the code in pieces; each line break is a separate piece.
using Sink = std::function<void(Colour, std::string_view)>;

class Highlighter {
 public:
  Highlighter(std::string_view code, const Family& family, const Sink& sink)
      : code_(code), family_(family), sink_(sink), keywords_(split(family.keywords, ' ')) {
    std::ranges::sort(keywords_);
  }

  void run() {
    while (at_ < code_.size())
      if (!comment() && !long_string() && !short_string() && !word())
        sink_(Colour::kNone, code_.substr(at_++, 1));
  }

 private:
  [[nodiscard]] std::string_view rest() const { return code_.substr(at_); }

  // Emits the text up to `end`, line by line.
  void emit(Colour colour, std::size_t end) {
    end = std::min(end, code_.size());
    while (at_ < end) {
      const std::size_t line_end = std::min(code_.find('\n', at_), end);
      if (line_end > at_) sink_(colour, code_.substr(at_, line_end - at_));
      at_ = line_end;
      if (at_ < end) sink_(Colour::kNone, code_.substr(at_++, 1));
    }
  }

  // The end of the next `closing` after `from`.
  [[nodiscard]] std::size_t after(std::string_view closing, std::size_t from) const {
    const std::size_t found = code_.find(closing, from);
    return found == std::string_view::npos ? code_.size() : found + closing.size();
  }

  bool comment() {
    const std::string_view begin = family_.block_comment_begin;
    if (!begin.empty() && rest().starts_with(begin)) {
      emit(Colour::kDim, after(family_.block_comment_end, at_ + begin.size()));
      return true;
    }
    for (const std::string_view mark : split(family_.line_comments, ' ')) {
      if (mark.empty() || !rest().starts_with(mark)) continue;
      // In a shell, $# and a#b are not comments.
      if (mark == "#" && at_ > 0 && (is_word_byte(code_[at_ - 1]) || code_[at_ - 1] == '$')) continue;
      emit(Colour::kDim, code_.find('\n', at_));
      return true;
    }
    return false;
  }

  bool long_string() {
    for (const std::string_view mark : split(family_.long_strings, ' ')) {
      if (mark.empty() || !rest().starts_with(mark)) continue;
      emit(Colour::kGreen, after(mark, at_ + mark.size()));
      return true;
    }
    return false;
  }

  bool short_string() {
    const char quote = code_[at_];
    if (family_.quotes.find(quote) == std::string_view::npos) return false;
    std::size_t end = at_ + 1;
    while (end < code_.size() && code_[end] != quote && code_[end] != '\n') end += code_[end] == '\\' ? 2 : 1;
    // A quote that is not closed on its line is an apostrophe.
    if (end >= code_.size() || code_[end] != quote) return false;
    emit(Colour::kGreen, end + 1);
    return true;
  }

  bool word() {
    if (!is_word_byte(code_[at_])) return false;
    std::size_t end = at_ + 1;
    const bool number = is_digit(code_[at_]);
    while (end < code_.size() && (is_word_byte(code_[end]) || (number && code_[end] == '.'))) ++end;
    const std::string_view text = code_.substr(at_, end - at_);
    const std::string lower = family_.any_case ? to_lower(text) : std::string();
    const std::string_view sought = family_.any_case ? std::string_view(lower) : text;
    if (number)
      emit(Colour::kYellow, end);
    else if (std::ranges::binary_search(keywords_, sought))
      emit(Colour::kBlue, end);
    else
      emit(Colour::kNone, end);
    return true;
  }

  std::string_view code_;
  const Family& family_;
  const Sink& sink_;
  std::vector<std::string_view> keywords_;
  std::size_t at_ = 0;
};

}  // namespace

std::string highlight(std::string_view code, std::string_view language, const Paint& paint) {
  const Family* family = family_of(language);
  if (family == nullptr) return std::string(code);
  std::string out;
  Highlighter(code, *family, [&](Colour colour, std::string_view piece) {
    out += piece == "\n" ? "\n" : paint(colour, piece);
  }).run();
  return out;
}

std::vector<Line> highlighted_lines(std::string_view code, std::string_view language) {
  std::vector<Line> lines(1);
  std::string plain;  // uncoloured text that is not in the line yet
  const auto flush = [&] {
    lines.back().add(plain);
    plain.clear();
  };
  const Sink sink = [&](Colour colour, std::string_view piece) {
    if (piece == "\n") {
      flush();
      lines.emplace_back();
    } else if (colour == Colour::kNone) {
      plain += piece;
    } else {
      flush();
      lines.back().add(piece, {colour});
    }
  };
  if (const Family* family = family_of(language)) {
    Highlighter(code, *family, sink).run();
  } else {
    for (std::size_t at = 0; at < code.size();) {
      const std::size_t end = std::min(code.find('\n', at), code.size());
      plain += code.substr(at, end - at);
      if (end < code.size()) sink(Colour::kNone, "\n");
      at = end + 1;
    }
  }
  flush();
  return lines;
}

}  // namespace helve::terminal
