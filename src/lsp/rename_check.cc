// Shows a server the texts after a rename and refuses the rename if they have new errors: the new name is
// taken, or a class no longer fits an interface.
#include <algorithm>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "lsp/questions.h"

namespace helve::lsp {
namespace {

constexpr auto kCheckTime = std::chrono::seconds(20);
constexpr std::size_t kMostChecked = 40;  // files
constexpr std::size_t kMostOwners = 6;    // classes with such a member
constexpr std::size_t kMostErrorsShown = 20;

struct NewError {
  std::string path;
  Diagnostic diagnostic;
};

// The messages of a file's errors, with the old name in place of the new one.
Expected<std::vector<Diagnostic>> errors_of(Server& server, const Document& document,
                                            const WaitLimit& limit) {
  auto diagnosis = server.diagnose(document, limit);
  if (!diagnosis) return fail(diagnosis.error());
  std::erase_if(diagnosis->diagnostics,
                [](const Diagnostic& each) { return each.severity != Diagnostic::Severity::kError; });
  return std::move(diagnosis->diagnostics);
}

// Errors that were there before are left out, whichever of the two names they mention.
void drop_known(std::vector<Diagnostic>& now, std::vector<Diagnostic> before, const std::string& name,
                const std::string& new_name) {
  std::erase_if(now, [&](const Diagnostic& each) {
    const std::string message = replace_all(each.message, new_name, name);
    const auto known = std::ranges::find_if(before, [&](const Diagnostic& old) {
      return old.code == each.code && replace_all(old.message, new_name, name) == message;
    });
    if (known == before.end()) return false;
    before.erase(known);
    return true;
  });
}

}  // namespace

// A check that is not finished in time refuses nothing; the note says so.
Expected<void> Questions::check_rename(Asked& asked, const PlannedEdits& planned, Confirmation& confirmation,
                                       const Reported& reported, const std::string& new_name,
                                       const WaitLimit& limit) const {
  Server& server = *asked.server;
  const WaitLimit bounded = limit.at_most(kCheckTime);
  const auto give_up = [&]() -> Expected<void> {
    asked.info.notes.push_back(concat(server.spec().name, " did not check the result in time."));
    return {};
  };
  // Changed files first, then those that mention the name or a class that has it.
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (paths.size() < kMostChecked && server.spec().serves(path) &&
        std::ranges::find(paths, path) == paths.end() && !relative(path).starts_with('/'))
      paths.push_back(path);
  };
  for (const FileEdits& file : planned.files) add(file.path);
  const auto add_mentions = [&](const Mentions& mentions) {
    for (const MentioningFile& file : mentions.files)
      if (!file.in_code.empty() &&
          (server.spec().knows_all_projects || is_within(file.path, server.project_root())))
        add(file.path);
  };
  add_mentions(confirmation.mentions());
  std::vector<std::string> owners = confirmation.owners(reported, bounded);
  if (owners.size() > kMostOwners) owners.resize(kMostOwners);
  for (const std::string& owner : owners)
    if (const auto mentions = find_mentions({.workspace = options_.servers.workspace(),
                                             .spec = server.spec(),
                                             .engine = options_.engine,
                                             .logger = options_.logger,
                                             .hides = options_.hides},
                                            owner, bounded))
      add_mentions(*mentions);

  const auto documents = server.prepare_all(paths, bounded);
  if (!documents) return give_up();
  std::vector<std::vector<Diagnostic>> before;
  std::vector<FileText> texts;
  for (const Document& document : *documents) {
    auto errors = errors_of(server, document, bounded);
    if (!errors) return give_up();
    before.push_back(*std::move(errors));
    FileText text{.path = document.path, .text = *document.text};
    for (const FileEdits& file : planned.files) {
      if (file.path != document.path) continue;
      auto edited = apply_edits(text.text, file.edits, planned.unit);
      if (!edited) return fail(edited.error());
      text.text = *std::move(edited);
    }
    texts.push_back(std::move(text));
  }
  const auto changed = server.prepare_all_as(texts, bounded);
  if (!changed) return give_up();
  JsonArray places;
  std::vector<std::string> lines;
  std::size_t total = 0;
  for (std::size_t i = 0; i < changed->size(); ++i) {
    auto errors = errors_of(server, (*changed)[i], bounded);
    if (!errors) return give_up();
    drop_known(*errors, std::move(before[i]), planned.old_name, new_name);
    const LineTable table(texts[i].text);
    for (const Diagnostic& error : *errors) {
      if (++total > kMostErrorsShown) continue;
      const std::string path = relative(texts[i].path);
      const Position start = table.convert(error.range.start, planned.unit, ColumnUnit::kUtf16);
      lines.push_back(concat(path, ":", start.line + 1, ": ", shortened(error.message, 200)));
      places.push_back(JsonObject{{"path", to_valid_utf8(path)},
                                  {"line", start.line},
                                  {"character", start.character},
                                  {"text", shortened(trim(table.line(start.line)), 300)},
                                  {"reason", error.message}});
    }
  }
  if (total == 0) return {};
  return fail(ErrorCode::kConflict,
              concat("Nothing was renamed. ", new_name, " would bring ", count_of(total, "error"), ": ",
                     join(lines, "; ")),
              "Choose another name, or change these places first. leaveUnconfirmed: true renames regardless.",
              JsonObject{{"reason", "errors"}, {"places", std::move(places)}, {"total", total}});
}

}  // namespace helve::lsp
