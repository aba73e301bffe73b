// What can be set for programs and services that Helve works with: language servers, MCP servers, plugins,
// models; and for the agent, which uses them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "helve/params.h"

namespace helve {

enum class ModelProvider { kAuto, kOpenai, kAnthropic };
constexpr auto enum_names(ModelProvider) {
  return std::to_array<std::string_view>({"auto", "openai", "anthropic"});
}
enum class ReasoningEffort { kAuto, kNone, kMinimal, kLow, kMedium, kHigh, kXhigh, kMax };
constexpr auto enum_names(ReasoningEffort) {
  return std::to_array<std::string_view>(
      {"auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"});
}

namespace settings {

// One language server. What is not given stays as Helve knows it for a server of that name.
struct LanguageServer {
  std::optional<bool> enabled;
  std::optional<std::string> command;
  std::optional<std::vector<std::string>> args;
  std::optional<std::vector<std::string>> languages;
  std::optional<std::vector<std::string>> files;
  std::optional<std::vector<std::string>> root_markers;
  std::optional<Json> initialization_options;
  std::optional<Json> settings;
  std::optional<std::string> install;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "False takes it out of the table.");
    p.optional("command", command, "Its program: a name to look up, or a path.");
    p.optional("args", args, "Its arguments.");
    p.optional("languages", languages, "Ids of the languages it is for: python, cpp, typescriptreact.");
    p.optional("files", files, "Further files it is for: *.ext or whole names.");
    p.optional("root_markers", root_markers, "Files that are where a project begins.");
    p.optional("initialization_options", initialization_options, "What it gets with initialize.");
    p.optional("settings", settings, "What it gets when it asks for its configuration, by section.");
    p.optional("install", install, "A command that installs it, to be told when it is missing.");
  }
};

