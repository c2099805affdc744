// SPDX-License-Identifier: Apache-2.0
// Tests printed equations as expressions of the language: our own parser reads them back with the same values, for
// random expressions, for random models and for the printed models; families stand for all their members; the equations
// of paper 001 are those of its models. MBC_RANDOM_MODELS=n takes n random models and expressions.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/read_file.h"
#include "compiler/graph/evaluate.h"
#include "compiler/reading/print.h"
#include "compiler/reading/simplify.h"
#include "tests/api/read_back.h"
#include "tests/compiler/ad/generator.h"
#include "tests/random/how_many.h"
#include "tests/random/model_text.h"

using namespace mbc;
using namespace mbc::test;
using Form = EquationsRequest::Form;

namespace {

constexpr double kNear = 1e-9;  // relative distance of states that sensitivities are taken from

// M, f, A and b against those of the kernel, relative to the largest entry of each. `near`: those of a state that is
// apart by kNear. No two programs agree better than by what a few roundings of the state change: of 5e7 N in springs of
// stiff_bushing 20 N are left.
void compare(ReadBack& read, const RowSet& rows, const std::string& what, const RowSet* near = nullptr) {
  const auto largest = [](const std::vector<double>& list) {
    double size = 1;
    for (const double x : list) size = std::max(size, std::fabs(x));
    return size;
  };
  double worst = 0;
  std::string at;
  const auto check = [&](const std::string& label, const std::vector<double> RowSet::*list, std::size_t k,
                         double size) {
    const double expected = (rows.*list)[k];
    const double rounding = near ? 2 * kEpsilon * std::fabs((near->*list)[k] - expected) / kNear : 0;
    const double error = std::fabs(read.value(label) - expected) / std::max(size, rounding / 1e-12);
    if (!(error <= worst)) worst = error, at = label;
  };
  const double M = largest(rows.M), f = largest(rows.f), A = largest(rows.A), b = largest(rows.b);
  for (std::size_t i = 0; i < rows.n; ++i) {
    const std::string number = std::to_string(i + 1);
    check("f[" + number + "]", &RowSet::f, i, f);
    for (std::size_t j = i; j < rows.n; ++j)
      check("M[" + number + "," + std::to_string(j + 1) + "]", &RowSet::M, i * rows.n + j, M);
    for (std::size_t r = 0; r < rows.m; ++r)
      check("A[" + rows.row_names[r] + "," + number + "]", &RowSet::A, r * rows.n + i, A);
  }
  for (std::size_t r = 0; r < rows.m; ++r) check("b[" + rows.row_names[r] + "]", &RowSet::b, r, b);
  CAPTURE(what);
  CAPTURE(read.text);
  CAPTURE(at);
  CHECK(worst <= 1e-12);
}

}  // namespace

TEST_CASE("random expressions are read back by the parser") {
  constexpr LeafCounts kCounts{3, 2, 1, 3};
  Rng rng(46);
  const int count = random_models(200, 1);
  int read_back = 0;
  for (int k = 0; k < count; ++k) {
    const Point point = random_point(rng, kCounts);
    Generator generator(rng, point, kCounts);
    graph::Graph g;
    const graph::NodeId node = build(g, generator.make(4 + rng.below(20u)));
    reading::Symbols symbols;
    std::vector<double> values;
    std::string text = "mbd 1\nstate clock = 0 where clock' = 1\n";
    for (const graph::NodeId id : graph::reachable(g, {&node, 1})) {
      const graph::Node& n = g.node(id);
      if (n.op != graph::Op::leaf) continue;
      const std::string name = "x" + std::to_string(symbols.size());
      symbols.add(id, name);
      values.push_back(point.at(n.leaf, n.a));
      text += "input " + name + " = " + text::number(values.back()) + "\n";
    }
    const auto simplified = reading::Simplifier(g, symbols).simplify(node);
    if (!simplified) continue;  // only in pieces
    const reading::Expression& e = simplified->expression;
    const double value = reading::evaluate(e, values), size = reading::magnitude(e, values);
    if (!std::isfinite(value) || !std::isfinite(size)) continue;
    const std::string marked =
        reading::print(e, reading::Language::ascii, [&](std::uint32_t s) { return symbols.name(s); });
    text += "output value = (" + reading::on_lines(marked, 100, 10, "\n  ") + ")\n";
    const Model model = Model::from_string(text, "expression.mbd", {{}, true, 2});
    CAPTURE(text);
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation simulation = Simulation::create(model).value();
    const Result<std::vector<double>> read = simulation.value("value");
    REQUIRE_MESSAGE(read.ok(), read.error().message);
    CHECK(std::fabs(read->at(0) - value) <= 1e-12 * size);
    ++read_back;
  }
  CHECK(read_back > count / 2);
}

