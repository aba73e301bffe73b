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

std::optional<TaskSupport> RuntimeTools::task_support(const std::string& name) {
  const auto tool = sessions_.runtime()->tools().find(name);
  if (!tool) return {};
  return task_support_of((*tool)->definition);
}

Json RuntimeTools::header_schema(const std::string& name) {
  const auto tool = sessions_.runtime()->tools().find(name);
  return tool ? (*tool)->definition.foreign_schema : Json();  // builtin tools have no x-mcp-header members
}

Outcome RuntimeTools::call(ActiveRequest& request, const std::string& name, Json arguments) {
  const auto found = sessions_.session_of(request);
  if (!found) return std::unexpected(failure_of(found.error()));
  const ClientSession& client = **found;
  // A client may call right after connecting, while the tool's server still starts.
  const auto tool = client.runtime->tools().wait_for(name, request.stop());
  if (!tool) return failure(rpc::kInvalidParams, concat(tool.error().message, ". ", tool.error().hint));
  helve::Call made{.tool = name,
                   .resolved = *tool,
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
  return describe_answer(std::move(answer), (*tool)->definition, request.info());
}

Subscription RuntimeTools::on_change(std::function<void()> callback) {
  return sessions_.on_tools_change(std::move(callback));
}

}  // namespace helve::mcp
