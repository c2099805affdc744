// SPDX-License-Identifier: Apache-2.0
// The names of a model's text: where each is declared and used, and what the compiler found it to be. Plain data for
// tools that show texts: editors, documentation. Offsets are bytes of the text of a file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/export.h"
#include "mbc/model.h"

namespace MBC_API mbc {

inline constexpr std::uint32_t kNoSymbol = 0xffffffffu;

struct TextRange {
  std::uint32_t file = 0;  // into SourceIndex::files
  std::uint32_t begin = 0, end = 0;
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

struct IndexedFile {
  std::string name;       // "pendulum.mbd", the path of a file that is used, "stdlib/joints.mbd"
  std::string text;       // empty for the first file, which is the model's own
  bool standard = false;  // a module of the standard library
};

// These are the kinds of symbol_kinds.def, in its order.
enum class SymbolKind : std::uint8_t {
#define MBC_SYMBOL(name, ...) name,
#include "mbc/symbol_kinds.def"
};
[[nodiscard]] const char* to_text(SymbolKind kind);  // "particle"

struct IndexSymbol {
  SymbolKind kind{};
  std::string name;
  TextRange place;                       // the name, where it is declared first
  TextRange statement;                   // what declares it
  TextRange value;                       // the expression it stands for, or what it begins with; empty: none
  std::string head;                      // the statement in one line, without its block
  std::string description;               // the `///` lines above it
  std::string type;                      // of an argument: as declared; "inequality" of such a constraint; or ""
  std::uint32_t owner = kNoSymbol;       // the function, joint or model in which it is declared
  std::uint32_t component = kNoSymbol;   // of an instance: its joint or model
  std::vector<std::uint32_t> arguments;  // of a function, joint or model
  std::vector<std::uint32_t> members;    // of a joint or model, arguments included; of a state its labels
  bool local = false;                    // known in a loop or an expression only
};

enum class UseKind : std::uint8_t {
  declaration,
  name,      // of a symbol; without one: unknown, or built in
  member,    // behind a dot; without a symbol: built in, or of something whose kind only a run of the compiler knows
  argument,  // `k` of f(k = 3); without a symbol: of a particle, body or setting
  setting,   // of a `simulate` block
  choice,    // `rk4`
  unit,
  type,    // `frame` of `a: frame`
  module,  // behind `use`; `symbol` is an index into SourceIndex::files
};
struct IndexUse {
  TextRange place;
  UseKind kind{};
  std::uint32_t symbol = kNoSymbol;
  bool certain = true;  // false: a member of something unknown
};

// What an expression of the text is.
struct IndexFact {
  TextRange place;
  std::string shape;          // "a vector"
  std::string unit;           // "m/s"; "" in a model without units
  std::string level;          // "position", "velocity", "acceleration" of what moves; "" of what is constant
  std::vector<double> value;  // in SI, of what is made of numbers and parameters
};

// Rows of a constraint, as they came out.
struct IndexRows {
  TextRange place;  // of the equation
  std::string level;
  std::size_t rows = 0;
};

struct SourceIndex {
  std::vector<IndexedFile> files;
  std::vector<IndexSymbol> symbols;
  std::vector<std::uint32_t> visible;  // symbols that the statements of the model's own file can name
  std::vector<IndexUse> uses;          // in the order of the text, of the model's own file first
  std::vector<IndexFact> facts;        // of the model's own file, by their beginning
  std::vector<IndexRows> rows;
  bool whole = false;       // the text has no mistakes of syntax: every name that stands in it is in `uses`
  bool understood = false;  // `facts` and `rows` are there: CompileOptions::facts
  unsigned space = 3;
};

// Larger texts have no index.
inline constexpr std::size_t kMostIndexedBytes = std::size_t{1} << 20u;

// Of a model with or without errors: what can be said of its text all the same.
[[nodiscard]] Result<SourceIndex> source_index(const Model& model);

// A joint, model, function or value of the standard library that is built in.
struct LibraryPart {
  std::string module;
  IndexSymbol symbol;
  std::vector<IndexSymbol> arguments;
};
[[nodiscard]] const std::vector<LibraryPart>& library_parts();

}  // namespace mbc
