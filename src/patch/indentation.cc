#include "patch/indentation.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::patch {
namespace {

std::string_view indentation_of(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool consists_of(std::string_view text, char c) {
  return !text.empty() && text.find_first_not_of(c) == std::string_view::npos;
}

}  // namespace

void Indentation::note(std::string_view wanted, std::string_view found) {
  if (!trim(wanted).empty()) known_.emplace(indentation_of(wanted), indentation_of(found));
}

std::string Indentation::convert(std::string_view text) const {
  std::string converted;
  bool is_first = true;
  for (const std::string_view line : split(text, '\n')) {
    if (!is_first) converted += '\n';
    is_first = false;
    const std::string_view indent = indentation_of(line);
    const bool is_blank = trim(line).empty();
    converted += is_blank ? std::string(indent) : convert_indent(indent);
    converted += line.substr(indent.size());
  }
  return converted;
}

std::string Indentation::convert_indent(std::string_view indent) const {
  // The longest known beginning; without one, a line stays as far left as it is.
  std::string_view known;
  std::string converted;
  for (const auto& [from, to] : known_) {
    if (!indent.starts_with(from) || from.size() < known.size()) continue;
    known = indent.substr(0, from.size());
    converted = to;
  }
  std::string_view rest = indent.substr(known.size());
  for (const auto& [from, to] : known_) {
    if (rest.empty() || !consists_of(from, ' ') || !consists_of(to, '\t') || from.size() % to.size() != 0) {
      if (!consists_of(from, '\t') || !consists_of(to, ' ') || to.size() % from.size() != 0) continue;
      for (; rest.starts_with('\t'); rest.remove_prefix(1)) converted.append(to.size() / from.size(), ' ');
      continue;
    }
    const std::size_t width = from.size() / to.size();
    for (; consists_of(rest.substr(0, width), ' ') && rest.size() >= width; rest.remove_prefix(width))
      converted += '\t';
  }
  return converted + std::string(rest);
}

}  // namespace helve::patch
