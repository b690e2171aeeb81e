// Compiles fmt once, because including its implementation in each file takes half as much time again. The
// instantiations are those of fmt's own src/format.cc for char, versions 9 to 12.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
#if FMT_VERSION >= 120000
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
#endif
namespace detail {

template auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
#if FMT_VERSION < 120000
template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;
template void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
#endif
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);

}  // namespace detail
FMT_END_NAMESPACE
