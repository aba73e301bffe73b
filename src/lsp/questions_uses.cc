// Queries about all uses of a symbol: references and renames. Neither claims to be whole unless every mention
// of the name in code is accounted for.
#include <algorithm>
#include <thread>

#include "base/strings.h"
#include "base/utf8.h"
#include "lsp/questions.h"

namespace helve::lsp {
namespace {

using std::chrono::milliseconds;

constexpr auto kLastWait = std::chrono::seconds(1);
constexpr auto kConfirmTime = std::chrono::seconds(25);
constexpr std::size_t kMostShown = 20;  // unconfirmed places

std::string word_at(std::string_view text, std::size_t offset) {
  const auto in_word = [&](std::size_t at) { return is_in_word(text[at]) || text[at] == '$'; };
  std::size_t begin = offset;
  while (begin > 0 && in_word(begin - 1)) --begin;
  std::size_t end = offset;
  while (end < text.size() && in_word(end)) ++end;
  return std::string(text.substr(begin, end - begin));
}

std::string name_at(const Document& document, const Position& position, ColumnUnit unit) {
  return word_at(*document.text, LineTable(*document.text).offset_of(position, unit));
}

void wait_a_moment(milliseconds time, const WaitLimit& limit) {
  const WaitLimit until = limit.at_most(time);
  while (!until.is_over()) std::this_thread::sleep_for(milliseconds(25));
}

// "a.py:3, b.py:7 and 2 more", of at most `most` places.
std::string list_of(std::vector<std::string> places, std::size_t total, std::size_t most) {
  if (places.size() > most) places.resize(most);
  if (total > places.size()) places.push_back(concat(total - places.size(), " more"));
  return enumerate(places, " and ");
}

// Where the name also occurs, but not as code of the language.
std::string prose_note(const Mentions& mentions, const Reported& reported, const std::string& workspace) {
  constexpr std::size_t kMostListed = 5;
  std::vector<std::string> places;
  std::size_t total = 0;
  for (const MentioningFile& file : mentions.files) {
    const LineTable lines(*file.text);
    std::set<std::size_t> seen;
    for (const std::size_t offset : file.in_prose) {
      const std::size_t line = lines.position_of(offset, ColumnUnit::kUtf8).line;
      const bool changed = std::ranges::any_of(reported.places, [&](const Location& each) {
        return each.path == file.path && each.range.start.line == line;
      });
      if (changed || !seen.insert(line).second) continue;
      ++total;
      places.push_back(concat(file.path.substr(workspace.size() + 1), ":", line + 1));
    }
  }
  total += mentions.other_files.size();
  places.insert(places.end(), mentions.other_files.begin(), mentions.other_files.end());
  if (total == 0) return {};
  return concat("Unchanged are comments, strings and other files with the name: ",
                list_of(std::move(places), total, kMostListed), ".");
}

// Edits that keep the old name beside the new one leave other uses of it valid.
void add_edits(Reported& reported, const std::vector<FileEdits>& files, const std::string& name,
               const std::string& new_name) {
  for (const FileEdits& file : files)
    for (const TextEdit& edit : file.edits) {
      const Location place{file.path, edit.range};
      reported.places.push_back(place);
      const bool keeps = edit.new_text != new_name && edit.new_text.contains(name);
      if (edit.range.start == edit.range.end || keeps) reported.kept.push_back(place);
      if (keeps && edit.new_text.ends_with(name)) {
        reported.with_alias.insert(file.path);
        if (edit.new_text.ends_with(concat(" as ", name))) reported.exports_alias = true;
      }
    }
}

}  // namespace

Expected<Confirmation> Questions::confirmation_of(const Asked& asked, const WaitLimit& limit) {
  Server& server = *asked.server;
  std::string name = name_at(asked.document, asked.position, server.unit());
  Mentions mentions;
  if (!name.empty()) {
    auto found = find_mentions({.workspace = options_.servers.workspace(),
                                .spec = server.spec(),
                                .engine = options_.engine,
                                .logger = options_.logger,
                                .hides = options_.hides},
                               name, limit.at_most(kConfirmTime));
    if (!found) return fail(found.error());
    mentions = *std::move(found);
  }
  return Confirmation(options_.servers, server, std::move(name), std::move(mentions));
}

// Asks until every mention is accounted for, or further waiting does not help.
Expected<std::vector<Unconfirmed>> Questions::ask_until_confirmed(Confirmation& confirmation, Asked& asked,
                                                                  bool renames, Reported& reported,
                                                                  const AskServer& ask,
                                                                  const WaitLimit& limit) {
  constexpr int kTries = 4;
  Server& server = *asked.server;
  // An index of the whole project knows the uses in closed files.
  const bool has_index = server.spec().wants_compile_commands && !server.lacks_compile_commands();
  if (!has_index) confirmation.open_files(limit);
  const WaitLimit bounded = limit.at_most(kConfirmTime);
  for (int attempt = 1;; ++attempt) {
    // A server that was not ready in its time gets little more.
    asked.info.partial = !server.wait_ready(asked.info.partial ? limit.at_most(kLastWait) : limit);
    asked.info.work = server.work();
    reported = {};
    if (auto asked_server = ask(); !asked_server) return fail(asked_server.error());
    reported.definitions =
        server.definitions(asked.document.path, asked.position, limit).value_or(std::vector<Location>());
    auto places =
        renames ? confirmation.compare_rename(reported, bounded) : confirmation.compare(reported, bounded);
    const bool overrides_follow = server.spec().overrides == Overrides::kRenamedOnceIndexed;
    const bool may_follow = std::ranges::any_of(places, [&](const Unconfirmed& each) {
      using enum Unconfirmed::Reason;
      return each.reason == kSameSymbol || (each.reason == kRelated && overrides_follow);
    });
    const int tries = may_follow ? kTries : 2;
    if (places.empty() || attempt >= tries || asked.info.partial || bounded.is_over()) return places;
    // A server needs a moment to connect files that were just opened or created.
    wait_a_moment(milliseconds(200 * attempt * attempt), bounded);
  }
}

Expected<FoundPlaces> Questions::references(const Target& target, const WaitLimit& limit) {
  return with_restart([&]() -> Expected<FoundPlaces> {
    auto asked = resolve_target(target, Ambiguity::kTakeFirst, limit);
    if (!asked) return fail(asked.error());
    auto confirmation = confirmation_of(*asked, limit);
    if (!confirmation) return fail(confirmation.error());
    Json params = position_params(asked->document.path, asked->position);
    params["context"] = JsonObject{{"includeDeclaration", true}};
    Reported reported;
    const auto unconfirmed = ask_until_confirmed(
        *confirmation, *asked, false, reported,
        [&]() -> Expected<void> {
          const auto answer = asked->server->ask("textDocument/references", params, limit);
          if (!answer) return fail(answer.error());
          reported.places = read_locations(*answer);
          return {};
        },
        limit);
    if (!unconfirmed) return fail(unconfirmed.error());
    FoundPlaces found{.info = std::move(asked->info), .asked = std::move(asked->spot)};
    finish(found.info, *asked->server);
    add_spots(found, *asked->server, std::move(reported.places), limit);
    found.unconfirmed_total = unconfirmed->size();
    found.unchecked_files = confirmation->mentions().unread.size();
    if (confirmation->mentions().is_cut) ++found.unchecked_files;
    for (const Unconfirmed& each : *unconfirmed)
      if (found.unconfirmed.size() < kMostShown)
        found.unconfirmed.push_back(spot_of(each.place, asked->server->unit()));
    return found;
  });
}

// A rename at a use may change only an alias in that file, so it is asked for at the definition.
Expected<void> Questions::move_to_definition(Asked& asked, const WaitLimit& limit) {
  const std::string name = name_at(asked.document, asked.position, asked.server->unit());
  const auto definitions = asked.server->definitions(asked.document.path, asked.position, limit);
  if (name.empty() || !definitions || definitions->size() != 1) return {};
  const auto place = place_of_name(definitions->front(), name, asked.server->unit());
  if (!place) return {};
  AnswerInfo info = std::move(asked.info);
  auto there = open(definitions->front().path, limit);
  if (!there) return fail(there.error());
  there->position =
      LineTable(*there->document.text).convert(*place, ColumnUnit::kUtf16, there->server->unit());
  there->spot = std::move(asked.spot);
  std::ranges::move(info.notes, std::back_inserter(there->info.notes));
  asked = *std::move(there);
  return {};
}

Error Questions::unconfirmed_error(const Asked& asked, const std::string& name,
                                   const std::vector<Unconfirmed>& places, std::size_t unchecked) const {
  std::vector<std::string> names;
  JsonArray list;
  for (const Unconfirmed& each : places) {
    if (list.size() >= kMostShown) break;
    const Spot spot = spot_of(each.place, asked.server->unit());
    names.push_back(concat(spot.path, ":", spot.range.start.line + 1));
    list.push_back(JsonObject{{"path", to_valid_utf8(spot.path)},
                              {"line", spot.range.start.line},
                              {"character", spot.range.start.character},
                              {"text", spot.text},
                              {"reason", to_string(each.reason)}});
  }
  const std::string listed = list_of(names, places.size(), kMostShown);
  const std::string rest = unchecked == 0 ? ""
                                          : concat(names.empty() ? "in " : " and in ",
                                                   count_of(unchecked, "file"), " that Helve did not check");
  return {.code = ErrorCode::kConflict,
          .message = concat("Nothing was renamed. ", name, " also occurs ", names.empty() ? "" : "at ",
                            listed, rest, ", and ", asked.server->spec().name, " would not rename it there."),
          .hint =
              "Read these places. If they are other symbols, pass leaveUnconfirmed: true. If they are uses, "
              "pass it too, then edit them.",
          .details = JsonObject{{"reason", "unconfirmed"},
                                {"places", std::move(list)},
                                {"total", places.size()},
                                {"uncheckedFiles", unchecked}}};
}

Error Questions::indexing_error(const Asked& asked) {
  return {ErrorCode::kTimeout,
          concat(asked.server->spec().name, " is still indexing the project (", asked.info.work,
                 "), so a rename could miss uses."),
          "Try again in a moment.", JsonObject{{"state", "indexing"}}};
}

Expected<std::vector<FileEdits>> Questions::rename_edits(Server& server, const Asked& asked,
                                                         const std::string& name, const std::string& new_name,
                                                         const WaitLimit& limit) {
  Json params = position_params(asked.document.path, asked.position);
  params["newName"] = new_name;
  Server::EditCollector collector(server);
  const auto answer = server.ask("textDocument/rename", params, limit);
  if (!answer) {
    Error error = answer.error();
    if (error.code == ErrorCode::kExecutionFailed) {
      error.message = concat(server.spec().name, " cannot rename ", name.empty() ? "this" : name, ": ",
                             error.message.substr(error.message.find(": ") + 2));
      error.code = ErrorCode::kInvalidArgument;
      error.hint = "Target the name of a symbol that is defined in the workspace, and pass a valid new name.";
    }
    return fail(std::move(error));
  }
  std::vector<Json> all{*answer};
  for (Json& edit : collector.take()) all.push_back(std::move(edit));
  std::vector<FileEdits> edits;
  for (const Json& each : all) {
    auto files = read_workspace_edit(each);
    if (!files) return fail(files.error());
    for (FileEdits& file : *files)
      if (!file.edits.empty()) edits.push_back(std::move(file));
  }
  return edits;
}

Expected<PlannedEdits> Questions::rename(const Target& target, const std::string& new_name,
                                         AtUnconfirmed at_unconfirmed, const WaitLimit& limit) {
  return with_restart([&]() -> Expected<PlannedEdits> {
    auto asked = resolve_target(target, Ambiguity::kRefuse, limit);
    if (!asked) return fail(asked.error());
    if (!asked->server->can("renameProvider"))
      return fail(ErrorCode::kUnavailable, concat(asked->server->spec().name, " cannot rename."),
                  "Use find_references and edit.");
    if (asked->info.partial) return fail(indexing_error(*asked));
    if (auto moved = move_to_definition(*asked, limit); !moved) return fail(moved.error());
    Server& server = *asked->server;
    auto confirmation = confirmation_of(*asked, limit);
    if (!confirmation) return fail(confirmation.error());
    const std::string name = name_at(asked->document, asked->position, server.unit());
    PlannedEdits planned{.unit = server.unit(), .old_name = name};
    Reported reported;
    const auto unconfirmed = ask_until_confirmed(
        *confirmation, *asked, true, reported,
        [&]() -> Expected<void> {
          if (asked->info.partial) return fail(indexing_error(*asked));
          auto files = rename_edits(server, *asked, name, new_name, limit);
          if (!files) return fail(files.error());
          planned.files = *std::move(files);
          add_edits(reported, planned.files, name, new_name);
          return {};
        },
        limit);
    if (!unconfirmed) return fail(unconfirmed.error());
    const Mentions& mentions = confirmation->mentions();
    const std::size_t unchecked = mentions.unread.size() + (mentions.is_cut ? 1 : 0);
    if (at_unconfirmed == AtUnconfirmed::kRefuse && (!unconfirmed->empty() || unchecked > 0))
      return fail(unconfirmed_error(*asked, name, *unconfirmed, unchecked));
    if (at_unconfirmed == AtUnconfirmed::kRefuse && server.spec().checks_open_texts)
      if (auto checked = check_rename(*asked, planned, *confirmation, reported, new_name, limit); !checked)
        return fail(checked.error());
    planned.info = std::move(asked->info);
    finish(planned.info, server);
    if (std::string note = prose_note(mentions, reported, options_.servers.workspace().path()); !note.empty())
      planned.info.notes.push_back(std::move(note));
    planned.texts[asked->document.path] = asked->document.text;
    return planned;
  });
}

}  // namespace helve::lsp
