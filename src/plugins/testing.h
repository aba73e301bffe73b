// Shared by the plugin tests: a runtime with its own plugin directory, and test libraries.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/strings.h"
#include "core/testing.h"
#include "plugins/plugin_host.h"
#include "unit/places.h"

namespace helve::plugins {

class PluginFixture : public helve::testing::RuntimeFixture {
 public:
  PluginFixture() : RuntimeFixture(/*built_in_tools=*/true) {
    directory_.make("plugins");
    options_.settings.plugins.start_ms = 20'000;
  }
  ~PluginFixture() override { host_.reset(); }

  PluginHost::Options host_options() {
    return {.folders = {.user = directory_.at("plugins")},
            .settings = settings::copy_of(options_.settings),
            .places = {.workspace = runtime().workspace(),
                       .state_directory = directory_.at("state"),
                       .launcher = places::kProgram}};
  }
  std::vector<PluginProblem> refresh() {
    if (!host_) host_ = std::make_unique<PluginHost>(runtime().tools(), host_options());
    return host_->refresh();
  }

  // Installs one of the test libraries.
  void put_library(const std::string& library, const std::string& tools, const std::string& effect = "read") {
    const std::string folder = concat("plugins/", library);
    directory_.make(folder);
    std::filesystem::copy_file(concat(places::kTestPlugins, "/", library, ".so"),
                               directory_.at(concat(folder, "/", library, ".so")),
                               std::filesystem::copy_options::overwrite_existing);
    std::string text =
        concat("name = \"", library, "\"\nversion = \"1.0.0\"\nkind = \"library\"\nlibrary = \"", library,
               ".so\"\n");
    for (const std::string& tool : split_words(tools))
      text += concat("[[tools]]\nname = \"", tool, "\"\neffect = \"", effect, "\"\n");
    directory_.write(concat(folder, "/plugin.toml"), text);
  }

  Answer call(const std::string& name, JsonObject arguments = {}) {
    return runtime().call({.tool = name, .arguments = std::move(arguments)});
  }
  static std::string said(const Answer& answer) {
    return answer.ok() ? answer.result->content : answer.result.error().message;
  }

  std::unique_ptr<PluginHost> host_;

 private:
  static std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  }
};

}  // namespace helve::plugins
