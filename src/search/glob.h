// One glob made ready for matching paths, in time that grows with pattern times path and never faster.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/error.h"

namespace helve::search {

struct GlobOptions {
  bool braces = true;            // {a,b}; ignore files have none
  bool ignore_case = false;      // of ASCII letters
  bool lenient_classes = false;  // a `[` that is never closed is an ordinary character, as in ignore files
};

// `*` and `?` stay within one component, `**` as a whole component crosses them, `[a-z]`, `[!x]`, `[^x]`,
// `{a,b}`, and a backslash takes away the meaning of what follows. Literals are bytes; `?` and classes take
// one UTF-8 character, or one byte that is none. A value; may be used from all threads.
class Glob {
 public:
  // INVALID_ARGUMENT with the place and the reason.
  [[nodiscard]] static Expected<Glob> compile(std::string_view pattern, const GlobOptions& options = {});

  // The whole of `path` must match. Paths have no `/` at either end.
  [[nodiscard]] bool matches(std::string_view path) const {
    return matches(path, path.substr(path.rfind('/') + 1));
  }
  // The same with the last component already found.
  [[nodiscard]] bool matches(std::string_view path, std::string_view name) const;

  // What a rule list wants to know in order to look at few globs only.
  enum class Shape : std::uint8_t {
    kEverything,  // `**`
    kName,        // the last component is exactly literal()
    kPath,        // the whole path is exactly literal()
    kExtension,   // the last component ends with literal(), ".h", and has its last dot there
    kStars,       // the last component is made of literals and stars
    kGeneral,     // anything else
  };
  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] std::string_view literal() const { return literal_; }
  // What the last component of a match has to be, or to end with as an extension; empty: not known. These
  // are necessary, not sufficient.
  [[nodiscard]] std::string_view required_name() const { return required_name_; }
  [[nodiscard]] std::string_view required_extension() const { return required_extension_; }

 private:
  friend class GlobCompiler;
  enum class Step : std::uint8_t {
    kByte,       // this byte
    kCharacter,  // one character but `/`
    kClass,      // one character of a class
    kNameBytes,  // any number of bytes but `/`
    kAnyBytes,   // any number of bytes
    kSplit,      // go on at both places
    kMatch,
  };
  struct Instruction {
    Step step;
    std::uint8_t byte = 0;
    std::uint16_t first = 0;   // kSplit: one way; kClass: which
    std::uint16_t second = 0;  // kSplit: the other way
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
  [[nodiscard]] bool class_holds(const Class& members, char32_t character) const;

  Shape shape_ = Shape::kGeneral;
  bool ignore_case_ = false;
  bool only_name_ = false;            // the program is about the last component alone
  std::string literal_;               // of kName, kPath and kExtension
  std::vector<std::string> pieces_;   // of kStars: what lies around and between the stars
  std::vector<Instruction> program_;  // of kGeneral
  std::vector<Class> classes_;
  std::string needle_;  // of kGeneral: a literal that every match contains
  std::string required_name_;
  std::string required_extension_;
};

}  // namespace helve::search
