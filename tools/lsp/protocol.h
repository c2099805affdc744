// SPDX-License-Identifier: Apache-2.0
// Values of the protocol as JSON, and errors in place of results.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tools/lsp/text.h"

namespace mbc::lsp {

using Json = nlohmann::json;

// Codes of JSON-RPC and of the protocol.
enum class Refusal : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  content_modified = -32801,
  cancelled = -32800,
  failed = -32803,  // understood, but impossible
};

// Functions that answer requests throw it; it is sent as the error of the request.
struct Refused : std::runtime_error {
  Refused(Refusal what, const std::string& why) : std::runtime_error(why), code(what) {}
  Refusal code;
};

// Returns the value at that path of names, or null; messages may have any form.
[[nodiscard]] inline const Json& part(const Json& whole, std::initializer_list<const char*> path) {
  static const Json kNull;
  const Json* at = &whole;
  for (const char* name : path) {
    const auto found = at->is_object() ? at->find(name) : at->end();
    if (!at->is_object() || found == at->end()) return kNull;
    at = &*found;
  }
  return *at;
}

[[nodiscard]] inline Json to_json(Point p) { return {{"line", p.line}, {"character", p.character}}; }
[[nodiscard]] inline Json range_json(const Text& text, std::uint32_t begin, std::uint32_t end) {
  return {{"start", to_json(text.point(begin))}, {"end", to_json(text.point(end))}};
}
[[nodiscard]] inline Json edit_json(const Text& text, std::uint32_t begin, std::uint32_t end, const std::string& by) {
  return {{"range", range_json(text, begin, end)}, {"newText", by}};
}
[[nodiscard]] inline Json markdown(const std::string& text) { return {{"kind", "markdown"}, {"value", text}}; }

}  // namespace mbc::lsp
