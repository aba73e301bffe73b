#include "code/name_uses.h"

#include <gtest/gtest.h>

#include <string>

namespace helve::code {
namespace {

// The text with every use in code in brackets and every use in prose in angle brackets.
std::string marked(std::string_view language, std::string_view text, std::string_view name = "name") {
  const NameUses uses = find_name_uses(text, language, name, {});
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto starts = [&](const std::vector<std::size_t>& list) {
      return std::ranges::find(list, at) != list.end();
    };
    const bool code = starts(uses.in_code);
    if (!code && !starts(uses.in_prose)) {
      result += text[at];
      continue;
    }
    result += code ? "[" : "<";
    result += name;
    result += code ? "]" : ">";
    at += name.size() - 1;
  }
  return result;
}

TEST(NameUses, TellsCodeFromCommentsAndStrings) {
  EXPECT_EQ(marked("python", "name = 'name'  # name\nf\"name {name}\"\nx.name(name=1)\n\"\"\"name\"\"\"\n"),
            "[name] = '<name>'  # <name>\nf\"<name> {[name]}\"\nx.[name]([name]=1)\n\"\"\"<name>\"\"\"\n");
  EXPECT_EQ(
      marked("typescript", "import { name } from 'name'; // name\nconst o = { name }; `name ${name}`;\n"),
      "import { [name] } from '<name>'; // <name>\nconst o = { [name] }; `<name> ${[name]}`;\n");
  EXPECT_EQ(marked("typescriptreact", "const a = <p name={name}>name</p>; class A { #name = 1 }\n"),
            "const a = <p [name]={[name]}><name></p>; class A { #[name] = 1 }\n");
  EXPECT_EQ(marked("go", "func name() { x := \"name\"; y := `name`; name() /* name */ }\n"),
            "func [name]() { x := \"<name>\"; y := `<name>`; [name]() /* <name> */ }\n");
  EXPECT_EQ(marked("rust", "fn name() { m!(name, \"name\"); } // name\n"),
            "fn [name]() { m!([name], \"<name>\"); } // <name>\n");
  EXPECT_EQ(marked("java", "class A { int name() { return s(\"name\") + name(); } /** name */ }\n"),
            "class A { int [name]() { return s(\"<name>\") + [name](); } /** <name> */ }\n");
  EXPECT_EQ(marked("ruby", "def name; @name = 'name'; attr :name; end # name\n"),
            "def [name]; @[name] = '<name>'; attr :[name]; end # <name>\n");
  EXPECT_EQ(marked("shellscript", "name() { echo \"name $name\"; }; name # name\n"),
            "[name]() { echo \"<name> $[name]\"; }; [name] # <name>\n");
}

TEST(NameUses, ReadsMacroBodiesAndInactiveCode) {
  EXPECT_EQ(marked("cpp", "#define CALL(x) name(\"name\", name(x))  // name\n"),
            "#define CALL(x) [name](\"<name>\", [name](x))  // <name>\n");
  EXPECT_EQ(marked("cpp", "#ifdef NEVER\nint a = name('n');\n#endif\n#include \"name\"\n"),
            "#ifdef NEVER\nint a = [name]('n');\n#endif\n#include \"<name>\"\n");
}

TEST(NameUses, TakesOnlyWholeWords) {
  EXPECT_EQ(marked("python", "names, my_name, name2, 名name, name\n"),
            "names, my_name, name2, 名name, [name]\n");
  EXPECT_EQ(marked("javascript", "name$ + $name + name\n"), "name$ + $name + [name]\n");
}

TEST(NameUses, TakesWhatItCannotParseForCode) {
  EXPECT_EQ(marked("cpp", "@@@ name ### {{{ ((( \n"), "@@@ [name] ### {{{ ((( \n");
  EXPECT_EQ(marked("no-such-language", "name 'name'\n"), "[name] '[name]'\n");
  EXPECT_FALSE(find_name_uses("name", "no-such-language", "name", {}).is_parsed);
  EXPECT_TRUE(find_name_uses("", "python", "", {}).in_code.empty());
}

}  // namespace
}  // namespace helve::code
