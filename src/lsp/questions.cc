#include "lsp/questions.h"

#include <algorithm>

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

// Resolved, so that links and dots do not make two documents of one file.
Expected<std::string> Questions::absolute(const std::string& path) const {
  const auto file = options_.servers.workspace().open_read(path);
  if (!file) return fail(file.error());
  if (file->path.starts_with('/'))
    return fail(ErrorCode::kInvalidArgument, concat(file->path, " is not in the workspace."));
  return concat(options_.servers.workspace().path(), "/", file->path);
}

void Questions::finish(Told& told, const Server& server) const {
  told.server = server.spec().name;
  if (told.partial)
    told.notes.push_back(concat("Partial: ", told.server, " is still ",
                                to_lower(told.work.empty() ? "starting" : told.work),
                                "; ask again later for the whole answer."));
  if (!server.lacks_compile_commands()) return;
  const bool was_told =
      options_.was_told_of_guesses != nullptr && options_.was_told_of_guesses->exchange(true);
  told.notes.emplace_back(
      was_told ? "clangd guesses how files are compiled."
               : "There is no compile_commands.json, so clangd guesses how files are compiled: "
                 "errors may be false and other files unknown. CMake writes one with "
                 "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON.");
}

Expected<Questions::Asked> Questions::open(const std::string& path, const Patience& patience) {
  const auto file = absolute(path);
  if (!file) return fail(file.error());
  auto server = options_.servers.server_for(*file, patience);
  if (!server) return fail(server.error());
  auto document = (*server)->prepare(*file, patience);
  if (!document) return fail(document.error());
  Asked asked{.server = *std::move(server), .document = *std::move(document)};
  asked.told.partial = !asked.server->wait_ready(patience);
  asked.told.work = asked.server->work();
  return asked;
}

// Whether all places belong to the same symbol, as a declaration and a definition do.
bool Questions::are_one(Server& server, const std::vector<SymbolPlace>& places, Ambiguity ambiguity,
                        const Patience& patience) {
  constexpr std::size_t kMost = 8;
  if (places.size() > kMost) return false;
  const auto document = server.prepare(places.front().path, patience);
  if (!document) return false;
  const LineTable lines(*document->text);
  Json params =
      position_params(*document, lines.convert(places.front().position, ColumnUnit::kUtf16, server.unit()));
  params["context"] = JsonObject{{"includeDeclaration", true}};
  const auto answer = server.ask("textDocument/references", params, patience);
  if (!answer) return false;
  std::vector<Location> known = read_locations(*answer);
  const auto is_known = [&](const SymbolPlace& place) {
    return std::ranges::any_of(known, [&](const Location& each) {
      return each.path == place.path && each.range.start.line == place.position.line;
    });
  };
  if (std::ranges::all_of(places, is_known)) return true;
  // Without an index clangd knows no uses in headers, but where they declare something. That is not enough
  // for changes in all places.
  if (ambiguity == Ambiguity::kRefuse || !server.can("declarationProvider")) return false;
  params.as_object().erase("context");
  const auto declared = server.ask("textDocument/declaration", params, patience);
  if (!declared) return false;
  std::ranges::move(read_locations(*declared), std::back_inserter(known));
  return std::ranges::all_of(places, is_known);
}

Expected<void> Questions::aim_at_symbol(Asked& asked, const Target& target, Ambiguity ambiguity,
                                        const Patience& patience) {
  const SymbolFinder finder = options_.symbol_finder
                                  ? options_.symbol_finder(*asked.server)
                                  : make_grep_symbol_finder(*asked.server, options_.engine, options_.logger);
  auto places = finder(target.symbol, asked.document.path, patience);
  if (!places) return fail(places.error());
  std::erase_if(*places, [&](const SymbolPlace& place) { return is_hidden(place.path); });
  if (places->empty())
    return fail(ErrorCode::kNotFound,
                concat("There is no definition of ", target.symbol, " that may be read."));
  if (places->size() > 1 && !are_one(*asked.server, *places, ambiguity, patience)) {
    constexpr std::size_t kMost = 10;
    std::vector<std::string> names;
    for (const SymbolPlace& place : *places)
      if (names.size() < kMost)
        names.push_back(concat(place.name, " at ", relative(place.path), ":", place.position.line + 1));
    if (ambiguity == Ambiguity::kRefuse)
      return fail(ErrorCode::kInvalidArgument,
                  concat(target.symbol, " has ", places->size(), " definitions: ", enumerate(names), "."),
                  "Say which by Class/method, by the file that it is in, or by line and character.");
    asked.told.notes.push_back(concat(target.symbol, " has ", places->size(),
                                      " definitions; this is about the first of them: ", enumerate(names),
                                      "."));
  }
  const SymbolPlace& place = places->front();
  // The file may be of another project, and so of another server.
  if (place.path != asked.document.path) {
    Told told = std::move(asked.told);
    auto other = open(place.path, patience);
    if (!other) return fail(other.error());
    asked = *std::move(other);
    std::ranges::move(told.notes, std::back_inserter(asked.told.notes));
  }
  const LineTable lines(*asked.document.text);
  asked.position = lines.convert(place.position, ColumnUnit::kUtf16, asked.server->unit());
  asked.spot = spot_at(relative(place.path), lines, place.position);
  asked.spot.symbol = place.name;
  asked.is_at_definition = place.has_body;
  return {};
}

