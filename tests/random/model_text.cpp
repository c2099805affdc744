// SPDX-License-Identifier: Apache-2.0
#include "tests/random/model_text.h"

#include <cmath>

#include "tests/random/tree_text.h"

namespace mbc::test {

namespace {

constexpr double kStep = 0x1p-10;
constexpr std::uint32_t kSteps = 20;

// A Written is a tree with the text of some of its terms.
struct Written {
  Tree tree;
  std::map<std::uint32_t, std::string> spelled;
};

class Builder {
 public:
  explicit Builder(std::uint64_t seed) : rng_(seed), text_(rng_) {}

  RandomModel make() {
    model_.space = 1 + rng_.below(3u);
    model_.particles = 1 + rng_.below(4u);
    text_.set_space(model_.space);
    counts_ = {model_.coordinates(), model_.coordinates(), 0, rng_.below(4u)};
    model_.initial = random_point(rng_, counts_);
    model_.initial.t = std::floor(model_.initial.t * 64) / 64;  // The rounding makes the span an exact number of steps.
    model_.initial.u.resize(counts_.u);
    model_.initial.param.resize(counts_.param);
    for (std::uint32_t i = 0; i < model_.particles; ++i) model_.mass.push_back(rng_.log_between(0.1, 10));
    forces();
    constraints();
    assemble_text();
    return std::move(model_);
  }

 private:
  using Leaf = LeafKind;

  std::string number(double x) const { return literal(x); }

  std::string tuple(const std::vector<std::string>& parts) const {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return model_.space == 1 ? text : "(" + text + ")";
  }

  std::string vector_of(const std::vector<double>& values, std::uint32_t particle) const {
    std::vector<std::string> parts;
    for (std::uint32_t i = 0; i < model_.space; ++i) parts.push_back(number(values[particle * model_.space + i]));
    return tuple(parts);
  }

  static std::string name(std::uint32_t particle) { return "p" + std::to_string(particle + 1); }

  // ---- expressions

  LeafCounts counts(bool speeds) const {
    LeafCounts c = counts_;
    if (!speeds) c.u = 0;
    return c;
  }

  Written expression(std::uint32_t operations, bool speeds) {
    Generator generator(rng_, model_.initial, counts(speeds));
    Written w{generator.make(operations), {}};
    if (model_.space > 1 && rng_.chance(0.3)) combine_with_vectors(w, speeds);
    return w;
  }

  std::uint32_t component(Tree& tree, Leaf kind, std::uint32_t particle, std::uint32_t axis) const {
    return tree.leaf(kind, particle * model_.space + axis);
  }

  // Returns the root of the sum of squares of the differences, or the sum of the products of two vectors.
  static std::uint32_t inner(Tree& tree, const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::uint32_t total = tree.op(Op::mul, a[0], b[0]);
    for (std::size_t i = 1; i < a.size(); ++i) total = tree.op(Op::add, total, tree.op(Op::mul, a[i], b[i]));
    return total;
  }

  // Replaces w by w + 0.1 v or w*v, where v is a dist, dot, norm or component of a unit vector and is written as such.
  void combine_with_vectors(Written& w, bool speeds) {
    Tree& tree = w.tree;
    const std::uint32_t before = tree.root();
    const std::uint32_t i = rng_.below(model_.particles), j = rng_.below(model_.particles);
    const bool rates = speeds && rng_.chance(0.5);
    const Leaf kind = rates ? Leaf::speed : Leaf::coordinate;
    const std::string vi = name(i) + (rates ? ".vel" : ".pos"), vj = name(j) + ".pos";
    std::vector<std::uint32_t> a, b, difference;
    for (std::uint32_t k = 0; k < model_.space; ++k) a.push_back(component(tree, kind, i, k));
    for (std::uint32_t k = 0; k < model_.space; ++k) b.push_back(component(tree, Leaf::coordinate, j, k));
    std::uint32_t v = 0;
    std::string text;
    switch (rng_.below(4u)) {
      case 0:
        v = inner(tree, a, b);
        text = "dot(" + vi + ", " + vj + ")";
        break;
      case 1:
        v = tree.op(Op::sqrt, inner(tree, a, a));
        text = "norm(" + vi + ")";
        break;
      case 2: {
        const std::uint32_t axis = rng_.below(model_.space);
        v = tree.op(Op::div, a[axis], tree.op(Op::sqrt, inner(tree, a, a)));
        std::vector<std::string> e(model_.space, "0");
        e[axis] = "1";
        text = "dot(unit(" + vi + "), " + tuple(e) + ")";
        break;
      }
      default:
        for (std::uint32_t k = 0; k < model_.space; ++k)
          difference.push_back(i == j ? a[k] : tree.op(Op::sub, a[k], b[k]));
        if (rates) difference = a;
        v = tree.op(Op::sqrt, inner(tree, difference, difference));
        text = i == j || rates ? (rates ? "norm(" + vi + ")" : "dist(ground, " + name(i) + ")")
                               : "dist(" + name(i) + ", " + name(j) + ")";
        break;
    }
    w.spelled[v] = text;
    if (rng_.chance(0.5))
      tree.op(Op::mul, before, v);
    else
      tree.op(Op::add, before, tree.op(Op::mul, tree.number(0.25), v));
  }

