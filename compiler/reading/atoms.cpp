// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/atoms.h"

#include <cmath>
#include <numbers>

#include "base/epsilon.h"

namespace mbc::reading {

using kernel::Op;

std::uint32_t Atoms::of(const Expression& written) {
  const auto [it, is_new] = of_.try_emplace(written, static_cast<std::uint32_t>(list_.size()));
  if (is_new) list_.push_back({written, length(written)});
  return it->second;
}

std::uint32_t Atoms::angle_of(const Polynomial& argument) {
  if (const auto it = angle_of_.find(argument); it != angle_of_.end()) return it->second;
  const auto index = static_cast<std::uint32_t>(angles_.size());
  const Expression e = written(argument, *this);
  const std::uint32_t sine = of(call(Op::sin, {e})), cosine = of(call(Op::cos, {e}));
  angles_.push_back({argument, sine, cosine});
  list_[sine].kind = Trigonometric::sine;
  list_[cosine].kind = Trigonometric::cosine;
  list_[sine].angle = list_[cosine].angle = index;
  return angle_of_[argument] = index;
}

namespace {

// Takes quarter turns out of an argument: how many, from 0 to 3.
int take_quarter_turns(Polynomial& argument) {
  const auto shift = argument.find(Monomial{});
  if (shift == argument.end()) return 0;
  const double quarters = std::round(shift->second / (std::numbers::pi / 2));
  if (std::fabs(quarters) > 1024) return 0;
  if (std::fabs(shift->second - quarters * (std::numbers::pi / 2)) > 4 * kEpsilon * std::fabs(shift->second)) return 0;
  argument.erase(shift);
  return static_cast<int>(quarters) & 3;
}

}  // namespace

Polynomial Atoms::of_angle(Trigonometric kind, Polynomial argument) {
  const int quarters = take_quarter_turns(argument);
  // sin(x + pi/2) = cos x and cos(x + pi/2) = -sin x
  double sign = 1;
  bool sine = kind == Trigonometric::sine;
  for (int k = 0; k < quarters; ++k) {
    if (!sine) sign = -sign;
    sine = !sine;
  }
  if (argument.empty()) return constant_polynomial(sine ? 0 : sign);
  if (const auto value = constant_of(argument))
    return constant_polynomial(sign * (sine ? std::sin(*value) : std::cos(*value)));
  if (leading_coefficient(argument, *this) < 0) {
    argument = scaled(argument, -1);
    if (sine) sign = -sign;
  }
  const Angle& angle = angles_[angle_of(argument)];
  return scaled(atom_polynomial(sine ? angle.sine : angle.cosine), sign);
}

}  // namespace mbc::reading
