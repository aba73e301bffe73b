#include "toolkit/edit_diagnostics.h"

#include "base/strings.h"
#include "core/language_servers.h"
#include "helve/settings/lsp.h"
#include "text/text_encoding.h"
#include "toolkit/lsp_report.h"

namespace helve::toolkit {
namespace {

constexpr std::size_t kMostFiles = 8;
constexpr std::size_t kMostShown = 20;

std::string text_of(std::string_view bytes) {
  const text::TextEncoding encoding = text::detect_encoding(bytes);
  return encoding.is_text() ? text::decode(text::without_bom(bytes, encoding), encoding) : std::string();
}

}  // namespace

void append_new_diagnostics(Context& context, const std::vector<changes::FileChange>& changes,
                            Output& output) {
  const LspSettings& settings = context.engines().settings.lsp;
  if (!settings.diagnostics_after_edit || context.dry_run()) return;
  auto questions = core::language_questions(context);
  if (!questions) return;
  const lsp::WaitLimit limit =
      core::patience_of(context).at_most(std::chrono::milliseconds(settings.diagnostics_wait_ms));
  std::vector<lsp::FoundDiagnostic> found;
  std::string server;
  std::vector<std::string> pending;
  std::size_t looked = 0;
  for (const changes::FileChange& change : changes) {
    if (change.kind == changes::FileChange::Kind::kRemove || !change.content || ++looked > kMostFiles)
      continue;
    const std::string& path = change.kind == changes::FileChange::Kind::kMove ? change.new_path : change.path;
    auto brought = questions->new_diagnostics(path, text_of(change.old_content.value_or("")), limit);
    if (brought) {
      server = brought->info.server;
      std::ranges::move(brought->diagnostics, std::back_inserter(found));
    } else if (brought.error().code != ErrorCode::kUnavailable) {
      pending.push_back(path);  // a file without a server is not reported
    }
  }
  if (server.empty() && pending.empty()) return;
  if (!output.content.empty() && !output.content.ends_with('\n')) output.content += '\n';
  if (!found.empty())
    output.content += concat("\nNew errors and warnings that this brought (", server, "):\n",
                             diagnostic_lines(found, kMostShown));
  else if (pending.empty())
    output.content += concat("\nNo new errors or warnings (", server, ").\n");
  if (!pending.empty())
    output.content += concat("\nWhether this brought errors to ", enumerate(pending),
                             " is pending; get_diagnostics will tell.\n");
  output.data["diagnostics"] = diagnostics_json(found, kMostShown);
  output.data["diagnosticsState"] = pending.empty() ? "ready" : "pending";
}

}  // namespace helve::toolkit
