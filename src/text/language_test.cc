#include "text/language.h"

#include <gtest/gtest.h>

#include <set>

#include "base/strings.h"

namespace helve::text {
namespace {

std::string_view id(std::string_view path, std::string_view beginning = {}) {
  const auto language = language_of(path, beginning);
  return language ? language->id : "none";
}

TEST(Language, IsDetectedByExtension) {
  EXPECT_EQ(id("src/main.cc"), "cpp");
  EXPECT_EQ(id("a/b.PY"), "python");
  EXPECT_EQ(id("x.h"), "cpp");
  EXPECT_EQ(id("x.C"), "cpp");
  EXPECT_EQ(id("x.c"), "c");
  EXPECT_EQ(id("types.d.ts"), "typescript");
  EXPECT_EQ(id("App.tsx"), "typescriptreact");
  EXPECT_EQ(id("notes.txt"), "none");
  EXPECT_EQ(id("README"), "none");
}

TEST(Language, IsDetectedByFileName) {
  EXPECT_EQ(id("Makefile"), "makefile");
  EXPECT_EQ(id("docker/Dockerfile"), "dockerfile");
  EXPECT_EQ(id("Dockerfile.dev"), "dockerfile");
  EXPECT_EQ(id("CMakeLists.txt"), "cmake");
  EXPECT_EQ(id(".bashrc"), "shellscript");
  EXPECT_EQ(id(".env.local"), "dotenv");
  EXPECT_EQ(id("go.mod"), "go.mod");
  EXPECT_EQ(id("tsconfig.json"), "jsonc");
}

TEST(Language, IsDetectedByInterpreter) {
  EXPECT_EQ(id("run", "#!/bin/sh\n"), "shellscript");
  EXPECT_EQ(id("run", "#!/usr/bin/env python3\n"), "python");
  EXPECT_EQ(id("run", "#!/usr/bin/env -S A=1 python3.11 -u\r\n"), "python");
  EXPECT_EQ(id("run", "#! /usr/bin/node\n"), "javascript");
  EXPECT_EQ(id("run", "#!/opt/own/thing\n"), "none");
  EXPECT_EQ(id("run", "#!"), "none");
  EXPECT_EQ(id("tool.py", "#!/bin/sh\n"), "python");
}

TEST(Language, IsDetectedByContent) {
  EXPECT_EQ(id("page", "<!DOCTYPE html>\n<p>"), "html");
  EXPECT_EQ(id("thing", "<?xml version=\"1.0\"?>"), "xml");
  EXPECT_EQ(id("change", "diff --git a/x b/x\n"), "diff");
  EXPECT_EQ(id("lang.ts", "<?xml version=\"1.0\"?><TS>"), "xml");
  EXPECT_EQ(id("f.m", "% a matrix\n"), "matlab");
  EXPECT_EQ(id("f.m", "#import <Foundation/Foundation.h>\n"), "objective-c");
  EXPECT_EQ(id("page.txt", "<!DOCTYPE html>"), "none");
}

TEST(Language, TableHasNoContradictions) {
  std::set<std::string_view> ids;
  std::set<std::string_view> words;
  for (const LanguageRow& row : language_table()) {
    EXPECT_TRUE(ids.insert(row.language.id).second) << row.language.id;
    for (const std::string_view list : {row.extensions, row.file_names})
      for (const std::string_view word : split(list, ' ')) {
        EXPECT_EQ(word, to_lower(word));
        EXPECT_TRUE(word.empty() || words.insert(word).second || list == row.file_names) << word;
      }
  }
  EXPECT_GE(ids.size(), 60U);
}

}  // namespace
}  // namespace helve::text
