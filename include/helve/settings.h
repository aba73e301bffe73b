// All settings of a runtime, with their defaults. The text in describe() documents each setting; the same
// description gives the keys of the configuration file.
//
//   #include <helve/settings.h>
//   helve::Settings careful_settings() {
//     helve::Settings settings;
//     settings.mode = helve::Mode::kAsk;
//     settings.sandbox.level = helve::SandboxLevel::kReadOnly;
//     settings.permissions.allow = {"exec(git status)", "exec(git diff:*)"};
//     settings.permissions.deny = {"read(./secrets/**)"};
//     settings.lsp.servers["pyright"].command = "/opt/pyright/bin/pyright-langserver";
//     settings.mcp_servers["docs"].url = "https://docs.example.com/mcp";
//     return settings;
//   }
//
// Each group of settings has a header in helve/settings, for code that reads only that group. Pass all of
// them in RuntimeOptions::settings. The runtime keeps a copy: later changes to the original have no effect.
// `helve config` prints the same settings with their descriptions.
#pragma once

#include <map>
#include <string>

#include "helve/api.h"
#include "helve/params.h"
#include "helve/permissions.h"
#include "helve/settings/agent.h"
#include "helve/settings/audit.h"
#include "helve/settings/caches.h"
#include "helve/settings/edit.h"
#include "helve/settings/exec.h"
#include "helve/settings/guide.h"
#include "helve/settings/history.h"
#include "helve/settings/hooks.h"
#include "helve/settings/log.h"
#include "helve/settings/lsp.h"
#include "helve/settings/mcp_server.h"
#include "helve/settings/model.h"
#include "helve/settings/permissions.h"
#include "helve/settings/plugins.h"
#include "helve/settings/results.h"
#include "helve/settings/sandbox.h"
#include "helve/settings/search.h"
#include "helve/settings/tools.h"
#include "helve/settings/workspace.h"

namespace HELVE_API helve {

// All settings. A plain value: copy it freely, and share it between threads only while it does not change. A
// member that you do not set keeps its default. Values are checked when a configuration file is loaded; rules
// are checked by Runtime::create.
struct Settings {
  using Workspace = WorkspaceSettings;
  using Edit = EditSettings;
  using Search = SearchSettings;
  using Exec = ExecSettings;
  using Sandbox = SandboxSettings;
  using Permissions = PermissionSettings;
  using Hook = HookProgram;
  using Hooks = HookSettings;
  using History = HistorySettings;
  using Tools = ToolSettings;
  using Results = ResultSettings;
  using LanguageServer = LanguageServerSettings;
  using Lsp = LspSettings;
  using Agent = AgentSettings;
  using Audit = AuditSettings;
  using Caches = CacheSettings;
  using Prices = ModelPrices;
  using Model = ModelSettings;
  using Log = LogSettings;
  using McpOAuth = McpOAuthSettings;
  using McpServer = McpServerSettings;
  using Plugins = PluginSettings;
  using Guide = GuideSettings;

  Mode mode = Mode::kAsk;
  Workspace workspace;
  Edit edit;
  Search search;
  Exec exec;
  Sandbox sandbox;
  Permissions permissions;
  Hooks hooks;
  History history;
  Tools tools;
  Results results;
  Lsp lsp;
  Agent agent;
  Audit audit;
  Caches caches;
  Model model;
  Log log;
  Plugins plugins;
  Guide guide;
  std::map<std::string, McpServer> mcp_servers;

  void describe(ParamSpec& p) {
    p.optional("mode", mode, "What runs without approval.");
    p.optional("workspace", workspace, "Rules for paths.");
    p.optional("edit", edit, "How edits match, and how new files are written.");
    p.optional("search", search, "How files are searched.");
    p.optional("exec", exec, "How commands run.");
    p.optional("sandbox", sandbox, "The sandbox for commands.");
    p.optional("permissions", permissions, "Permission rules.");
    p.optional("hooks", hooks, "Programs to run before and after calls.");
    p.optional("history", history, "How long changes can be undone.");
    p.optional("tools", tools, "Which tools are offered and how they run.");
    p.optional("results", results, "What happens to long results.");
    p.optional("lsp", lsp, "The language servers.");
    p.optional("agent", agent, "Limits for the agent.");
    p.optional("audit", audit, "The record of all calls.");
    p.optional("caches", caches, "Data that can be rebuilt: symbol indexes, tool lists.");
    p.optional("model", model, "Which language model the agent uses.");
    p.optional("log", log, "Helve's own log.");
    p.optional("plugins", plugins, "Tools from libraries, MCP programs and command templates.");
    p.optional("guide", guide, "Advice for models about choosing tools and about failures.");
    p.optional("mcp_servers", mcp_servers, "By name: MCP servers whose tools Helve offers.");
  }
};

}  // namespace helve
