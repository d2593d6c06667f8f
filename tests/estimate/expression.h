// SPDX-License-Identifier: Apache-2.0
// Evaluates the numbers of a derivation, each known as far as its digits say.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trcost::expression {

/// Range of values that a printed number may stand for.
struct Interval {
  double low = 0, high = 0;
  [[nodiscard]] double middle() const { return (low + high) / 2; }
};

inline Interval hull(std::initializer_list<double> ends) {
  return {std::min(ends), std::max(ends)};
}
inline Interval operator+(Interval a, Interval b) {
  return {a.low + b.low, a.high + b.high};
}
inline Interval operator-(Interval a, Interval b) {
  return {a.low - b.high, a.high - b.low};
}
inline Interval operator*(Interval a, Interval b) {
  return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}
inline Interval operator/(Interval a, Interval b) {
  if (b.low <= 0 && b.high >= 0) throw std::runtime_error("divides by what may be 0");
  return hull({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}
inline Interval power(Interval a, Interval b) {
  return hull({std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low),
               std::pow(a.high, b.high)});
}

/// `+ - x / ^`, brackets and sqrt, exp, log2, max, min, median; other words are names and units.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Interval whole() {
    const Interval out = sum();
    skip();
    if (at_ < text_.size()) fail("does not end here");
    return out;
  }
  /// The first number, whatever stands before it.
  Interval first() {
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) {
      if (text_[at_] == '-' && at_ + 1 < text_.size() && std::isdigit(text_[at_ + 1]) != 0) break;
      ++at_;
    }
    const bool negative = text_[at_] == '-';
    if (negative) ++at_;
    const Interval out = number();
    return negative ? Interval{-out.high, -out.low} : out;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(std::string(what) + " at `" + std::string(text_.substr(at_)) + "`");
  }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] static bool letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
  }
  [[nodiscard]] std::string word() const {
    std::size_t end = at_;
    while (end < text_.size() &&
           (letter(text_[end]) || std::isdigit(text_[end]) != 0 || text_[end] == '_' ||
            ((text_[end] == '-' || text_[end] == '/') && end + 1 < text_.size() &&
             letter(text_[end + 1])))) {
      ++end;
    }
    return std::string(text_.substr(at_, end - at_));
  }
  // Spaces, `$`, names and units.
  void skip() {
    while (at_ < text_.size()) {
      if (peek() == ' ' || peek() == '$' || peek() == '\'') {
        ++at_;
      } else if (letter(peek())) {
        const std::string name = word();
        if (name == "x" || text_.substr(at_ + name.size(), 1) == "(") return;
        at_ += name.size();
      } else {
        return;
      }
    }
  }
  bool take(char c) {
    skip();
    if (peek() != c || (c == 'x' && word() != "x")) return false;
    ++at_;
    return true;
  }

  Interval sum() {
    Interval out = product();
    while (true) {
      if (take('+')) {
        out = out + product();
      } else if (take('-')) {
        out = out - product();
      } else {
        return out;
      }
    }
  }
  Interval product() {
    Interval out = raised();
    while (true) {
      if (take('x')) {
        out = out * raised();
      } else if (take('/')) {
        out = out / raised();
      } else {
        return out;
      }
    }
  }
  Interval raised() {
    const Interval base = signed_value();
    return take('^') ? power(base, raised()) : base;
  }
  Interval signed_value() {
    if (!take('-')) return value();
    const Interval out = value();
    return {-out.high, -out.low};
  }
  Interval value() {
    skip();
    if (take('(')) {
      const Interval out = sum();
      if (!take(')')) fail("a bracket does not close");
      return out;
    }
    if (letter(peek())) return function();
    return number();
  }
  Interval function() {
    const std::string name = word();
    at_ += name.size();
    std::vector<Interval> args;
    take('(');
    do args.push_back(sum());
    while (take(','));
    if (!take(')')) fail("a bracket does not close");
    const Interval a = args.front();
    if (name == "sqrt") return {std::sqrt(a.low), std::sqrt(a.high)};
    if (name == "log2") return {std::log2(a.low), std::log2(a.high)};
    if (name == "exp") return {std::exp(a.low), std::exp(a.high)};
    const bool most = name == "max";
    if (most || name == "min") {
      Interval out = a;
      for (const Interval& each : args) {
        out.low = most ? std::max(out.low, each.low) : std::min(out.low, each.low);
        out.high = most ? std::max(out.high, each.high) : std::min(out.high, each.high);
      }
      return out;
    }
    if (name != "median") fail("no such function before");
    std::sort(args.begin(), args.end(),
              [](Interval x, Interval y) { return x.middle() < y.middle(); });
    const std::size_t n = args.size();
    return (args[(n - 1) / 2] + args[n / 2]) / Interval{2, 2};
  }

  static double scale_of(char suffix) {
    switch (suffix) {
      case 'k':
        return 1e3;
      case 'M':
        return 1e6;
      case 'B':
        return 1e9;
      case 'T':
        return 1e12;
      default:
        return 1;
    }
  }
  // Rounded in its last digit; zeros at the end may have been left out, but four digits are there.
  Interval number() {
    std::string digits;
    while (std::isdigit(peek()) != 0 || peek() == '.' ||
           (peek() == ',' && std::isdigit(peek(1)) != 0)) {
      if (peek() != ',') digits += peek();
      ++at_;
    }
    if (digits.empty()) fail("no number");
    const std::size_t point = digits.find('.');
    const double decimals =
        point == std::string::npos ? 0 : static_cast<double>(digits.size() - point - 1);
    double unit = std::pow(10, -decimals);
    bool exact = false;
    double value = std::strtod(digits.c_str(), nullptr);
    if (peek() == 'e' && (std::isdigit(peek(1)) != 0 || peek(1) == '+' || peek(1) == '-')) {
      char* end = nullptr;
      const std::string rest = "1" + std::string(text_.substr(at_));
      const double scale = std::strtod(rest.c_str(), &end);
      at_ += static_cast<std::size_t>(end - rest.c_str()) - 1;
      value *= scale;
      unit *= scale;
    } else if (!letter(peek(1)) && scale_of(peek()) != 1) {
      value *= scale_of(peek());
      unit *= scale_of(peek());
      ++at_;
    } else if (point == std::string::npos && value < 1000) {
      exact = true;
    }
    constexpr double kFourDigits = 5e-4;
    const double half = exact ? 0 : std::min(unit / 2, kFourDigits * value) + 1e-6 * value;
    return {value - half, value + half};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace trcost::expression