  std::string text_of(const Written& w) { return text_.print(w.tree, w.spelled); }

  // ---- statements

  void forces() {
    const std::uint32_t n = rng_.below(2 * model_.particles + 1);
    for (std::uint32_t k = 0; k < n; ++k) {
      std::vector<std::string> parts;
      for (std::uint32_t i = 0; i < model_.space; ++i)
        parts.push_back(rng_.chance(0.25) ? number(rng_.between(-3, 3)) : text_of(expression(rng_.below(8u), true)));
      statements_ +=
          "force g" + std::to_string(k + 1) + " on " + name(rng_.below(model_.particles)) + ": " + tuple(parts) + "\n";
    }
  }

  void constraints() {
    const std::uint32_t wanted = rng_.below(std::min(model_.coordinates(), 7u));
    for (std::uint32_t tries = 0; model_.independent < wanted && tries < 40; ++tries) {
      const std::uint32_t dice = rng_.below(10u);
      const bool added = dice < 5   ? add_row(Level::position)
                         : dice < 8 ? add_row(Level::velocity)
                                    : add_acceleration_row();
      if (added) ++model_.independent;
    }
    const std::uint32_t copies = model_.independent > 0 && rng_.chance(0.3) ? 1 + rng_.below(2u) : 0;
    for (std::uint32_t k = 0; k < copies; ++k) add_copy();
  }

  std::string next_name() { return "c" + std::to_string(model_.rows.size() + 1); }

  static bool tame(const std::vector<Guarded>& numbers) {
    double largest = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!(std::fabs(numbers[i].value) < 1e3L)) return false;
      if (i >= 2) largest = std::max(largest, static_cast<double>(std::fabs(numbers[i].value)));
    }
    return largest > 1e-2;
  }

  std::vector<Guarded> row_numbers(const Tree& tree, Level level) const {
    return guarded(
        [&](SplitMix64* noise) {
          const Kinematics k = cartesian(model_.coordinates());
          return (level == Level::position ? position_by_duals(tree, k, model_.initial, noise)
                                           : velocity_by_duals(tree, k, model_.initial, noise))
              .flat();
        },
        1);
  }

  bool has_leaf(const Tree& tree, Leaf kind) const {
    for (const Term& term : tree.terms)
      if (term.op == Op::leaf && term.leaf == kind) return true;
    return false;
  }

  // e - rate*(t - t0) == e0 holds at the start with its derivative for any e.
  void write_row(const std::string& row, const std::string& e, double rate, double e0, double factor) {
    const std::string moving = rate == 0 ? "" : " - " + number(rate) + "*(t - " + number(model_.initial.t) + ")";
    const std::string scale = factor == 1 ? "" : number(factor) + "*";
    const bool swap = rng_.chance(0.2) && factor == 1;
    const std::string left = scale + "(" + e + moving + ")", right = scale + number(e0);
    statements_ += "constraint " + row + ": " + (swap ? left + " - " + right + " == 0" : left + " == " + right) + "\n";
  }

