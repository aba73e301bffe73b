#include "lsp/questions.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::lsp {
namespace {

Json position_params(const Document& document, const Position& position) {
  return JsonObject{{"textDocument", JsonObject{{"uri", document.uri}}}, {"position", to_json(position)}};
}

Spot spot_at(const std::string& path, const LineTable& lines, const Position& position) {
  const std::string_view line = lines.line(position.line);
  return {.path = path,
          .range = {position, position},
          .column = 1 + column_of_byte(line, byte_of_column(line, position.character, ColumnUnit::kUtf16),
                                       ColumnUnit::kUtf32),
          .text = shortened(trim(line), 300)};
}

}  // namespace

std::string Questions::relative(const std::string& absolute_path) const {
  const std::string prefix = concat(options_.servers.workspace().path(), "/");
  return absolute_path.starts_with(prefix) ? absolute_path.substr(prefix.size()) : absolute_path;
}

bool Questions::is_hidden(const std::string& absolute_path) const {
  return options_.hides && options_.hides(relative(absolute_path));
}

// Resolves symlinks and dots, so that one file is never opened as two documents.
Expected<std::string> Questions::absolute(const std::string& path) const {
  const auto file = options_.servers.workspace().open_read(path);
  if (!file) return fail(file.error());
  if (file->path.starts_with('/'))
    return fail(ErrorCode::kInvalidArgument, concat(file->path, " is not in the workspace."));
  return concat(options_.servers.workspace().path(), "/", file->path);
}

void Questions::finish(AnswerInfo& info, const Server& server) const {
  info.server = server.spec().name;
  if (info.partial)
    info.notes.push_back(concat("Partial: ", info.server, " is still ",
                                to_lower(info.work.empty() ? "starting" : info.work),
                                "; ask again later for the complete answer."));
  if (!server.lacks_compile_commands()) return;
  const bool was_told = options_.compile_hint_shown != nullptr && options_.compile_hint_shown->exchange(true);
  info.notes.emplace_back(
      was_told ? "clangd guesses how files are compiled."
               : "There is no compile_commands.json, so clangd guesses how files are compiled: "
                 "errors may be false and other files unknown. CMake writes one with "
                 "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON.");
}

Expected<Questions::Asked> Questions::open(const std::string& path, const WaitLimit& limit) {
  const auto file = absolute(path);
  if (!file) return fail(file.error());
  auto server = options_.servers.server_for(*file, limit);
  if (!server) return fail(server.error());
  auto document = (*server)->prepare(*file, limit);
  if (!document) return fail(document.error());
  Asked asked{.server = *std::move(server), .document = *std::move(document)};
  asked.info.partial = !asked.server->wait_ready(limit);
  asked.info.work = asked.server->work();
  return asked;
}

