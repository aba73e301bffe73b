// Finds the symbol that a query is about: by a position, by its name in the file, or by what the file
// imports.
#include <algorithm>

#include "base/strings.h"
#include "code/name_uses.h"
#include "lsp/questions.h"
#include "text/language.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostUsesAsked = 8;
constexpr auto kParseLimit = std::chrono::seconds(2);

Spot spot_at(const std::string& path, const LineTable& lines, const Position& position) {
  const std::string_view line = lines.line(position.line);
  return {.path = path,
          .range = {position, position},
          .column = 1 + column_of_byte(line, byte_of_column(line, position.character, ColumnUnit::kUtf16),
                                       ColumnUnit::kUtf32),
          .text = shortened(trim(line), 300)};
}

struct NameUse {
  std::size_t offset = 0;
  bool is_plain = true;       // nothing qualifies it: no `.`, `->` or `::` before it
  bool is_qualified = false;  // by the other parts of the name
};

// The uses of the last part in code; those that stand alone come first.
std::vector<NameUse> uses_of(const Document& document, const std::vector<std::string>& parts,
                             const WaitLimit& limit) {
  const std::string_view text = *document.text;
  const auto language = text::language_of(document.path, text.substr(0, 1024));
  const auto end = std::min<Clock::time_point>(limit.deadline, Clock::now() + kParseLimit);
  std::vector<NameUse> uses;
  for (const std::size_t offset :
       code::find_name_uses(text, language ? language->id : "", parts.back(), {.deadline = end}).in_code) {
    NameUse use{.offset = offset};
    for (const std::string_view separator : {".", "->", "::", "?.", "\\"}) {
      const std::string_view before = text.substr(0, offset);
      if (!before.ends_with(separator)) continue;
      use.is_plain = false;
      if (parts.size() > 1 && before.substr(0, offset - separator.size()).ends_with(parts[parts.size() - 2]))
        use.is_qualified = true;
    }
    uses.push_back(use);
  }
  std::ranges::stable_partition(uses, &NameUse::is_plain);
  return uses;
}

}  // namespace

// Whether all places are the same symbol, such as a declaration and its definition.
bool Questions::are_same_symbol(Server& server, const std::vector<SymbolPlace>& places, Ambiguity ambiguity,
                                const WaitLimit& limit) {
  constexpr std::size_t kMost = 8;
  if (places.size() > kMost) return false;
  const auto document = server.prepare(places.front().path, limit);
  if (!document) return false;
  const LineTable lines(*document->text);
  Json params = position_params(document->path,
                                lines.convert(places.front().position, ColumnUnit::kUtf16, server.unit()));
  params["context"] = JsonObject{{"includeDeclaration", true}};
  const auto answer = server.ask("textDocument/references", params, limit);
  if (!answer) return false;
  std::vector<Location> known = read_locations(*answer);
  const auto is_known = [&](const SymbolPlace& place) {
    return std::ranges::any_of(known, [&](const Location& each) {
      return each.path == place.path && each.range.start.line == place.position.line;
    });
  };
  if (std::ranges::all_of(places, is_known)) return true;
  // Without an index clangd does not know the uses in headers, but it knows declarations. That is not enough
  // for a rename.
  if (ambiguity == Ambiguity::kRefuse || !server.can("declarationProvider")) return false;
  params.as_object().erase("context");
  const auto declared = server.ask("textDocument/declaration", params, limit);
  if (!declared) return false;
  std::ranges::move(read_locations(*declared), std::back_inserter(known));
  return std::ranges::all_of(places, is_known);
}

// Where the location's text is the name, in UTF-16 columns. Nothing outside the workspace and in hidden
// files.
std::optional<Position> Questions::place_of_name(const Location& location, const std::string& name,
                                                 ColumnUnit unit) const {
  if (relative(location.path).starts_with('/') || is_hidden(location.path)) return std::nullopt;
  const auto file = read_file_text(options_.servers.workspace(), location.path);
  if (!file) return std::nullopt;
  const LineTable lines(file->text);
  const std::size_t at = lines.offset_of(location.range.start, unit);
  if (!std::string_view(file->text).substr(at).starts_with(name)) return std::nullopt;
  return lines.position_of(at, ColumnUnit::kUtf16);
}

