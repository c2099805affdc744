// A source file as a text.
#pragma once
#include <string>

namespace mbc::api {

// The whole of a file; false and why not.
bool read_file(const std::string& path, std::string& text, std::string& error);

}  // namespace mbc::api
