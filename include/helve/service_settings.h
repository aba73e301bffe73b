// Settings for the programs and services that Helve uses: language servers, MCP servers, plugins and models,
// and for the agent. They are members of Settings (helve/settings.h); describe() documents each one.
//
//   #include <helve/settings.h>
//   helve::Settings with_servers() {
//     helve::Settings settings;
//     settings.lsp.servers["pyright"].command = "/opt/pyright/bin/pyright-langserver";
//     settings.mcp_servers["docs"].url = "https://docs.example.com/mcp";
//     settings.model.provider = helve::ModelProvider::kOpenai;
//     settings.model.base_url = "http://127.0.0.1:8080/v1";
//     return settings;
//   }
//
// All types here are plain values.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/json.h"
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

namespace settings {

// One language server. Members that are not set keep the values of the built-in table.
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
    p.optional("enabled", enabled, "false: never use it.");
    p.optional("command", command, "Program: a name in PATH, or a path.");
    p.optional("args", args, "Its arguments.");
    p.optional("languages", languages, "Language ids it handles: python, cpp, typescriptreact.");
    p.optional("files", files, "Additional files it handles: *.ext or whole names.");
    p.optional("root_markers", root_markers, "Files that mark a project's root.");
    p.optional("initialization_options", initialization_options, "Options to send with initialize.");
    p.optional("settings", settings, "Configuration by section, sent when the server asks.");
    p.optional("install", install, "Command that installs it; shown when it is missing.");
  }
};

// The language servers, and how long Helve waits for them.
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
    p.optional("enabled", enabled, "Whether to use language servers.");
    p.optional("servers", servers, "Language servers by name, in addition to the built-in table.");
    p.optional("start_seconds", start_seconds, "Time limit for a server to start.", {.min = 1, .max = 600});
    p.optional("ready_seconds", ready_seconds,
               "How long to wait while a server indexes before an answer is partial.",
               {.min = 0, .max = 600});
    p.optional("answer_seconds", answer_seconds, "Time limit for one answer.", {.min = 1, .max = 600});
    p.optional("idle_minutes", idle_minutes, "Stop a server after this idle time.",
               {.min = 1, .max = 100'000});
    p.optional("memory_megabytes", memory_megabytes,
               "Restart a server that uses more memory than this; 0 means no limit.", {.min = 0});
    p.optional("diagnostics_after_edit", diagnostics_after_edit,
               "Report the errors and warnings that an edit introduces.");
    p.optional("diagnostics_wait_ms", diagnostics_wait_ms, "How long an edit waits for them.",
               {.min = 1, .max = 120'000});
  }
};

// Limits for the agent.
struct Agent {
  int calls = 128;
  int rounds = 0;
  int minutes = 0;
  int tokens = 0;
  double money = 0;
  int trim_percent = 75;
  int keep_sessions = 1000;

  void describe(ParamSpec& p) {
    p.optional("calls", calls, "Most tool calls in one turn.", {.min = 1, .max = 100'000});
    p.optional("rounds", rounds, "Most model replies in one turn; 0 means no limit.", {.min = 0});
    p.optional("minutes", minutes, "Time limit for one turn; 0 means no limit.", {.min = 0});
    p.optional("tokens", tokens, "Most tokens in a session, input and output; 0 means no limit.", {.min = 0});
    p.optional("money", money, "Cost limit of a session, by model.prices; 0 means no limit.", {.min = 0});
    p.optional("trim_percent", trim_percent,
               "How full the context window may be before old results are shortened.",
               {.min = 10, .max = 100});
    p.optional("keep_sessions", keep_sessions,
               "Sessions to keep; the least recently used are removed first. 0 keeps all.", {.min = 0});
  }
};

// Prices per million tokens, in any currency. They are used for the cost limit and the summary of a turn.
struct Prices {
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

// The OAuth login for an MCP server over HTTP.
struct McpOAuth {
  std::string client_id;
  std::string client_secret_variable;
  std::string client_metadata_url;
  std::string scope;
  int redirect_port = 0;

  void describe(ParamSpec& p) {
    p.optional("client_id", client_id, "Client id that was registered by hand.");
    p.optional("client_secret_variable", client_secret_variable,
               "Environment variable that holds the client secret.");
    p.optional("client_metadata_url", client_metadata_url,
               "URL of the client metadata document, used as client id.");
    p.optional("scope", scope, "Scopes to request instead of the server's.");
    p.optional("redirect_port", redirect_port, "Port for the browser's redirect; 0 means any free one.",
               {.min = 0, .max = 65'535});
  }
};

// One MCP server whose tools Helve offers. Set either `command` (stdio) or `url` (HTTP).
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
    p.optional("command", command, "Program of a stdio server.");
    p.optional("args", args, "Its arguments.");
    p.optional("env", env, "Variables to set; ${NAME} is replaced from Helve's environment.");
    p.optional("cwd", cwd, "Working directory; default: the workspace.");
    p.optional("url", url, "Address of an HTTP server, instead of a command.");
    p.optional("headers", headers, "HTTP headers to send.");
    p.optional("bearer_token_variable", bearer_token_variable,
               "Environment variable that holds a bearer token.");
    p.optional("oauth", oauth, "OAuth login.");
    p.optional("enabled", enabled, "Whether to use it.");
    p.optional("tools", tools, "Its tools to offer; \"*\" means all, a leading \"-\" removes one.");
    p.optional("trust_annotations", trust_annotations,
               "Trust its read-only annotations, so that such tools run without approval.");
    p.optional("start_ms", start_ms, "Time limit for its first answer.", {.min = 1, .max = 3'600'000});
    p.optional("time_limit_ms", time_limit_ms, "Time limit for a call of its tools.",
               {.min = 1, .max = 86'400'000});
  }
};

// How plugins are loaded.
struct Plugins {
  bool enabled = true;
  bool out_of_process = true;
  std::vector<std::string> unwalled;
  int start_ms = 10'000;
  int time_limit_ms = 120'000;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "Whether to load plugins.");
    p.optional("out_of_process", out_of_process,
               "Run plugin libraries in separate processes, so that a crash stays there.");
    p.optional("unwalled", unwalled,
               "Names of plugins whose libraries and MCP programs run without a sandbox; \"*\" means all.");
    p.optional("start_ms", start_ms, "Time limit for a library or MCP program to start.",
               {.min = 1, .max = 600'000});
    p.optional("time_limit_ms", time_limit_ms, "Time limit for a call of their tools.",
               {.min = 1, .max = 86'400'000});
  }
};

// Changes to the advice that models receive about choosing tools and handling failures, and the automatic
// retries.
struct Guide {
  std::map<std::string, std::string> intents;
  std::map<std::string, std::vector<std::string>> fallbacks;
  int retries = 3;
  int retry_ms = 50;

  void describe(ParamSpec& p) {
    p.optional("intents", intents,
               "Tools by need: \"Find text in files\" = \"grep\"; an empty text removes a line.");
    p.optional("fallbacks", fallbacks,
               "What to try when a tool fails: code_query = [\"grep\", \"read\"]; an empty list removes the "
               "advice.");
    p.optional("retries", retries, "Retries of a read-only call after a transient error.",
               {.min = 0, .max = 20});
    p.optional("retry_ms", retry_ms, "Pause before the first retry; it doubles each time.",
               {.min = 0, .max = 60'000});
  }
};

}  // namespace settings
}  // namespace helve
