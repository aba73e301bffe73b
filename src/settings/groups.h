// Refers to the groups of the settings. Code that reads one group includes the header of that group besides
// this one, so that a change to another group does not compile it again.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "helve/api.h"
#include "helve/permissions.h"

namespace HELVE_API helve {
struct Settings;
struct WorkspaceSettings;
struct EditSettings;
struct SearchSettings;
struct ExecSettings;
struct SandboxSettings;
struct PermissionSettings;
struct HookSettings;
struct HistorySettings;
struct ToolSettings;
struct ResultSettings;
struct LspSettings;
struct AgentSettings;
struct AuditSettings;
struct CacheSettings;
struct ModelSettings;
struct LogSettings;
struct PluginSettings;
struct GuideSettings;
struct McpServerSettings;
}  // namespace HELVE_API helve

namespace helve::settings {

// The members of Settings, by reference. The settings must outlive it. May be used from all threads.
struct Groups {
  Groups(const Settings& settings);

  const Mode mode;
  const WorkspaceSettings& workspace;
  const EditSettings& edit;
  const SearchSettings& search;
  const ExecSettings& exec;
  const SandboxSettings& sandbox;
  const PermissionSettings& permissions;
  const HookSettings& hooks;
  const HistorySettings& history;
  const ToolSettings& tools;
  const ResultSettings& results;
  const LspSettings& lsp;
  const AgentSettings& agent;
  const AuditSettings& audit;
  const CacheSettings& caches;
  const ModelSettings& model;
  const LogSettings& log;
  const PluginSettings& plugins;
  const GuideSettings& guide;
  const std::map<std::string, McpServerSettings>& mcp_servers;
};

// A copy, for code that needs the settings longer than their owner keeps them.
[[nodiscard]] std::shared_ptr<const Settings> copy_of(const Settings& settings);
[[nodiscard]] std::shared_ptr<const Settings> default_settings();

}  // namespace helve::settings
