// Measures the loop of an agent: a round beside the call in it, and a streamed token.
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "agent/agent.h"
#include "base/strings.h"
#include "helve/runtime.h"
#include "measure.h"
#include "store/sqlite_store.h"

namespace helve::bench {
namespace {

constexpr int kTokens = 10'000;

// Wants one call, then sends its prepared text in single tokens.
class BenchModel final : public model::Model {
 public:
  const std::string& name() const override { return name_; }
  std::optional<std::int64_t> context_window() const override { return {}; }
  Expected<model::Reply> reply(const model::Conversation& conversation, const model::Listener& listener,
                               const std::stop_token& /*stop*/) override {
    model::Reply reply{.raw = JsonObject{{"role", "assistant"}}};
    const bool begins = std::holds_alternative<model::UserTurn>(conversation.turns.back());
    if (begins && tokens == 0) reply.calls.push_back({concat("call_", ++calls_), "ls", R"({"path":"."})"});
    for (int i = 0; i < tokens; ++i) listener.on_text(" word");
    return reply;
  }

  int tokens = 0;

 private:
  int calls_ = 0;
  std::string name_ = "bench";
};

}  // namespace

void bench_agent() {
  std::string directory = (std::filesystem::temp_directory_path() / "helve-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return;
  std::filesystem::create_directory(directory + "/workspace");
  {
    RuntimeOptions options{.workspace = directory + "/workspace", .state_directory = directory + "/state"};
    options.data_directory = directory + "/data";
    options.settings.mode = Mode::kFull;
    const auto runtime = Runtime::create(options);
    const auto store = store::open_sqlite_store({.directory = directory + "/store"});
    BenchModel model;
    if (!runtime || !store) return;
    const auto turn = [&] {
      const auto agent =
          agent::Agent::begin({.runtime = **runtime, .model = model, .records = (*store)->sessions()},
                              "You are measured.", "Bench");
      if (!agent || !(*agent)->say("Go").is_done()) std::fprintf(stderr, "the turn did not end well\n");
    };
    const JsonObject arguments{{"path", "."}};
    print_heading("A turn of an agent with one call, each step durable, beside the call alone");
    print_rows(
        "ls of an empty directory",
        measure({{"the call alone", [&] { (void)(*runtime)->call({.tool = "ls", .arguments = arguments}); }},
                 {"session, two replies, call", turn}},
                30));
    // The difference to a turn without text, for each token.
    const auto bare = [&] {
      model.tokens = 1;
      turn();
    };
    const auto talking = [&] {
      model.tokens = kTokens;
      turn();
    };
    const auto timings = measure({{"one token", bare}, {"10,000 tokens", talking}}, 20);
    std::printf("\nA streamed token costs the loop %.2f µs, as an event that any reader can follow.\n",
                (timings[1].median_us - timings[0].median_us) / (kTokens - 1));
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

}  // namespace helve::bench
