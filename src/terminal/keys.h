// From the bytes that a terminal sends to the keys that a person pressed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::terminal {

struct Key {
  enum class Kind {
    kText,   // text to insert
    kPaste,  // the same in one piece, perhaps with line breaks
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
    kOther,             // nothing that is known here
  };
  Kind kind = Kind::kOther;
  std::string text = {};

  bool operator==(const Key&) const = default;
};

// Bytes come in pieces of any size. For one thread.
class KeyReader {
 public:
  [[nodiscard]] std::vector<Key> feed(std::string_view bytes);
  // Whether bytes wait for what follows them: an Escape that may begin a sequence, half a character.
  [[nodiscard]] bool is_waiting() const { return !pending_.empty() && !pasting_; }
  // Nothing followed.
  [[nodiscard]] std::vector<Key> give_up();

 private:
  // How many bytes the key at the start of `text` takes; 0 when more must come first.
  std::size_t take(std::string_view text, std::vector<Key>& keys);
  std::size_t take_sequence(std::string_view text, std::vector<Key>& keys);
  std::size_t take_paste(std::string_view text, std::vector<Key>& keys);

  std::string pending_;
  bool pasting_ = false;
  std::string paste_;
};

}  // namespace helve::terminal
