#include "cli/server_offers.h"

#include "mcp/active_request.h"
#include "mcp/tool_json.h"

namespace helve::cli {
namespace {

constexpr auto kListTime = std::chrono::seconds(10);
constexpr auto kReadTime = std::chrono::minutes(1);

gateway::Terms listing_terms(const std::stop_token& stop = {}) {
  return {.stop = stop, .deadline = gateway::Clock::now() + kListTime};
}
gateway::Terms reading_terms(const std::stop_token& stop) {
  return {.stop = stop, .deadline = gateway::Clock::now() + kReadTime};
}

void append(JsonArray& all, JsonArray more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::expected<mcp::Resources::Page, rpc::Failure> AllResources::list(mcp::ActiveRequest& request,
                                                                     const std::string& after) {
  auto page = own_.list(request, after);
  const auto gateway = current_.get();
  // On the first page, because some clients read only that one.
  if (page && after.empty() && gateway)
    append(page->resources, gateway::ServerOffers(*gateway).resources(listing_terms(request.stop())));
  return page;
}

JsonArray AllResources::templates() {
  JsonArray all = own_.templates();
  if (const auto gateway = current_.get())
    append(all, gateway::ServerOffers(*gateway).templates(listing_terms()));
  return all;
}

std::expected<std::optional<JsonArray>, rpc::Failure> AllResources::read(mcp::ActiveRequest& request,
                                                                         const std::string& uri) {
  auto own = own_.read(request, uri);
  const auto gateway = current_.get();
  if ((own && *own) || !gateway) return own;
  const auto found = gateway::ServerOffers(*gateway).read(uri, reading_terms(request.stop()));
  if (!found) return own;
  if (!*found) return std::unexpected(mcp::failure_of(found->error()));
  return **found;
}

std::expected<mcp::Subscription, rpc::Failure> AllResources::watch(mcp::ActiveRequest& request,
                                                                   const std::string& uri,
                                                                   std::function<void()> callback) {
  return own_.watch(request, uri, std::move(callback));
}

std::vector<std::string> AllResources::complete(mcp::ActiveRequest& request, const std::string& uri_template,
                                                const std::string& argument, const std::string& value) {
  const auto gateway = current_.get();
  if (!gateway || !uri_template.starts_with("mcp://"))
    return own_.complete(request, uri_template, argument, value);
  return gateway::ServerOffers(*gateway).complete_template(uri_template, argument, value,
                                                           listing_terms(request.stop()));
}

JsonArray AllPrompts::list() {
  JsonArray all = own_.list();
  if (const auto gateway = current_.get())
    append(all, gateway::ServerOffers(*gateway).prompts(listing_terms()));
  return all;
}

std::expected<std::optional<Json>, rpc::Failure> AllPrompts::get(mcp::ActiveRequest& request,
                                                                 const std::string& name,
                                                                 const Json& arguments) {
  auto own = own_.get(request, name, arguments);
  const auto gateway = current_.get();
  if (!own || *own || !gateway) return own;
  auto found = gateway::ServerOffers(*gateway).get_prompt(name, arguments, reading_terms(request.stop()));
  if (!found) return own;
  if (!*found) return std::unexpected(mcp::failure_of(found->error()));
  return std::optional(**std::move(found));
}

std::vector<std::string> AllPrompts::complete(const std::string& name, const std::string& argument,
                                              const std::string& value) {
  const auto gateway = current_.get();
  if (!gateway || !name.starts_with("mcp__")) return own_.complete(name, argument, value);
  return gateway::ServerOffers(*gateway).complete_prompt(name, argument, value, listing_terms());
}

mcp::Subscription AllPrompts::on_change(std::function<void()> callback) {
  return own_.on_change(std::move(callback));
}

}  // namespace helve::cli
