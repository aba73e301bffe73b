#include "mcp/runtime_tools.h"

#include "base/clock.h"
#include "base/strings.h"
#include "mcp/tool_json.h"

namespace helve::mcp {

JsonArray RuntimeTools::list(Call& call) {
  JsonArray tools;
  const bool has_person = call.info().offers({"elicitation"});
  for (const auto& tool : house_.runtime()->tools().list())
    // A model that is offered a question asks it, and learns that nobody is there.
    if (has_person || tool->definition.effect != Effect::kAsk)
      tools.push_back(describe_tool(tool->definition, call.info()));
  return tools;
}

std::optional<TaskSupport> RuntimeTools::task_support(const std::string& name) {
  const auto tool = house_.runtime()->tools().find(name);
  if (!tool) return {};
  return task_support_of((*tool)->definition);
}

Json RuntimeTools::header_schema(const std::string& name) {
  const auto tool = house_.runtime()->tools().find(name);
  return tool ? (*tool)->definition.foreign_schema : Json();  // our own have no such members
}

Outcome RuntimeTools::call(Call& call, const std::string& name, Json arguments) {
  const auto found = house_.seat(call);
  if (!found) return std::unexpected(failure_of(found.error()));
  const std::shared_ptr<Seat>& seat = *found;
  const auto tool = seat->runtime->tools().find(name);
  if (!tool) return failure(rpc::kInvalidParams, concat(tool.error().message, ". ", tool.error().hint));
  helve::Call made{
      .tool = name, .arguments = std::move(arguments), .id = random_id("call", 10), .stop = call.stop()};
  // A tool that ignores its stop may go on reporting when the call is long over.
  made.on_progress = [weak = call.weak_from_this()](const Progress& progress) {
    if (const auto strong = weak.lock()) strong->progress(progress);
  };
  const std::string id = made.id;
  seat->people->add(id, call.shared_from_this());
  Answer answer = seat->runtime->call(seat->session, std::move(made));
  seat->people->remove(id);
  return describe_answer(std::move(answer), (*tool)->definition, call.info());
}

Subscription RuntimeTools::on_change(std::function<void()> callback) {
  return house_.on_tools_change(std::move(callback));
}

}  // namespace helve::mcp
