// What all tools have in common.
#include "helve/tool.h"

#include "base/strings.h"

namespace helve {
namespace {

class FunctionTool final : public Tool {
 public:
  FunctionTool(ToolDefinition definition, std::function<Result(Context&, const Json&)> execute)
      : definition_(std::move(definition)), execute_(std::move(execute)) {}

  const ToolDefinition& definition() const override { return definition_; }
  Result execute(Context& context, const Json& arguments) const override {
    return execute_(context, arguments);
  }

 private:
  ToolDefinition definition_;
  std::function<Result(Context&, const Json&)> execute_;
};

}  // namespace

std::vector<Resource> Tool::resources(const Json&) const {
  return {{"", definition().read_only() ? Resource::Use::kShared : Resource::Use::kExclusive}};
}

Effect Tool::effect(const Json&) const { return definition().effect; }

std::optional<std::chrono::milliseconds> Tool::time_limit(const Json&) const {
  return definition().time_limit;
}

Result Tool::foresee(Context& context, const Json& arguments) const {
  if (definition().dry_runs && context.dry_run()) return execute(context, arguments);
  return Output();
}

std::unique_ptr<Tool> make_tool(ToolDefinition definition,
                                std::function<Result(Context&, const Json&)> execute) {
  return std::make_unique<FunctionTool>(std::move(definition), std::move(execute));
}

namespace detail {

std::string tool_name_from_type(std::string_view pretty_function) {
  // GCC: "… tool_name() [with T = helve::tools::ReadFile; …]", Clang: "… [T = helve::tools::ReadFile]"
  std::string_view type = pretty_function.substr(pretty_function.rfind("T = ") + 4);
  type = type.substr(0, type.find_first_of(";]"));
  if (const std::size_t colon = type.rfind("::"); colon != std::string_view::npos)
    type.remove_prefix(colon + 2);
  return to_snake_case(type);
}

}  // namespace detail
}  // namespace helve
