// SPDX-License-Identifier: Apache-2.0
// Tests the equations of models as texts and as programs: programs in C and Python are run, and their rates compared
// with those of the kernel.
#include "mbc/equations.h"

#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "base/numbers.h"
#include "base/read_file.h"
#include "mbc/simulation.h"
#include "tests/support/scratch.h"

using mbc::EquationsRequest;
using Form = mbc::EquationsRequest::Form;

namespace {

constexpr const char* kSleigh = R"(mbd 1
param m = 2, J = 0.5, a = 0.3
coord x = 0
coord y = 0
coord theta = 0.4
init { x' = 1; theta' = 0.5; y' ~ 0.4 }
kinetic T: 0.5*m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2) + 0.5*J*theta'^2
constraint knife: x'*sin(theta) - y'*cos(theta) == 0
simulate glide { time = 0 .. 1 step 0.001; integrator = rk4 }
)";

constexpr const char* kPiecewise = R"(mbd 1
param k = 3, c = 0.4
input push = 0.2
state brake = 0.7
coord x = 0.5
kinetic T: x'^2/2
load spring on x: if x > 0.1 then -k*x else (if x > -0.2 and x' < 1 then -2*k*abs(x) else k*x^3)
load drag on x: -c*sign(x')*sqrt(abs(x')) - brake*x' + push
state lag = 0.3 where lag' = x - min(lag, 0.2)*exp(-lag)
when slow: x' falling { brake = 0.9 }
simulate go { time = 0 .. 1 step 0.01; integrator = rk4 }
)";

constexpr const char* kNonideal = R"(mbd 1
space 2
param g = 9.81, l = 1.3, mu = 0.2
gravity (0, -g)
particle p(2) at (l, 0) moving (0, 0.5)
constraint rod: dist(p, ground) == l nonideal { force rub on p: -mu*norm(rod.ideal)*p.vel }
simulate swing { time = 0 .. 1 step 0.001; integrator = rk4 }
)";

// docs/equations.md shows a model and what is printed of it.
struct Shown {
  std::string page, model, output;
  std::size_t output_at = 0;
};
Shown shown() {
  Shown out;
  std::string error;
  REQUIRE_MESSAGE(mbc::read_file(std::string(MBC_SOURCE_DIR) + "/docs/equations.md", out.page, error), error);
  const std::string begin = "```mbd\n", end = "```\n";
  const std::size_t model = out.page.find(begin) + begin.size(), model_end = out.page.find(end, model);
  out.model = out.page.substr(model, model_end - model);
  out.output_at = out.page.find(end, model_end + end.size()) + end.size();
  out.output = out.page.substr(out.output_at, out.page.find(end, out.output_at) - out.output_at);
  return out;
}

std::string model_text(const std::string& name) {
  if (name.find('\n') != std::string::npos) return name;
  std::string text, error;
  REQUIRE_MESSAGE(mbc::read_file(std::string(MBC_SOURCE_DIR) + "/examples/" + name, text, error), error);
  return text;
}

const std::vector<std::string>& models() {
  static const std::vector<std::string> kModels = {shown().model,
                                                   kSleigh,
                                                   kPiecewise,
                                                   kNonideal,
                                                   "cart_pole.mbd",
                                                   "double_pendulum_redundant.mbd",
                                                   "furuta.mbd",
                                                   "spinning_top.mbd",
                                                   "three_body_triangle.mbd"};
  return kModels;
}