TEST_CASE("equations of random models are read back by the parser") {
  const int count = random_models(200, 1, 20);
  for (int k = 0; k < count; ++k) {
    const RandomModel m = random_model(first_random_seed() + static_cast<std::uint64_t>(k));
    const Model model = Model::from_string(m.text, "model.mbd", {{}, true, 2});
    REQUIRE_MESSAGE(model.ok(), m.text << model.render_diagnostics());
    Simulation simulation = Simulation::create(model).value();
    ReadBack read(model);
    std::vector<double> y = m.initial.q;
    y.insert(y.end(), m.initial.u.begin(), m.initial.u.end());
    read.set(m.initial.t, y);
    y.resize(simulation.initial_state().size());
    const Result<RowSet> rows = simulation.rows(m.initial.t, y);
    REQUIRE_MESSAGE(rows.ok(), m.text);
    compare(read, *rows, m.text);
  }
}

// M, f, A and b hold at every state, whether it satisfies the constraints or not.
TEST_CASE("equations of models are read back by the parser") {
  std::mt19937 random(46);
  std::uniform_real_distribution<double> drawn(-0.3, 0.3);
  for (const std::string& name : printed_models(8)) {
    const Model model = model_of(name);
    if (name.find("\n") != std::string::npos && model.constraint_row_count() > 0 && name.find("nonideal") != name.npos)
      continue;  // C depends on multipliers
    Simulation simulation = Simulation::create(model).value();
    ReadBack read(model);
    for (const Sample& s : samples(model))
      for (const bool moved : {false, true}) {
        std::vector<double> y = s.y;
        for (double& value : y) value += moved ? drawn(random) : 0;
        read.set(s.time, y);
        y.resize(model.state_size());
        const RowSet rows = simulation.rows(s.time, y).value();
        for (double& value : y) value *= 1 + (random() % 2 == 0 ? kNear : -kNear);
        const RowSet near = simulation.rows(s.time, y).value();
        compare(read, rows, name, moved ? nullptr : &near);
      }
  }
}

// Models without rows whose accelerations are solved for: these have programs, at the same states and bounds.
TEST_CASE("solved accelerations of models are those of the kernel") {
  int solved = 0;
  for (const std::string& name : printed_models(8)) {
    const Model model = model_of(name);
    if (model.constraint_row_count() > 0) continue;
    ReadBack read(model);
    for (const Sample& s : samples(model)) {
      read.set(s.time, s.y);
      double size = 1;
      for (const double value : s.dy) size = std::max(size, std::fabs(value));
      for (std::size_t i = 0; i < model.speeds().size(); ++i) {
        const std::string label = model.speeds()[i].name + "'";
        if (!read.has(label)) continue;
        INFO(name, ": ", label);
        CHECK(std::fabs(read.value(label) - s.dy[model.coordinates().size() + i]) <= 1e-13 * s.condition * size);
        ++solved;
      }
    }
  }
  CHECK(solved >= 40);
}

// The knife of the sleigh is satisfied by y' ~ 0.4 only after the assembly.
TEST_CASE("equations as a model begin where the motion begins") {
  for (const std::string& name : printed_models(3)) {
    const Model model = model_of(name);
    Simulation simulation = Simulation::create(model).value();
    const std::vector<double> y = simulation.initial_state();
    ReadBack read(model);
    const double begun = read.value("T") + read.value("V");
    read.set(simulation.time(), y);
    INFO(name);
    CHECK(read.value("T") + read.value("V") == begun);
  }
  ReadBack sleigh(model_of(printed_models(2)[1]));
  CHECK(sleigh.text.find("input y_dot = 0.4\n") == std::string::npos);
  CHECK(std::fabs(sleigh.value("e[knife]")) <= 1e-15);
  const std::string apart =
      "mbd 1\ncoord x = 1\nkinetic T: x'^2/2\nconstraint at: x == 0\nsimulate { time = 3 .. 4 step 1 }\n";
  const Model model = Model::from_string(apart, "apart.mbd", {{}, true, 2});
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  const std::string text = written(model, Form::mbd);
  CHECK(text.find("\n// The initial values are those that are written: ") != std::string::npos);
  CHECK(text.find("It begins at t = 3.\n") != std::string::npos);
}

