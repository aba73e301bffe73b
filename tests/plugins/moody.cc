// A library whose tools do what tools should not do.
#include <helve/plugin.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

using namespace helve::plugin;

enum class Mood { kFine, kCrash, kHang, kThrow, kWait, kPrint, kWrite, kFail };
constexpr auto enum_names(Mood) {
  return std::to_array<std::string_view>(
      {"fine", "crash", "hang", "throw", "wait", "print", "write", "fail"});
}

struct Moody {
  static constexpr std::string_view kDescription = "Does what the mood says.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr bool kDryRuns = true;

  struct Params {
    Mood mood = Mood::kFine;
    std::string text = "fine";
    int times = 1;

    void describe(ParamSpec& p) {
      p.optional("mood", mood, "What to do.");
      p.optional("text", text, "What to say, or where to write.");
      p.optional("times", times, "How often to say it.", {.min = 1, .max = 100});
    }
  };

  Result execute(Context& context, const Params& params) const {
    if (context.dry_run()) return Output{.summary = "dry", .content = "would do it\n"};
    switch (params.mood) {
      case Mood::kFine: break;
      case Mood::kCrash: std::abort();
      case Mood::kHang:
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
      case Mood::kThrow: throw std::runtime_error(params.text);
      case Mood::kWait:
        while (!context.should_stop()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return fail("stopped", {}, "CANCELLED");
      case Mood::kPrint:
        for (int i = 0; i < 20'000; ++i) std::puts("{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}");
        break;
      case Mood::kWrite: {
        std::ofstream file(params.text);
        file << "written";
        file.close();
        if (!file) return fail("cannot write " + params.text);
        break;
      }
      case Mood::kFail: return fail("there is no " + params.text, "Look elsewhere.", "NOT_FOUND");
    }
    std::string content;
    for (int i = 0; i < params.times; ++i) {
      content += params.text + "\n";
      context.report(i + 1, params.times, params.text);
    }
    return Output{.summary = "said it", .content = content, .data = JsonObject{{"times", params.times}}};
  }
};

// Stays in its place while another works.
struct MoodyEcho {
  static constexpr std::string_view kDescription = "Say it back.";
  static constexpr Effect kEffect = Effect::kRead;
  struct Params {
    Json value;
    void describe(ParamSpec& p) { p.required("value", value, "Anything."); }
  };
  Result execute(Context&, const Params& params) const { return Output{.content = to_text(params.value)}; }
};

HELVE_PLUGIN("moody", "1.0.0", Moody, MoodyEcho)