mbc::Model model_of(const std::string& name) {
  mbc::CompileOptions options;
  options.interpret = true;
  const std::string text = model_text(name);
  const mbc::Model model = mbc::Model::from_string(text, name == text ? "model.mbd" : name, options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return model;
}

std::string written(const mbc::Model& model, Form form) {
  EquationsRequest request;
  request.form = form;
  const mbc::Result<std::string> made = mbc::model_equations(model, request);
  REQUIRE_MESSAGE(made.ok(), made.error().message);
  return *made;
}

struct Sample {
  double time = 0;
  std::vector<double> y, dy;
  double condition = 1;
};

double condition_of(mbc::Simulation& s, double time, const std::vector<double>& y) {
  const mbc::RowSet rows = s.rows(time, y).value();
  const auto n = static_cast<Eigen::Index>(rows.n), m = static_cast<Eigen::Index>(rows.m);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) K(i, j) = rows.M[static_cast<std::size_t>(i * n + j)];
  for (Eigen::Index i = 0; i < m; ++i)
    for (Eigen::Index j = 0; j < n; ++j) K(n + i, j) = K(j, n + i) = rows.A[static_cast<std::size_t>(i * n + j)];
  const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(K).singularValues();
  double least = sizes(0);
  for (Eigen::Index k = 0; k < sizes.size(); ++k)
    if (sizes(k) > 1e-12 * sizes(0)) least = sizes(k);
  return sizes(0) / least;
}

// States along a motion, which satisfy the constraints; in models without rows moved at random.
std::vector<Sample> samples(const mbc::Model& model) {
  mbc::Simulation s = mbc::Simulation::create(model).value();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> drawn(-0.3, 0.3);
  std::vector<Sample> out;
  for (int k = 0; k < 20; ++k) {
    Sample one;
    one.time = 0.02 * k;
    REQUIRE(s.run_until(one.time).ok());
    one.y = s.state();
    if (model.constraint_row_count() == 0)
      for (double& value : one.y) value += drawn(random);
    one.dy.resize(one.y.size());
    const auto ok = s.rhs(one.time, one.y, one.dy);
    REQUIRE_MESSAGE(ok.ok(), ok.error().message);
    one.condition = condition_of(s, one.time, one.y);
    const std::size_t size = model.coordinates().size() + model.speeds().size() + model.states().size();
    one.y.resize(size);  // without the integrals of work
    one.dy.resize(size);
    out.push_back(std::move(one));
  }
  return out;
}

std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  CHECK_MESSAGE(pclose(pipe) == 0, command);
  return out;
}

void compare(const std::string& out, const std::vector<Sample>& expected, const std::string& what) {
  std::istringstream in(out);
  for (const Sample& s : expected) {
    double size = 1;
    for (const double value : s.dy) size = std::max(size, std::fabs(value));
    for (std::size_t k = 0; k < s.dy.size(); ++k) {
      double value = NAN;
      in >> value;
      INFO(what, ", t = ", s.time, ", entry ", k);
      CHECK(std::fabs(value - s.dy[k]) <= 1e-13 * s.condition * size);
    }
  }
}

// The states as the rows of an initialiser, "0.02, 1, 2".
std::string rows_of(const std::vector<Sample>& list, const char* begin, const char* end) {
  std::string out;
  for (const Sample& s : list) {
    out += begin + mbc::text::number(s.time);
    for (const double value : s.y) out += ", " + mbc::text::number(value);
    out += std::string(end) + ",\n";
  }
  return out;
}

bool runs(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

bool is_there(const std::string& command, const char* what) {
  if (runs(command)) return true;
  MESSAGE("skipped: there is no " << what);
  return false;
}

}  // namespace

TEST_CASE("programs in C compute what the kernel does") {
  if (!is_there("cc --version", "compiler for C")) return;
  const mbc::test::Folder folder;
  for (const std::string& name : models()) {
    const mbc::Model model = model_of(name);
    const std::vector<Sample> list = samples(model);
    const std::string n = std::to_string(list[0].y.size()), file = folder.path() + "/model.c";
    std::ofstream(file) << written(model, Form::c) << "#include <stdio.h>\nint main(void) {\n  const double rows[]["
                        << n << " + 1] = {" << rows_of(list, "{", "}") << "};\n  double dy[" << n
                        << "];\n  for (int k = 0; k < 20; ++k) {\n    rhs(rows[k][0], rows[k] + 1, P, dy);\n"
                        << "    for (int i = 0; i < " << n
                        << "; ++i) printf(\"%.17g\\n\", dy[i]);\n  }\n  return 0;\n}\n";
    REQUIRE(runs("cc -std=c99 -Wall -Werror -O1 -o " + folder.path() + "/model " + file + " -lm"));
    compare(output_of(folder.path() + "/model"), list, name);
  }
}

