#include "lsp/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file_uri.h"
#include "base/json_parse.h"
#include "lsp/connection.h"
#include "lsp/server_spec.h"
#include "lsp/symbol_finder.h"

namespace helve::lsp {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }

TEST(Framing, ReadsMessagesFromPiecesOfAnySize) {
  const std::string stream = "Content-Type: x\r\ncontent-length: 5\r\n\r\nhello" + frame("{}") + frame("");
  FrameReader reader;
  std::vector<std::string> bodies;
  for (const char c : stream) {
    reader.append(std::string_view(&c, 1));
    while (auto body = reader.next().value()) bodies.push_back(*body);
  }
  EXPECT_EQ(bodies, (std::vector<std::string>{"hello", "{}", ""}));
}

TEST(Framing, SkipsStrayOutput) {
  FrameReader reader;
  reader.append("Debugger listening\n" + frame("x"));
  EXPECT_EQ(reader.next().value(), "x");
}

TEST(Framing, FailsOnInvalidInput) {
  FrameReader no_length;
  no_length.append("Content-Type: x\r\n\r\n{}");
  EXPECT_FALSE(no_length.next());
  FrameReader endless;
  endless.append(std::string(100'000, 'x'));
  EXPECT_FALSE(endless.next());
  FrameReader huge;
  huge.append("Content-Length: 99999999999\r\n\r\n");
  EXPECT_FALSE(huge.next());
  FrameReader negative;
  negative.append("Content-Length: -1\r\n\r\n");
  EXPECT_FALSE(negative.next());
}

TEST(Uri, EscapesSpecialCharactersAndRoundTrips) {
  const std::string path = "/home/me/a b/ü 🎉/x#y?z%.py";
  const std::string uri = file_uri(path);
  EXPECT_THAT(uri, ::testing::Not(::testing::ContainsRegex("[ #?]")));
  EXPECT_EQ(path_of_uri(uri), path);
  EXPECT_EQ(path_of_uri("file:///a/b%2Bc@d"), "/a/b+c@d");
  EXPECT_EQ(path_of_uri("untitled:x"), std::nullopt);
  EXPECT_EQ(path_of_uri("file:///a%00b"), std::nullopt);
  EXPECT_EQ(path_of_uri("file:///100%"), "/100%");
}

TEST(Columns, AreCountedInEachUnit) {
  const std::string line = "名 = \"🎉\" + x";
  const std::size_t x = line.size() - 1;
  EXPECT_EQ(column_of_byte(line, x, ColumnUnit::kUtf8), x);
  EXPECT_EQ(column_of_byte(line, x, ColumnUnit::kUtf16), 11U);
  EXPECT_EQ(column_of_byte(line, x, ColumnUnit::kUtf32), 10U);
  EXPECT_EQ(byte_of_column(line, 11, ColumnUnit::kUtf16), x);
  EXPECT_EQ(byte_of_column(line, 10, ColumnUnit::kUtf32), x);
  // In the middle of a surrogate pair.
  EXPECT_EQ(byte_of_column(line, 6, ColumnUnit::kUtf16), byte_of_column(line, 5, ColumnUnit::kUtf16));
  EXPECT_EQ(byte_of_column(line, 999, ColumnUnit::kUtf16), line.size());
}

TEST(Lines, EndWithAnyLineBreak) {
  const LineTable lines("a\r\nb\rc\n");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines.line(0), "a");
  EXPECT_EQ(lines.line(1), "b");
  EXPECT_EQ(lines.line(2), "c");
  EXPECT_EQ(lines.line(3), "");
  EXPECT_EQ(lines.offset_of({1, 1}, ColumnUnit::kUtf16), 4U);
  EXPECT_EQ(lines.position_of(5, ColumnUnit::kUtf16), (Position{2, 0}));
}

TEST(Locations, ComeInThreeForms) {
  const std::string range = R"({"start":{"line":1,"character":2},"end":{"line":1,"character":5}})";
  const std::vector<Location> expected{{"/a.py", {{1, 2}, {1, 5}}}};
  EXPECT_EQ(read_locations(json(R"({"uri":"file:///a.py","range":)" + range + "}")), expected);
  EXPECT_EQ(read_locations(json(R"([{"uri":"file:///a.py","range":)" + range + R"(},{"uri":"git:/x"}])")),
            expected);
  EXPECT_EQ(read_locations(json(R"([{"targetUri":"file:///a.py","targetRange":{},"targetSelectionRange":)" +
                                range + "}]")),
            expected);
  EXPECT_TRUE(read_locations(Json()).empty());
}

TEST(Hover, ComesInFourForms) {
  EXPECT_EQ(read_hover(json(R"({"contents":"plain"})")), "plain");
  EXPECT_EQ(read_hover(json(R"({"contents":{"kind":"markdown","value":"**bold**"}})")), "**bold**");
  EXPECT_EQ(read_hover(json(R"({"contents":{"language":"c","value":"int x"}})")), "```c\nint x\n```");
  EXPECT_EQ(read_hover(json(R"({"contents":["a","",{"language":"c","value":"b"}]})")), "a\n\n```c\nb\n```");
  EXPECT_EQ(read_hover(Json()), "");
}

TEST(Symbols, AreFlatWithTheirContainers) {
  const auto nested = read_symbols(json(
      R"([{"name":"C","kind":5,"range":{},"selectionRange":{},"children":[{"name":"m","kind":6,"range":{},"selectionRange":{}}]}])"));
  ASSERT_EQ(nested.size(), 2U);
  EXPECT_EQ(nested[1].container, "C");
  EXPECT_EQ(nested[1].kind, "method");
  const auto flat = read_symbols(
      json(R"([{"name":"m","kind":6,"containerName":"C","location":{"uri":"file:///a","range":{}}}])"));
  ASSERT_EQ(flat.size(), 1U);
  EXPECT_EQ(flat[0].path, "/a");
  EXPECT_EQ(flat[0].container, "C");
}

TEST(Symbols, CanBeNamedInSeveralWays) {
  const std::vector<std::string> parts{"Class", "method"};
  for (const std::string_view name : {"Class/method", "Class.method", "Class::method", "Class#method()"})
    EXPECT_EQ(split_symbol(name), parts) << name;
  EXPECT_TRUE(names_symbol({.name = "method", .kind = "", .container = "outer/Class"}, parts));
  EXPECT_TRUE(names_symbol({.name = "(*Class).method", .kind = ""}, parts));
  EXPECT_TRUE(names_symbol({.name = "Class::method", .kind = "", .container = "geo"}, parts));
  EXPECT_TRUE(names_symbol({.name = "method(int, A.B)", .kind = "", .container = "Class"}, parts));
  EXPECT_FALSE(names_symbol({.name = "method", .kind = "", .container = "Subclass"}, parts));
  EXPECT_FALSE(names_symbol({.name = "method", .kind = ""}, parts));
}

TEST(WorkspaceEdit, ComesInTwoFormsAndMustNotMoveFiles) {
  const std::string edits =
      R"([{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"b"}])";
  for (const std::string& form :
       {R"({"changes":{"file:///a":)" + edits + "}}",
        R"({"documentChanges":[{"textDocument":{"uri":"file:///a","version":null},"edits":)" + edits +
            "}]}"}) {
    const auto files = read_workspace_edit(json(form));
    ASSERT_TRUE(files) << form;
    ASSERT_EQ(files->size(), 1U);
    EXPECT_EQ(files->front().path, "/a");
    EXPECT_EQ(apply_edits("abc", files->front().edits, ColumnUnit::kUtf16), "bbc");
  }
  const auto moved = read_workspace_edit(
      json(R"({"documentChanges":[{"kind":"rename","oldUri":"file:///a","newUri":"file:///b"}]})"));
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().message, ::testing::HasSubstr("rename a file"));
}

TEST(Edits, AreRefusedIfTheyOverlap) {
  const std::vector<TextEdit> edits{{{{0, 0}, {0, 2}}, "x"}, {{{0, 1}, {0, 3}}, "y"}};
  EXPECT_FALSE(apply_edits("abcdef", edits, ColumnUnit::kUtf16));
  // Insertions at the same position keep their order.
  const std::vector<TextEdit> inserts{{{{0, 1}, {0, 1}}, "1"}, {{{0, 1}, {0, 1}}, "2"}};
  EXPECT_EQ(apply_edits("ab", inserts, ColumnUnit::kUtf16), "a12b");
}

TEST(ServerTable, IsChangedByTheSettings) {
  LspSettings settings;
  settings.servers["pyright"].enabled = false;
  settings.servers["clangd"].args = std::vector<std::string>{"--log=verbose"};
  settings.servers["mine"] = {.command = "my-server", .files = std::vector<std::string>{"*.MY", "Myfile"}};
  const auto specs = configured_servers(settings);
  EXPECT_EQ(specs.front().name, "mine");
  EXPECT_TRUE(specs.front().serves("/a/b.my"));
  EXPECT_TRUE(specs.front().serves("/a/Myfile"));
  EXPECT_FALSE(specs.front().serves("/a/b.py"));
  const auto named = [&](std::string_view name) {
    return *std::ranges::find(specs, name, &ServerSpec::name);
  };
  EXPECT_FALSE(named("pyright").enabled);
  EXPECT_EQ(named("clangd").args, std::vector<std::string>{"--log=verbose"});
  EXPECT_EQ(named("clangd").command, "clangd");
  EXPECT_TRUE(named("clangd").serves("x.cc"));
  EXPECT_TRUE(named("bash").serves("run", "#!/bin/bash\n"));
}

}  // namespace
}  // namespace helve::lsp
