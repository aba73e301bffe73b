#include "settings/schema_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace helve::settings {
namespace {

__extension__ using Wide = unsigned __int128;

// |number| = digits * 10^exponent. A double has at most 17 significant digits, so that products of two fit.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal decimal_of(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, std::abs(number), std::chars_format::scientific);
  Decimal decimal;
  const char* at = text;
  bool fraction = false;
  for (; at < end.ptr && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (fraction) --decimal.exponent;
  }
  int power = 0;
  if (at < end.ptr && ++at < end.ptr && *at == '+') ++at;
  std::from_chars(at, end.ptr, power);
  decimal.exponent += power;
  return decimal;
}

// Json has no accessor for integers above INT64_MAX.
std::uint64_t large_integer(const Json& number) {
  const std::string text = to_text(number);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Decimal decimal_of(const Json& number) {
  if (number.is_double()) return decimal_of(number.as_double());
  std::int64_t whole = 0;
  if (!number.fits_int64(whole)) return {large_integer(number)};
  const auto bits = static_cast<std::uint64_t>(whole);
  return {whole < 0 ? 0 - bits : bits};
}

std::uint64_t remainder_of_power(int exponent, std::uint64_t modulus) {
  Wide power = 10 % modulus;
  Wide result = 1 % modulus;
  for (; exponent > 0; exponent >>= 1, power = power * power % modulus)
    if (exponent & 1) result = result * power % modulus;
  return static_cast<std::uint64_t>(result);
}

// A long double has at least 64 digits, which is enough for both kinds of integers and for doubles.
long double exact(const Json& number) {
  if (number.is_double()) return static_cast<long double>(number.as_double());
  std::int64_t whole = 0;
  return number.fits_int64(whole) ? static_cast<long double>(whole)
                                  : static_cast<long double>(large_integer(number));
}

std::size_t mixed(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15U + (seed << 6U) + (seed >> 2U));
}

// Equal values have equal hashes.
std::size_t hash_of(const Json& value) {
  if (value.is_number()) return std::hash<double>()(value.as_double() + 0.0);
  if (value.is_string()) return std::hash<std::string>()(value.as_string());
  if (value.is_bool()) return value.as_bool() ? 1 : 2;
  std::size_t hash = value.is_array() ? 3 : value.is_object() ? 4 : 5;
  if (value.is_array())
    for (const Json& element : value.as_array()) hash = mixed(hash, hash_of(element));
  if (value.is_object())  // in any order
    for (const auto& [key, member] : value.as_object())
      hash += mixed(std::hash<std::string>()(key), hash_of(member));
  return hash;
}

}  // namespace

std::partial_ordering compare_numbers(const Json& left, const Json& right) {
  return exact(left) <=> exact(right);
}

bool is_multiple(const Json& value, const Json& factor) {
  if (!std::isfinite(value.as_double()) || !std::isfinite(factor.as_double())) return false;
  const Decimal number = decimal_of(value);
  const Decimal unit = decimal_of(factor);
  if (number.digits == 0) return true;
  const int shift = number.exponent - unit.exponent;
  if (shift >= 0) {
    const Wide rest = number.digits % unit.digits;
    return rest * remainder_of_power(shift, unit.digits) % unit.digits == 0;
  }
  Wide whole = unit.digits;
  for (int i = shift; i < 0 && whole <= number.digits; ++i) whole *= 10;
  return whole <= number.digits && number.digits % whole == 0;
}

bool is_whole(const Json& number) {
  return number.is_integer() ||
         (std::isfinite(number.as_double()) && number.as_double() == std::trunc(number.as_double()));
}

std::size_t size_up_to(const Json& value, std::size_t most) {
  std::size_t size = 1;
  if (value.is_string()) size += value.as_string().size() / 64;
  if (value.is_array())
    for (const Json& element : value.as_array())
      if (size < most) size += size_up_to(element, most - size);
  if (value.is_object())
    for (const auto& [key, member] : value.as_object())
      if (size < most) size += size_up_to(member, most - size);
  return std::min(size, most);
}

std::optional<std::pair<std::size_t, std::size_t>> find_repeated(const JsonArray& array) {
  constexpr std::size_t kMostAlike = 16;  // other elements with the same hash are not equal to it
  std::unordered_map<std::size_t, std::vector<std::size_t>> seen;
  for (std::size_t i = 0; i < array.size(); ++i) {
    std::vector<std::size_t>& alike = seen[hash_of(array[i])];
    for (const std::size_t other : alike)
      if (array[other] == array[i]) return std::pair(other, i);
    if (alike.size() < kMostAlike) alike.push_back(i);
  }
  return {};
}

}  // namespace helve::settings
