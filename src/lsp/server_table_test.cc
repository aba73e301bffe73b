#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "lsp/testing.h"

namespace helve::lsp {
namespace {

const ServerSpec& spec_named(const std::vector<ServerSpec>& specs, std::string_view name) {
  return *std::ranges::find(specs, name, &ServerSpec::name);
}

TEST(ServerTable, EveryRowIsComplete) {
  std::set<std::string> names;
  for (const ServerSpec& spec : builtin_servers()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.command.empty() || spec.install.empty() || spec.globs().empty()) << spec.name;
    EXPECT_LE(spec.most_opened, 150U) << spec.name;
  }
}

TEST(ServerTable, KnowsTheServersOfEachLanguage) {
  const auto servers_for = [](std::string_view file) {
    std::vector<std::string> names;
    for (const ServerSpec& spec : builtin_servers())
      if (spec.serves(file)) names.push_back(spec.name);
    return join(names, " ");
  };
  EXPECT_EQ(servers_for("a.py"), "pyright basedpyright ty pylsp");
  EXPECT_EQ(servers_for("A.java"), "jdtls");
  EXPECT_EQ(servers_for("A.cs"), "csharp-ls omnisharp");
  EXPECT_EQ(servers_for("a.php"), "intelephense phpactor");
  EXPECT_EQ(servers_for("a.rb"), "ruby-lsp solargraph");
  EXPECT_EQ(servers_for("A.kt"), "kotlin-lsp kotlin-language-server");
  EXPECT_EQ(servers_for("A.swift"), "sourcekit-lsp");
  EXPECT_EQ(servers_for("a.lua"), "lua-language-server");
  EXPECT_EQ(servers_for("a.zig"), "zls");
  EXPECT_EQ(servers_for("a.tf"), "terraform-ls");
}

TEST_F(LspTest, AServerThatRunsBuildFilesIsSandboxedUnlessTheSettingsSayOtherwise) {
  write("a.rb", "");
  directory_.write("bin/ruby-lsp", "#!/bin/sh\n");
  std::filesystem::permissions(directory_.at("bin/ruby-lsp"), std::filesystem::perms::owner_all);
  settings_.servers["ruby-lsp"].command = directory_.at("bin/ruby-lsp");
  const auto needs_sandbox = [&] {
    const std::vector<ServerSpec> specs = configured_servers(settings_);
    return find_server_program(spec_named(specs, "ruby-lsp"), servers().workspace(), path(""))->needs_sandbox;
  };
  EXPECT_TRUE(needs_sandbox());
  settings_.servers["ruby-lsp"].sandbox = false;
  EXPECT_FALSE(needs_sandbox());
  // The setting does not reach a program that comes with the workspace.
  write("bin/ruby-lsp", "#!/bin/sh\n");
  std::filesystem::permissions(path("bin/ruby-lsp"), std::filesystem::perms::owner_all);
  settings_.servers["ruby-lsp"].command = path("bin/ruby-lsp");
  EXPECT_TRUE(needs_sandbox());
}

TEST_F(LspTest, AProjectCanBeMarkedByTheEndOfAName) {
  write("src/App.csproj", "");
  write("src/deep/a.cs", "");
  const std::vector<ServerSpec> specs = builtin_servers();
  EXPECT_EQ(find_project_root(spec_named(specs, "csharp-ls"), servers().workspace(), path("src/deep/a.cs")),
            path("src"));
}

}  // namespace
}  // namespace helve::lsp
