#include "patch/indentation.h"

#include <gtest/gtest.h>

namespace helve::patch {
namespace {

TEST(Indentation, ShiftsNewLinesLikeTheOldOnes) {
  Indentation indentation;
  indentation.note("if (x) {", "    if (x) {");
  indentation.note("  y();", "      y();");
  EXPECT_EQ(indentation.convert("if (z) {\n  y();\n    w();\n\n}\n"),
            "    if (z) {\n      y();\n        w();\n\n    }\n");
}

TEST(Indentation, ConvertsSpacesToTabsAndBack) {
  Indentation tabs;
  tabs.note("    if (x)", "\tif (x)");
  EXPECT_EQ(tabs.convert("    if (x)\n        y();\n          z();"), "\tif (x)\n\t\ty();\n\t\t  z();");
  Indentation spaces;
  spaces.note("\tif (x)", "  if (x)");
  EXPECT_EQ(spaces.convert("\tif (x)\n\t\ty();"), "  if (x)\n    y();");
}

TEST(Indentation, ScalesDeeperLinesAsTheKnownOnesAreScaled) {
  Indentation narrow;
  narrow.note("class A:", "class A:");
  narrow.note("    def f():", "  def f():");
  narrow.note("        if x:", "    if x:");
  EXPECT_EQ(narrow.convert("        if x:\n            if y:\n                return 1"),
            "    if x:\n      if y:\n        return 1");
  Indentation tabs;
  tabs.note("if x:", "\tif x:");
  tabs.note("  y()", "\t\ty()");
  EXPECT_EQ(tabs.convert("  if y:\n    z()"), "\t\tif y:\n\t\t\tz()");
}

TEST(Indentation, KeepsTextThatIsIndentedAlike) {
  Indentation indentation;
  indentation.note("  x", "  x  ");
  EXPECT_EQ(indentation.convert("  y\n    z\n w\n   \n"), "  y\n    z\n w\n   \n");
}

}  // namespace
}  // namespace helve::patch
