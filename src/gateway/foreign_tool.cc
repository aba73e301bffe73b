#include "gateway/foreign_tool.h"

#include "base/strings.h"
#include "core/foreign_schema.h"
#include "gateway/tool_result.h"

namespace helve::gateway {

ForeignTool::ForeignTool(std::string name, const std::string& label, RemoteTool remote,
                         std::shared_ptr<ServerLink> link, Logger& logger)
    : remote_(std::move(remote)), link_(std::move(link)), logger_(logger) {
  const ServerConfig& config = link_->config();
  definition_.name = std::move(name);
  definition_.title = remote_.title.empty() ? remote_.name : remote_.title;
  definition_.description =
      trim(remote_.description).empty()
          ? concat("The tool ", remote_.name, " of ", to_lower(config.subject().substr(0, 1)),
                   config.subject().substr(1), ".")
          : remote_.description;
  definition_.group = concat("mcp__", label);
  definition_.server = config.name;
  definition_.foreign_schema = remote_.input_schema;
  definition_.output_schema = remote_.output_schema;
  // A server can say what it likes about its tools; whether that counts is the person's decision.
  const bool reads = config.settings.trust_annotations && remote_.read_only.value_or(false);
  definition_.effect = reads ? Effect::kRead : Effect::kNetwork;
  definition_.destructive = !reads && remote_.destructive.value_or(true);
  definition_.idempotent = remote_.idempotent.value_or(false);
  definition_.honours_stop = true;
  definition_.time_limit = std::chrono::milliseconds(config.settings.time_limit_ms);
  if (config.plugin) heed_plugin(*config.plugin, config.name);
}

// What the manifest says was read by the person who added the plugin, and is held by the walls around it.
void ForeignTool::heed_plugin(const PluginServer& plugin, const std::string& name) {
  definition_.group = name;
  const auto effect = plugin.effects.find(remote_.name);
  definition_.effect = effect == plugin.effects.end() ? Effect::kExecute : effect->second;
  definition_.destructive = !definition_.read_only() && remote_.destructive.value_or(true);
  if (!plugin.is_library) return;
  definition_.server.clear();
  const Json* meta = remote_.source.find("_meta");
  const Json* dry_runs = meta == nullptr ? nullptr : meta->find(kDryRunsMeta);
  definition_.dry_runs = !definition_.read_only() && dry_runs != nullptr && *dry_runs == Json(true);
  if (definition_.dry_runs) definition_.foreign_schema = with_dry_run(std::move(definition_.foreign_schema));
}

// Servers see to their own order, and have nothing to do with the resources of ours.
std::vector<Resource> ForeignTool::resources(const Json&) const {
  return {{concat("mcp:", link_->config().name), Resource::Use::kShared}};
}

Result ForeignTool::execute(Context& context, const Json& arguments) const {
  const auto caller = std::make_shared<Caller>(
      Caller{.call_id = context.call_id(),
             .asker = context.session().asker(),
             .sampler = context.session().sampler(),
             .on_progress = [&context](const Progress& progress) { context.report(progress); },
             .stop = context.stop_token(),
             .keeps = context.shared_session()});
  Json sent = arguments;
  if (context.dry_run() && definition_.dry_runs) sent["dryRun"] = true;
  const auto result = link_->call(
      remote_, sent, {.stop = context.stop_token(), .deadline = context.deadline(), .caller = caller});
  if (!result) return fail(result.error());
  Result read = read_result(remote_, link_->config().name, *result, logger_);
  if (link_->config().is_library()) read_library_result(*result, read);
  return read;
}

}  // namespace helve::gateway
