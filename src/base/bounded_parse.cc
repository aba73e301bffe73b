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
// Per byte of text. Typical source needs 5 to 50; the densest input, single-byte tokens, needs 350.
constexpr std::size_t kBytesPerTextByte = 1000;
constexpr std::uint32_t kAllocationsBetweenChecks = 4096;

// Thrown through tree-sitter's functions, which cannot be stopped in any other way. They are compiled with
// exceptions enabled for this.
struct ParseAborted {};

// Header of every block that tree-sitter allocates. The blocks of a running parse form a ring, so that they
// can be freed when the parse is aborted.
struct alignas(std::max_align_t) Block {
  Block* before;
  Block* after;
};

// Tracks the memory of one parse. Lives on the parsing thread for as long as the parse runs.
class ParseMemory {
 public:
  ParseMemory(std::size_t most_bytes, const std::function<bool()>& is_over)
      : most_bytes_(most_bytes), is_over_(is_over) {
    current = this;
  }
  ParseMemory(const ParseMemory&) = delete;
  ParseMemory& operator=(const ParseMemory&) = delete;
  // The remaining blocks belong to the tree.
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

  // Called before each allocation; throws if the parse exceeds its limits.
  void check(std::size_t bytes) {
    if (used_ + bytes > most_bytes_) throw ParseAborted();
    if (++allocations_ % kAllocationsBetweenChecks == 0 && is_over_()) throw ParseAborted();
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
  std::uint32_t allocations_ = 0;
  const std::function<bool()>& is_over_;
};

thread_local ParseMemory* ParseMemory::current = nullptr;

// Aborts when memory is exhausted, as tree-sitter itself does.
Block* checked_block(void* memory) {
  if (memory == nullptr) std::abort();
  return static_cast<Block*>(memory);
}

void* track(Block* block) {
  block->before = block->after = nullptr;
  if (ParseMemory::current != nullptr) ParseMemory::current->link(block);
  return block + 1;
}

void* allocate(std::size_t bytes) {
  if (ParseMemory::current != nullptr) ParseMemory::current->check(bytes);
  return track(checked_block(std::malloc(bytes + sizeof(Block))));
}

void* allocate_zeroed(std::size_t count, std::size_t size) {
  if (size != 0 && count > SIZE_MAX / 2 / size) std::abort();
  void* memory = allocate(count * size);
  return std::memset(memory, 0, count * size);
}

void release(void* memory) {
  if (memory == nullptr) return;
  Block* block = static_cast<Block*>(memory) - 1;
  if (block->before != nullptr) ParseMemory::unlink(block);
  std::free(block);
}

void* resize(void* memory, std::size_t bytes) {
  if (memory == nullptr) return allocate(bytes);
  Block* block = static_cast<Block*>(memory) - 1;
  if (ParseMemory::current != nullptr) ParseMemory::current->check(bytes);
  if (block->before != nullptr) ParseMemory::unlink(block);
  return track(checked_block(std::realloc(block, bytes + sizeof(Block))));
}

// Installed before the first allocation: a block must be freed by the allocator that made it.
[[maybe_unused]] const bool kIsInstalled = [] {
  ts_set_allocator(allocate, allocate_zeroed, resize, release);
  return true;
}();

const char* read_text(void* payload, std::uint32_t byte, TSPoint, std::uint32_t* count) {
  const auto& text = *static_cast<const std::string_view*>(payload);
  *count = byte < text.size() ? static_cast<std::uint32_t>(text.size()) - byte : 0;
  return *count == 0 ? "" : text.data() + byte;
}

bool report_progress(TSParseState* state) {
  return (*static_cast<const std::function<bool()>*>(state->payload))();
}

TSTree* parse(const TSLanguage* language, std::string_view text, std::function<bool()> is_over) {
  TSParser* const parser = ts_parser_new();
  TSTree* tree = nullptr;
  if (ts_parser_set_language(parser, language)) {
    const TSInput input{
        .payload = &text, .read = read_text, .encoding = TSInputEncodingUTF8, .decode = nullptr};
    tree = ts_parser_parse_with_options(parser, nullptr, input,
                                        {.payload = &is_over, .progress_callback = report_progress});
  }
  ts_parser_delete(parser);
  return tree;
}

}  // namespace

SyntaxTreePtr parse_within_bounds(const TSLanguage* language, std::string_view text,
                                  const std::function<bool()>& is_over) {
  ParseMemory memory(std::clamp(kBytesPerTextByte * text.size(), kLeastBytes, kMostBytes), is_over);
  try {
    return SyntaxTreePtr(parse(language, text, is_over));
  } catch (const ParseAborted&) {
    memory.release_all();
    return {};
  }
}

}  // namespace helve
