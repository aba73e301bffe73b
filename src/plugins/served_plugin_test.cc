// MCP plugins, plugins that change while Helve runs, installation, and the templates of all kinds.
#include "plugins/served_plugin.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <sstream>

#include "base/file_io.h"
#include "plugins/install.h"
#include "plugins/plugin_host.h"
#include "plugins/skeleton.h"
#include "plugins/testing.h"

namespace helve::plugins {
namespace {

class ServedPluginTest : public PluginFixture {
 protected:
  void put_skeleton(PluginKind kind, const std::string& name, const std::string& folder = "plugins") {
    ASSERT_TRUE(
        write_skeleton(plugin_skeleton(kind, name, "").value(), directory_.at(concat(folder, "/", name))));
  }
};

TEST_F(ServedPluginTest, AnMcpProgramOffersItsToolsUnderItsName) {
  put_skeleton(PluginKind::kMcp, "hello");
  for (const PluginProblem& problem : refresh()) ADD_FAILURE() << problem.error.message << problem.error.hint;
  const auto tool = runtime().tools().find("mcp__hello__hello_greet").value();
  EXPECT_EQ(tool->definition.group, "hello");
  EXPECT_EQ(tool->definition.server, "hello");
  EXPECT_EQ(tool->definition.effect, Effect::kRead);
  EXPECT_EQ(said(call("mcp__hello__hello_greet", {{"name", "you"}})), "Hello, you!\n");
  EXPECT_EQ(call("mcp__hello__hello_greet").result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ServedPluginTest, NoPluginReadsWhatARuleKeepsFromReading) {
  options_.settings.permissions.deny = {"read(./secret.txt)", "read(**/*.key)"};
  directory_.write("workspace/secret.txt", "hidden one");
  directory_.write("workspace/a.key", "hidden two");
  directory_.write("workspace/open.txt", "open one");
  put_skeleton(PluginKind::kMcp, "hello");
  const std::string server = directory_.at("plugins/hello/server.py");
  std::string text = read_file(server).value();
  const std::string greeting = R"("Hello, " + arguments["name"] + "!\n")";
  ASSERT_TRUE(text.contains(greeting));
  // The argument does not look like a path, so only the sandbox can tell.
  directory_.write("plugins/hello/server.py",
                   replace_all(text, greeting, R"(open(arguments["name"][::-1]).read())"));
  for (const PluginProblem& problem : refresh()) ADD_FAILURE() << problem.error.message << problem.error.hint;
  const auto read = [&](std::string name) {
    std::ranges::reverse(name);
    return said(call("mcp__hello__hello_greet", {{"name", name}}));
  };
  EXPECT_EQ(read("open.txt"), "open one");
  EXPECT_THAT(read("secret.txt"), ::testing::Not(::testing::HasSubstr("hidden one")));
  EXPECT_THAT(read("a.key"), ::testing::Not(::testing::HasSubstr("hidden two")));
}

// A TCP server on this machine.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 5), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::string port() const { return std::to_string(port_); }

 private:
  UniqueFd socket_;
  int port_ = 0;
};

// An MCP program whose tool opens a given file for writing, or connects to a given port.
class SandboxedPluginTest : public ServedPluginTest {
 protected:
  void put_plugin(const std::string& effect) {
    put_skeleton(PluginKind::kMcp, "hello");
    directory_.make("outside");
    const std::string file = "plugins/hello/server.py";
    directory_.write(
        file, replace_all(directory_.read(file), "return \"Hello, \" + arguments[\"name\"] + \"!\\n\"",
                          "import socket; name = arguments['name']; open(name, 'w') if '/' in name "
                          "else socket.create_connection(('127.0.0.1', int(name)), 10); return 'done'"));
    const std::string manifest = "plugins/hello/plugin.toml";
    directory_.write(manifest,
                     replace_all(directory_.read(manifest), "\"read\"", concat("\"", effect, "\"")));
    for (const PluginProblem& problem : refresh()) ADD_FAILURE() << problem.error.message;
  }
  std::string try_to(const std::string& what) {
    return said(call("mcp__hello__hello_greet", {{"name", what}}));
  }
  Listener listener_;
};

TEST_F(SandboxedPluginTest, AReadToolHasNoNetworkAndCannotWrite) {
  put_plugin("read");
  const std::string refused = try_to(directory_.at("workspace/made"));
  EXPECT_THAT(refused, ::testing::HasSubstr("Read-only file system"));
  EXPECT_FALSE(directory_.exists("workspace/made"));
  EXPECT_THAT(try_to(listener_.port()), ::testing::HasSubstr("Connection refused"));
}

TEST_F(SandboxedPluginTest, AWriteToolHasNoNetworkAndWritesOnlyInTheWorkspace) {
  put_plugin("write");
  EXPECT_EQ(try_to(directory_.at("workspace/made")), "done");
  EXPECT_TRUE(directory_.exists("workspace/made"));
  EXPECT_NE(try_to(directory_.at("outside/made")), "done");
  EXPECT_FALSE(directory_.exists("outside/made"));
  EXPECT_NE(try_to(directory_.at("plugins/hello/server.py")), "done");
  EXPECT_THAT(try_to(listener_.port()), ::testing::HasSubstr("Connection refused"));
}

TEST_F(SandboxedPluginTest, ANetworkToolHasNetworkAndCannotWrite) {
  put_plugin("network");
  EXPECT_EQ(try_to(listener_.port()), "done");
  EXPECT_NE(try_to(directory_.at("workspace/made")), "done");
  EXPECT_FALSE(directory_.exists("workspace/made"));
}

TEST_F(SandboxedPluginTest, APluginNamedInTheSettingsRunsWithoutASandbox) {
  options_.settings.plugins.unsandboxed = {"hello"};
  put_plugin("execute");
  EXPECT_EQ(try_to(directory_.at("outside/made")), "done");
  EXPECT_TRUE(directory_.exists("outside/made"));
  EXPECT_EQ(try_to(listener_.port()), "done");
}

TEST_F(ServedPluginTest, RestartsAProgramThatHangsOrCrashes) {
  options_.settings.plugins.time_limit_ms = 500;
  put_skeleton(PluginKind::kMcp, "hello");
  const std::string file = "plugins/hello/server.py";
  directory_.write(file, replace_all(directory_.read(file), "    return \"Hello, \"",
                                     "    import os, time\n"
                                     "    if arguments['name'] == 'hang': time.sleep(1000)\n"
                                     "    if arguments['name'] == 'crash': os.abort()\n"
                                     "    return \"Hello, \""));
  ASSERT_TRUE(refresh().empty());
  const auto greet = [&](const char* name) {
    return runtime().call({.tool = "mcp__hello__hello_greet",
                           .arguments = JsonObject{{"name", name}},
                           .time_limit = std::string_view(name) == "hang"
                                             ? std::chrono::milliseconds(500)
                                             : std::chrono::milliseconds(20'000)});
  };
  EXPECT_EQ(greet("hang").result.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(said(greet("you")), "Hello, you!\n");
  const Error lost = greet("crash").result.error();
  EXPECT_EQ(lost.code, ErrorCode::kOutcomeUnknown);
  EXPECT_THAT(lost.message, ::testing::HasSubstr("The plugin hello was lost during the call"));
  EXPECT_EQ(said(greet("you")), "Hello, you!\n");
}

TEST_F(ServedPluginTest, SkipsAPluginWithAnInvalidSchema) {
  put_skeleton(PluginKind::kMcp, "hello");
  const std::string file = "plugins/hello/server.py";
  directory_.write(file, replace_all(directory_.read(file), "{key: tool[key] for", "{key: \"nonsense\" for"));
  const auto problems = refresh();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(
      problems.front().error.message,
      ::testing::HasSubstr("the manifest names mcp__hello__hello_greet, which the plugin does not provide."));
  EXPECT_THAT(problems.front().error.hint, ::testing::HasSubstr("hello_greet"));
}

TEST_F(ServedPluginTest, ReportsTheStderrOfAProgramThatDoesNotAnswer) {
  put_skeleton(PluginKind::kMcp, "hello");
  directory_.write("plugins/hello/server.py", "import sys; sys.exit('no luck today')\n");
  const auto problems = refresh();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems.front().error.message,
              ::testing::HasSubstr("cannot start: The server ended with exit code 1"));
  EXPECT_EQ(problems.front().error.hint, "Its stderr: no luck today");
}

TEST_F(ServedPluginTest, DisabledToolsAreNotAProblem) {
  options_.settings.tools.enabled = {"*", "-mcp__hello__hello_greet"};
  put_skeleton(PluginKind::kMcp, "hello");
  EXPECT_TRUE(refresh().empty());
  EXPECT_FALSE(runtime().tools().find("mcp__hello__hello_greet"));
}

TEST_F(ServedPluginTest, PluginsCanBeSwitchedOff) {
  options_.settings.plugins.enabled = false;
  put_skeleton(PluginKind::kCommand, "hello");
  EXPECT_TRUE(refresh().empty());
  EXPECT_FALSE(runtime().tools().find("hello_greet"));
}

TEST_F(ServedPluginTest, RefusesFilesThatOthersCanWrite) {
  put_skeleton(PluginKind::kMcp, "hello");
  ::chmod(directory_.at("plugins/hello/server.py").c_str(), 0777);
  const auto problems = refresh();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems.front().error.message.ends_with("server.py is writable by everyone."));
}

class PluginWatchTest : public ServedPluginTest {
 protected:
  // Waits until the tool is in the registry, or no longer in it.
  bool comes_to_be(const std::string& tool, bool there) {
    for (int i = 0; i < 1200; ++i) {
      if (runtime().tools().find(tool).has_value() == there) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }
};

TEST_F(PluginWatchTest, FollowsItsDirectories) {
  std::filesystem::remove(directory_.at("plugins"));  // made later
  std::atomic<int> changes = 0;
  const auto subscription = runtime().tools().on_change([&] { ++changes; });
  {
    PluginWatch watch(runtime().tools(), host_options(), [](const auto&) {});
    directory_.make("plugins");
    put_skeleton(PluginKind::kCommand, "one");
    EXPECT_TRUE(comes_to_be("one_greet", true));
    put_skeleton(PluginKind::kMcp, "two");
    EXPECT_TRUE(comes_to_be("mcp__two__two_greet", true));
    EXPECT_EQ(said(call("mcp__two__two_greet", {{"name", "you"}})), "Hello, you!\n");
    // A change of a file below.
    directory_.write("plugins/one/plugin.toml",
                     replace_all(directory_.read("plugins/one/plugin.toml"), "one_greet", "one_wave"));
    EXPECT_TRUE(comes_to_be("one_wave", true));
    EXPECT_FALSE(runtime().tools().find("one_greet"));
    EXPECT_TRUE(remove_plugin("two", directory_.at("plugins")));
    EXPECT_TRUE(comes_to_be("mcp__two__two_greet", false));
    std::filesystem::remove_all(directory_.at("plugins"));
    EXPECT_TRUE(comes_to_be("one_wave", false));
    directory_.make("plugins");
    put_skeleton(PluginKind::kCommand, "three");
    EXPECT_TRUE(comes_to_be("three_greet", true));
  }
  EXPECT_GE(changes, 6);
}

TEST_F(PluginWatchTest, ReportsSkippedPlugins) {
  std::mutex mutex;
  std::vector<std::string> problems;
  PluginWatch watch(runtime().tools(), host_options(), [&](const auto& all) {
    const std::lock_guard lock(mutex);
    for (const PluginProblem& problem : all) problems.push_back(problem.error.message);
  });
  directory_.write("plugins/bad.toml", "name = [");
  put_skeleton(PluginKind::kCommand, "good");
  EXPECT_TRUE(comes_to_be("good_greet", true));
  const std::lock_guard lock(mutex);
  ASSERT_FALSE(problems.empty());
  EXPECT_THAT(problems.front(), ::testing::HasSubstr("bad.toml"));
}

class InstallTest : public ServedPluginTest {
 protected:
  InstallTest() {
    directory_.make("made");
    put_skeleton(PluginKind::kMcp, "mine", "made");
  }
  Expected<Installed> install() {
    return install_plugin(read_plugin(manifest_at(directory_.at("made/mine"))).value(),
                          directory_.at("plugins"));
  }
};

TEST_F(InstallTest, CopiesOnlyThePluginsFiles) {
  directory_.write("made/mine/.git/config", "x");
  directory_.write("made/mine/__pycache__/x.pyc", "x");
  directory_.write("made/mine/data/words", "x");
  ::chmod(directory_.at("made/mine/data/words").c_str(), 0666);
  const auto installed = install();
  ASSERT_TRUE(installed) << installed.error().message;
  EXPECT_FALSE(installed->replaced);
  EXPECT_FALSE(directory_.exists("plugins/mine/.git"));
  EXPECT_FALSE(directory_.exists("plugins/mine/__pycache__"));
  struct stat status{};
  ASSERT_EQ(::stat(directory_.at("plugins/mine/data/words").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0022, 0U);
  EXPECT_TRUE(refresh().empty());
  EXPECT_EQ(said(call("mcp__mine__mine_greet", {{"name", "you"}})), "Hello, you!\n");
}

TEST_F(InstallTest, ReplacesAnOldVersionCompletely) {
  directory_.write("made/mine/old", "x");
  ASSERT_TRUE(install());
  std::filesystem::remove(directory_.at("made/mine/old"));
  const auto again = install();
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->replaced);
  EXPECT_FALSE(directory_.exists("plugins/mine/old"));
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_.at("plugins")))
    ++entries;
  EXPECT_EQ(entries, 1);  // no leftovers
}

TEST_F(InstallTest, KeepsTheOldVersionIfReplacingFails) {
  directory_.write("plugins/mine.toml", "old");
  directory_.write("plugins/mine/notes", "no plugin, and in the way");
  ASSERT_FALSE(install());
  EXPECT_EQ(directory_.read("plugins/mine.toml"), "old");
  EXPECT_TRUE(directory_.exists("plugins/mine/notes"));
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_.at("plugins")))
    ++entries;
  EXPECT_EQ(entries, 2);
}

TEST_F(InstallTest, DoesNotInstallAnUnreadablePlugin) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  ASSERT_TRUE(install());
  directory_.write("made/mine/data/words", "x");
  ASSERT_EQ(::chmod(directory_.at("made/mine/data").c_str(), 0), 0);
  const auto again = install();
  ::chmod(directory_.at("made/mine/data").c_str(), 0700);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, ::testing::HasSubstr("made/mine/data"));
  EXPECT_TRUE(directory_.exists("plugins/mine/server.py"));
}

