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

Indentation::Step Indentation::step() const {
  Step step;
  for (const auto& [outer, outer_found] : known_)
    for (const auto& [inner, inner_found] : known_) {
      if (inner.size() <= outer.size() || !inner.starts_with(outer) || !inner_found.starts_with(outer_found))
        continue;
      const Step seen{std::string_view(inner).substr(outer.size()),
                      std::string_view(inner_found).substr(outer_found.size())};
      const bool is_uniform = !seen.found.empty() && consists_of(seen.wanted, seen.wanted.front()) &&
                              consists_of(seen.found, seen.found.front());
      if (is_uniform && (step.wanted.empty() || seen.wanted.size() < step.wanted.size())) step = seen;
    }
  return step;
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
  if (const Step step = this->step(); !step.wanted.empty() && consists_of(rest, step.wanted.front())) {
    const std::size_t scaled = rest.size() * step.found.size();
    if (scaled % step.wanted.size() == 0)
      return converted + std::string(scaled / step.wanted.size(), step.found.front());
  }
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
