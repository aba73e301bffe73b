#include "policy/argument_paths.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::policy {
namespace {

constexpr std::string_view kFileUri = "file:";
// Strings of one call that are joined with each other.
constexpr std::size_t kMostJoined = 40;
constexpr std::size_t kLongestPath = 4096;
// In longer texts, only words with a slash or a dot are taken for paths.
constexpr std::size_t kLongText = 16'384;
constexpr std::size_t kMostPaths = 20'000;

bool names_path(std::string_view name) {
  const std::string lower = to_lower(name);
  for (const std::string_view end :
       {"path", "paths", "file", "files", "filename", "dir", "directory", "folder"})
    if (lower.ends_with(end)) return true;
  return lower == "uri" || lower == "source" || lower == "destination" || lower == "target";
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    out += coded ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return out;
}

// The path of a file URI: file:/x, file:///x, file://localhost/x.
std::string path_of_uri(std::string_view uri) {
  std::string_view rest = uri.substr(kFileUri.size());
  if (rest.starts_with("//")) rest = rest.substr(std::min(rest.find('/', 2), rest.size()));
  return percent_decoded(rest.substr(0, rest.find_first_of("?#")));
}

bool is_uri(std::string_view text) { return to_lower(text.substr(0, kFileUri.size())) == kFileUri; }

using Form = ArgumentPath::Form;

class ArgumentSearch {
 public:
  void collect(const Json& value, bool named) {
    if (value.is_string()) {
      add_text(value.as_string(), named);
    } else if (value.is_array()) {
      std::vector<std::string> parts;
      for (const Json& element : value.as_array()) {
        collect(element, named);
        if (element.is_string()) parts.push_back(element.as_string());
      }
      if (parts.size() > 1) add(join(parts, "/"), named ? Form::kNamed : Form::kWhole);
    } else if (value.is_object()) {
      for (const auto& [name, member] : value.as_object()) {
        add(std::string(name), Form::kWhole);
        collect(member, names_path(name));
      }
    }
  }

  ArgumentPaths take() {
    // One argument may be a directory and another a file in it.
    const std::size_t most = std::min(whole_.size(), kMostJoined);
    for (std::size_t i = 0; i < most; ++i)
      for (std::size_t k = 0; k < most; ++k)
        if (i != k && !whole_[k].starts_with('/')) add(concat(whole_[i], "/", whole_[k]), Form::kWord);
    return std::move(found_);
  }

 private:
  void add_text(const std::string& text, bool named) {
    if (text.empty()) return;
    if (is_uri(text)) return add(path_of_uri(text), Form::kNamed);
    add(text, named ? Form::kNamed : Form::kWhole);
    if (text.size() < kLongestPath && !text.contains('\n')) whole_.push_back(text);
    constexpr std::string_view kBetween = " \t\r\n\"'`()[]{}<>|&;,=";
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = text.find_first_not_of(kBetween, at);
      if (begin == std::string::npos) break;
      at = std::min(text.find_first_of(kBetween, begin), text.size());
      const std::string_view word = std::string_view(text).substr(begin, at - begin);
      if (word.size() == text.size()) break;
      if (text.size() > kLongText && word.find_first_of("/.") == std::string_view::npos) continue;
      add(is_uri(word) ? path_of_uri(word) : std::string(word), is_uri(word) ? Form::kNamed : Form::kWord);
    }
  }

  void add(std::string path, Form form) {
    if (path.empty() || path.size() > kLongestPath || path.contains('\0') || path.contains('\n')) return;
    if (form == Form::kWord && found_.paths.size() >= kMostPaths) {
      found_.complete = false;
      return;
    }
    const auto [place, is_new] = seen_.try_emplace(path, found_.paths.size());
    if (is_new)
      found_.paths.push_back({.path = std::move(path), .form = form});
    else
      found_.paths[place->second].form = std::max(found_.paths[place->second].form, form);
  }

  ArgumentPaths found_ = {};
  std::vector<std::string> whole_ = {};
  std::map<std::string, std::size_t, std::less<>> seen_ = {};
};

}  // namespace

ArgumentPaths paths_in_arguments(const Json& arguments) {
  ArgumentSearch search;
  search.collect(arguments, false);
  return search.take();
}

}  // namespace helve::policy
