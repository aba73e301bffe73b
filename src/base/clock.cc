#include "base/clock.h"

#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>

namespace helve {

std::string utc_timestamp(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(time - day));
  std::string text = "0000-00-00T00:00:00.000Z";
  const auto put = [&text](std::size_t last, auto number) {
    for (auto rest = static_cast<std::uint64_t>(number); rest > 0; rest /= 10)
      text[last--] = static_cast<char>('0' + rest % 10);
  };
  put(3, std::clamp(static_cast<int>(date.year()), 0, 9999));
  put(6, static_cast<unsigned>(date.month()));
  put(9, static_cast<unsigned>(date.day()));
  put(12, clock.hours().count());
  put(15, clock.minutes().count());
  put(18, clock.seconds().count());
  put(22, clock.subseconds().count());
  return text;
}

namespace {

// A number that differs between a process and its forked children: the kernel zeroes its page on fork.
class ForkNumber {
 public:
  ForkNumber() {
    void* page = ::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (::madvise(page, sizeof(Number), MADV_WIPEONFORK) == 0) number_ = new (page) Number(0);
  }

  // Returns 0 when the kernel does not support this.
  std::uint64_t get() {
    if (number_ == nullptr) return 0;
    std::uint64_t number = number_->load(std::memory_order_acquire);
    if (number != 0) return number;
    std::uint64_t wiped = 0;
    const std::uint64_t next = ++last_;
    return number_->compare_exchange_strong(wiped, next) ? next : wiped;
  }

 private:
  using Number = std::atomic<std::uint64_t>;
  Number* number_ = nullptr;
  Number last_ = 0;  // copied by a fork, unlike the page
};

// Random bytes that are never handed out twice, neither by two threads nor in both processes after a fork.
class RandomBytes {
 public:
  void take(std::span<unsigned char> wanted) {
    static ForkNumber fork_number;
    const std::uint64_t number = fork_number.get();
    if (number == 0) return fill(wanted);
    if (number != filled_in_ || left_ < wanted.size()) {
      fill(bytes_);
      left_ = bytes_.size();
      filled_in_ = number;
    }
    const auto taken = std::span(bytes_).subspan(left_ - wanted.size(), wanted.size());
    std::ranges::copy(taken, wanted.begin());
    std::ranges::fill(taken, 0);
    left_ -= wanted.size();
  }

 private:
  static void fill(std::span<unsigned char> bytes) {
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("getrandom failed");
  }

  std::array<unsigned char, 256> bytes_;  // getrandom returns up to 256 bytes without interruption
  std::size_t left_ = 0;
  std::uint64_t filled_in_ = 0;
};

}  // namespace

std::string random_id(std::string_view prefix, std::size_t letters) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, 32> bytes;
  letters = std::min(letters, bytes.size());
  thread_local RandomBytes random;
  random.take(std::span(bytes).first(letters));
  std::string id(prefix);
  id += '_';
  for (std::size_t i = 0; i < letters; ++i) id += kLetters[bytes[i] % kLetters.size()];
  return id;
}

}  // namespace helve
