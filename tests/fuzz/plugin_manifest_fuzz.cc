// Feeds arbitrary bytes to what reads plugins: manifests, the command lines in them, and the JSON of
// helve/plugin.hpp.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/json_parse.h"
#include "helve/plugin_json.hpp"
#include "plugins/command_template.h"
#include "plugins/manifest.h"

namespace {

constexpr const char* kHead =
    "name = \"p\"\nversion = \"1.0.0\"\n[[tools]]\nname = \"t\"\ndescription = \"d\"\n"
    "parameters = [{name = \"x\", type = \"string\", description = \"d\"},"
    " {name = \"y\", type = \"array\", items = \"path\", description = \"d\"},"
    " {name = \"z\", type = \"boolean\", flag = \"-z\", description = \"d\"}]\n";

// A value adds only its own argument, and never an option.
void fill(const helve::plugins::PluginTool& tool, const std::string& value) {
  const auto command = helve::plugins::CommandTemplate::parse(tool);
  if (!command) __builtin_trap();  // the manifest was found to be good
  helve::JsonObject arguments;
  for (const auto& parameter : tool.parameters) {
    using Type = helve::plugins::ParameterType;
    if (parameter.type == Type::kString && !parameter.allow_dash) arguments.append(parameter.name, value);
    if (parameter.type == Type::kBoolean) arguments.append(parameter.name, true);
  }
  const auto filled = command->fill(arguments);
  if (filled && (filled->arguments.empty() || filled->arguments.front() != command->program()))
    __builtin_trap();
}

void read_manifest(const std::string& text) {
  const auto manifest = helve::plugins::parse_manifest(text, "p.toml");
  if (!manifest) {
    if (!manifest.error().message.starts_with("p.toml")) __builtin_trap();
    return;
  }
  if (manifest->name.empty() || manifest->tools.empty()) __builtin_trap();
  if (manifest->library.find('/') != std::string::npos) __builtin_trap();
  for (const auto& tool : manifest->tools) {
    (void)helve::to_text(helve::plugins::parameters_of(tool).to_schema());
    if (manifest->kind == helve::plugins::PluginKind::kCommand) fill(tool, text);
  }
}

}  // namespace

// The first byte chooses what the rest is: a manifest, the command of one, or JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  if (data[0] % 3 == 0) read_manifest(text);
  if (data[0] % 3 == 1) read_manifest(kHead + text);
  if (data[0] % 3 == 2) {
    const auto ours = helve::parse_json(text);
    const auto theirs = helve::plugin::parse_json(text);
    // A plugin reads everything that Helve writes, and reads it as the same.
    if (!ours) return 0;
    const auto again = helve::plugin::parse_json(helve::to_text(*ours));
    if (!theirs || !again) __builtin_trap();
    const auto back = helve::parse_json(helve::plugin::to_text(*again));
    if (!back) __builtin_trap();
  }
  return 0;
}
