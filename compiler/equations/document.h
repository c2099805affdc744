// SPDX-License-Identifier: Apache-2.0
// The equations of a model as a document: sections of named equations, as data. Printers are in typeset.h.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/equations/written_system.h"
#include "compiler/formulate/formulations/formulation.h"
#include "compiler/lower/momenta.h"
#include "compiler/reading/expression.h"

namespace mbc::equations {

struct Equation {
  std::string label;               // "M[1,2]", "rod": what a request selects it by
  std::vector<std::string> about;  // names of the model that it belongs to
  reading::Expression left;
  std::optional<reading::Expression> right{};
  std::string unit{}, remark{};
  std::vector<reading::Expression> conditions{};  // under which the right side holds
  std::string range{};                            // of a family of equations: "i = 2..9"
  std::optional<reading::Expression> total{};     // of a right side that names its terms
};

struct Section {
  std::string key, title;  // "M", "Mass matrix"
  std::vector<Equation> equations{};
  std::vector<std::string> notes{};
};

// A quantity that the equations hold, with its value where the motion begins.
struct Given {
  std::uint32_t symbol = 0;
  double value = 0;
  bool parameter = false;
};

struct Document {
  std::string title;
  std::vector<Section> sections;
  SymbolList symbols;
  std::vector<Given> given{};  // in the order of their symbols
  std::string about_start{};   // why the values of `given` are those that are written
};

struct Request {
  std::vector<std::string> of;  // what is selected; empty: everything
  Numbers numbers;
  bool derivation = false;      // with the first derivatives of the residuals
  bool families = true;         // equations that differ by an index are one equation
  std::vector<double> start{};  // y = [q; u; s] where the motion begins; empty: the initial values as they are written
};

// The selection is no name of an equation; `known` are the names there are.
struct UnknownSelection {
  std::string name;
  std::vector<std::string> known;
};

struct Sources {
  const sema::Model& model;
  const lower::System& system;
  const formulate::Formulation& method;
  const lower::Momenta* momenta = nullptr;
  std::function<std::string(Span)> text;  // of the model
};

// An unknown selection leaves the document empty.
[[nodiscard]] Document document_of(const Sources& sources, const Request& request,
                                   std::optional<UnknownSelection>& unknown);

}  // namespace mbc::equations
