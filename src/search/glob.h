// A compiled glob. Matching takes at most time proportional to pattern length times path length.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/error.h"
#include "search/glob_class.h"

namespace helve::search {

struct GlobOptions {
  enum class Syntax : std::uint8_t {
    kPlain,
    kExtended,  // also the groups of bash, named classes, and escapes in classes
    kGitName,   // a line of an ignore file that is matched against names; see git_glob.h
    kGitPath,   // one that is matched against paths
  };
  Syntax syntax = Syntax::kPlain;
  bool ignore_case = false;      // for ASCII letters
  bool lenient_classes = false;  // an unclosed `[` is an ordinary character
};

struct GlobToken;

// Syntax: `*` and `?` match within one path component; `**` as a whole component matches any number of
// components; `[a-z]`, `[!x]`, `[^x]` and `{a,b}`; a backslash escapes the next character. Extended, also
// `@(a|b)`, `?(a)`, `*(a)`, `+(a)`, `!(a)` and `[[:alpha:]]`. Literals match bytes; `?` and classes match one
// UTF-8 character or one invalid byte. Immutable; usable from all threads.
class Glob {
 public:
  // Fails with INVALID_ARGUMENT, naming the position and the reason.
  [[nodiscard]] static Expected<Glob> compile(std::string_view pattern, const GlobOptions& options = {});

  // Matches the whole path. Paths have no `/` at either end.
  [[nodiscard]] bool matches(std::string_view path) const {
    return matches(path, path.substr(path.rfind('/') + 1));
  }
  // The same; `name` is the last component of `path`.
  [[nodiscard]] bool matches(std::string_view path, std::string_view name) const;

  // Lets a rule list index its globs and try only a few of them.
  enum class Shape : std::uint8_t {
    kEverything,  // `**`
    kName,        // the last component is exactly literal()
    kPath,        // the whole path is exactly literal()
    kExtension,   // the last component ends with literal(), such as ".h", which has its only dot at the front
    kStars,       // the last component consists of literals and stars
    kGeneral,     // anything else
  };
  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] std::string_view literal() const { return literal_; }
  // The name or extension that the last component of every match has; empty if unknown. Necessary, not
  // sufficient.
  [[nodiscard]] std::string_view required_name() const { return required_name_; }
  [[nodiscard]] std::string_view required_extension() const { return required_extension_; }

 private:
  friend class GlobCompiler;
  enum class Step : std::uint8_t {
    kByte,       // this byte
    kCharacter,  // one character except `/`
    kClass,      // one character of a class
    kByteSet,    // one byte of a set
    kNameBytes,  // any number of bytes except `/`
    kAnyBytes,   // any number of bytes
    kSplit,      // continue at both `first` and `second`
    kMatch,
  };
  struct Instruction {
    Step step;
    std::uint8_t byte = 0;
    std::uint16_t first = 0;   // kSplit: one target; kClass, kByteSet: index
    std::uint16_t second = 0;  // kSplit: the other target
  };
  struct Class {
    bool negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges;
  };

  [[nodiscard]] bool matches_folded(std::string_view path, std::string_view name) const;
  [[nodiscard]] bool matches_pieces(std::string_view name) const;
  [[nodiscard]] bool run(std::string_view text) const;
  template <class StateSet>
  [[nodiscard]] bool simulate(std::string_view text, std::size_t begin, StateSet* sets) const;
  template <class StateSet>
  void add_state(StateSet& states, std::size_t state) const;

  Shape shape_ = Shape::kGeneral;
  bool ignore_case_ = false;
  bool only_name_ = false;            // the program matches the last component only
  std::string literal_;               // of kName, kPath and kExtension
  std::vector<std::string> pieces_;   // of kStars: the literals around and between the stars
  std::vector<Instruction> program_;  // of kGeneral
  std::vector<Class> classes_;
  std::vector<ByteSet> byte_sets_;
  std::shared_ptr<const std::vector<GlobToken>> tokens_;  // of kGeneral with `!(…)`, which has no program
  std::string needle_;                                    // of kGeneral: a literal that every match contains
  std::string required_name_;
  std::string required_extension_;
};

}  // namespace helve::search
