#include "cli/all_tools.h"

#include "core/builtin_tools.h"

namespace helve::cli {

Expected<std::unique_ptr<Registry>> all_builtin_tools() {
  std::vector<std::unique_ptr<Tool>> tools = core::builtin_tools();
  Registry::Options all;
  for (const auto& tool : tools) all.enabled.push_back(tool->definition().name);
  auto registry = std::make_unique<Registry>(all);
  for (auto& tool : tools)
    if (auto added = registry->add(std::move(tool)); !added) return fail(added.error());
  return registry;
}

}  // namespace helve::cli
