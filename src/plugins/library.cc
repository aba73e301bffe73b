#include "plugins/library.h"

#include <dlfcn.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "settings/foreign_schema.h"

namespace helve::plugins {
namespace {

constexpr std::size_t kLongestDescription = std::size_t{4} << 20;
constexpr std::size_t kLongestResult = std::size_t{16} << 20;
constexpr std::size_t kMostTools = 100;

std::unexpected<Error> unusable(const std::string& file, std::string_view problem, std::string hint = {}) {
  return fail(ErrorCode::kUnavailable, concat(file, " ", problem), std::move(hint));
}

helve_text borrowed(std::string_view text) { return {text.data(), text.size()}; }

std::string valid_text_in(const Json& object, std::string_view key) {
  return to_valid_utf8(string_in(object, key));
}

bool flag_in(const Json& object, std::string_view key, bool otherwise) {
  const Json* value = object.find(key);
  return value != nullptr && value->is_bool() ? value->as_bool() : otherwise;
}

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && is_lower(name.front()) &&
         std::ranges::all_of(name, [](char c) { return c == '_' || is_lower(c) || is_digit(c); });
}

Effect effect_named(const std::string& name) {
  for (const Effect effect : {Effect::kRead, Effect::kWrite, Effect::kNetwork})
    if (name == name_of(effect)) return effect;
  return Effect::kExecute;
}

// Returns the problem with a tool's description; empty if there is none.
std::string read_tool(const Json& description, ToolDefinition& tool) {
  tool.name = valid_text_in(description, "name");
  if (!is_tool_name(tool.name))
    return concat("a tool with the name ", shortened(to_text(Json(tool.name)), 100));
  tool.title = valid_text_in(description, "title");
  tool.description = valid_text_in(description, "description");
  if (trim(tool.description).empty()) return concat("the tool ", tool.name, " without a description");
  const Json* schema = description.find("inputSchema");
  if (schema == nullptr || !schema->is_object() || valid_text_in(*schema, "type") != "object")
    return concat("the tool ", tool.name, " with an inputSchema that is not the schema of an object");
  if (const std::string missing = settings::undefined_required_property(*schema); !missing.empty())
    return concat("the tool ", tool.name, " that requires ", missing, ", which its schema does not define");
  tool.foreign_schema = *schema;
  tool.effect = effect_named(valid_text_in(description, "effect"));
  tool.destructive = flag_in(description, "destructive", true);
  tool.idempotent = flag_in(description, "idempotent", false);
  tool.dry_runs = flag_in(description, "dryRuns", false);
  return {};
}

Error read_error(const Json& described) {
  Error error{ErrorCode::kExecutionFailed, valid_text_in(described, "message"),
              valid_text_in(described, "hint")};
  const std::string code = valid_text_in(described, "code");
  for (int i = 0; i <= static_cast<int>(ErrorCode::kOutcomeUnknown); ++i)
    if (code == to_string(static_cast<ErrorCode>(i))) error.code = static_cast<ErrorCode>(i);
  if (error.message.empty()) error.message = "The tool failed without a reason.";
  return error;
}

Output read_output(const Json& described) {
  Output output{.summary = valid_text_in(described, "summary"),
                .content = valid_text_in(described, "content")};
  if (const Json* data = described.find("data"); data != nullptr && data->is_object()) output.data = *data;
  output.truncated = flag_in(described, "truncated", false);
  if (const Json* paths = described.find("affectedPaths"); paths != nullptr && paths->is_array())
    for (const Json& path : paths->as_array())
      if (path.is_string()) output.affected_paths.push_back(path.as_string());
  return output;
}

// The callbacks of a call; `host` is a Library::Call. Exceptions must not pass through the library.
std::int32_t should_stop(void* host) noexcept {
  const auto& call = *static_cast<const Library::Call*>(host);
  return call.should_stop && call.should_stop() ? 1 : 0;
}

void progress(void* host, double done, double total, helve_text message) noexcept {
  const auto& call = *static_cast<const Library::Call*>(host);
  constexpr std::size_t kLongestMessage = 1000;
  if (!call.on_progress) return;
  try {
    Progress report{.done = done};
    if (total >= 0) report.total = total;
    if (message.bytes != nullptr)
      report.message = to_valid_utf8({message.bytes, std::min(message.length, kLongestMessage)});
    call.on_progress(report);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a lost report does no harm
  }
}

}  // namespace