namespace {

struct Line {
  std::string label, left, right, range, total;
};

std::vector<Line> lines_of(const Model& model, const std::vector<std::string>& of = {}) {
  EquationsRequest request;
  request.form = Form::json;
  request.of = of;
  const nlohmann::json answer = nlohmann::json::parse(model_equations(model, request).value());
  std::vector<Line> out;
  for (const nlohmann::json& section : answer.at("sections"))
    for (const nlohmann::json& e : section.at("equations"))
      out.push_back({e.at("label"), e.at("left"), e.value("right", ""), e.value("for", ""), e.value("total", "")});
  return out;
}

// The length of what is printed of M or f: f is the sum of its parts.
std::size_t length_of(const std::vector<Line>& lines, const std::string& label) {
  std::size_t size = 0, parts = 0;
  const bool force = label.starts_with("f[");
  for (const Line& l : lines) {
    if (l.label == label && !l.total.empty()) return l.total.size();
    const bool is_part = force && l.label.starts_with("f[") && l.label.ends_with("," + label.substr(2));
    if ((l.label == label && !l.right.starts_with("f[")) || is_part) size += l.right.size(), ++parts;
  }
  return size + (parts > 1 ? 3 * (parts - 1) : 0);
}

struct InPrint {
  const char *label, *text;
};

// Ours have the values of the printed ones at 20 states, and are no longer.
void compare_with_print(const std::string& name, const std::string& method, const std::vector<InPrint>& printed) {
  std::string text, error;
  REQUIRE_MESSAGE(
      read_file(std::string(MBC_SOURCE_DIR) + "/examples/seeds/001_projection/" + name + ".mbd", text, error), error);
  const std::size_t at = text.find("integrator = rk4");
  REQUIRE(at != std::string::npos);
  text.insert(at, "formulation = " + method + "; ");
  const Model model = Model::from_string(text, name, {{}, true, 2});
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  std::vector<std::pair<std::string, std::string>> more;
  for (const InPrint& p : printed) more.emplace_back("printed" + std::to_string(more.size()), p.text);
  ReadBack read(model, more);
  std::mt19937 random(90);
  std::uniform_real_distribution<double> drawn(-2, 2);
  for (int k = 0; k < 20; ++k) {
    std::vector<double> y(model.coordinates().size() + model.speeds().size());
    for (double& x : y) x = drawn(random);
    read.set(0, y);
    for (std::size_t n = 0; n < printed.size(); ++n) {
      const double theirs = read.value("printed" + std::to_string(n));
      INFO(name, ": ", std::string(printed[n].label));
      CHECK(std::fabs(read.value(printed[n].label) - theirs) <= 1e-13 * (1 + std::fabs(theirs)));
    }
  }
  const std::vector<Line> lines = lines_of(model);
  for (const InPrint& p : printed) {
    INFO(name, ": ", std::string(p.label));
    CHECK(length_of(lines, p.label) <= std::string(p.text).size());
  }
}

}  // namespace

// The texts are those of the print, term by term, in the names of the models.
TEST_CASE("eqs. 68 and 69 of paper 001") {
  compare_with_print(
      "sleigh", "projection",
      {{"My[1,1]", "mc + mr"},
       {"My[1,2]", "-a*mr*sin(d)"},
       {"My[1,3]", "-a*mr*sin(d)"},
       {"My[2,2]", "Jc + Jr + a^2*mr + 2*a*b*mr*cos(d) + b^2*mc + b^2*mr"},
       {"My[2,3]", "Jr + a^2*mr + a*b*mr*cos(d)"},
       {"My[3,3]", "Jr + a^2*mr"},
       {"fy[1]", "a*mr*cos(d)*d'^2 + 2*a*mr*cos(d)*d'*th' + a*mr*cos(d)*th'^2 + b*mc*th'^2 + b*mr*th'^2"},
       {"fy[2]", "a*b*mr*sin(d)*d'^2 + 2*a*b*mr*sin(d)*d'*th' - a*mr*u*cos(d)*th' - b*mc*u*th' - b*mr*u*th'"},
       {"fy[3]", "-a*b*mr*sin(d)*th'^2 - a*mr*u*cos(d)*th' - 2*k1*d - 4*k2*d^3"}});
}

