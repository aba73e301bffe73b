#include "core/language_servers.h"

#include <sys/stat.h>

#include "base/file_io.h"
#include "core/command_plan.h"
#include "core/index_symbols.h"
#include "core/protect.h"
#include "core/session_state.h"
#include "helve/settings/sandbox.h"
#include "settings/directories.h"

namespace helve::core {

namespace {

// The same files as those that commands cannot read. Asked at each start, because files come and go.
Expected<std::vector<std::string>> hidden_files(const Engines& engines) {
  sandbox::Plan plan;
  const auto hide = [&](const std::string& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0) plan.hidden.push_back(real_path(path).value_or(path));
  };
  hide(engines.state_directory);
  hide(engines.store.directory());
  for (const std::string& path : engines.settings.sandbox.hidden)
    if (const std::string real = settings_path(path, engines.root.path()); !real.empty()) hide(real);
  if (const auto config = settings::default_config_directory()) hide(*config);
  if (engines.rules)
    if (auto done = hide_unreadable(plan, engines.root, *engines.rules->hidden()); !done)
      return fail(done.error());
  return std::move(plan.hidden);
}

}  // namespace

std::shared_ptr<lsp::Servers> make_language_servers(Engines& engines) {
  return std::make_shared<lsp::Servers>(
      lsp::Servers::Options{.workspace = &engines.root,
                            .settings = &engines.settings.lsp,
                            .launcher = engines.launcher,
                            .logger = &engines.logger,
                            .hidden = [&engines] { return hidden_files(engines); }});
}

Expected<lsp::Questions> language_questions(const Context& context) {
  Engines& engines = context.engines();
  if (!engines.language_servers)
    return fail(ErrorCode::kUnavailable, "There are no language servers here.", "Use grep and read.",
                JsonObject{{"state", "unavailable"}});
  return lsp::Questions(
      {.servers = *engines.language_servers,
       .logger = engines.logger,
       .engine = search_engine(engines.settings.search),
       .hides = [hidden = engines.rules->hidden()](
                    const std::string& path) { return !hidden->empty() && hidden->hides(path); },
       .symbol_finder =
           [&engines](lsp::Server& server) {
             return make_index_symbol_finder(
                 engines, server,
                 lsp::make_grep_symbol_finder(server, search_engine(engines.settings.search),
                                              engines.logger));
           },
       .compile_hint_shown = &session_state(context).compile_hint_shown});
}

lsp::WaitLimit patience_of(const Context& context) { return {context.deadline(), context.stop_token()}; }

Expected<lsp::Target> TargetParams::target() const {
  if (line.has_value() != character.has_value())
    return fail(ErrorCode::kInvalidArgument, "A position needs both line and character.",
                "Give both, counting from 0; or symbol instead.");
  lsp::Target target{.path = path, .symbol = symbol};
  if (line)
    target.position = lsp::Position{static_cast<std::size_t>(*line), static_cast<std::size_t>(*character)};
  if (target.position && !symbol.empty())
    return fail(ErrorCode::kInvalidArgument, "Both a position and a symbol are given.",
                "Give line and character, or symbol.");
  return target;
}

}  // namespace helve::core
