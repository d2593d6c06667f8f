// SPDX-License-Identifier: Apache-2.0
// What fmt does not define in its headers, compiled once from them: Debian ships no archive of fmt,
// and a program that needs libfmt.so.9 starts on one release alone. Compiling fmt into every file
// that formats would take twice as long.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
