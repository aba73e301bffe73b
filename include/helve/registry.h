// The tools of a runtime. Tools can be added and removed while calls run; listings have a stable order.
//
//   #include <helve/registry.h>
//   #include <iostream>
//   void print_tools(const helve::Registry& registry) {
//     for (const auto& entry : registry.list())
//       std::cout << entry->definition.name << ": " << entry->definition.summary() << "\n";
//   }
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/error.h"
#include "helve/tool.h"

namespace helve::settings {
class LazySchema;
}

namespace HELVE_API helve {

// A tool as callers see it: its definition includes the parameters that Helve adds to every tool
// (explanation, and dryRun for tools that support it). Immutable.
struct RegisteredTool {
  ToolDefinition definition;
  std::unique_ptr<const Tool> tool;
  std::shared_ptr<const settings::LazySchema> arguments = {};  // what foreign_schema says; null without one
};

// Owns its tools. All functions may be used from all threads. A tool that is removed while it runs is
// destroyed when its last call has ended.
class Registry {
 public:
  struct Options {
    // Names and groups of the tools to offer, applied in order. "*" means all tools except those with opt_in;
    // a leading "-" removes a tool or group.
    std::vector<std::string> enabled = {"*"};
    bool explanation_required = false;  // every call must say why it is made
    // Names of other agents for these tools, besides those that Helve knows. Only errors suggest them.
    std::map<std::string, std::string> other_names = {};
  };

  Registry() : Registry(Options()) {}
  explicit Registry(Options options);

  // Takes ownership of the tool and offers it, if Options::enabled covers it. A bad definition is refused
  // with INVALID_ARGUMENT, and the kind says why: EMPTY_NAME, INVALID_NAME, EMPTY_DESCRIPTION,
  // REQUIRED_PROPERTY_NOT_DEFINED, INVALID_PARAMETERS or DUPLICATE_NAME.
  [[nodiscard]] Expected<void> add(std::unique_ptr<Tool> tool);

  // Removes the tool. Calls that run continue; new ones get UNKNOWN_TOOL. Returns false if there is none.
  bool remove(std::string_view name);

  // An enabled tool by its exact name. Otherwise UNKNOWN_TOOL, with a hint that names the nearest tool or
  // says how to enable it. The tool stays valid as long as the pointer is held.
  [[nodiscard]] Expected<std::shared_ptr<const RegisteredTool>> find(std::string_view name) const;

  // The same, but an unknown name waits for the sources that may still add it.
  [[nodiscard]] Expected<std::shared_ptr<const RegisteredTool>> wait_for(std::string_view name,
                                                                         const std::stop_token& stop) const;

  // Where more tools will come from, such as an MCP server that starts. `wait` returns when the source has
  // added the tool or will not: it must be bounded, may run on several threads, and may still run after the
  // handle was destroyed.
  using Subscription = std::shared_ptr<void>;
  using Source = std::function<void(std::string_view name, const std::stop_token& stop)>;
  [[nodiscard]] Subscription add_source(Source wait);

  // The enabled tools, sorted by group (base first) and name.
  [[nodiscard]] std::vector<std::shared_ptr<const RegisteredTool>> list() const;
  // The names of list(), in the same order.
  [[nodiscard]] std::vector<std::string> names() const;

  // Calls `callback` after every add and remove, on the thread that made the change and without locks held.
  // Keep the returned handle: destroying it ends the subscription. A call that already runs on another thread
  // may end after that.
  [[nodiscard]] Subscription on_change(std::function<void()> callback);

 private:
  bool is_enabled(const ToolDefinition& definition) const;
  void notify() const;

  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const RegisteredTool>, std::less<>> tools_;
  mutable std::mutex subscribers_mutex_;
  std::vector<std::weak_ptr<std::function<void()>>> subscribers_;
  std::vector<std::weak_ptr<Source>> sources_;
};

}  // namespace helve