Expected<std::shared_ptr<Library>> Library::open(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_LOCAL | RTLD_NOW);
  if (handle == nullptr) {
    const char* problem = ::dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one for each thread
    return unusable(file, concat("cannot be loaded: ", problem == nullptr ? "?" : problem, "."),
                    "Build it again for this machine.");
  }
  const auto close = [&](std::unexpected<Error> error) {
    ::dlclose(handle);
    return error;
  };
  const auto opener = reinterpret_cast<decltype(&helve_plugin_open)>(::dlsym(handle, "helve_plugin_open"));
  if (opener == nullptr)
    return close(
        unusable(file, "is not a plugin: it does not export helve_plugin_open.",
                 "Use HELVE_PLUGIN(…) from helve/plugin.hpp, or export it as described in helve/plugin.h."));
  const helve_plugin* plugin = opener(HELVE_PLUGIN_ABI);
  const std::string rebuild = "Build it again with the headers of this Helve.";
  if (plugin == nullptr)
    return close(unusable(
        file, concat("does not work with this Helve, whose plugin ABI is ", HELVE_PLUGIN_ABI, "."), rebuild));
  if (plugin->abi != HELVE_PLUGIN_ABI)
    return close(unusable(
        file, concat("was made for the plugin ABI ", plugin->abi, "; this Helve has ", HELVE_PLUGIN_ABI, "."),
        rebuild));
  if (plugin->size < sizeof(helve_plugin) || plugin->describe == nullptr || plugin->call == nullptr ||
      plugin->release == nullptr)
    return close(unusable(file, "lacks functions of its ABI.", rebuild));
  std::shared_ptr<Library> library(new Library(handle, plugin, file));
  if (auto read = library->read_description(); !read) return fail(read.error());
  return library;
}

Library::~Library() {
  if (plugin_->close != nullptr) plugin_->close();
  ::dlclose(handle_);
}

// Parses the text and releases it in any case.
Expected<Json> Library::take(helve_text text, std::size_t longest, std::string_view what) const {
  if (text.bytes == nullptr) return unusable(file_, concat("returned no ", what, "."));
  Expected<Json> json = text.length > longest
                            ? unusable(file_, concat("returned a ", what, " of ", with_thousands(text.length),
                                                     " bytes; the limit is ", with_thousands(longest), "."))
                            : parse_json(std::string_view(text.bytes, text.length), {.max_bytes = longest});
  plugin_->release(text);
  if (!json && !json.error().message.starts_with(file_))
    return unusable(file_, concat("returned a ", what, " that is not JSON: ", json.error().message));
  if (json && !json->is_object())
    return unusable(file_, concat("returned a ", what, " that is not a JSON object."));
  return json;
}

Expected<void> Library::read_description() {
  const auto described = take(plugin_->describe(), kLongestDescription, "description");
  if (!described) return fail(described.error());
  const Json* tools = described->find("tools");
  if (tools == nullptr || !tools->is_array() || tools->as_array().empty() ||
      tools->as_array().size() > kMostTools)
    return unusable(file_, concat("describes no tools, or more than ", kMostTools, "."));
  for (const Json& each : tools->as_array()) {
    ToolDefinition tool;
    std::string problem = read_tool(each, tool);
    if (std::ranges::find(tools_, tool.name, &ToolDefinition::name) != tools_.end())
      problem = concat("the tool ", tool.name, " twice");
    if (!problem.empty()) return unusable(file_, concat("describes ", problem, "."));
    tools_.push_back(std::move(tool));
  }
  return {};
}

Result Library::call(const Call& call) const {
  const std::string arguments = to_text(call.arguments);
  const helve_call made{.size = sizeof(helve_call),
                        .tool = borrowed(call.tool),
                        .arguments = borrowed(arguments),
                        .workspace = borrowed(call.workspace),
                        .dry_run = call.dry_run ? 1 : 0,
                        .host = const_cast<Call*>(&call),
                        .should_stop = &should_stop,
                        .progress = &progress};
  auto result = take(plugin_->call(&made), kLongestResult, "result");
  if (!result) {
    result.error().code = ErrorCode::kExecutionFailed;
    result.error().hint =
        "This is an error in the plugin, not in the call. Ask for less, or try another way.";
    return fail(std::move(result).error());
  }
  if (const Json* error = result->find("error"); error != nullptr && !error->is_null())
    return fail(read_error(*error));
  return read_output(*result);
}

namespace {

class LibraryTool final : public Tool {
 public:
  LibraryTool(std::shared_ptr<Library> library, ToolDefinition definition)
      : library_(std::move(library)), definition_(std::move(definition)) {}

  const ToolDefinition& definition() const override { return definition_; }
  Result execute(Context& context, const Json& arguments) const override {
    Json own = arguments;
    if (definition_.dry_runs) own.as_object().erase("dryRun");  // passed separately
    return library_->call({.tool = definition_.name,
                           .arguments = std::move(own),
                           .workspace = context.workspace(),
                           .dry_run = context.dry_run(),
                           .should_stop = [&context] { return context.should_stop(); },
                           .on_progress = [&context](const Progress& report) { context.report(report); }});
  }

 private:
  const std::shared_ptr<Library> library_;
  const ToolDefinition definition_;
};

}  // namespace

std::vector<std::unique_ptr<Tool>> make_library_tools(const std::shared_ptr<Library>& library,
                                                      const std::string& plugin,
                                                      std::chrono::milliseconds time_limit) {
  std::vector<std::unique_ptr<Tool>> tools;
  for (ToolDefinition definition : library->tools()) {
    definition.group = plugin;
    if (definition.effect != Effect::kNetwork) definition.effect = Effect::kExecute;
    definition.time_limit = time_limit;
    if (definition.dry_runs)
      definition.foreign_schema = settings::with_dry_run(std::move(definition.foreign_schema));
    tools.push_back(std::make_unique<LibraryTool>(library, std::move(definition)));
  }
  return tools;
}

}  // namespace helve::plugins
