// A server over HTTP with the fixtures of the MCP conformance suite: Helve's server with other offers, and
// the skills of the workspace that its argument names.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "fixture_tools.h"
#include "http/guard.h"
#include "http/server.h"
#include "mcp/http_endpoint.h"
#include "mcp/skill_offers.h"

int main(int argc, char** argv) {
  using namespace helve;
  const std::string workspace = argc > 1 ? argv[1] : ".";
  mcp::SkillOffers skills(
      [&] { return mcp::SkillPrompts::Places{.workspace = workspace, .project_trusted = true}; });
  mcp::fixture::Listeners tool_changes;
  mcp::fixture::Listeners prompt_changes;
  mcp::fixture::FixtureTools tools(tool_changes, prompt_changes);
  mcp::fixture::FixtureResources resources;
  mcp::fixture::FixturePrompts prompts(prompt_changes);
  mcp::Server server({.name = "conformance", .title = "Conformance", .version = "1"},
                     {.tools = &tools, .resources = &resources, .prompts = &prompts, .skills = &skills});
  mcp::HttpEndpoint endpoint(server, {});
  const http::Guard guard;
  Logger logger;
  auto serving = http::Server::start(
      {.admit = [&](const http::Request& request) { return guard.refusal(request); }},
      [&](http::Exchange& exchange) { endpoint.handle(exchange); }, logger);
  if (!serving) {
    std::fprintf(stderr, "%s\n", serving.error().message.c_str());
    return 1;
  }
  std::printf("http://localhost:%d/mcp\n", (*serving)->port());
  std::fflush(stdout);
  // Until the program that started it ends.
  char byte = 0;
  while (::read(0, &byte, 1) > 0) {
  }
  std::_Exit(0);
}