  bool add_row(Level level) {
    const Written w = expression(1 + rng_.below(8u), level == Level::velocity);
    if (!has_leaf(w.tree, level == Level::velocity ? Leaf::speed : Leaf::coordinate)) return false;
    const std::vector<Guarded> numbers = row_numbers(w.tree, level);
    if (!tame(numbers)) return false;
    const double e0 = static_cast<double>(evaluate(w.tree, lift<Real>(model_.initial)));
    const double rate = level == Level::position ? static_cast<double>(numbers[0].value) : 0;
    const std::string e = text_of(w);
    rows_text_.push_back({e, rate, e0});
    write_row(next_name(), e, rate, e0, 1);
    model_.rows.push_back({next_name(), level, w.tree, 1, {}, {}});
    return true;
  }

  bool add_acceleration_row() {
    RandomRow row{next_name(), Level::acceleration, {}, 1, {}, {}};
    std::string left;
    const std::uint32_t terms = 1 + rng_.below(std::min(3u, model_.coordinates()));
    const std::uint32_t first = rng_.below(model_.coordinates());
    for (std::uint32_t k = 0; k < terms; ++k) {
      const Written w = expression(rng_.below(4u), true);
      if (!(std::fabs(evaluate(w.tree, lift<Real>(model_.initial))) > 1e-2L)) continue;
      const std::uint32_t j = (first + k) % model_.coordinates();
      left += (left.empty() ? "" : " + ") + text_of(w) + "*" + text_.leaf(Leaf::accel, j);
      row.factors.emplace_back(j, w.tree);
    }
    if (left.empty()) return false;
    const Written right = expression(rng_.below(5u), true);
    row.right = right.tree;
    rows_text_.push_back({left + " == " + text_of(right), 0, 0});
    statements_ += "constraint " + row.name + ": " + rows_text_.back().expression + "\n";
    model_.rows.push_back(std::move(row));
    return true;
  }

  void add_copy() {
    const std::uint32_t source = rng_.below(model_.independent);
    RandomRow row = model_.rows[source];
    const RowText text = rows_text_[source];
    row.name = next_name();
    rows_text_.push_back(text);
    if (row.level == Level::acceleration) {
      statements_ += "constraint " + row.name + ": " + text.expression + "\n";
    } else {
      row.factor = rng_.chance(0.5) ? 1 : rng_.sign() * rng_.log_between(0.1, 10);
      write_row(row.name, text.expression, text.rate, text.value, row.factor);
    }
    model_.rows.push_back(std::move(row));
  }

  void assemble_text() {
    std::string head = "mbd 1\nspace " + std::to_string(model_.space) + "\n";
    for (std::uint32_t k = 0; k < counts_.param; ++k)
      head += "param k" + std::to_string(k + 1) + " = " + number(model_.initial.param[k]) + "\n";
    if (rng_.chance(0.3)) {
      std::vector<std::string> parts;
      for (std::uint32_t i = 0; i < model_.space; ++i) parts.push_back(number(rng_.between(-10, 10)));
      head += "gravity " + tuple(parts) + "\n";
    }
    for (std::uint32_t i = 0; i < model_.particles; ++i)
      head += "particle " + name(i) + "(" + number(model_.mass[i]) + ") at " + vector_of(model_.initial.q, i) +
              " moving " + vector_of(model_.initial.u, i) + "\n";
    const double t0 = model_.initial.t;
    const char* formulation[] = {"udwadia_kalaba", "udwadia_kalaba", "udwadia_kalaba(literal)"};
    const char* integrator[] = {"rk4", "rk4", "rk4", "ab4", "ab4", "dopri5(fixed)"};
    const char* stabilise[] = {"project", "project", "none", "none", "baumgarte(alpha = 3, beta = 4)", "partition"};
    const std::string output = text_of(expression(3, true));
    model_.text = head + text_.declarations() + statements_ + "output w = " + output + "\n" +
                  "simulate { time = " + number(t0) + " .. " + number(t0 + kSteps * kStep) + " step " + number(kStep) +
                  "; integrator = " + integrator[rng_.below(6u)] + "; formulation = " + formulation[rng_.below(3u)] +
                  "; stabilise = " + stabilise[rng_.below(6u)] + " }\n";
  }

  struct RowText {
    std::string expression;
    double rate = 0, value = 0;
  };

  Rng rng_;
  TreeText text_;
  LeafCounts counts_;
  RandomModel model_;
  std::vector<RowText> rows_text_;
  std::string statements_;
};

}  // namespace

RandomModel random_model(std::uint64_t seed) { return Builder(seed).make(); }

}  // namespace mbc::test
