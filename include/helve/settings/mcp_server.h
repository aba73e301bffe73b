// Settings for one MCP server: the elements of `mcp_servers` in Settings (helve/settings.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// The OAuth login for an MCP server over HTTP.
struct McpOAuthSettings {
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
struct McpServerSettings {
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string url;
  std::map<std::string, std::string> headers;
  std::string bearer_token_variable;
  McpOAuthSettings oauth;
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

}  // namespace helve
