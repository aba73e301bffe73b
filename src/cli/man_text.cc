#include "cli/man_text.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::cli {
namespace {

// The text that roff would print, without its fonts.
std::string unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      out += line[i];
      continue;
    }
    switch (line[++i]) {
      case 'f': ++i; break;
      case '&': break;
      case 'e': out += '\\'; break;
      case '(': {
        const std::string_view name = line.substr(i + 1, 2);
        out += name == "aq" ? '\'' : name == "ha" ? '^' : name == "ti" ? '~' : '`';
        i += 2;
        break;
      }
      default: out += line[i];
    }
  }
  return out;
}

class ManualText {
 public:
  explicit ManualText(const Terminal& terminal)
      : terminal_(terminal), columns_(static_cast<std::size_t>(std::clamp(terminal.columns(), 40, 100))) {}

  std::string of(std::string_view roff) && {
    for (const std::string_view line : split(roff, '\n')) {
      if (line.starts_with('.'))
        request(line);
      else if (!line.empty() || as_it_stands_)
        text(unescaped(line));
    }
    end_paragraph();
    return std::move(out_);
  }

 private:
  void request(std::string_view line) {
    if (line == ".nf" || line == ".fi" || line == ".TP" || line == ".PP" || line == ".br" ||
        line.starts_with(".SH "))
      end_paragraph();
    if (line.starts_with(".SH ")) {
      out_ += concat(out_.empty() ? "" : "\n", terminal_.paint(Colour::kBold, line.substr(4)), "\n");
      indent_ = kText;
      begun_ = true;
    } else if (line == ".PP") {
      if (!begun_) out_ += '\n';
      indent_ = kText;
    } else if (line == ".TP") {
      term_is_next_ = true;
    } else if (line == ".nf" || line == ".fi") {
      as_it_stands_ = line == ".nf";
    }
  }

  void text(const std::string& line) {
    if (term_is_next_) {
      out_ += concat(std::string(kText, ' '), terminal_.paint(Colour::kBold, line), "\n");
      term_is_next_ = false;
      indent_ = kUnderTerm;
    } else if (as_it_stands_) {
      out_ += concat(line.empty() ? "" : std::string(kText + 2, ' '), line, "\n");
    } else {
      paragraph_ += concat(paragraph_.empty() ? "" : " ", line);
    }
    begun_ = false;
  }

  void end_paragraph() {
    if (!paragraph_.empty())
      out_ += concat(std::string(indent_, ' '), wrap(paragraph_, columns_, indent_), "\n");
    paragraph_.clear();
  }

  static constexpr std::size_t kText = 2;
  static constexpr std::size_t kUnderTerm = 6;

  const Terminal& terminal_;
  std::size_t columns_;
  std::string out_;
  std::string paragraph_;
  std::size_t indent_ = kText;
  bool begun_ = false;  // nothing stands beneath the heading yet
  bool term_is_next_ = false;
  bool as_it_stands_ = false;
};

}  // namespace

std::string manual_text(const Terminal& terminal, std::string_view roff) {
  return ManualText(terminal).of(roff);
}

}  // namespace helve::cli
