// The tools there are: added and removed while running, found by their one name, listed in a stable order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/tool.h"

namespace helve {

// A tool as callers see it: with the parameters that every tool takes besides its own.
struct RegisteredTool {
  ToolDefinition definition;
  std::unique_ptr<const Tool> tool;
};

// May be used from all threads. A tool that is removed while it runs lives until its last call has ended.
class Registry {
 public:
  struct Options {
    // Names and groups of the tools to offer; "*" is all but those to opt in. A leading "-" takes one away
    // again.
    std::vector<std::string> enabled = {"*"};
    bool explanation_required = false;
  };

  Registry() : Registry(Options()) {}
  explicit Registry(Options options);

  // Fails with EMPTY_NAME, EMPTY_DESCRIPTION, REQUIRED_PROPERTY_NOT_DEFINED or DUPLICATE_NAME in
  // details.kind.
  [[nodiscard]] Expected<void> add(std::unique_ptr<Tool> tool);
  // False when there was none of that name.
  bool remove(std::string_view name);

  // An enabled tool by its canonical name; otherwise UNKNOWN_TOOL with the nearest name.
  [[nodiscard]] Expected<std::shared_ptr<const RegisteredTool>> find(std::string_view name) const;
  // The enabled tools: base first, then by group and name.
  [[nodiscard]] std::vector<std::shared_ptr<const RegisteredTool>> list() const;
  [[nodiscard]] std::vector<std::string> names() const;

  // Called after every change, from the thread that made it. No new call begins once the handle is destroyed.
  using Subscription = std::shared_ptr<void>;
  [[nodiscard]] Subscription on_change(std::function<void()> callback);

 private:
  bool is_enabled(const ToolDefinition& definition) const;
  void notify() const;

  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const RegisteredTool>, std::less<>> tools_;
  mutable std::mutex subscribers_mutex_;
  std::vector<std::weak_ptr<std::function<void()>>> subscribers_;
};

}  // namespace helve
