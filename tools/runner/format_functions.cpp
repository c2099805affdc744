// SPDX-License-Identifier: Apache-2.0
// The functions of {fmt} that the library calls, from its headers, because executables of models have no shared
// libraries.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace mbc::tools {

extern const void* const kFormatFunctions[];
const void* const kFormatFunctions[] = {
    reinterpret_cast<const void*>(static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(&fmt::vformat)),
    reinterpret_cast<const void*>(static_cast<void (*)(const char*)>(&fmt::detail::throw_format_error)),
    reinterpret_cast<const void*>(static_cast<bool (*)(std::uint32_t)>(&fmt::detail::is_printable)),
    reinterpret_cast<const void*>(static_cast<fmt::detail::thousands_sep_result<char> (*)(fmt::detail::locale_ref)>(
        &fmt::detail::thousands_sep_impl<char>))};

}  // namespace mbc::tools
