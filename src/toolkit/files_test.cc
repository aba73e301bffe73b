// Files as a tool's author uses them, through the whole path of a call.
#include "helve/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/testing.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FilesTest : public helve::testing::RuntimeFixture {
 protected:
  FilesTest() : RuntimeFixture(/*built_in_tools=*/true) {
    options_.settings.mode = Mode::kFull;
    std::filesystem::create_directories(directory_.at("workspace/sub"));
    put("notes.txt", "one\ntwo\n");
  }
  void put(const std::string& name, std::string_view content) const {
    std::ofstream(directory_.at("workspace/" + name), std::ios::binary) << content;
  }
  std::string get(const std::string& name) const {
    std::ifstream file(directory_.at("workspace/" + name), std::ios::binary);
    return file ? std::string(std::istreambuf_iterator<char>(file), {}) : "(no such file)";
  }
  // Runs the function as the work of a tool that other code brought.
  Answer with_files(std::function<Result(Files)> work, Json arguments = JsonObject()) {
    ToolDefinition definition{
        .name = "author_tool", .description = "For tests.", .effect = Effect::kWrite, .dry_runs = true};
    runtime().tools().remove("author_tool");
    EXPECT_TRUE(runtime().add(make_tool(definition, [work = std::move(work)](Context& context, const Json&) {
      return work(context.files());
    })));
    return runtime().call({.tool = "author_tool", .arguments = std::move(arguments)});
  }
  // The error that the function ends in.
  Error error_of(std::function<Expected<void>(Files)> work) {
    const Answer answer = with_files([work = std::move(work)](const Files& files) -> Result {
      auto done = work(files);
      if (!done) return fail(done.error());
      return Output();
    });
    EXPECT_FALSE(answer.ok());
    return answer.ok() ? Error() : answer.result.error();
  }
};

template <class T>
Expected<void> dropped(const Expected<T>& value) {
  if (!value) return fail(value.error());
  return {};
}

TEST_F(FilesTest, ReadsAndListsWithoutLeavingTheWorkspace) {
  put("sub/a.txt", "a");
  std::ofstream(directory_.at("secret.txt")) << "secret";
  std::filesystem::create_symlink("../secret.txt", directory_.at("workspace/way_out"));
  const Answer answer = with_files([](const Files& files) -> Result {
    const auto entries = files.list(".", 2);
    std::string names;
    for (const FileEntry& entry : *entries) names += entry.path + " ";
    return Output{.summary = names, .content = *files.read("notes.txt")};
  });
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->content, "one\ntwo\n");
  EXPECT_EQ(answer.result->summary, "sub sub/a.txt notes.txt way_out ");
  for (const std::string path : {"../secret.txt", "way_out", "/etc/passwd"})
    EXPECT_EQ(error_of([&](const Files& files) { return dropped(files.read(path)); }).code,
              ErrorCode::kSecurity)
        << path;
}

TEST_F(FilesTest, ChangesCanBeUndoneAndAreRecordedUnderTheToolsName) {
  std::vector<std::string> ids;
  const Answer answer = with_files([&](const Files& files) -> Result {
    const auto edited = files.edit("notes.txt", "two", "2");
    if (!edited) return fail(edited.error());
    const auto written = files.write("new/report.md", "# Report\n");
    if (!written) return fail(written.error());
    EXPECT_TRUE(written->created);
    ids = {written->change_id, edited->change_id};
    return Output{.summary = edited->path, .content = edited->diff};
  });
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_THAT(answer.result->content, HasSubstr("-two\n+2\n"));
  EXPECT_EQ(get("notes.txt"), "one\n2\n");
  EXPECT_EQ(get("new/report.md"), "# Report\n");
  const auto history = runtime().changes(runtime().default_session());
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->changes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(history->changes[i].tool, "author_tool");
    EXPECT_EQ(history->changes[i].id, ids[i]);
  }
  EXPECT_TRUE(runtime().call({.tool = "undo", .arguments = JsonObject{{"steps", 2}}}).ok());
  EXPECT_EQ(get("notes.txt"), "one\ntwo\n");
  EXPECT_EQ(get("new/report.md"), "(no such file)");
}

TEST_F(FilesTest, RemovesAFileAndUndoBringsItBack) {
  ASSERT_TRUE(with_files([](const Files& files) -> Result {
                const auto removed = files.remove("notes.txt");
                if (!removed) return fail(removed.error());
                return Output{.summary = removed->path};
              }).ok());
  EXPECT_EQ(get("notes.txt"), "(no such file)");
  ASSERT_TRUE(runtime().call({.tool = "undo"}).ok());
  EXPECT_EQ(get("notes.txt"), "one\ntwo\n");
}

TEST_F(FilesTest, ADryRunReportsTheChangeAndMakesNone) {
  const Answer answer = with_files(
      [](const Files& files) -> Result {
        const auto written = files.write("notes.txt", "three\n");
        if (!written) return fail(written.error());
        return Output{.content = written->diff};
      },
      JsonObject{{"dryRun", true}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_THAT(answer.result->content, HasSubstr("+three"));
  EXPECT_EQ(get("notes.txt"), "one\ntwo\n");
}

TEST_F(FilesTest, DenyRulesHoldForPathsThatTheCallDoesNotName) {
  options_.settings.permissions.deny = {"read(./sub/**)", "edit(notes.txt)"};
  put("sub/key", "secret");
  EXPECT_EQ(error_of([](const Files& files) { return dropped(files.read("sub/key")); }).code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(error_of([](const Files& files) { return dropped(files.write("notes.txt", "x")); }).code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(error_of([](const Files& files) { return dropped(files.edit("notes.txt", "one", "x")); }).code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(get("notes.txt"), "one\ntwo\n");
}

TEST_F(FilesTest, ProtectedPathsAreRefused) {
  EXPECT_EQ(
      error_of([](const Files& files) { return dropped(files.write(".git/hooks/post-commit", "x")); }).code,
      ErrorCode::kPermissionDenied);
}

TEST_F(FilesTest, ChecksAPathByItsTextAndOnTheDisk) {
  std::filesystem::create_symlink("/etc", directory_.at("workspace/etc"));
  std::vector<std::string> found;
  const Answer answer = with_files([&](const Files& files) -> Result {
    const auto add = [&](const Expected<std::string>& checked) {
      found.push_back(checked ? *checked : std::string(to_string(checked.error().code)));
    };
    add(files.check_text("sub/../new.txt", FileAccess::kWrite));
    add(files.check_text("../x"));
    add(files.check_text("etc/passwd"));  // only the disk knows where this leads
    add(files.check_text(".git/config", FileAccess::kWrite));
    add(files.check("etc/passwd"));
    add(files.check("missing.txt"));
    add(files.check("missing.txt", FileAccess::kWrite));
    return Output();
  });
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(found, ElementsAre("new.txt", "SECURITY", "etc/passwd", "PERMISSION_DENIED", "SECURITY",
                                 "NOT_FOUND", "missing.txt"));
}

}  // namespace
}  // namespace helve::toolkit
