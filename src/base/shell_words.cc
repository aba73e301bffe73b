#include "base/shell_words.h"

namespace helve {

std::vector<std::string> shell_words(std::string_view line) {
  constexpr std::size_t kMost = 20'000;
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  const auto end_word = [&] {
    if (!word.empty() && words.size() < kMost) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size())
      word += line[++i];
    else if (quote != '\0' && c == quote)
      quote = '\0';
    else if (quote != '\0')
      word += c;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (std::string_view(" \t\r\n;|&()<>`").contains(c))
      end_word();
    else
      word += c;
  }
  end_word();
  return words;
}

}  // namespace helve
