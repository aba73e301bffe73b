// Defaults that all tools share.
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

// Keeps a copy of the arguments for tools that read them as JSON.
class JsonCall final : public PreparedCall {
 public:
  JsonCall(const Tool& tool, const Json& arguments) : tool_(tool), arguments_(arguments) {}

  std::vector<Resource> resources() const override { return tool_.resources(arguments_); }
  Effect effect() const override { return tool_.effect(arguments_); }
  std::optional<std::chrono::milliseconds> time_limit() const override {
    return tool_.time_limit(arguments_);
  }
  Result foresee(Context& context) const override { return tool_.foresee(context, arguments_); }
  Result execute(Context& context) const override { return tool_.execute(context, arguments_); }

 private:
  const Tool& tool_;
  const Json arguments_;
};

}  // namespace

std::unique_ptr<const PreparedCall> Tool::prepare(const Json& arguments) const {
  return std::make_unique<JsonCall>(*this, arguments);
}

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