TEST_F(InstallTest, RemovesOnlyThatPlugin) {
  ASSERT_TRUE(install());
  put_skeleton(PluginKind::kCommand, "other");
  EXPECT_EQ(remove_plugin("mina", directory_.at("plugins")).error().hint, "Did you mean mine?");
  for (const char* name : {"", ".", "..", "../made", "mine/", "/", ".mine"})
    EXPECT_FALSE(remove_plugin(name, directory_.at("plugins"))) << name;
  ASSERT_TRUE(remove_plugin("mine", directory_.at("plugins")));
  EXPECT_FALSE(directory_.exists("plugins/mine"));
  EXPECT_TRUE(directory_.exists("plugins/other/plugin.toml"));
  EXPECT_TRUE(directory_.exists("made/mine/plugin.toml"));
}

TEST_F(InstallTest, RefusesToInstallFromThePluginDirectory) {
  ASSERT_TRUE(install());
  const auto again = install_plugin(read_plugin(manifest_at(directory_.at("plugins/mine"))).value(),
                                    directory_.at("plugins"));
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(directory_.exists("plugins/mine/server.py"));
}

TEST(Skeleton, ChecksNamesAndOverwritesNothing) {
  for (const char* name : {"", "Upper", "1x", "a/b", "a b", "../x"})
    EXPECT_FALSE(plugin_skeleton(PluginKind::kCommand, name, "")) << name;
  helve::TestDirectory directory;
  directory.make("there");
  EXPECT_EQ(write_skeleton({}, directory.at("there")).error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace helve::plugins
