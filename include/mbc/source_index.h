// SPDX-License-Identifier: Apache-2.0
// The names of a model's text: where each is declared and used, and its meaning for the compiler. Plain data for tools
// that show texts: editors, documentation. Offsets are bytes in the text of a file.
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
  std::uint32_t file = 0;  // index into SourceIndex::files
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
  TextRange place;          // the name, where it is declared first
  TextRange statement;      // the statement that declares it
  TextRange value;          // the expression it stands for, or its initial value; empty: none
  std::string head;         // the statement in one line, without its block
  std::string description;  // the `///` lines above it
  std::string type;         // of an argument: its declared type; of a unilateral constraint: "inequality"; or ""
  std::uint32_t owner = kNoSymbol;       // the function, joint or model in which it is declared
  std::uint32_t component = kNoSymbol;   // for an instance: its joint or model
  std::vector<std::uint32_t> arguments;  // arguments of a function, joint or model
  std::vector<std::uint32_t> members;    // members of a joint or model, arguments included; labels of a state
  bool local = false;                    // visible only in a loop or an expression
};

enum class UseKind : std::uint8_t {
  declaration,
  name,      // of a symbol; without a symbol: unknown, or built in
  member,    // after a dot; without a symbol: built in, or of something whose kind only an elaboration shows
  argument,  // `k` in f(k = 3); without a symbol: of a particle, body or setting
  setting,   // a setting of a `simulate` block
  choice,    // `rk4`
  unit,
  type,    // `frame` in `a: frame`
  module,  // after `use`; `symbol` is an index into SourceIndex::files
};
struct IndexUse {
  TextRange place;
  UseKind kind{};
  std::uint32_t symbol = kNoSymbol;
  bool certain = true;  // false: a member of something unknown
};

// Properties of an expression of the text.
struct IndexFact {
  TextRange place;
  std::string shape;  // "a vector"
  std::string unit;   // "m/s"; "" in a model without units
  std::string level;  // "position", "velocity", "acceleration" if it depends on the motion; "" if it is constant
  std::vector<double> value;  // SI value of an expression of numbers and parameters
};

// The rows that an equation of a constraint became.
struct IndexRows {
  TextRange place;  // place of the equation
  std::string level;
  std::size_t rows = 0;
};

struct SourceIndex {
  std::vector<IndexedFile> files;
  std::vector<IndexSymbol> symbols;
  std::vector<std::uint32_t> visible;  // symbols that the statements of the model's own file can name
  std::vector<IndexUse> uses;          // in the order of the text; those of the model's own file first
  std::vector<IndexFact> facts;        // facts of the model's own file, ordered by their beginning
  std::vector<IndexRows> rows;
  bool whole = false;       // the text has no syntax errors: `uses` has every name in it
  bool understood = false;  // `facts` and `rows` are present: CompileOptions::facts
  unsigned space = 3;
};

// Larger texts have no index.
inline constexpr std::size_t kMostIndexedBytes = std::size_t{1} << 20u;

// Returns the index of a model. A model with errors has an index of its text as far as it is understood.
[[nodiscard]] Result<SourceIndex> source_index(const Model& model);

// A joint, model, function or value of the built-in standard library.
struct LibraryPart {
  std::string module;
  IndexSymbol symbol;
  std::vector<IndexSymbol> arguments;
};
[[nodiscard]] const std::vector<LibraryPart>& library_parts();

}  // namespace mbc
