// main() of the unit tests: a test program may be started again as the launcher of commands.
#include <gtest/gtest.h>

#include "helve/launcher.h"

int main(int argc, char** argv) {
  if (const auto code = helve::launch_if_asked(argc, argv)) return *code;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
