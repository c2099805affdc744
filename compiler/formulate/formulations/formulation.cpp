// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

namespace {

constexpr const char* kMomentaNotLinear =
    "its momenta are linear in the speeds, and a kinetic energy of this model is not quadratic in them";

// A formulation solved in independent speeds, which are the state if the rows allow it.
constexpr Formulation projected(std::string_view name) {
  return {.name = name, .solve = Solve::projected, .quasi_state = true};
}

}  // namespace

// udwadia_kalaba: the generalised inverse (seed 003, eq. 3; F. E. Udwadia, R. E. Kalaba, Proc. R. Soc. A 439 (1992)),
//
//   u' = a + M^-1/2 G^+ (b - A a),   G = A M^-1/2,   a = M^-1 f
//
// computed as u' = a + M^-1 A^T lambda with any solution of S lambda = b - A a, S = A M^-1 A^T (linear_plan.h): rows
// may depend on each other. Prescribed forces C add M^-1/2 (I - G^+ G) M^-1/2 C (seed 001, ref. 14), which is the same
// solution with f + C. Where M is singular, M + A^T D A and f + A^T D b take its place (seed 004, eq. 28-30;
// inertia_rows.h).
const Formulation kUdwadiaKalaba{.name = "udwadia_kalaba"};

// augmented: accelerations and multipliers from one system (seed 004, eq. 25),
//
//   [M A^T; A 0] [u'; -lambda] = [f; b]
//
// by elimination with row pivoting. M may be singular; if rows depend on each other, only the certified ones are used.
const Formulation kAugmented{.name = "augmented", .solve = Solve::augmented, .multipliers = true};

// projection: the equations projected onto the motions that the rows leave free (seed 001, eq. 41-51),
//
//   B^T M B y' = B^T (f - M beta),   u' = B y' + beta,   A B = 0
//
// B belongs to the user's `speed`s y = Y u + Z, completed by pivoting, or to a choice by pivoting alone. If the rows
// are linear in the velocities, the state is y, u = B y + d, and the rows hold to round-off. If they are not, or
// contain accelerations, the state stays u. The ideal reactions are computed afterwards.
const Formulation kProjection = projected("projection");

// lagrange: Lagrange's equations with multipliers (seed 000, table 1), m second-order equations
//
//   M u' = f + A^T lambda,   lambda from A u' = b
//
// with the multipliers eliminated first, lambda = (A M^-1 A^T)^-1 (b - A M^-1 f). Every speed needs its own inertia. If
// rows depend on each other, only the certified ones are used.
const Formulation kLagrange{
    .name = "lagrange",
    .multipliers = true,
    .adds_inertia_rows = false,
    .refuses = [](const SystemFacts& f) -> const char* {
      return f.needs_rows_for_inertia ? "its multipliers are eliminated with the inverse of the mass matrix, and some "
                                        "speeds of this model have no inertia of their own"
                                      : nullptr;
    },
};

// maggi: Maggi's equations (seed 000, table 1), p projected equations and the r differentiated rows,
//
//   [B^T M; A] u' = [B^T f; b],   A B = 0
//
// m equations without multipliers, solved with row pivoting. M may be singular if the rows determine the remaining
// accelerations. The multipliers follow from A^T lambda = M u' - f.
const Formulation kMaggi{.name = "maggi", .solve = Solve::maggi};

// kane, gibbs_appell: generalised active and inertia forces add to zero (seed 000, section 2), p first-order equations
//
//   sum over masses of  dV/dy.(F - m V') + dw/dy.(tau - I w' - w x I w) = 0
//
// in the independent quasi-velocities y. With u = B y + d this is B^T (f - M u') = 0, u' = B y' + beta: the equations
// of `projection`, reached from the other side. Appell's are the same, as dS/dy' with S the Gibbs function.
const Formulation kKane = projected("kane");
const Formulation kGibbsAppell = projected("gibbs_appell");