Expected<Questions::Asked> Questions::aim(const Target& target, Ambiguity ambiguity,
                                          const Patience& patience) {
  if (target.symbol.empty() && !target.position)
    return fail(ErrorCode::kInvalidArgument, "Neither symbol nor line and character are given.",
                "Give symbol (parse, or Class/method), or both line and character, counting from 0.");
  auto asked = open(target.path, patience);
  if (!asked) return asked;
  if (!target.symbol.empty()) {
    if (auto aimed = aim_at_symbol(*asked, target, ambiguity, patience); !aimed) return fail(aimed.error());
    return asked;
  }
  const LineTable lines(*asked->document.text);
  if (target.position->line >= lines.size())
    return fail(ErrorCode::kInvalidArgument,
                concat("There is no line ", target.position->line, " in ", relative(asked->document.path),
                       ", which has ", lines.size(), " lines, 0 to ", lines.size() - 1, "."),
                "Lines count from 0 here: one less than read and grep show. Or give symbol instead.");
  const std::string_view line = lines.line(target.position->line);
  const std::size_t end = column_of_byte(line, line.size(), ColumnUnit::kUtf16);
  if (target.position->character > end)
    return fail(ErrorCode::kInvalidArgument,
                concat("Line ", target.position->line, " of ", relative(asked->document.path), " has only ",
                       end, " characters: ", shortened(line, 300)),
                "Both count from 0. Or give symbol instead.");
  asked->position = lines.convert(*target.position, ColumnUnit::kUtf16, asked->server->unit());
  asked->spot = spot_at(relative(asked->document.path), lines, *target.position);
  return asked;
}

// From a definition clangd leads to its declaration, and back. Who asks for a symbol's definition wants to
// stay there.
void Questions::stay_at_definition(const Asked& asked, std::vector<Location>& found,
                                   const Patience& patience) {
  const auto is_here = [&](const Location& place) {
    return place.path == asked.document.path && place.range.start.line == asked.position.line;
  };
  if (found.empty() || std::ranges::any_of(found, is_here)) return;
  const auto other = asked.server->prepare(found.front().path, patience);
  if (!other) return;
  const auto back = asked.server->ask("textDocument/definition",
                                      position_params(*other, found.front().range.start), patience);
  if (!back) return;
  std::vector<Location> places = read_locations(*back);
  std::erase_if(places, [&](const Location& place) { return !is_here(place); });
  if (!places.empty()) found = std::move(places);
}

Expected<FoundPlaces> Questions::places(const Target& target, std::string_view method,
                                        const Patience& patience) {
  return with_restart([&]() -> Expected<FoundPlaces> {
    auto asked = aim(target, Ambiguity::kTakeFirst, patience);
    if (!asked) return fail(asked.error());
    Json params = position_params(asked->document, asked->position);
    if (method == "textDocument/references") params["context"] = JsonObject{{"includeDeclaration", true}};
    const auto answer = asked->server->ask(method, params, patience);
    if (!answer) return fail(answer.error());
    std::vector<Location> locations = read_locations(*answer);
    if (asked->is_at_definition && method == "textDocument/definition")
      stay_at_definition(*asked, locations, patience);
    FoundPlaces found{.told = std::move(asked->told), .asked = std::move(asked->spot)};
    finish(found.told, *asked->server);
    add_spots(found, *asked->server, std::move(locations), patience);
    return found;
  });
}

Expected<FoundPlaces> Questions::definition(const Target& target, const Patience& patience) {
  return places(target, "textDocument/definition", patience);
}

Expected<FoundPlaces> Questions::references(const Target& target, const Patience& patience) {
  return places(target, "textDocument/references", patience);
}

Expected<HoverText> Questions::hover(const Target& target, const Patience& patience) {
  return with_restart([&]() -> Expected<HoverText> {
    auto asked = aim(target, Ambiguity::kTakeFirst, patience);
    if (!asked) return fail(asked.error());
    const auto answer =
        asked->server->ask("textDocument/hover", position_params(asked->document, asked->position), patience);
    if (!answer) return fail(answer.error());
    HoverText hover{.told = std::move(asked->told), .asked = std::move(asked->spot)};
    finish(hover.told, *asked->server);
    hover.text = read_hover(*answer);
    return hover;
  });
}

}  // namespace helve::lsp