struct Lsp {
  bool enabled = true;
  std::map<std::string, LanguageServer> servers;
  int start_seconds = 30;
  int ready_seconds = 15;
  int answer_seconds = 30;
  int idle_minutes = 30;
  int memory_megabytes = 4096;
  bool diagnostics_after_edit = false;
  int diagnostics_wait_ms = 3000;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "Whether language servers are started at all.");
    p.optional("servers", servers, "Language servers by name, added to those that Helve knows.");
    p.optional("start_seconds", start_seconds, "Time for a server to start.", {.min = 1, .max = 600});
    p.optional("ready_seconds", ready_seconds,
               "How long to wait for a server that reads the project, before an answer is partial.",
               {.min = 0, .max = 600});
    p.optional("answer_seconds", answer_seconds, "Time for one answer of a server.", {.min = 1, .max = 600});
    p.optional("idle_minutes", idle_minutes, "After how long a server that nobody asks is ended.",
               {.min = 1, .max = 100'000});
    p.optional("memory_megabytes", memory_megabytes, "Memory at which a server is ended; 0 is no limit.",
               {.min = 0});
    p.optional("diagnostics_after_edit", diagnostics_after_edit,
               "Tell with the result of an edit which errors and warnings it brought.");
    p.optional("diagnostics_wait_ms", diagnostics_wait_ms, "How long an edit waits for those.",
               {.min = 1, .max = 120'000});
  }
};

struct Agent {
  int calls = 128;
  int rounds = 0;
  int minutes = 0;
  int tokens = 0;
  double money = 0;
  int trim_percent = 75;
  int keep_sessions = 1000;

  void describe(ParamSpec& p) {
    p.optional("calls", calls, "Most calls of one turn.", {.min = 1, .max = 100'000});
    p.optional("rounds", rounds, "Most replies of the model in one turn; 0 is no limit.", {.min = 0});
    p.optional("minutes", minutes, "Longest time for one turn; 0 is no limit.", {.min = 0});
    p.optional("tokens", tokens, "Most tokens of a session, read and written; 0 is no limit.", {.min = 0});
    p.optional("money", money, "Most that a session may cost, by the model's prices; 0 is no limit.",
               {.min = 0});
    p.optional("trim_percent", trim_percent,
               "How full the window may be before old results are shortened to stubs.",
               {.min = 10, .max = 100});
    p.optional("keep_sessions", keep_sessions,
               "Sessions to keep; beyond them those untouched for longest are removed. 0 keeps all.",
               {.min = 0});
  }
};

// What a million tokens cost, in whatever currency.
struct Prices {
  double input = 0;
  double cached = 0;
  double output = 0;

  void describe(ParamSpec& p) {
    p.optional("input", input, "Price of a million tokens that the model reads.", {.min = 0});
    p.optional("cached", cached, "The same for those that come from the server's cache.", {.min = 0});
    p.optional("output", output, "The same for those that it writes.", {.min = 0});
  }
};

struct Model {
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
  Prices prices;
  std::map<std::string, std::string> headers;
  std::string proxy;
  std::string ca_file;

  void describe(ParamSpec& p) {
    p.optional("provider", provider, "Whose API the server speaks; auto goes by its address and the name.");
    p.optional("base_url", base_url,
               "Where the model is served, such as http://127.0.0.1:8080/v1; empty is the provider's own.");
    p.optional("name", name, "The model, as the server calls it.");
    p.optional("key_variable", key_variable,
               "Variable or line of the keys file with the key; empty is OPENAI_API_KEY or "
               "ANTHROPIC_API_KEY.");
    p.optional("max_output_tokens", max_output_tokens, "Longest reply; 0 is the server's own limit.",
               {.min = 0});
    p.optional("temperature", temperature, "How freely the model chooses its words.", {.min = 0, .max = 2});
    p.optional("effort", effort, "How hard the model thinks; auto is its own habit.");
    p.optional("thinking_tokens", thinking_tokens,
               "Tokens to think with, for Claude models that take a budget instead of an effort.",
               {.min = 0});
    p.optional("context_window", context_window,
               "Tokens of a conversation and its reply; 0 asks the server where it can tell.", {.min = 0});
    p.optional("silence_seconds", silence_seconds, "Longest time without a word from the server.",
               {.min = 1, .max = 86'400});
    p.optional("prices", prices, "What a million tokens cost.");
    p.optional("headers", headers,
               "Further headers for every request; a value that is $NAME comes from that variable.");
    p.optional("proxy", proxy, "Proxy for requests; empty goes by https_proxy and no_proxy.");
    p.optional("ca_file", ca_file, "File with the certificates to trust instead of the system's.");
  }
};

struct McpOAuth {
  std::string client_id;
  std::string client_secret_variable;
  std::string client_metadata_url;
  std::string scope;
  int redirect_port = 0;

  void describe(ParamSpec& p) {
    p.optional("client_id", client_id, "Client id, where one was registered by hand.");
    p.optional("client_secret_variable", client_secret_variable,
               "Environment variable with that client's secret.");
    p.optional("client_metadata_url", client_metadata_url,
               "URL of a document about this client, which then is the client id.");
    p.optional("scope", scope, "Scopes to ask for, instead of those that the server names.");
    p.optional("redirect_port", redirect_port, "Port that the browser comes back to; 0 is any free one.",
               {.min = 0, .max = 65'535});
  }
};

struct McpServer {
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string url;
  std::map<std::string, std::string> headers;
  std::string bearer_token_variable;
  McpOAuth oauth;
  bool enabled = true;
  std::vector<std::string> tools = {"*"};
  bool trust_annotations = false;
  int start_ms = 60'000;
  int time_limit_ms = 300'000;

  void describe(ParamSpec& p) {
    p.optional("command", command, "Program of a server that speaks over its stdin and stdout.");
    p.optional("args", args, "Its arguments.");
    p.optional("env", env, "Variables to set for it; ${NAME} stands for one of ours.");
    p.optional("cwd", cwd, "Where it runs; the workspace if not set.");
    p.optional("url", url, "Address of a server that speaks over HTTP, instead of a command.");
    p.optional("headers", headers, "HTTP headers to send to it.");
    p.optional("bearer_token_variable", bearer_token_variable,
               "Environment variable with a token to send to it.");
    p.optional("oauth", oauth, "How to log in at it.");
    p.optional("enabled", enabled, "Whether it is used.");
    p.optional("tools", tools, "Its tools to offer; \"*\" is all, a leading \"-\" takes one away.");
    p.optional("trust_annotations", trust_annotations,
               "Believe it when it says that a tool only reads, so that no question is asked.");
    p.optional("start_ms", start_ms, "Longest time until it answers for the first time.",
               {.min = 1, .max = 3'600'000});
    p.optional("time_limit_ms", time_limit_ms, "Longest time for a call of one of its tools.",
               {.min = 1, .max = 86'400'000});
  }
};

struct Plugins {
  bool enabled = true;
  bool out_of_process = true;
  std::vector<std::string> unwalled;
  int start_ms = 10'000;
  int time_limit_ms = 120'000;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "Whether plugins are loaded at all.");
    p.optional("out_of_process", out_of_process,
               "Libraries run in processes of their own, so that one that crashes takes nothing with it.");
    p.optional("unwalled", unwalled,
               "Plugins, by name, whose libraries and MCP programs run without a sandbox; \"*\" is all.");
    p.optional("start_ms", start_ms, "Longest time for a library or MCP program to start.",
               {.min = 1, .max = 600'000});
    p.optional("time_limit_ms", time_limit_ms, "Longest time for a call of one of their tools.",
               {.min = 1, .max = 86'400'000});
  }
};

// Changes to what Helve tells models about choosing tools, and about what to do when one fails.
struct Guide {
  std::map<std::string, std::string> intents;
  std::map<std::string, std::vector<std::string>> fallbacks;
  int retries = 3;
  int retry_ms = 50;

  void describe(ParamSpec& p) {
    p.optional(
        "intents", intents,
        "By need, the tools for it: \"Find text in files\" = \"grep\"; an empty text takes a line away.");
    p.optional(
        "fallbacks", fallbacks,
        "By tool, what to try when it fails: code_query = [\"grep\", \"read\"]; an empty list is nothing.");
    p.optional("retries", retries, "How often reading is tried again after an error that may pass.",
               {.min = 0, .max = 20});
    p.optional("retry_ms", retry_ms, "Pause before the first of those; it doubles with each.",
               {.min = 0, .max = 60'000});
  }
};

}  // namespace settings
}  // namespace helve
