// SPDX-License-Identifier: Apache-2.0
// The interface of libmbc-zip.so, which makes archives. It is opened on demand, so that nothing else loads libzip and
// what that is linked with.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace mbc::tools {

using ArchivedFiles = std::vector<std::pair<std::string, std::string>>;  // their bytes by path in the archive

// Returns the bytes of an archive; "" on failure, with the reason in `error`. Its times are the first of the format, so
// that equal files give equal bytes.
using MakeArchive = std::string (*)(const ArchivedFiles& files, std::string& error);

inline constexpr const char* kZipFile = "libmbc-zip.so";
// The number increases with every change of the interface.
inline constexpr const char* kZipSymbol = "mbc_zip_archive_1";

}  // namespace mbc::tools
