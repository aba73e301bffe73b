#include "policy/catastrophe_words.h"

#include "base/strings.h"
#include "policy/catastrophe_programs.h"

namespace helve::policy {

bool looks_like_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

bool has_flag(FieldSpan words, std::string_view letters, std::string_view name) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (!looks_like_option(word)) continue;
    const std::string_view text = std::string_view(word).substr(0, word.find('='));
    const bool is_long = text.starts_with("--");
    if (is_long ? text.size() > 2 && name.starts_with(text.substr(2))
                : text.find_first_of(letters) != std::string_view::npos)
      return true;
  }
  return false;
}

std::vector<std::string> values_of_flag(FieldSpan words, std::string_view letters, std::string_view name) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!looks_like_option(word)) continue;
    if (word.starts_with("--")) {
      const std::string_view text =
          word.substr(2, word.find('=') == word.npos ? word.npos : word.find('=') - 2);
      if (text.empty() || !name.starts_with(text)) continue;
      if (const std::size_t equals = word.find('='); equals != word.npos)
        found.emplace_back(word.substr(equals + 1));
      else if (i + 1 < words.size())
        found.push_back(words[i + 1]);
    } else if (const std::size_t at = word.find_first_of(letters); at != word.npos && at > 0) {
      if (at + 1 < word.size())
        found.emplace_back(word.substr(at + 1));
      else if (i + 1 < words.size())
        found.push_back(words[i + 1]);
    }
  }
  return found;
}

std::vector<std::string> operands_of(FieldSpan words) {
  std::vector<std::string> found;
  bool ended = false;
  for (const std::string& word : words) {
    if (!ended && word == "--")
      ended = true;
    else if (ended || !looks_like_option(word))
      found.push_back(word);
  }
  return found;
}

std::string everything_in(std::string_view verb, std::string_view pattern) {
  return concat(verb, " everything in ", unescaped(pattern));
}

}  // namespace helve::policy