// Two satellites on a tether and the Earth, whose masses span 24 powers of ten: what is small is not taken for nothing.
TEST_CASE("programs hold where masses have very different sizes") {
  const mbc::Model model = mbc::Model::from_string(
      "mbd 1\nparam G = 6.674e-11 [m^3/(kg*s^2)]\nparticle earth(5.97e24 [kg]) at (0, 0, 0) [m]\n"
      "particle a(20 [kg]) at (7e6, 0, 0) [m]\nparticle b(30 [kg]) at (7e6, 10, 0) [m]\n"
      "constraint tether: dist(a, b) == 10 [m]\n"
      "force ga on a from earth: G*a.mass*earth.mass*(earth.pos - a.pos)/dist(a, earth)^3\n"
      "force gb on b from earth: G*b.mass*earth.mass*(earth.pos - b.pos)/dist(b, earth)^3\n"
      "simulate { time = 0 [s] .. 1 [s] step 1 [s] }\n",
      "tether.mbd");
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  mbc::Simulation s = mbc::Simulation::create(model).value();
  Sample at;
  at.y.assign(s.state().begin(), s.state().end());
  at.dy.resize(at.y.size());
  at.condition = 1;
  REQUIRE(s.rhs(0, at.y, at.dy).ok());
  CHECK(std::fabs(at.dy[12] + 8.13) < 0.01);  // a.vx' = -G M/r^2
  at.y.resize(18);
  at.dy.resize(18);
  const mbc::test::Folder folder;
  if (is_there("cc --version", "compiler for C")) {
    const std::string file = folder.path() + "/model.c";
    std::ofstream(file) << written(model, Form::c) << "#include <stdio.h>\nint main(void) {\n  const double row[] = {"
                        << rows_of({at}, "", "") << "};\n  double dy[18];\n  rhs(row[0], row + 1, P, dy);\n"
                        << "  for (int i = 0; i < 18; ++i) printf(\"%.17g\\n\", dy[i]);\n  return 0;\n}\n";
    REQUIRE(runs("cc -std=c99 -O1 -o " + folder.path() + "/model " + file + " -lm"));
    compare(output_of(folder.path() + "/model"), {at}, "C");
  }
  if (is_there("/usr/bin/python3 -c 'import numpy'", "numpy for /usr/bin/python3")) {
    const std::string file = folder.path() + "/model.py";
    std::ofstream(file) << written(model, Form::python) << "\n\nrow = [" << rows_of({at}, "", "")
                        << "]\nfor value in rhs(row[0], row[1:]):\n    print(repr(float(value)))\n";
    compare(output_of("/usr/bin/python3 " + file), {at}, "Python");
  }
}

TEST_CASE("programs in Python compute what the kernel does") {
  if (!is_there("/usr/bin/python3 -c 'import numpy'", "numpy for /usr/bin/python3")) return;
  const mbc::test::Folder folder;
  for (const std::string& name : models()) {
    const mbc::Model model = model_of(name);
    const std::vector<Sample> list = samples(model);
    const std::string file = folder.path() + "/model.py";
    std::ofstream(file) << written(model, Form::python) << "\n\nfor row in [\n"
                        << rows_of(list, "    [", "]")
                        << "]:\n    for value in rhs(row[0], row[1:]):\n        print(repr(float(value)))\n";
    compare(output_of("/usr/bin/python3 " + file), list, name);
  }
}

TEST_CASE("programs say what they cannot hold") {
  EquationsRequest request;
  request.form = Form::c;
  for (const char* name : {"bouncing_ball.mbd", "sliding_crate.mbd", "bead_with_friction.mbd"}) {
    const mbc::Result<std::string> made = mbc::model_equations(model_of(name), request);
    REQUIRE(!made.ok());
    CHECK(made.error().code == mbc::ErrorCode::invalid_argument);
    CHECK(made.error().message.find("`mbc compile -o model.so`") != std::string::npos);
  }
}

