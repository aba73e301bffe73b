// Decodes the bytes that a terminal sends into key presses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::terminal {

struct Key {
  enum class Kind {
    kText,   // text to insert
    kPaste,  // pasted text, possibly with line breaks
    kEnter,
    kNewLine,  // a line break in the text: Alt-Enter, Ctrl-J
    kTab,
    kEscape,
    kBackspace,
    kDelete,
    kLeft,
    kRight,
    kUp,
    kDown,
    kHome,
    kEnd,
    kWordLeft,
    kWordRight,
    kEraseWord,         // Ctrl-W
    kEraseWordForward,  // Alt-D
    kEraseToStart,      // Ctrl-U
    kEraseToEnd,        // Ctrl-K
    kPutBack,           // Ctrl-Y
    kSearch,            // Ctrl-R
    kInterrupt,         // Ctrl-C
    kEndOfInput,        // Ctrl-D
    kRedraw,            // Ctrl-L
    kExpand,            // Ctrl-O
    kSuspend,           // Ctrl-Z
    kOther,             // an unknown key
  };
  Kind kind = Kind::kOther;
  std::string text = {};

  bool operator==(const Key&) const = default;
};

// Accepts bytes in pieces of any size. Not thread-safe.
class KeyReader {
 public:
  [[nodiscard]] std::vector<Key> feed(std::string_view bytes);
  // Whether incomplete input is pending: an Escape that may begin a sequence, or half a character.
  [[nodiscard]] bool is_waiting() const { return !pending_.empty() && !pasting_; }
  // Ends pending input when nothing followed.
  [[nodiscard]] std::vector<Key> flush();

 private:
  // Number of bytes of the key at the start of `text`; 0 if more bytes are needed.
  std::size_t take(std::string_view text, std::vector<Key>& keys);
  std::size_t take_sequence(std::string_view text, std::vector<Key>& keys);
  std::size_t take_paste(std::string_view text, std::vector<Key>& keys);

  std::string pending_;
  bool pasting_ = false;
  std::string paste_;
};

}  // namespace helve::terminal
