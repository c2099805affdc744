// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/trigonometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbc::reading {
namespace {

constexpr std::size_t kMostCombined = 64;   // terms of a sum over combined angles
constexpr std::size_t kMostExpanded = 256;  // terms of a polynomial whose angles are expanded
constexpr std::size_t kMostFormed = 128;    // Polynomials of more terms are written in their normal form.
constexpr int kHighestPower = 16;           // of a sine or cosine that is rewritten
constexpr int kHighestMultiple = 4;         // of an angle that is expanded

// p with `kind`^2 = 1 - other^2 for the angles that are chosen.
template <class Chosen>
Polynomial without_squares(const Polynomial& p, const Atoms& atoms, Trigonometric kind, Chosen&& chosen) {
  Polynomial result;
  for (const auto& [m, c] : p) {
    Polynomial term{{Monomial{}, c}};
    for (const Factor& f : m) {
      const Atom& a = atoms[f.atom];
      const bool squared = a.kind == kind && f.exponent >= 2 && f.exponent <= kHighestPower && chosen(a.angle);
      if (!squared) {
        term = times(term, atom_polynomial(f.atom, f.exponent));
        continue;
      }
      const Angle& angle = atoms.angle(a.angle);
      Polynomial square = constant_polynomial(1);
      square[{{kind == Trigonometric::sine ? angle.cosine : angle.sine, 2}}] = -1;
      for (int k = 0; k < f.exponent / 2; ++k) term = times(term, square);
      if (f.exponent % 2 != 0) term = times(term, atom_polynomial(f.atom));
    }
    add_to(result, term, 1);
  }
  return result;
}

// A sum of sines and cosines of arguments.
using Waves = std::map<std::pair<Trigonometric, Polynomial>, double>;

// 2 cos a cos b = cos(a-b) + cos(a+b), 2 sin a sin b = cos(a-b) - cos(a+b), 2 sin a cos b = sin(a+b) + sin(a-b).
Waves times_wave(const Waves& waves, Trigonometric kind, const Polynomial& argument) {
  Waves result;
  for (const auto& [wave, c] : waves) {
    Polynomial plus = wave.second, minus = wave.second;
    add_to(plus, argument, 1);
    add_to(minus, argument, -1);
    const bool mixed = wave.first != kind;
    const Trigonometric made = mixed ? Trigonometric::sine : Trigonometric::cosine;
    result[{made, plus}] += mixed || kind == Trigonometric::cosine ? c / 2 : -c / 2;
    result[{made, minus}] += mixed && kind == Trigonometric::sine ? -c / 2 : c / 2;
  }
  std::erase_if(result, [](const auto& wave) { return wave.second == 0; });
  return result;
}

// Products of sines and cosines of the chosen angles as sums. Nothing where these are too many.
template <class Chosen>
std::optional<Polynomial> combined(const Polynomial& p, Atoms& atoms, Chosen&& chosen) {
  Polynomial result;
  for (const auto& [m, c] : p) {
    Monomial others;
    Waves waves{{{Trigonometric::cosine, Polynomial{}}, c}};
    for (const Factor& f : m) {
      const Atom& a = atoms[f.atom];
      if (a.kind == Trigonometric::no || f.exponent < 0 || f.exponent > kHighestPower || !chosen(a.angle)) {
        others.push_back(f);
        continue;
      }
      for (int k = 0; k < f.exponent; ++k) waves = times_wave(waves, a.kind, atoms.angle(a.angle).argument);
      if (waves.size() > kMostCombined) return std::nullopt;
    }
    for (const auto& [wave, d] : waves) {
      const Polynomial one = atoms.of_angle(wave.first, wave.second);
      add_to(result, times(Polynomial{{others, d}}, one), 1);
    }
    if (result.size() > 4 * kMostCombined) return std::nullopt;
  }
  if (result.size() > std::max(kMostCombined, p.size())) return std::nullopt;
  return result;
}

struct CosineAndSine {
  Polynomial cosine, sine;
};

// Angle addition.
CosineAndSine added(const CosineAndSine& a, const CosineAndSine& b) {
  CosineAndSine result{times(a.cosine, b.cosine), times(a.sine, b.cosine)};
  add_to(result.cosine, times(a.sine, b.sine), -1);
  add_to(result.sine, times(a.cosine, b.sine), 1);
  return result;
}

CosineAndSine multiple(const Polynomial& argument, int times, Atoms& atoms) {
  CosineAndSine all{constant_polynomial(1), {}};
  const CosineAndSine one{atoms.of_angle(Trigonometric::cosine, argument),
                          atoms.of_angle(Trigonometric::sine, argument)};
  for (int k = 0; k < times; ++k) all = added(all, one);
  return all;
}

// The whole number an argument is a multiple by, 1 where there is no small one.
int multiplicity(const Polynomial& argument) {
  const double n = std::fabs(content(argument).number);
  return n == std::floor(n) && n <= kHighestMultiple ? static_cast<int>(n) : 1;
}

enum class Opened : std::uint8_t { multiples, sums };

CosineAndSine expanded_angle(const Polynomial& argument, Opened what, Atoms& atoms) {
  if (what == Opened::multiples) {
    const int n = multiplicity(argument);
    return multiple(scaled(argument, 1.0 / n), n, atoms);
  }
  CosineAndSine all{constant_polynomial(1), {}};
  for (const auto& [m, c] : argument) {
    const Polynomial term{{m, c}};
    const int n = multiplicity(term);
    all = added(all, multiple(scaled(term, 1.0 / n), n, atoms));
  }
  return all;
}

bool opens(const Polynomial& argument, Opened what) {
  return multiplicity(argument) > 1 || (what == Opened::sums && argument.size() > 1 && argument.size() <= 4);
}

// Sines and cosines of multiples, or of sums too, by those of their parts, where there are any.
std::optional<Polynomial> expanded(const Polynomial& p, Opened what, Atoms& atoms) {
  Polynomial result;
  bool any = false;
  for (const auto& [m, c] : p) {
    Polynomial term{{Monomial{}, c}};
    for (const Factor& f : m) {
      const Trigonometric kind = atoms[f.atom].kind;
      const Polynomial argument = kind == Trigonometric::no ? Polynomial{} : atoms.angle(atoms[f.atom].angle).argument;
      const bool open = kind != Trigonometric::no && f.exponent > 0 && opens(argument, what);
      any = any || open;
      const CosineAndSine parts = open ? expanded_angle(argument, what, atoms) : CosineAndSine{};
      const Polynomial one = !open                         ? atom_polynomial(f.atom, f.exponent)
                             : kind == Trigonometric::sine ? parts.sine
                                                           : parts.cosine;
      for (int k = 0; k < (open ? f.exponent : 1); ++k) term = times(term, one);
      if (term.size() > kMostExpanded) return std::nullopt;
    }
    add_to(result, term, 1);
    if (result.size() > kMostExpanded) return std::nullopt;
  }
  if (!any) return std::nullopt;
  return without_squared_sines(result, atoms);
}

std::size_t text_length(const Polynomial& p, const Atoms& atoms) {
  std::size_t n = 0;
  for (const auto& [m, c] : p) {
    n += std::fabs(c) == 1 ? 2 : 4;
    for (const Factor& f : m) n += atoms[f.atom].length + (std::abs(f.exponent) == 1 ? 1 : 3);
  }
  return n;
}

// The angles by names.
std::vector<std::uint32_t> angles_of(const Polynomial& p, const Atoms& atoms) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return compare(atoms[atoms.angle(a).sine].written, atoms[atoms.angle(b).sine].written, atoms.symbols()) < 0;
  };
  std::set<std::uint32_t, decltype(before)> found(before);
  for (const auto& [m, c] : p)
    for (const Factor& f : m)
      if (atoms[f.atom].kind != Trigonometric::no) found.insert(atoms[f.atom].angle);
  return {found.begin(), found.end()};
}