// 90b with its missing term.
TEST_CASE("eqs. 90a and 90b of paper 001") {
  compare_with_print(
      "rotary_pendulum", "udwadia_kalaba",
      {{"M[1,1]", "Jp2*sin(al)^2 + Jp3*cos(al)^2 + Jr3 + Lp^2*mp*sin(al)^2/4 + Lr^2*mp + Lr^2*mr/4"},
       {"M[1,2]", "-Lp*Lr*mp*cos(al)/2"},
       {"M[2,2]", "Jp1 + Lp^2*mp/4"},
       {"f[1]", "-Br*th' + tau - Lp*Lr*mp*sin(al)/2*al'^2 - (Jp2 - Jp3 + Lp^2*mp/4)*sin(2*al)*al'*th'"},
       {"f[2]", "-Bp*al' + Lp*mp*g/2*sin(al) + Lp^2*mp*sin(2*al)/8*th'^2 + (Jp2 - Jp3)*sin(2*al)*th'^2/2"}});
}

namespace {

// Compares My y' = fy, and u' = B y' + beta where `of_rates`, with the rates of the kernel where the motion begins. y
// are speeds of the model.
void compare_independent(const std::string& rows, bool of_rates) {
  const Model model = Model::from_string(
      "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle a(2) at (0.3, 0.1) moving (1, 0.5)\n"
      "particle b(1) at (1, 0.4) moving (0.2, -0.3)\nforce k on a from b: 3*(b.pos - a.pos)\n" +
          rows + "simulate { time = 0 .. 1 step 0.1; integrator = rk4; formulation = projection }\n",
      "independent.mbd", {{}, true, 2});
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  CHECK((written(model, Form::text).find("u' = B") != std::string::npos) == of_rates);
  ReadBack read(model);
  CAPTURE(read.text);
  Simulation simulation = Simulation::create(model).value();
  const std::vector<double> y = simulation.initial_state();
  std::vector<double> dy(y.size());
  REQUIRE(simulation.rhs(0, y, dy).ok());
  read.set(0, y);
  constexpr std::size_t n = 4, p = 3;
  const auto entry = [&](const char* name, std::size_t i, std::size_t k) {
    return read.value(name + ("[" + std::to_string(i + 1) + "," + std::to_string(k + 1) + "]"));
  };
  const auto element = [&](const char* name, std::size_t i) {
    return read.value(name + ("[" + std::to_string(i + 1) + "]"));
  };
  std::array<double, p> rates{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < p; ++k)
      if (entry("B", i, k) == 1 && entry("B", i, (k + 1) % p) == 0 && entry("B", i, (k + 2) % p) == 0)
        rates.at(k) = dy[n + i];
  for (std::size_t i = 0; i < n && of_rates; ++i) {
    double sum = element("beta", i);
    for (std::size_t k = 0; k < p; ++k) sum += entry("B", i, k) * rates.at(k);
    CHECK(std::fabs(sum - dy[n + i]) <= 1e-12 * (1 + std::fabs(sum)));
  }
  for (std::size_t k = 0; k < p; ++k) {
    double sum = 0;
    for (std::size_t l = 0; l < p; ++l) sum += entry("My", std::min(k, l), std::max(k, l)) * rates.at(l);
    CHECK(std::fabs(sum - element("fy", k)) <= 1e-11 * (1 + std::fabs(sum)));
  }
}

}  // namespace

TEST_CASE("independent speeds of rows that hold accelerations and of constraints that are not ideal") {
  compare_independent("constraint steered: a.ax*b.y + a.ay + b.vx*b.ax == sin(t) + 1\n", true);
  compare_independent("constraint swift: a.vx^2 + a.vy^2 == 1.25\n", true);
  compare_independent("constraint wire: a.vx*a.y - a.vy == -0.4 nonideal { force rub on a: -0.2*norm(a.vel)*a.vel }\n",
                      false);
}

