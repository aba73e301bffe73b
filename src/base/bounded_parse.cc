#include "base/bounded_parse.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace helve {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
// Of the text. Usual source takes 5 to 50, the densest that could be thought of, of single-byte tokens, 350.
constexpr std::size_t kBytesForEach = 1000;
constexpr std::uint32_t kBetweenLooks = 4096;

// Thrown out of tree-sitter's functions, which have no other way to be stopped; they are compiled for it.
struct GivenUp {};

// Stands before everything that tree-sitter allocates. What a parse has taken so far is in a ring, so that it
// can be given back when it is stopped in the middle.
struct alignas(std::max_align_t) Block {
  Block* before;
  Block* after;
};

// What one parse takes; on its thread, from its beginning to its end.
class ParseMemory {
 public:
  ParseMemory(std::size_t most_bytes, const std::function<bool()>& is_over)
      : most_bytes_(most_bytes), is_over_(is_over) {
    current = this;
  }
  ParseMemory(const ParseMemory&) = delete;
  ParseMemory& operator=(const ParseMemory&) = delete;
  // What is left belongs to the tree.
  ~ParseMemory() {
    current = nullptr;
    while (ring_.after != &ring_) unlink(ring_.after);
  }

  void release_all() {
    while (ring_.after != &ring_) {
      Block* block = ring_.after;
      unlink(block);
      std::free(block);
    }
  }

  // Before more is taken.
  void check(std::size_t bytes) {
    if (used_ + bytes > most_bytes_) throw GivenUp();
    if (++taken_ % kBetweenLooks == 0 && is_over_()) throw GivenUp();
  }
  void link(Block* block) {
    used_ += ::malloc_usable_size(block);
    block->before = &ring_;
    block->after = ring_.after;
    block->after->before = ring_.after = block;
  }
  static void unlink(Block* block) {
    if (current != nullptr) current->used_ -= ::malloc_usable_size(block);
    block->before->after = block->after;
    block->after->before = block->before;
    block->before = block->after = nullptr;
  }

  static thread_local ParseMemory* current;

 private:
  Block ring_ = {&ring_, &ring_};
  std::size_t used_ = 0;
  std::size_t most_bytes_;
  std::uint32_t taken_ = 0;
  const std::function<bool()>& is_over_;
};

thread_local ParseMemory* ParseMemory::current = nullptr;

// The memory is not to be had at all: what tree-sitter itself would do then.
Block* must_be(void* memory) {
  if (memory == nullptr) std::abort();
  return static_cast<Block*>(memory);
}

void* keep(Block* block) {
  block->before = block->after = nullptr;
  if (ParseMemory::current != nullptr) ParseMemory::current->link(block);
  return block + 1;
}

void* take(std::size_t bytes) {
  if (ParseMemory::current != nullptr) ParseMemory::current->check(bytes);
  return keep(must_be(std::malloc(bytes + sizeof(Block))));
}

void* take_zeros(std::size_t count, std::size_t size) {
  if (size != 0 && count > SIZE_MAX / 2 / size) std::abort();
  void* memory = take(count * size);
  return std::memset(memory, 0, count * size);
}

void give(void* memory) {
  if (memory == nullptr) return;
  Block* block = static_cast<Block*>(memory) - 1;
  if (block->before != nullptr) ParseMemory::unlink(block);
  std::free(block);
}

void* resize(void* memory, std::size_t bytes) {
  if (memory == nullptr) return take(bytes);
  Block* block = static_cast<Block*>(memory) - 1;
  if (ParseMemory::current != nullptr) ParseMemory::current->check(bytes);
  if (block->before != nullptr) ParseMemory::unlink(block);
  return keep(must_be(std::realloc(block, bytes + sizeof(Block))));
}

// Before anything is allocated that might be given back to another allocator.
[[maybe_unused]] const bool kIsInPlace = [] {
  ts_set_allocator(take, take_zeros, resize, give);
  return true;
}();

const char* read_text(void* payload, std::uint32_t byte, TSPoint, std::uint32_t* count) {
  const auto& text = *static_cast<const std::string_view*>(payload);
  *count = byte < text.size() ? static_cast<std::uint32_t>(text.size()) - byte : 0;
  return *count == 0 ? "" : text.data() + byte;
}

bool is_over_now(TSParseState* state) {
  return (*static_cast<const std::function<bool()>*>(state->payload))();
}

TSTree* parse(const TSLanguage* language, std::string_view text, std::function<bool()> is_over) {
  TSParser* const parser = ts_parser_new();
  TSTree* tree = nullptr;
  if (ts_parser_set_language(parser, language)) {
    const TSInput input{
        .payload = &text, .read = read_text, .encoding = TSInputEncodingUTF8, .decode = nullptr};
    tree = ts_parser_parse_with_options(parser, nullptr, input,
                                        {.payload = &is_over, .progress_callback = is_over_now});
  }
  ts_parser_delete(parser);
  return tree;
}

}  // namespace

SyntaxTreePtr parse_within_bounds(const TSLanguage* language, std::string_view text,
                                  const std::function<bool()>& is_over) {
  ParseMemory memory(std::clamp(kBytesForEach * text.size(), kLeastBytes, kMostBytes), is_over);
  try {
    return SyntaxTreePtr(parse(language, text, is_over));
  } catch (const GivenUp&) {
    memory.release_all();
    return {};
  }
}

}  // namespace helve
