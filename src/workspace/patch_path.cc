#include "workspace/patch_path.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace helve {
namespace {

std::optional<char> unescaped(char letter) {
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  constexpr std::string_view kMeanings = "\a\b\t\n\v\f\r\"\\";
  const std::size_t found = kLetters.find(letter);
  if (found == std::string_view::npos) return std::nullopt;
  return kMeanings[found];
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

std::optional<std::string> take_quoted(std::string_view& text) {
  std::string name;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return name;
    }
    if (text[at] != '\\') {
      name += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    if (is_octal(text[at])) {
      unsigned value = 0;
      std::size_t digits = 0;
      for (; digits < 3 && at < text.size() && is_octal(text[at]); ++digits, ++at)
        value = value * 8 + static_cast<unsigned>(text[at] - '0');
      if (value == 0 || value > 0xFF) return std::nullopt;
      name += static_cast<char>(static_cast<unsigned char>(value));
      --at;
    } else if (const std::optional<char> c = unescaped(text[at])) {
      name += *c;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool take_prefix(std::string& path, std::string_view prefix) {
  if (path == kDevNull) return true;
  if (!path.starts_with(prefix) || path.size() == prefix.size()) return false;
  path.erase(0, prefix.size());
  return true;
}

bool take_prefixes(PathPair& paths, std::string_view old_prefix, std::string_view new_prefix) {
  PathPair rest = paths;
  if (!take_prefix(rest.old_path, old_prefix) || !take_prefix(rest.new_path, new_prefix)) return false;
  paths = std::move(rest);
  return true;
}

}  // namespace

std::optional<std::string> take_patch_path(std::string_view& text) {
  if (text.starts_with('"')) return take_quoted(text);
  const std::size_t tab = text.find('\t');
  // Without the tab there is nothing that could end in spaces on purpose.
  std::string_view name = text.substr(0, tab);
  if (tab == std::string_view::npos) {
    while (name.ends_with(' ')) name.remove_suffix(1);
  }
  text.remove_prefix(tab == std::string_view::npos ? text.size() : tab);
  if (name.find('\0') != std::string_view::npos) return std::nullopt;
  return std::string(name);
}

std::optional<PathPair> split_git_paths(std::string_view text) {
  if (text.starts_with('"')) {
    std::optional<std::string> first = take_quoted(text);
    if (!first || !text.starts_with(' ')) return std::nullopt;
    text.remove_prefix(1);
    std::optional<std::string> second = take_patch_path(text);
    if (!second) return std::nullopt;
    return PathPair{std::move(*first), std::move(*second)};
  }
  if (text.ends_with('"')) {
    const std::size_t quote = text.find(" \"");
    if (quote == std::string_view::npos) return std::nullopt;
    std::string_view rest = text.substr(quote + 1);
    std::optional<std::string> second = take_quoted(rest);
    if (!second) return std::nullopt;
    return PathPair{std::string(text.substr(0, quote)), std::move(*second)};
  }
  // Unless the file is renamed, when other lines give the names, both are equally long.
  if (text.size() % 2 == 1 && text[text.size() / 2] == ' ') {
    PathPair paths{std::string(text.substr(0, text.size() / 2)),
                   std::string(text.substr(text.size() / 2 + 1))};
    const auto slash = [](const std::string& path) { return std::min(path.find('/'), path.size() - 1) + 1; };
    if (paths.old_path == paths.new_path ||
        paths.old_path.substr(slash(paths.old_path)) == paths.new_path.substr(slash(paths.new_path)))
      return paths;
  }
  if (std::ranges::count(text, ' ') == 1) {
    const std::size_t space = text.find(' ');
    return PathPair{std::string(text.substr(0, space)), std::string(text.substr(space + 1))};
  }
  return std::nullopt;
}

void strip_prefixes(PathPair& paths, bool is_git) {
  if (take_prefixes(paths, "a/", "b/")) return;
  if (is_git) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOthers{
        {{"b/", "a/"}, {"i/", "w/"}, {"c/", "i/"}, {"c/", "w/"}, {"o/", "w/"}, {"w/", "i/"}}};
    for (const auto& [old_prefix, new_prefix] : kOthers) {
      if (take_prefixes(paths, old_prefix, new_prefix)) return;
    }
  }
  // People forget one of the two.
  if (paths.old_path == concat("a/", paths.new_path)) paths.old_path = paths.new_path;
  if (paths.new_path == concat("b/", paths.old_path)) paths.new_path = paths.old_path;
}

}  // namespace helve