// The definition of a name that the file uses but does not define: usually an import.
std::vector<SymbolPlace> Questions::places_meant(const Asked& asked, const std::vector<std::string>& parts,
                                                 const WaitLimit& limit) const {
  const std::string& text = *asked.document.text;
  const LineTable lines(text);
  std::vector<SymbolPlace> found;
  bool is_plain = false;
  std::size_t tried = 0;
  for (const NameUse& use : uses_of(asked.document, parts, limit)) {
    // `other.name` may be a member of anything, so it counts only if the name never stands alone.
    if ((is_plain && !use.is_plain) || (parts.size() > 1 && !use.is_qualified)) continue;
    if (++tried > kMostUsesAsked) break;
    const Position at = lines.position_of(use.offset, asked.server->unit());
    const auto definitions = asked.server->definitions(asked.document.path, at, limit);
    if (!definitions || definitions->empty()) continue;
    is_plain = use.is_plain;
    SymbolPlace place{.path = asked.document.path,
                      .position = lines.position_of(use.offset, ColumnUnit::kUtf16),
                      .name = join(parts, "/")};
    // Of several definitions and under another name, the use itself says best what is meant.
    if (definitions->size() == 1)
      if (const auto there = place_of_name(definitions->front(), parts.back(), asked.server->unit())) {
        place.path = definitions->front().path;
        place.position = *there;
        place.has_body = true;
      }
    if (std::ranges::none_of(found, [&](const SymbolPlace& each) {
          return each.path == place.path && each.position == place.position;
        }))
      found.push_back(std::move(place));
    if (use.is_plain || use.is_qualified) break;
  }
  return found;
}

// The file's own definitions, then what it imports, then definitions elsewhere.
Expected<std::vector<SymbolPlace>> Questions::find_symbol(const Asked& asked, const std::string& symbol,
                                                          const WaitLimit& limit) const {
  const SymbolFinder finder = options_.symbol_finder
                                  ? options_.symbol_finder(*asked.server)
                                  : make_grep_symbol_finder(*asked.server, options_.engine, options_.logger);
  auto places = finder(symbol, asked.document.path, limit);
  const std::vector<std::string> parts = split_symbol(symbol);
  if (parts.empty()) return places;
  const auto is_own = [&](const SymbolPlace& place) {
    // A member of a class is not what its bare name means in the file.
    return place.path == asked.document.path && !place.kind.empty() &&
           split_symbol(place.name).size() <= parts.size();
  };
  if (places && std::ranges::any_of(*places, is_own)) return places;
  std::vector<SymbolPlace> meant = places_meant(asked, parts, limit);
  if (places && !places->empty() && places->front().path == asked.document.path &&
      !places->front().kind.empty()) {
    // Members of this file, and perhaps an import of the same name.
    std::erase_if(meant, [&](const SymbolPlace& place) { return place.path == asked.document.path; });
    meant.insert(meant.end(), places->begin(), places->end());
    return meant;
  }
  // A header declares what another file defines, and the definition tells more.
  if (places && meant.size() == 1 && asked.server->spec().wants_compile_commands)
    for (const SymbolPlace& place : *places)
      if (place.has_body &&
          are_same_symbol(*asked.server, {place, meant.front()}, Ambiguity::kTakeFirst, limit))
        return std::vector<SymbolPlace>{place};
  if (!meant.empty()) return meant;
  // Class/method: the import of the class decides.
  if (!places || places->size() < 2 || parts.size() < 2) return places;
  const std::vector<SymbolPlace> owner = places_meant(asked, {parts.begin(), parts.end() - 1}, limit);
  const auto is_elsewhere = [&](const SymbolPlace& place) {
    return std::ranges::none_of(owner, [&](const SymbolPlace& each) { return each.path == place.path; });
  };
  if (!std::ranges::all_of(*places, is_elsewhere)) std::erase_if(*places, is_elsewhere);
  return places;
}

