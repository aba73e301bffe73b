// The tools, resources and prompts that the MCP conformance suite wants to find in a server.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "mcp/active_request.h"
#include "mcp/offer.h"

namespace helve::mcp::fixture {

inline constexpr std::string_view kRedPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
inline constexpr std::string_view kSilence =
    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

[[nodiscard]] Json text(std::string text);
[[nodiscard]] Json result(Json content);
[[nodiscard]] Inquiry elicit(std::string key, std::string message, Json properties);
// The failure of a call that could not ask.
[[nodiscard]] std::unexpected<rpc::Failure> refused(const Error& error);

// Callbacks that run after changes.
class Listeners {
 public:
  [[nodiscard]] Subscription add(std::function<void()> callback);
  void tell();

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<std::function<void()>>> callbacks_;
};

struct FixtureTool {
  std::string name;
  std::function<Outcome(ActiveRequest&, const Json& arguments)> run;
  TaskSupport tasks = TaskSupport::kForbidden;
  Json schema = JsonObject{{"type", "object"}};
};

class FixtureTools final : public Tools {
 public:
  FixtureTools(Listeners& tool_changes, Listeners& prompt_changes);

  [[nodiscard]] JsonArray list(ActiveRequest& call) override;
  [[nodiscard]] std::optional<OfferedTool> find(const std::string& name) override;
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override;

 private:
  Listeners& tool_changes_;
  std::vector<FixtureTool> tools_;
};

// Each group is defined in a file of its own.
void add_content_tools(std::vector<FixtureTool>& tools);
void add_asking_tools(std::vector<FixtureTool>& tools);
void add_input_required_tools(std::vector<FixtureTool>& tools);
void add_task_tools(std::vector<FixtureTool>& tools);

class FixtureResources final : public Resources {
 public:
  [[nodiscard]] std::expected<Page, rpc::Failure> list(ActiveRequest& call,
                                                       const std::string& after) override;
  [[nodiscard]] JsonArray templates() override;
  [[nodiscard]] std::expected<std::optional<JsonArray>, rpc::Failure> read(ActiveRequest& call,
                                                                           const std::string& uri) override;
  [[nodiscard]] std::expected<Subscription, rpc::Failure> watch(ActiveRequest& call, const std::string& uri,
                                                                std::function<void()> callback) override;
  [[nodiscard]] std::vector<std::string> complete(ActiveRequest&, const std::string&, const std::string&,
                                                  const std::string&) override {
    return {};
  }
};

class FixturePrompts final : public Prompts {
 public:
  explicit FixturePrompts(Listeners& changes) : changes_(changes) {}
  [[nodiscard]] JsonArray list() override;
  [[nodiscard]] std::expected<std::optional<Json>, rpc::Failure> get(ActiveRequest& call,
                                                                     const std::string& name,
                                                                     const Json& arguments) override;
  [[nodiscard]] std::vector<std::string> complete(const std::string& name, const std::string& argument,
                                                  const std::string& value) override;
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override {
    return changes_.add(std::move(callback));
  }

 private:
  Listeners& changes_;
};

}  // namespace helve::mcp::fixture
