// SPDX-License-Identifier: Apache-2.0
// The atoms of polynomials, each once: how they are written, and which of them are sine and cosine of one angle.
#pragma once
#include <map>
#include <vector>

#include "compiler/reading/expression.h"
#include "compiler/reading/polynomial.h"
#include "compiler/reading/symbols.h"

namespace mbc::reading {

enum class Trigonometric : std::uint8_t { no, sine, cosine };

struct Atom {
  Expression written;
  std::size_t length = 0;
  Trigonometric kind = Trigonometric::no;
  std::uint32_t angle = 0;  // of a sine or a cosine
};

struct Angle {
  Polynomial argument;
  std::uint32_t sine = 0, cosine = 0;
};

class Atoms {
 public:
  explicit Atoms(const Symbols& symbols) : symbols_(symbols), of_(Before{&symbols}) {}

  std::uint32_t of(const Expression& written);
  // The sine or cosine of an argument: an atom with a sign, or a number. The first term of its angle by name is
  // positive, and quarter turns are taken out.
  Polynomial of_angle(Trigonometric kind, Polynomial argument);

  [[nodiscard]] const Atom& operator[](std::uint32_t atom) const { return list_[atom]; }
  [[nodiscard]] const Angle& angle(std::uint32_t index) const { return angles_[index]; }
  [[nodiscard]] const Symbols& symbols() const { return symbols_; }

 private:
  struct Before {
    const Symbols* symbols;
    bool operator()(const Expression& a, const Expression& b) const { return compare(a, b, *symbols) < 0; }
  };
  std::uint32_t angle_of(const Polynomial& argument);

  const Symbols& symbols_;
  std::vector<Atom> list_;
  std::vector<Angle> angles_;
  std::map<Expression, std::uint32_t, Before> of_;
  std::map<Polynomial, std::uint32_t> angle_of_;
};

// The polynomial as a sum, factored greedily by length: sums are taken out where that makes the text shorter.
Expression written(const Polynomial& p, const Atoms& atoms);
// The coefficient of the term that is read first, by names.
double leading_coefficient(const Polynomial& p, const Atoms& atoms);

}  // namespace mbc::reading