TEST_CASE("the text of two models") {
  const bool update = std::getenv("MBC_UPDATE_EQUATIONS") != nullptr;
  const std::string path = std::string(MBC_TEST_DATA_DIR) + "/api/equations/sleigh.txt";
  const std::string sleigh = written(model_of("sleigh.mbd"), Form::text);
  if (update) std::ofstream(path) << sleigh;
  std::string expected, error;
  REQUIRE_MESSAGE(mbc::read_file(path, expected, error), error);
  CHECK(sleigh == expected);
  Shown page = shown();
  const std::string pendulum = written(model_of(page.model), Form::text);
  if (update)
    std::ofstream(std::string(MBC_SOURCE_DIR) + "/docs/equations.md")
        << page.page.replace(page.output_at, page.output.size(), pendulum);
  else
    CHECK(pendulum == page.output);
}

TEST_CASE("no line of a text is longer than 100 characters") {
  for (const std::string& name : models()) {
    EquationsRequest request;
    request.ascii = true;
    std::istringstream text(mbc::model_equations(model_of(name), request).value());
    for (std::string line; std::getline(text, line);) CHECK_MESSAGE(line.size() <= 100, line);
  }
}

TEST_CASE("LaTeX is balanced and has no names but its own") {
  const std::set<std::string> known = {"documentclass",
                                       "usepackage",
                                       "allowdisplaybreaks",
                                       "begin",
                                       "end",
                                       "section",
                                       "subsection",
                                       "noindent",
                                       "texttt",
                                       "label",
                                       "quad",
                                       "qquad",
                                       "frac",
                                       "sqrt",
                                       "left",
                                       "right",
                                       "sin",
                                       "cos",
                                       "exp",
                                       "min",
                                       "boldsymbol",
                                       "dot",
                                       "ddot",
                                       "mathrm",
                                       "mathsf",
                                       "operatorname",
                                       "text",
                                       "cdot",
                                       "ne",
                                       "le",
                                       "textbackslash",
                                       "theta",
                                       "phi",
                                       "psi",
                                       "omega",
                                       "lambda",
                                       "mu",
                                       "alpha"};
  for (const std::string& name : models()) {
    const std::string text = written(model_of(name), Form::latex);
    int depth = 0;
    std::vector<std::string> open;
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] == '\\') {
        std::size_t end = k + 1;
        while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
        const std::string command = text.substr(k + 1, end - k - 1);
        if (command.empty()) {
          ++k;  // one character
          continue;
        }
        CHECK_MESSAGE(known.count(command) == 1, command);
        if (command == "begin" || command == "end") {
          const std::string environment = text.substr(end + 1, text.find('}', end) - end - 1);
          if (command == "begin") open.push_back(environment);
          REQUIRE(!open.empty());
          CHECK(open.back() == environment);
          if (command == "end") open.pop_back();
        }
        k = end - 1;
      } else if (text[k] == '{' || text[k] == '}') {
        depth += text[k] == '{' ? 1 : -1;
        CHECK(depth >= 0);
      }
    }
    CHECK(depth == 0);
    CHECK(open.empty());
  }
}

TEST_CASE("equations are selected by name, and parameters written as numbers") {
  const mbc::Model model = model_of(shown().model);
  EquationsRequest request;
  request.ascii = true;
  request.of = {"M[2, 1]"};
  const std::string entry = mbc::model_equations(model, request).value();
  CHECK(entry.find("M[1,2]") != std::string::npos);
  CHECK(entry.find("M[1,1]") == std::string::npos);
  request.of = {"M[2,2]"};
  request.numbers = {"m2"};
  CHECK(mbc::model_equations(model, request).value().find("M[2,2] = 2*l2^2\n") != std::string::npos);
  request.of = {"th2"};
  CHECK(mbc::model_equations(model, request).value().find("M[1,1]") == std::string::npos);
}

TEST_CASE("an unknown name is a diagnostic with the nearest one") {
  EquationsRequest request;
  request.of = {"th3"};
  const mbc::Result<std::string> made = mbc::model_equations(model_of(shown().model), request);
  REQUIRE(!made.ok());
  CHECK(made.error().code == mbc::ErrorCode::no_such_name);
  REQUIRE(made.error().diagnostics.size() == 1);
  CHECK(made.error().diagnostics[0].code == "E0201");
  CHECK(made.error().message.find("did you mean `th") != std::string::npos);
}