Expected<void> Questions::resolve_symbol(Asked& asked, const Target& target, Ambiguity ambiguity,
                                         const WaitLimit& limit) {
  auto places = find_symbol(asked, target.symbol, limit);
  if (!places) return fail(places.error());
  std::erase_if(*places, [&](const SymbolPlace& place) { return is_hidden(place.path); });
  if (places->empty())
    return fail(ErrorCode::kNotFound, concat("No readable file defines ", target.symbol, "."));
  if (places->size() > 1 && !are_same_symbol(*asked.server, *places, ambiguity, limit)) {
    constexpr std::size_t kMost = 10;
    std::vector<std::string> names;
    for (const SymbolPlace& place : *places)
      if (names.size() < kMost)
        names.push_back(concat(place.name, " at ", relative(place.path), ":", place.position.line + 1));
    if (ambiguity == Ambiguity::kRefuse)
      return fail(ErrorCode::kInvalidArgument,
                  concat(target.symbol, " has ", places->size(), " definitions: ", enumerate(names), "."),
                  "Specify Class/method, the file that defines it, or line and character.");
    asked.info.notes.push_back(concat(target.symbol, " has ", places->size(),
                                      " definitions; this answer is about the first: ", enumerate(names),
                                      "."));
  }
  const SymbolPlace& place = places->front();
  // The file may belong to another project and therefore to another server.
  if (place.path != asked.document.path) {
    AnswerInfo info = std::move(asked.info);
    auto other = open(place.path, limit);
    if (!other) return fail(other.error());
    asked = *std::move(other);
    std::ranges::move(info.notes, std::back_inserter(asked.info.notes));
  }
  const LineTable lines(*asked.document.text);
  asked.position = lines.convert(place.position, ColumnUnit::kUtf16, asked.server->unit());
  asked.spot = spot_at(relative(place.path), lines, place.position);
  asked.spot.symbol = place.name;
  asked.is_at_definition = place.has_body;
  return {};
}

Expected<Questions::Asked> Questions::resolve_target(const Target& target, Ambiguity ambiguity,
                                                     const WaitLimit& limit) {
  if (target.symbol.empty() && !target.position)
    return fail(ErrorCode::kInvalidArgument, "`symbol`, or `line` and `character`, is required.",
                "Pass symbol (parse, or Class/method), or line and character, both starting at 0.");
  auto asked = open(target.path, limit);
  if (!asked) return asked;
  if (!target.symbol.empty()) {
    if (auto resolved = resolve_symbol(*asked, target, ambiguity, limit); !resolved)
      return fail(resolved.error());
    return asked;
  }
  const LineTable lines(*asked->document.text);
  if (target.position->line >= lines.size())
    return fail(ErrorCode::kInvalidArgument,
                concat("Line ", target.position->line, " does not exist in ", relative(asked->document.path),
                       ", which has lines 0 to ", lines.size() - 1, "."),
                "Lines start at 0 here: one less than read and grep show. Or pass symbol instead.");
  const std::string_view line = lines.line(target.position->line);
  const std::size_t end = column_of_byte(line, line.size(), ColumnUnit::kUtf16);
  if (target.position->character > end)
    return fail(ErrorCode::kInvalidArgument,
                concat("Line ", target.position->line, " of ", relative(asked->document.path), " has only ",
                       end, " characters: ", shortened(line, 300)),
                "Both start at 0. Or pass symbol instead.");
  asked->position = lines.convert(*target.position, ColumnUnit::kUtf16, asked->server->unit());
  asked->spot = spot_at(relative(asked->document.path), lines, *target.position);
  return asked;
}

}  // namespace helve::lsp
