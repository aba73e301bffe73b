// Settings for the language model: the member `model` of Settings (helve/settings.h).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// The API of the model server; kAuto detects it from address and model name.
enum class ModelProvider { kAuto, kOpenai, kAnthropic };
constexpr auto enum_names(ModelProvider) {
  return std::to_array<std::string_view>({"auto", "openai", "anthropic"});
}

// How much a model reasons; kAuto is the model's default.
enum class ReasoningEffort { kAuto, kNone, kMinimal, kLow, kMedium, kHigh, kXhigh, kMax };
constexpr auto enum_names(ReasoningEffort) {
  return std::to_array<std::string_view>(
      {"auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"});
}

// Prices per million tokens, in any currency. They are used for the cost limit and the summary of a turn.
struct ModelPrices {
  double input = 0;
  double cached = 0;
  double output = 0;

  void describe(ParamSpec& p) {
    p.optional("input", input, "Price of a million input tokens.", {.min = 0});
    p.optional("cached", cached, "Price of a million cached input tokens.", {.min = 0});
    p.optional("output", output, "Price of a million output tokens.", {.min = 0});
  }
};

// The language model that the agent uses.
struct ModelSettings {
  ModelProvider provider = ModelProvider::kAuto;
  std::string base_url;
  std::string name;
  std::string key_variable;
  int max_output_tokens = 0;
  std::optional<double> temperature;
  ReasoningEffort effort = ReasoningEffort::kAuto;
  int thinking_tokens = 0;
  int context_window = 0;
  int silence_seconds = 600;
  ModelPrices prices;
  std::map<std::string, std::string> headers;
  std::string proxy;
  std::string ca_file;

  void describe(ParamSpec& p) {
    p.optional("provider", provider, "The server's API; auto detects it from address and name.");
    p.optional("base_url", base_url,
               "Address of the model server, such as http://127.0.0.1:8080/v1; empty means the provider's.");
    p.optional("name", name, "Model name on that server.");
    p.optional("key_variable", key_variable,
               "Variable or line of the keys file that holds the key; empty means OPENAI_API_KEY or "
               "ANTHROPIC_API_KEY.");
    p.optional("max_output_tokens", max_output_tokens, "Longest reply; 0 means the server's limit.",
               {.min = 0});
    p.optional("temperature", temperature, "Sampling temperature.", {.min = 0, .max = 2});
    p.optional("effort", effort, "Reasoning effort; auto is the model's default.");
    p.optional("thinking_tokens", thinking_tokens,
               "Thinking budget, for Claude models that take a budget instead of an effort.", {.min = 0});
    p.optional("context_window", context_window, "Context window in tokens; 0 asks the server.", {.min = 0});
    p.optional("silence_seconds", silence_seconds, "Longest silence of the server.",
               {.min = 1, .max = 86'400});
    p.optional("prices", prices, "Prices per million tokens.");
    p.optional("headers", headers,
               "Additional headers for every request; a value $NAME comes from that variable.");
    p.optional("proxy", proxy, "Proxy for requests; empty uses https_proxy and no_proxy.");
    p.optional("ca_file", ca_file, "Certificate file to use instead of the system's.");
  }
};

}  // namespace helve
