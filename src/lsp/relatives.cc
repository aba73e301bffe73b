#include "lsp/relatives.h"

#include <algorithm>
#include <optional>

#include "base/file_io.h"
#include "base/strings.h"
#include "code/extract.h"
#include "text/language.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostClasses = 32;  // of one family
constexpr auto kAnalysisTime = std::chrono::seconds(2);

// `mod.Base[T]` and `public mod::Base<T>` are Base; empty for keywords such as metaclass=Meta.
std::string base_name(std::string_view base) {
  base = trim(base.substr(0, base.find_first_of("[(<")));
  if (base.contains('=')) return {};
  return std::string(base.substr(base.find_last_of(".: \t\n") + 1));
}

}  // namespace

const Relatives::File* Relatives::file_of(const std::string& path, const WaitLimit& limit) {
  const auto known = files_.find(path);
  if (known != files_.end()) return &known->second;
  auto file = read_file_text(server_.workspace(), path);
  if (!file || !is_within(file->path, server_.workspace().path())) return nullptr;
  File read{.text = std::move(file->text), .symbols = {}};
  if (const auto language = text::language_of(path, std::string_view(read.text).substr(0, 1024))) {
    const auto end = std::min<Clock::time_point>(limit.deadline, Clock::now() + kAnalysisTime);
    read.symbols = code::extract(read.text, language->id, code::Depth::kDetails, {.deadline = end}).symbols;
  }
  return &files_.emplace(path, std::move(read)).first->second;
}

std::optional<Relatives::Class> Relatives::class_of(const Location& method, const WaitLimit& limit) {
  const File* file = file_of(method.path, limit);
  if (file == nullptr) return std::nullopt;
  for (const code::Symbol& symbol : file->symbols)
    if (symbol.name_line == method.range.start.line + 1 && symbol.parent != code::kNoParent &&
        code::has_members(file->symbols[symbol.parent].kind))
      return Class{method.path, symbol.parent};
  return std::nullopt;
}

std::optional<Relatives::Class> Relatives::find_base(const Class& derived, const std::string& base,
                                                     const WaitLimit& limit) {
  const File* file = file_of(derived.path, limit);
  const code::Symbol& symbol = file->symbols[derived.symbol];
  const std::string_view head =
      std::string_view(file->text)
          .substr(symbol.signature_begin, symbol.signature_end - symbol.signature_begin);
  const std::size_t after_name = head.find(symbol.name) + symbol.name.size();
  const std::size_t at = head.find(base, after_name);
  if (at == std::string_view::npos) return std::nullopt;
  const LineTable lines(file->text);
  const Position position = lines.position_of(symbol.signature_begin + at, server_.unit());
  const auto answer = server_.definitions(derived.path, position, limit);
  if (!answer) return std::nullopt;
  for (const Location& place : *answer) {
    const File* other = file_of(place.path, limit);
    if (other == nullptr) continue;
    for (std::size_t i = 0; i < other->symbols.size(); ++i)
      if (other->symbols[i].name_line == place.range.start.line + 1 &&
          code::has_members(other->symbols[i].kind))
        return Class{place.path, i};
  }
  return std::nullopt;
}

Relatives::Family Relatives::family_of(const Class& start, const WaitLimit& limit) {
  Family family{.classes = {start}};
  for (std::size_t i = 0; i < family.classes.size() && family.classes.size() < kMostClasses; ++i) {
    const Class each = family.classes[i];
    const std::vector<std::string> bases = file_of(each.path, limit)->symbols[each.symbol].bases;
    for (const std::string& text : bases) {
      const std::string name = base_name(text);
      if (name == "Protocol") family.has_protocol = true;
      if (name.empty() || limit.is_over()) continue;
      const auto base = find_base(each, name, limit);
      if (base && std::ranges::find(family.classes, *base) == family.classes.end())
        family.classes.push_back(*base);
    }
  }
  return family;
}

std::string Relatives::owner_of(const Location& member, std::string_view name, const WaitLimit& limit) {
  const File* file = file_of(member.path, limit);
  if (file == nullptr) return {};
  for (const code::Symbol& symbol : file->symbols)
    if (symbol.name == name && symbol.name_line == member.range.start.line + 1 &&
        symbol.parent != code::kNoParent && code::has_members(file->symbols[symbol.parent].kind))
      return file->symbols[symbol.parent].name;
  return {};
}

bool Relatives::defines(const Class& each, std::string_view name, const WaitLimit& limit) {
  const File* file = file_of(each.path, limit);
  return std::ranges::any_of(file->symbols, [&](const code::Symbol& symbol) {
    return symbol.parent == each.symbol && symbol.name == name;
  });
}

bool Relatives::are_related(const Location& one, const Location& other, const WaitLimit& limit) {
  const auto first = class_of(one, limit);
  const auto second = class_of(other, limit);
  if (!first || !second || *first == *second) return false;
  const Family family = family_of(*first, limit);
  const Family other_family = family_of(*second, limit);
  if (family.has_protocol || other_family.has_protocol) return true;
  const File* file = file_of(one.path, limit);
  const auto symbol = std::ranges::find_if(file->symbols, [&](const code::Symbol& each) {
    return each.name_line == one.range.start.line + 1 && each.parent == first->symbol;
  });
  return std::ranges::any_of(family.classes, [&](const Class& each) {
    if (std::ranges::find(other_family.classes, each) == other_family.classes.end()) return false;
    return each == *first || each == *second || defines(each, symbol->name, limit);
  });
}

}  // namespace helve::lsp
