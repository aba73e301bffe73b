// Measures the path that every call takes: parsing, validating, dispatching.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/json_parse.h"
#include "helve/runtime.h"
#include "measure.h"

namespace helve::bench {
namespace {

struct Nothing {
  static constexpr std::string_view kDescription = "Do nothing.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr bool kHonoursStop = true;
  struct Params {
    std::string path;
    int offset = 1;
    int limit = 2000;
    void describe(ParamSpec& p) {
      p.required("path", path, "File or directory.", {.min_length = 1});
      p.optional("offset", offset, "First line.");
      p.optional("limit", limit, "Most lines.", {.min = 1, .max = 5000});
    }
  };
  Result execute(Context&, const Params&) const { return Output{.summary = "Done"}; }
};

}  // namespace

void bench_calls() {
  const std::string text = R"({"path":"src/core/dispatcher.cc","offset":100,"limit":50})";
  const ParamType type = params_of<Nothing::Params>();
  std::string directory = (std::filesystem::temp_directory_path() / "helve-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return;

  Settings settings;
  settings.mode = Mode::kFull;
  auto audited =
      Runtime::create({.workspace = directory, .settings = settings, .state_directory = directory + "/a"})
          .value();
  settings.audit.enabled = false;
  auto plain =
      Runtime::create({.workspace = directory, .settings = settings, .state_directory = directory + "/b"})
          .value();
  for (Runtime* runtime : {audited.get(), plain.get()})
    if (!runtime->add(make_tool<Nothing>())) return;
  const Json arguments = parse_json(text).value();

  print_heading("One small call in the library");
  print_rows("call", measure({{"parse the JSON", [&] { (void)parse_json(text); }},
                              {"parse, validate and fill",
                               [&] {
                                 const Json parsed = parse_json(text).value();
                                 if (validate(type, parsed).empty())
                                   (void)fill_params<Nothing::Params>(parsed);
                               }},
                              {"whole path without audit",
                               [&] { (void)plain->call({.tool = "nothing", .arguments = arguments}); }},
                              {"whole path with audit",
                               [&] { (void)audited->call({.tool = "nothing", .arguments = arguments}); }}},
                             200, 200));
  std::filesystem::remove_all(directory);
}

}  // namespace helve::bench
