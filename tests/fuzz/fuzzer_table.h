// The fuzzers in this directory; cmake/Tests.cmake generates the table from the files it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

struct Fuzzer {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

[[nodiscard]] std::span<const Fuzzer> fuzzers();