void keep_shorter(Polynomial& best, std::optional<Polynomial> other, const Atoms& atoms) {
  if (other && text_length(*other, atoms) < text_length(best, atoms)) best = std::move(*other);
}

// Angle by angle the shortest of: no sin^2, no cos^2, multiples of the angle.
Polynomial shortest_by_angle(const Polynomial& p, Atoms& atoms) {
  Polynomial best = p;
  for (const std::uint32_t angle : angles_of(p, atoms)) {
    const auto this_one = [&](std::uint32_t a) { return a == angle; };
    const Polynomial before = best;
    keep_shorter(best, without_squares(before, atoms, Trigonometric::cosine, this_one), atoms);
    keep_shorter(best, combined(before, atoms, this_one), atoms);
  }
  keep_shorter(best, combined(p, atoms, [](std::uint32_t) { return true; }), atoms);
  return best;
}

// For each product of other factors by itself the shortest form of the sines and cosines it stands beside.
Polynomial shortest_by_factor(const Polynomial& p, Atoms& atoms) {
  std::map<Monomial, Polynomial> groups;
  for (const auto& [m, c] : p) {
    Monomial waves, others;
    for (const Factor& f : m) (atoms[f.atom].kind != Trigonometric::no && f.exponent > 0 ? waves : others).push_back(f);
    groups[others][waves] = c;
  }
  Polynomial result;
  for (const auto& [others, waves] : groups)
    add_to(result, times(Polynomial{{others, 1.0}}, shortest_by_angle(waves, atoms)), 1);
  return result;
}

