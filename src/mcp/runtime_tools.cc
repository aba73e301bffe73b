#include "mcp/runtime_tools.h"

#include "base/clock.h"
#include "base/strings.h"
#include "mcp/tool_json.h"

namespace helve::mcp {

namespace {

Json trace_of(const ActiveRequest& request) {
  Json trace;
  for (const std::string_view member : {"traceparent", "tracestate", "baggage"})
    if (const Json* value = request.meta(member); value != nullptr && value->is_string())
      trace[member] = *value;
  return trace;
}

using SharedTool = std::shared_ptr<const RegisteredTool>;

// Without the function that calls it.
OfferedTool offer(const SharedTool& tool) {
  return {.task_support = task_support_of(tool->definition),
          .header_schema = tool->definition.foreign_schema};  // builtin tools have no x-mcp-header members
}

Outcome call_for_client(const ClientSession& client, ActiveRequest& request, const SharedTool& tool,
                        Json arguments) {
  helve::Call made{.tool = tool->definition.name,
                   .resolved = tool,
                   .arguments = std::move(arguments),
                   .id = random_id("call", 10),
                   .trace = trace_of(request),
                   .stop = request.stop()};
  // Weak, because a tool that ignores its stop may report progress after the request has ended.
  made.on_progress = [weak = request.weak_from_this()](const Progress& progress) {
    if (const auto strong = weak.lock()) strong->progress(progress);
  };
  const std::string id = made.id;
  client.user->add(id, request.shared_from_this());
  Answer answer = client.runtime->call(client.session, std::move(made));
  client.user->remove(id);
  return describe_answer(std::move(answer), tool->definition, request.info());
}

}  // namespace

JsonArray RuntimeTools::list(ActiveRequest& request) {
  JsonArray tools;
  const bool can_ask_user = request.info().offers({"elicitation"});
  for (const auto& tool : sessions_.runtime()->tools().list())
    // A model calls every tool it is offered, so question tools are hidden if no user can answer.
    if (can_ask_user || tool->definition.effect != Effect::kAsk)
      tools.push_back(describe_tool(tool->definition, request.info()));
  return tools;
}

std::optional<OfferedTool> RuntimeTools::find(const std::string& name) {
  auto tool = sessions_.runtime()->tools().find(name);
  if (!tool) return {};
  OfferedTool offered = offer(*tool);
  offered.call = [this, tool = *std::move(tool)](ActiveRequest& request, Json arguments) -> Outcome {
    const auto client = sessions_.session_of(request);
    if (!client) return std::unexpected(failure_of(client.error()));
    return call_for_client(**client, request, tool, std::move(arguments));
  };
  return offered;
}

std::expected<OfferedTool, rpc::Failure> RuntimeTools::wait_for(ActiveRequest& request,
                                                                const std::string& name) {
  auto client = sessions_.session_of(request);
  if (!client) return std::unexpected(failure_of(client.error()));
  // A client may call right after connecting, while the tool's server still starts.
  auto tool = (*client)->runtime->tools().wait_for(name, request.stop());
  if (!tool) return failure(rpc::kInvalidParams, concat(tool.error().message, ". ", tool.error().hint));
  OfferedTool offered = offer(*tool);
  offered.call = [client = *std::move(client), tool = *std::move(tool)](ActiveRequest& asked,
                                                                        Json arguments) {
    return call_for_client(*client, asked, tool, std::move(arguments));
  };
  return offered;
}

Subscription RuntimeTools::on_change(std::function<void()> callback) {
  return sessions_.on_tools_change(std::move(callback));
}

}  // namespace helve::mcp
