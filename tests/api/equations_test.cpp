// SPDX-License-Identifier: Apache-2.0
// Tests the equations of models as texts: what is selected, how they are written, and what programs refuse.
#include "mbc/equations.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/read_file.h"
#include "mbc/simulation.h"
#include "tests/api/printed_models.h"
#include "tests/support/scratch.h"

using mbc::EquationsRequest;
using Form = mbc::EquationsRequest::Form;

using namespace mbc::test;

namespace {

void compare(const std::string& out, const Sample& expected, const std::string& what) {
  std::istringstream in(out);
  double size = 1;
  for (const double value : expected.dy) size = std::max(size, std::fabs(value));
  for (std::size_t k = 0; k < expected.dy.size(); ++k) {
    double value = NAN;
    in >> value;
    INFO(what, ", entry ", k);
    CHECK(std::fabs(value - expected.dy[k]) <= 1e-13 * expected.condition * size);
  }
}

}  // namespace

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
    compare(output_of(folder.path() + "/model"), at, "C");
  }
  if (is_there("/usr/bin/python3 -c 'import numpy'", "numpy for /usr/bin/python3")) {
    const std::string file = folder.path() + "/model.py";
    std::ofstream(file) << written(model, Form::python) << "\n\nrow = [" << rows_of({at}, "", "")
                        << "]\nfor value in rhs(row[0], row[1:]):\n    print(repr(float(value)))\n";
    compare(output_of("/usr/bin/python3 " + file), at, "Python");
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
  CHECK(mbc::model_equations(model, request).value().find("M[2,2] = 2*l2^2  [kg*m^2]\n") != std::string::npos);
  request.of = {"th2"};
  CHECK(mbc::model_equations(model, request).value().find("M[1,1]") == std::string::npos);
}

// The particles of the pendulum have no coordinates of their own.
TEST_CASE("a part that follows coordinates is selected with its energies, which are else one sum") {
  const mbc::Model model = model_of(shown().model);
  EquationsRequest request;
  request.ascii = true;
  const auto selected = [&](std::vector<std::string> of) {
    request.of = std::move(of);
    return mbc::model_equations(model, request).value();
  };
  const std::string kinetic = "  T[a] = l1^2*m1*th1'^2/2  [J]\n", potential = "  V[a] = -g*l1*m1*cos(th1)  [J]\n";
  CHECK(selected({"a"}) == "model.mbd\n\nEnergies\n" + kinetic + potential);
  CHECK(selected({"V[a]"}) == "model.mbd\n\nEnergies\n" + potential);
  for (const std::vector<std::string>& of : {std::vector<std::string>{"T"}, {"energies"}, {}})
    CHECK(selected(of).find("[a]") == std::string::npos);
}

TEST_CASE("forces that cancel are listed, and conditions are comments in the language of models") {
  const mbc::Model model = mbc::Model::from_string(
      "mbd 1\nspace 1\nparam k = 2\nparticle p(1) at 1\nparticle q(1) at 2\nforce a on p: k*p.x\n"
      "force b on p: -k*p.x\nforce c on q: k*q.x/q.x\nsimulate { time = 0 .. 1 step 0.1 }\n",
      "cancelled.mbd");
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  EquationsRequest request;
  request.ascii = true;
  request.of = {"f"};
  const std::string forces = mbc::model_equations(model, request).value();
  CHECK(forces.find("f[1]   = f[a,1] + f[b,1]\n         = 0\n") != std::string::npos);
  CHECK(forces.find("f[2]   = k  where q.x != 0") != std::string::npos);
  CHECK(written(model, Form::mbd).find("let f_2 = k  // where q_x != 0\n") != std::string::npos);
}

// M[1,2] and M[2,3] of the top cancel: its nutation is solved for by itself.
TEST_CASE("speeds that do not hang together are solved for apart") {
  EquationsRequest request;
  request.ascii = true;
  request.of = {"solved"};
  const std::string text = mbc::model_equations(model_of("spinning_top.mbd"), request).value();
  CHECK(text.find("  D     = C*(A1 + l^2*m)*sin(th)^2    (not zero)\n") != std::string::npos);
  CHECK(text.find(")*sin(th)/(A1 + l^2*m)") != std::string::npos);
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
