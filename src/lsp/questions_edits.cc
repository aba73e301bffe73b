// Changes that a server proposes: a rename, or the format of a file.
#include <algorithm>

#include "base/strings.h"
#include "lsp/questions.h"

namespace helve::lsp {
namespace {

// How the file indents, which servers want to be told.
Json format_options(std::string_view text) {
  std::size_t tabs = 0;
  std::size_t spaces = 0;
  std::size_t narrowest = 8;
  const LineTable lines(text);
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 2000); ++i) {
    const std::string_view line = lines.line(i);
    if (line.starts_with('\t')) ++tabs;
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || indent < 2) continue;
    ++spaces;
    narrowest = std::min(narrowest, indent);
  }
  const bool by_tabs = tabs > spaces;
  return JsonObject{{"tabSize", spaces == 0 ? 4 : static_cast<int>(narrowest)},
                    {"insertSpaces", !by_tabs},
                    {"trimTrailingWhitespace", true},
                    {"insertFinalNewline", true}};
}

std::string word_at(std::string_view text, std::size_t offset) {
  const auto in_word = [&](std::size_t at) {
    const char c = text[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
  };
  std::size_t begin = offset;
  while (begin > 0 && in_word(begin - 1)) --begin;
  std::size_t end = offset;
  while (end < text.size() && in_word(end)) ++end;
  return std::string(text.substr(begin, end - begin));
}

}  // namespace

Expected<PlannedEdits> Questions::rename(const Target& target, const std::string& new_name,
                                         const Patience& patience) {
  return with_restart([&]() -> Expected<PlannedEdits> {
    auto asked = aim(target, Ambiguity::kRefuse, patience);
    if (!asked) return fail(asked.error());
    Server& server = *asked->server;
    if (!server.can("renameProvider"))
      return fail(ErrorCode::kUnavailable, concat(server.spec().name, " cannot rename."),
                  "Use find_references and edit.");
    if (asked->told.partial)
      return fail(ErrorCode::kTimeout,
                  concat(server.spec().name, " is still reading the project (", asked->told.work,
                         "), so a rename could miss uses."),
                  "Try again in a moment.", JsonObject{{"state", "indexing"}});
    const Json at = JsonObject{{"textDocument", JsonObject{{"uri", asked->document.uri}}},
                               {"position", to_json(asked->position)}};
    const std::string name = word_at(
        *asked->document.text, LineTable(*asked->document.text).offset_of(asked->position, server.unit()));
    Json params = at;
    params["newName"] = new_name;
    Server::EditCollector collector(server);
    const auto answer = server.ask("textDocument/rename", params, patience);
    if (!answer) {
      Error error = answer.error();
      if (error.code == ErrorCode::kExecutionFailed) {
        error.message = concat(server.spec().name, " refuses to rename ", name.empty() ? "this" : name, ": ",
                               error.message.substr(error.message.find(": ") + 2));
        error.code = ErrorCode::kInvalidArgument;
        error.hint = "Point to the name of a symbol that the workspace defines, and give a valid new name.";
      }
      return fail(std::move(error));
    }
    PlannedEdits planned{.told = std::move(asked->told), .unit = server.unit(), .old_name = name};
    finish(planned.told, server);
    std::vector<Json> all{*answer};
    for (Json& edit : collector.take()) all.push_back(std::move(edit));
    for (const Json& each : all) {
      auto files = read_workspace_edit(each);
      if (!files) return fail(files.error());
      for (FileEdits& file : *files)
        if (!file.edits.empty()) planned.files.push_back(std::move(file));
    }
    planned.texts[asked->document.path] = asked->document.text;
    return planned;
  });
}

Expected<PlannedEdits> Questions::format(const std::string& path, const Patience& patience) {
  return with_restart([&]() -> Expected<PlannedEdits> {
    auto asked = open(path, patience);
    if (!asked) return fail(asked.error());
    Server& server = *asked->server;
    if (!server.can("documentFormattingProvider"))
      return fail(ErrorCode::kUnavailable, concat(server.spec().name, " cannot format files."),
                  "Use format_code.");
    const auto answer = server.ask("textDocument/formatting",
                                   JsonObject{{"textDocument", JsonObject{{"uri", asked->document.uri}}},
                                              {"options", format_options(*asked->document.text)}},
                                   patience);
    if (!answer) return fail(answer.error());
    PlannedEdits planned{.told = std::move(asked->told), .unit = server.unit()};
    finish(planned.told, server);
    if (auto edits = read_text_edits(*answer); !edits.empty())
      planned.files.push_back({asked->document.path, std::move(edits)});
    planned.texts[asked->document.path] = asked->document.text;
    return planned;
  });
}

}  // namespace helve::lsp
