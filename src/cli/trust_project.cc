#include "cli/trust_project.h"

#include <algorithm>

#include "app/read_answer.h"
#include "base/strings.h"
#include "patch/change_report.h"
#include "terminal/safe_text.h"

namespace helve::cli {
namespace {

std::string size_text(const settings::GrantedFile& file) {
  return concat(with_thousands(file.bytes), file.bytes == 1 ? " byte" : " bytes");
}

// The difference in one file since the last review, if there was one.
std::string file_text(const settings::GrantedFile* before, const settings::GrantedFile* now,
                      const std::string& path) {
  if (now == nullptr) return concat("removed: ", path, "\n");
  if (!now->text || (before != nullptr && !before->text))
    return concat(before == nullptr ? "new: " : "changed: ", path, " (", size_text(*now), ", SHA-256 ",
                  now->sha256.substr(0, 16), "…)\n");
  return patch::report_change({before == nullptr ? std::string_view() : path, path},
                              before == nullptr ? std::string_view() : *before->text, *now->text)
      .diff;
}

Json paths_json(const std::vector<std::string>& paths) {
  JsonArray list;
  for (const std::string& path : paths) list.emplace_back(path);
  return list;
}

}  // namespace

int trust_project(const app::Invocation& shell, settings::TrustedFolders& trusted, const std::string& folder,
                  bool yes) {
  const auto now = settings::read_project_grants(folder);
  if (!now) return shell.report(now.error(), app::kSetup);
  const auto reviewed = trusted.find(folder);
  if (!reviewed) return shell.report(reviewed.error(), app::kSetup);
  const bool again = reviewed->has_value();
  const settings::ProjectGrants before = reviewed->value_or(settings::ProjectGrants());
  const std::vector<std::string> changed = settings::changed_files(before, *now);
  const app::Printer& terminal = shell.terminal();
  if (!shell.options().json)
    for (const std::string& path : changed)
      terminal.out(terminal::printable(file_text(before.find(path), now->find(path), path)));
  if (!changed.empty() && !yes) {
    const bool can_ask = terminal.out_is_terminal() && !shell.options().json;
    const std::optional<bool> agreed =
        can_ask ? app::ask_yes_or_no("Use this configuration? [y/N] ") : std::nullopt;
    if (!agreed)
      return shell.report(
          {.code = ErrorCode::kPermissionDenied,
           .message = concat(folder, " is not trusted with this: there is no terminal to ask at."),
           .hint = "Read the files, then run helve config trust --yes.",
           .details = JsonObject{{"folder", folder}, {"changed", paths_json(changed)}}},
          app::kSetup);
    if (!*agreed) {
      terminal.out(
          concat(folder, again ? " stays as it was: what changed is not used.\n" : " is not trusted.\n"));
      return app::kOk;
    }
  }
  if (auto added = trusted.add(folder, *now); !added) return shell.report(added.error(), app::kSetup);
  if (shell.options().json)
    shell.print_json(JsonObject{{"folder", folder},
                                {"files", static_cast<std::int64_t>(now->files.size())},
                                {"changed", paths_json(changed)}});
  else if (now->files.empty())
    terminal.out(concat(folder,
                        " is trusted. It has no configuration of its own yet; when it gets some, run this "
                        "command again.\n"));
  else
    terminal.out(concat(folder, " is trusted with ", count_of(now->files.size(), "file"),
                        changed.empty() ? "; nothing changed since you trusted it.\n"
                                        : ". If one of them changes, Helve stops using them and says so.\n"));
  return app::kOk;
}

}  // namespace helve::cli