namespace {

std::string chain(int n) {
  return "mbd 1\nspace 2\nparam n: int = " + std::to_string(n) +
         "\nparam l = 0.2, m = 1.5, g = 9.81, k = 3, c = 0.1\ngravity (0, -g)\n"
         "particle p[i in 1..n](m) at (l*i, 0) moving (0, 0.1*i)\n"
         "force drag[i in 1..n] on p[i]: -c*norm(p[i].vel)*p[i].vel\n"
         "potential bend[i in 3..n]: k*dot(p[i].pos - 2*p[i-1].pos + p[i-2].pos, p[i].pos - 2*p[i-1].pos + "
         "p[i-2].pos)/2\n"
         "constraint rod[i in 2..n]: dist(p[i-1], p[i]) == l\nconstraint first: dist(ground, p[1]) == l\n";
}

// A text with the index as a number: "2i-1" for i = 3 is 5.
std::string at_index(const std::string& text, long i) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::size_t end = k;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    const bool begins = k > 0 && (text[k - 1] == '[' || text[k - 1] == ',');
    if (!begins || end >= text.size() || text[end] != 'i') {
      out += text[k];
      continue;
    }
    long value = (end > k ? std::stol(text.substr(k, end - k)) : 1) * i;
    std::size_t after = ++end;
    while (after < text.size() &&
           (text[after] == '-' || text[after] == '+' || std::isdigit(static_cast<unsigned char>(text[after])) != 0))
      ++after;
    if (after > end) value += std::stol(text.substr(end, after - end));
    out += std::to_string(value);
    k = after - 1;
  }
  return out;
}

// A text with the definitions in the place of names.
std::string opened(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out, word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '[') {
      word += c;
      continue;
    }
    const auto it = names.find(word);
    out += (it == names.end() ? word : "(" + it->second + ")") + c;
    word.clear();
  }
  return out.substr(0, out.size() - 1);
}

}  // namespace

TEST_CASE("families stand for their members") {
  const Model model = Model::from_string(chain(9), "chain.mbd", {{}, true, 2});
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  std::vector<std::pair<std::string, std::string>> more;
  std::vector<std::string> labels;
  int families = 0;
  std::map<std::string, std::string> names;  // of subexpressions
  for (const Line& l : lines_of(model)) {
    if (l.label.starts_with("z")) names[l.label] = opened(l.right, names);
    if (l.range.find('=') == std::string::npos || l.right.empty()) continue;
    long first = 0, last = 0;
    REQUIRE(std::sscanf(l.range.c_str(), "i = %ld..%ld", &first, &last) == 2);
    CHECK(last >= first + 2);
    ++families;
    const bool value = l.label.starts_with("M[") || l.label.starts_with("A[") || l.label.starts_with("b[") ||
                       l.label.starts_with("e[") || l.label.find(",2i") != std::string::npos;
    for (long i = first; value && i <= last; ++i) {
      if (l.label.starts_with("Q[")) continue;
      labels.push_back(at_index(l.label, i));
      more.emplace_back("member" + std::to_string(more.size()), at_index(opened(l.right, names), i));
    }
  }
  CHECK(families >= 20);
  ReadBack read(model, more);
  Simulation simulation = Simulation::create(model).value();
  std::vector<double> y = simulation.initial_state();
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += 0.01 * std::sin(static_cast<double>(k * k));
  read.set(0, y);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    INFO(labels[k], " = ", more[k].second);
    const double expected = read.value(labels[k]);
    CHECK(std::fabs(read.value("member" + std::to_string(k)) - expected) <= 1e-12 * (1 + std::fabs(expected)));
  }
}

TEST_CASE("a chain of 1,000 is printed as families, and what is too large says so") {
  const Model model = Model::from_string(chain(1000), "chain.mbd", {{}, true, 2});
  const std::string text = written(model, Form::text);
  CHECK(text.size() < 20000);
  CHECK(text.find("for i = 3..1000") != std::string::npos);
  CHECK(text.find("too many to be printed") == std::string::npos);
  std::string apart = "mbd 1\nspace 2\n";
  for (int k = 0; k < 150; ++k) {
    const std::string name = "p" + std::to_string(k);
    apart += "particle " + name + "(1) at (" + std::to_string(k) + ", 0)\nforce f" + name + " on " + name + ": -" +
             name + ".vel\n";
  }
  const std::string large = written(Model::from_string(apart, "apart.mbd", {{}, true, 2}), Form::text);
  CHECK(large.find("300 equations, too many to be printed: select some of them, M[1,1] to M[300,300]") !=
        std::string::npos);
}