// volterra: Volterra's equations (seed 000, eq. 2), p of them in the quasi-velocities y,
//
//   d/dt(dT/dy) - sum over masses of (P.d/dt dV/dy + H.d/dt dw/dy) = U
//
// with P, H in the axes of the inertial frame. Carried out, the left side is sum(P'.dV/dy + H'.dw/dy), which is Kane's;
// so it is computed (seed 000, eq. 65: the cheaper way to code it).
const Formulation kVolterra = projected("volterra");

// efficient_volterra: Volterra's equations with conserved momenta as further rows (seed 000, eq. 25, 41-67),
//
//   [Y; C M; A] u = [y - Z; G - C N; -c],   p - s equations in y
//
// C holds the constant directions whose momenta C (M u + N) are conserved (lower/momenta.h), G their values at the
// start. They are "dynamical constraints": B spans the motions with A B = 0 and C M B = 0, d'Alembert's principle holds
// there, and the momenta and velocity-level rows keep their values to round-off. Without conserved momenta these are
// Volterra's equations.
const Formulation kEfficientVolterra{
    .name = "efficient_volterra",
    .solve = Solve::projected,
    .quasi_state = true,
    .momenta = Momenta::directions,
    .refuses = [](const SystemFacts& f) -> const char* {
      if (f.momenta == 0) return nullptr;
      if (!f.linear_rows)
        return "its momenta take the place of speeds in the state, and rows of this model are not linear in the "
               "velocities";
      return f.quadratic_kinetic ? nullptr : kMomentaNotLinear;
    },
};

// routh: Routh's equations (seed 000, table 1), m - s of them for a system without constraints: the speeds of the s
// ignorable coordinates are eliminated by their momenta. In the speeds of the other coordinates these are the equations
// of `efficient_volterra` with A empty and unit rows for C.
const Formulation kRouth{
    .name = "routh",
    .solve = Solve::projected,
    .quasi_state = true,
    .momenta = Momenta::coordinates,
    .refuses = [](const SystemFacts& f) -> const char* {
      if (f.has_rows) return "Routh's equations are for systems without constraints, and this model has some";
      return f.quadratic_kinetic ? nullptr : kMomentaNotLinear;
    },
};

// boltzmann_hamel: the equations of Boltzmann and Hamel (seed 000, table 1), p of them in independent quasi-velocities
// y = Y u + Z,
//
//   d/dt(dT/dy_k) - dT/dpi_k + sum_ij gamma^i_jk y_j dT/dy_i = Q_k
//
// for systems whose rows, if any, are linear in the velocities, so that y alone describes them. The coefficients gamma
// are the commutators of the columns of B; carried out, the left side is B^T (M u' - f) as in `kane`.
const Formulation kBoltzmannHamel{
    .name = "boltzmann_hamel",
    .solve = Solve::projected,
    .quasi_state = true,
    .refuses = [](const SystemFacts& f) -> const char* {
      return f.linear_rows ? nullptr
                           : "they are equations in independent quasi-velocities, and rows of this model are not "
                             "linear in the velocities";
    },
};

namespace {
constexpr const Formulation* kFormulations[] = {
    &kUdwadiaKalaba, &kAugmented, &kProjection,        &kLagrange, &kMaggi,         &kKane,
    &kGibbsAppell,   &kVolterra,  &kEfficientVolterra, &kRouth,    &kBoltzmannHamel};
}

std::span<const Formulation* const> formulations() { return kFormulations; }

const Formulation* find_formulation(std::string_view name) {
  for (const Formulation* m : kFormulations)
    if (m->name == name) return m;
  return nullptr;
}

FormulationSizes Formulation::sizes(const SystemSizes& s) const {
  if (!quasi_state) return {s.speeds, s.speeds + (multipliers ? s.rank : 0), s.coordinates + s.speeds};
  const std::size_t p = s.speeds - s.rank - s.momenta;  // independent speeds
  return {p, p, s.coordinates + p};
}

}  // namespace mbc::formulate
