// The tools of other MCP servers as tools of this runtime, and the conversion of their results.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/remote_tool.h"
#include "gateway/server_link.h"
#include "helve/log.h"
#include "helve/result.h"
#include "helve/tool.h"

namespace helve::gateway {

// Converts a result of tools/call. isError becomes EXECUTION_FAILED with the server's text. Structured
// content that does not match the tool's schema is only logged.
[[nodiscard]] Result read_result(const RemoteTool& tool, const std::string& server, const Json& result,
                                 Logger& logger);

// Additional _meta members of the process around a library plugin; see cli/plugin_process.h.
inline constexpr std::string_view kSummaryMeta = "helve/summary";
inline constexpr std::string_view kAffectedPathsMeta = "helve/affectedPaths";
inline constexpr std::string_view kDryRunsMeta = "helve/dryRuns";  // of a tool
// Adds these members to the result that was read.
void read_library_result(const Json& result, Result& read);

class ForeignTool final : public Tool {
 public:
  // The logger must outlive it.
  ForeignTool(std::string name, const std::string& label, RemoteTool remote, std::shared_ptr<ServerLink> link,
              Logger& logger);

  [[nodiscard]] const ToolDefinition& definition() const override { return definition_; }
  [[nodiscard]] std::vector<Resource> resources(const Json& arguments) const override;
  [[nodiscard]] Result execute(Context& context, const Json& arguments) const override;

 private:
  void apply_plugin(const PluginServer& plugin, const std::string& name);

  const RemoteTool remote_;
  const std::shared_ptr<ServerLink> link_;
  Logger& logger_;
  ToolDefinition definition_;
};

}  // namespace helve::gateway
