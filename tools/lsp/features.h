// SPDX-License-Identifier: Apache-2.0
// Requests of an editor for a document, one function for each. Documents are analysed before these calls, except for
// completion and signatures, which use the last text without syntax errors.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/lsp/document.h"
#include "tools/lsp/protocol.h"

namespace mbc::lsp {

// diagnostics.cpp
[[nodiscard]] Json diagnostics(const Document& document);
// Returns the corrections that the help of diagnostics names. Each was tried: it removes its error and adds none.
[[nodiscard]] Json code_actions(const Document& document, std::uint32_t begin, std::uint32_t end, const Setup& setup);

// hover.cpp
[[nodiscard]] Json hover(const Document& document, std::uint32_t offset);
// Returns the text of a fact: "a velocity, [m/s], = 3".
[[nodiscard]] std::string fact_text(const IndexFact& fact);
[[nodiscard]] Json inlay_hints(Document& document, std::uint32_t begin, std::uint32_t end);

// navigation.cpp
[[nodiscard]] Json definition(const Document& document, std::uint32_t offset, const Setup& setup);
[[nodiscard]] Json references(const Document& document, std::uint32_t offset, bool declaration, const Setup& setup);
[[nodiscard]] Json highlights(const Document& document, std::uint32_t offset);
// They throw Refused if a name cannot be changed.
[[nodiscard]] Json prepare_rename(const Document& document, std::uint32_t offset);
[[nodiscard]] Json rename(const Document& document, std::uint32_t offset, const std::string& name, const Setup& setup);

// completion.cpp
[[nodiscard]] Json completion(const Document& document, std::uint32_t offset);
[[nodiscard]] Json signature_help(const Document& document, std::uint32_t offset);

// outline.cpp
[[nodiscard]] Json document_symbols(const Document& document);
[[nodiscard]] Json folding_ranges(const Document& document);
[[nodiscard]] Json code_lenses(const Document& document);

// semantic_tokens.cpp
[[nodiscard]] Json semantic_legend();
[[nodiscard]] Json semantic_tokens(const Document& document);

}  // namespace mbc::lsp