// No two sines or cosines stand in one term, and no angle is a sum or a multiple: all forms are the same.
bool has_one_form(const Polynomial& p, const Atoms& atoms) {
  return std::all_of(p.begin(), p.end(), [&](const auto& term) {
    int waves = 0;
    for (const Factor& f : term.first) {
      const Atom& a = atoms[f.atom];
      if (a.kind == Trigonometric::no || f.exponent < 0) continue;
      waves += f.exponent;
      if (opens(atoms.angle(a.angle).argument, Opened::sums)) return false;
    }
    return waves < 2;
  });
}

std::vector<Polynomial> forms(const Polynomial& p, Atoms& atoms) {
  if (p.size() > kMostFormed || has_one_form(p, atoms)) return {p};
  std::vector<Polynomial> found;
  const auto all = [](std::uint32_t) { return true; };
  const auto add = [&](Polynomial form) {
    if (std::find(found.begin(), found.end(), form) == found.end()) found.push_back(std::move(form));
  };
  const auto add_powers = [&](const std::optional<Polynomial>& form) {
    if (!form) return;
    add(*form);
    add(without_squares(*form, atoms, Trigonometric::cosine, all));
    add(shortest_by_factor(*form, atoms));
  };
  add_powers(p);
  if (auto sums = combined(p, atoms, all)) {
    add_powers(expanded(*sums, Opened::multiples, atoms));
    add(std::move(*sums));
  }
  add_powers(expanded(p, Opened::sums, atoms));
  return found;
}

}  // namespace

Polynomial without_squared_sines(const Polynomial& p, const Atoms& atoms) {
  const bool any = std::any_of(p.begin(), p.end(), [&](const auto& term) {
    return std::any_of(term.first.begin(), term.first.end(), [&](const Factor& f) {
      return atoms[f.atom].kind == Trigonometric::sine && f.exponent >= 2 && f.exponent <= kHighestPower;
    });
  });
  if (!any) return p;
  return without_squares(p, atoms, Trigonometric::sine, [](std::uint32_t) { return true; });
}

WrittenForm shortest_form(const Polynomial& p, Atoms& atoms) {
  std::optional<WrittenForm> best;
  // The forms of the best form may be shorter still, as they begin with other angles.
  for (bool shorter = true; shorter;) {
    shorter = false;
    const Polynomial from = best ? without_squared_sines(best->polynomial, atoms) : p;
    for (Polynomial& form : forms(from, atoms)) {
      Expression e = written(form, atoms);
      const auto n = length(e), m = best ? length(best->written) : 0;
      const bool first = !best;
      if (!first && n >= m && (n > m || compare(e, best->written, atoms.symbols()) >= 0)) continue;
      shorter = shorter || (!first && n < m);
      if (is_number(e, 0)) form.clear();
      best = WrittenForm{std::move(form), std::move(e)};
    }
  }
  return *best;
}

}  // namespace mbc::reading
