#include "lsp/questions.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::lsp {

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

// From a definition clangd goes to the declaration, and back. A query for the definition must stay there.
void Questions::stay_at_definition(const Asked& asked, std::vector<Location>& found, const WaitLimit& limit) {
  const auto is_here = [&](const Location& place) {
    return place.path == asked.document.path && place.range.start.line == asked.position.line;
  };
  if (found.empty() || std::ranges::any_of(found, is_here)) return;
  const auto other = asked.server->prepare(found.front().path, limit);
  if (!other) return;
  auto places = asked.server->definitions(other->path, found.front().range.start, limit);
  if (!places) return;
  std::erase_if(*places, [&](const Location& place) { return !is_here(place); });
  if (!places->empty()) found = *std::move(places);
}

Expected<FoundPlaces> Questions::places(const Target& target, std::string_view method,
                                        const WaitLimit& limit) {
  return with_restart([&]() -> Expected<FoundPlaces> {
    auto asked = resolve_target(target, Ambiguity::kTakeFirst, limit);
    if (!asked) return fail(asked.error());
    const auto answer =
        asked->server->ask(method, position_params(asked->document.path, asked->position), limit);
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

Expected<HoverText> Questions::hover(const Target& target, const WaitLimit& limit) {
  return with_restart([&]() -> Expected<HoverText> {
    auto asked = resolve_target(target, Ambiguity::kTakeFirst, limit);
    if (!asked) return fail(asked.error());
    const auto answer = asked->server->ask("textDocument/hover",
                                           position_params(asked->document.path, asked->position), limit);
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
