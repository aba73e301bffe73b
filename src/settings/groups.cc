#include "settings/groups.h"

#include "helve/settings.h"

namespace helve::settings {

Groups::Groups(const Settings& settings)
    : mode(settings.mode),
      workspace(settings.workspace),
      edit(settings.edit),
      search(settings.search),
      exec(settings.exec),
      sandbox(settings.sandbox),
      permissions(settings.permissions),
      hooks(settings.hooks),
      history(settings.history),
      tools(settings.tools),
      results(settings.results),
      lsp(settings.lsp),
      agent(settings.agent),
      audit(settings.audit),
      caches(settings.caches),
      model(settings.model),
      log(settings.log),
      plugins(settings.plugins),
      guide(settings.guide),
      mcp_servers(settings.mcp_servers) {}

std::shared_ptr<const Settings> copy_of(const Settings& settings) {
  return std::make_shared<const Settings>(settings);
}

std::shared_ptr<const Settings> default_settings() { return std::make_shared<const Settings>(); }

}  // namespace helve::settings