// Whether all places are the same symbol, such as a declaration and its definition.
bool Questions::are_same_symbol(Server& server, const std::vector<SymbolPlace>& places, Ambiguity ambiguity,
                                const WaitLimit& limit) {
  constexpr std::size_t kMost = 8;
  if (places.size() > kMost) return false;
  const auto document = server.prepare(places.front().path, limit);
  if (!document) return false;
  const LineTable lines(*document->text);
  Json params =
      position_params(*document, lines.convert(places.front().position, ColumnUnit::kUtf16, server.unit()));
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

Expected<void> Questions::resolve_symbol(Asked& asked, const Target& target, Ambiguity ambiguity,
                                         const WaitLimit& limit) {
  const SymbolFinder finder = options_.symbol_finder
                                  ? options_.symbol_finder(*asked.server)
                                  : make_grep_symbol_finder(*asked.server, options_.engine, options_.logger);
  auto places = finder(target.symbol, asked.document.path, limit);
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

// From a definition clangd goes to the declaration, and back. A query for the definition must stay there.
void Questions::stay_at_definition(const Asked& asked, std::vector<Location>& found, const WaitLimit& limit) {
  const auto is_here = [&](const Location& place) {
    return place.path == asked.document.path && place.range.start.line == asked.position.line;
  };
  if (found.empty() || std::ranges::any_of(found, is_here)) return;
  const auto other = asked.server->prepare(found.front().path, limit);
  if (!other) return;
  const auto back =
      asked.server->ask("textDocument/definition", position_params(*other, found.front().range.start), limit);
  if (!back) return;
  std::vector<Location> places = read_locations(*back);
  std::erase_if(places, [&](const Location& place) { return !is_here(place); });
  if (!places.empty()) found = std::move(places);
}

Expected<FoundPlaces> Questions::places(const Target& target, std::string_view method,
                                        const WaitLimit& limit) {
  return with_restart([&]() -> Expected<FoundPlaces> {
    auto asked = resolve_target(target, Ambiguity::kTakeFirst, limit);
    if (!asked) return fail(asked.error());
    Json params = position_params(asked->document, asked->position);
    if (method == "textDocument/references") params["context"] = JsonObject{{"includeDeclaration", true}};
    const auto answer = asked->server->ask(method, params, limit);
    if (!answer) return fail(answer.error());
    std::vector<Location> locations = read_locations(*answer);
    if (asked->is_at_definition && method == "textDocument/definition")
      stay_at_definition(*asked, locations, limit);
    FoundPlaces found{.info = std::move(asked->info), .asked = std::move(asked->spot)};
    finish(found.info, *asked->server);
    add_spots(found, *asked->server, std::move(locations), limit);
    return found;
  });
}

Expected<FoundPlaces> Questions::definition(const Target& target, const WaitLimit& limit) {
  return places(target, "textDocument/definition", limit);
}

Expected<FoundPlaces> Questions::references(const Target& target, const WaitLimit& limit) {
  return places(target, "textDocument/references", limit);
}

Expected<HoverText> Questions::hover(const Target& target, const WaitLimit& limit) {
  return with_restart([&]() -> Expected<HoverText> {
    auto asked = resolve_target(target, Ambiguity::kTakeFirst, limit);
    if (!asked) return fail(asked.error());
    const auto answer =
        asked->server->ask("textDocument/hover", position_params(asked->document, asked->position), limit);
    if (!answer) return fail(answer.error());
    HoverText hover{.info = std::move(asked->info), .asked = std::move(asked->spot)};
    finish(hover.info, *asked->server);
    hover.text = read_hover(*answer);
    return hover;
  });
}

namespace {

constexpr std::size_t kMostOutlined = 8;  // files whose symbols are requested
constexpr auto kOutlineTime = std::chrono::seconds(3);
constexpr std::size_t kLongestLine = 300;

// The innermost symbol that contains the position.
std::string enclosing(const std::vector<SymbolEntry>& symbols, const Position& position) {
  const SymbolEntry* best = nullptr;
  for (const SymbolEntry& entry : symbols) {
    if (position < entry.range.start || entry.range.end < position) continue;
    if (entry.kind == "variable" || entry.kind == "constant" || entry.kind == "property" ||
        entry.kind == "field")
      continue;
    if (best == nullptr || best->range.start <= entry.range.start) best = &entry;
  }
  if (best == nullptr) return {};
  // The name of a definition belongs to the enclosing symbol.
  if (best->selection.start <= position && position <= best->selection.end) return best->container;
  return best->container.empty() ? best->name : concat(best->container, "/", best->name);
}

}  // namespace

Spot Questions::spot_of(const Location& location, ColumnUnit unit) const {
  Spot spot{
      .path = relative(location.path), .range = location.range, .column = location.range.start.character + 1};
  spot.outside = spot.path.starts_with('/');
  if (spot.outside) return spot;
  const auto file = read_file_text(options_.servers.workspace(), location.path);
  if (!file) return spot;
  const LineTable lines(file->text);
  spot.range = lines.convert(location.range, unit, ColumnUnit::kUtf16);
  const std::string_view line = lines.line(location.range.start.line);
  spot.column = 1 + column_of_byte(line, byte_of_column(line, location.range.start.character, unit),
                                   ColumnUnit::kUtf32);
  spot.text = shortened(trim(line), kLongestLine);
  return spot;
}

void Questions::add_spots(FoundPlaces& found, Server& server, std::vector<Location> locations,
                          const WaitLimit& limit) {
  const auto hidden = std::erase_if(locations, [&](const Location& each) { return is_hidden(each.path); });
  if (hidden > 0)
    found.info.notes.push_back(concat(count_of(hidden, "place"), hidden == 1 ? " is" : " are",
                                      " in files that permission rules hide."));
  std::ranges::stable_sort(locations, {},
                           [](const Location& each) { return std::pair(each.path, each.range); });
  // The target's file comes first.
  std::ranges::stable_partition(
      locations, [&](const Location& each) { return relative(each.path) == found.asked.path; });
  std::set<std::string> files;
  for (const Location& location : locations) files.insert(location.path);
  found.total = locations.size();
  found.files = files.size();
  if (locations.size() > options_.most_spots) locations.resize(options_.most_spots);

  const WaitLimit outline_limit = limit.at_most(kOutlineTime);
  std::map<std::string, std::vector<SymbolEntry>> outlines;
  for (const Location& location : locations) {
    Spot spot = spot_of(location, server.unit());
    if (!spot.outside) {
      auto outline = outlines.find(location.path);
      if (outline == outlines.end() && outlines.size() < kMostOutlined && !outline_limit.is_over()) {
        std::vector<SymbolEntry> symbols;
        if (const auto document = server.prepare(location.path, outline_limit))
          symbols = symbols_of(server, *document, outline_limit).value_or(std::vector<SymbolEntry>());
        outline = outlines.emplace(location.path, std::move(symbols)).first;
      }
      if (outline != outlines.end()) spot.symbol = enclosing(outline->second, location.range.start);
    }
    found.spots.push_back(std::move(spot));
  }
}

}  // namespace helve::lsp
