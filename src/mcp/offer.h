// Interfaces for the tools, resources and prompts that a server offers.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "rpc/message.h"

namespace helve::mcp {

class ActiveRequest;
struct ClientInfo;

// The result of a request, or the JSON-RPC error.
using Outcome = std::expected<Json, rpc::Failure>;

[[nodiscard]] inline std::unexpected<rpc::Failure> failure(int code, std::string message, Json data = {}) {
  return std::unexpected(rpc::Failure{code, std::move(message), std::move(data)});
}

// A handle; destroying it ends the subscription.
using Subscription = std::shared_ptr<void>;

// Whether a call may continue as a task that the client polls.
enum class TaskSupport { kForbidden, kOptional, kRequired };

// A tool that a request names. It is looked up once, so that the tool that was checked is the one that runs.
struct OfferedTool {
  TaskSupport task_support = TaskSupport::kForbidden;
  Json header_schema = {};  // the input schema if it may have x-mcp-header members; otherwise null
  std::function<Outcome(ActiveRequest& request, Json arguments)> call;  // returns a CallToolResult
};

// All functions of these interfaces may be called from several threads at once.
class Tools {
 public:
  virtual ~Tools() = default;
  // Definitions as in tools/list, in a stable order.
  [[nodiscard]] virtual JsonArray list(ActiveRequest& request) = 0;
  // Nothing if there is no such tool now.
  [[nodiscard]] virtual std::optional<OfferedTool> find(const std::string& name) = 0;
  // Waits for a tool whose server still starts.
  [[nodiscard]] virtual std::expected<OfferedTool, rpc::Failure> wait_for(ActiveRequest& /*request*/,
                                                                          const std::string& name) {
    if (auto tool = find(name)) return *std::move(tool);
    return failure(rpc::kInvalidParams, "There is no tool \"" + name + "\".");
  }
  [[nodiscard]] virtual Subscription on_change(std::function<void()> callback) = 0;
};

class Resources {
 public:
  virtual ~Resources() = default;
  struct Page {
    JsonArray resources = {};
    std::string next = {};  // where the next page begins; empty on the last page
  };
  [[nodiscard]] virtual std::expected<Page, rpc::Failure> list(ActiveRequest& request,
                                                               const std::string& after) = 0;
  [[nodiscard]] virtual JsonArray templates() = 0;
  // The contents, or nothing if there is no such resource.
  [[nodiscard]] virtual std::expected<std::optional<JsonArray>, rpc::Failure> read(
      ActiveRequest& request, const std::string& uri) = 0;
  // Calls back when the resource has changed.
  [[nodiscard]] virtual std::expected<Subscription, rpc::Failure> watch(ActiveRequest& request,
                                                                        const std::string& uri,
                                                                        std::function<void()> callback) = 0;
  [[nodiscard]] virtual std::vector<std::string> complete(ActiveRequest& request,
                                                          const std::string& uri_template,
                                                          const std::string& argument,
                                                          const std::string& value) = 0;
};

class Prompts {
 public:
  virtual ~Prompts() = default;
  [[nodiscard]] virtual JsonArray list() = 0;
  // A GetPromptResult, or nothing if there is no such prompt.
  [[nodiscard]] virtual std::expected<std::optional<Json>, rpc::Failure> get(ActiveRequest& request,
                                                                             const std::string& name,
                                                                             const Json& arguments) = 0;
  [[nodiscard]] virtual std::vector<std::string> complete(const std::string& name,
                                                          const std::string& argument,
                                                          const std::string& value) = 0;
  // Null if changes are not observed.
  [[nodiscard]] virtual Subscription on_change(std::function<void()> callback) = 0;
};

// The Skills extension: skills as resources with the scheme skill://.
class Skills {
 public:
  virtual ~Skills() = default;
  // Entries of skills/list.
  [[nodiscard]] virtual JsonArray list() = 0;
  // The entry of the skill whose SKILL.md has this URI; nothing if there is none.
  [[nodiscard]] virtual std::optional<Json> get(const std::string& uri) = 0;
  // The SKILL.md files, for resources/list.
  [[nodiscard]] virtual JsonArray resources() = 0;
  // The contents of a skill's file; nothing if there is none.
  [[nodiscard]] virtual std::optional<JsonArray> read(const std::string& uri) = 0;
  // The files and directories in a skill's directory; nothing if the URI is not one.
  [[nodiscard]] virtual std::optional<JsonArray> directory(const std::string& uri) = 0;
};
inline constexpr std::string_view kSkillScheme = "skill://";

}  // namespace helve::mcp
