// SPDX-License-Identifier: Apache-2.0
// Polynomials in sines and cosines, and their forms. Sines with negative exponents stay as they are in all of them.
#pragma once

#include "compiler/reading/atoms.h"
#include "compiler/reading/polynomial.h"

namespace mbc::reading {

// The normal form of simplified polynomials: sin^2 = 1 - cos^2, so that no sine has an exponent above 1. It is unique
// for angles that are independent of each other.
Polynomial without_squared_sines(const Polynomial& p, const Atoms& atoms);
// A form of a polynomial and how it is written. A form whose terms cancel when it is written, since an atom is the sum
// of others, has no terms.
struct WrittenForm {
  Polynomial polynomial;
  Expression written;
};
// The shortest of the forms as it is written: no sin^2; no cos^2; sums over combined angles (unique, at most 64 terms),
// and these by the sines and cosines of half of them; the angles of sums and multiples expanded; and the shortest of
// all for each factor without sines and cosines.
WrittenForm shortest_form(const Polynomial& p, Atoms& atoms);
inline Expression shortest(const Polynomial& p, Atoms& atoms) { return shortest_form(p, atoms).written; }

}  // namespace mbc::reading
