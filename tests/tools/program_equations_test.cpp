// SPDX-License-Identifier: Apache-2.0
// Tests what verbs make of options that name places, forms and blocks: `mbc equations`, `--set`, `plot --log`.
#include <doctest/doctest.h>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

// Returns the output for a model from standard input.
std::string printed(const std::string& model, const std::string& form) {
  const Ran ran = run_mbc({"equations", "-", form}, {.input = "mbd 1\n" + model});
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  return ran.out;
}

}  // namespace

TEST_CASE("equations --mbd writes a new model and no other") {
  const Folder folder;
  const std::string file = folder / "a.mbd", made = folder / "new.mbd", other = folder / "other.mbd";
  write_file(file, kFall);
  write_file(other, kFall);
  CHECK(run_mbc({"equations", file, "--mbd", "-o", made}).code == 0);
  CHECK(run_mbc({"check", made}).code == 0);
  CHECK(has(run_mbc({"equations", file, "--mbd", "-o", other}).err, "is there and is no result of mbc"));
  CHECK(has(run_mbc({"equations", file, "--mbd", "-o", file, "--force"}).err, "would destroy the model"));
  CHECK(has(run_mbc({"equations", file, "--c", "-o", folder / "b.mbd"}).err, "would destroy a model"));
  CHECK(has(run_mbc({"equations", file, "--mbd", "-o", folder / "b"}).err, "name a file that ends in .mbd"));
}

TEST_CASE("the sign of Python takes numbers of numpy, whose conditions cannot be subtracted") {
  CHECK(has(printed("coord x = 0\nkinetic T: x'^2/2\nload f on x: -sign(x')\n", "--python"),
            "    return float(x > 0) - float(x < 0)\n"));
}

TEST_CASE("names with letters beyond ASCII in LaTeX") {
  const std::string model = "param α = 2, Länge = 1\ncoord φ = 0.2, ψ_2 = 1\nkinetic T: Länge*(φ'^2 + ψ_2'^2)/2\n";
  const std::string text = printed(model + "potential V: α*φ^2\n", "--latex");
  CHECK(has(text, "\\usepackage[T1]{fontenc}\n"));
  CHECK(has(text, "V &= \\alpha\\,\\varphi^{2} \\label"));
  CHECK(has(text, "\\text{Länge}\\,"));
  CHECK(has(text, "\\dot{\\psi}_{2}"));
  CHECK(has(text, "\\texttt{\\ensuremath{\\alpha}*\\ensuremath{\\varphi}\\^{}2}"));
  CHECK_FALSE(has(printed("coord x = 0\nkinetic T: x'^2/2\n", "--latex"), "fontenc"));
  const Ran ran = run_mbc({"equations", "-", "--latex"}, {.input = "mbd 1\ncoord я = 0\nkinetic T: я'^2/2\n"});
  CHECK(ran.code == 2);
  CHECK(ran.err == "mbc: LaTeX has no `я` in its usual fonts: rename it, or take `--markdown` or text\n");
}

TEST_CASE("cases in LaTeX have brackets in sums, products and powers") {
  const std::string text = printed(
      "coord x = 0, z = 0\nkinetic T: x'^2/2 + z'^2/2\nload f on x: (if x > 0 then x else 2)^2 + 3*(if x > 1 then x "
      "else 2)\n"
      "load g on z: (if x > 2 then x else 3)\n",
      "--latex");
  CHECK(has(text, "{\\left(\\begin{cases} x & \\text{if } 0 < x \\\\ 2 & \\text{otherwise} \\end{cases}\\right)}^{2}"));
  CHECK(has(text, "3\\,\\left(\\begin{cases} x & \\text{if } 1 < x"));
  CHECK(has(text, "&= \\begin{cases} x & \\text{if } 2 < x"));
}

TEST_CASE("--set BLOCK.input.NAME gives one block a signal") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file,
             "mbd 1\ninput u = 3\ncoord x = 0\nkinetic T: x'^2/2\nload f on x: u\noutput uu = u\n"
             "simulate r { time = 0 .. 1 step 0.5 }\nsimulate w { time = 0 .. 1 step 0.5; input.u = 5*t }\n");
  const auto last = [&](const std::string& block, const std::string& set) {
    const Ran ran = run_mbc({"run", file, block, "--quiet", "--set", set});
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    return ran.out.substr(ran.out.rfind(',') + 1);
  };
  CHECK(std::stod(last("r", "r.input.u=10*t")) == 10);
  CHECK(std::stod(last("r", "r.input.u=10")) == 10);
  CHECK(std::stod(last("w", "w.input.u=7*t")) == 7);
  const auto refused = [&](const std::string& block, const std::string& set) {
    return run_mbc({"run", file, block, "--set", set}).err;
  };
  CHECK(has(refused("r", "w.input.u=7"), "the block `w` does not run here, `r` does"));
  CHECK(has(refused("r", "r.input.v=7"), "`v`"));
  CHECK(has(refused("w", "r.input.v=7"), "`v`"));
}

TEST_CASE("compare and sweep refuse a setting of a block that they do not run") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, std::string(kFall) +
                       "simulate fine { time = 0 .. 1 step 0.01; integrator = rk4 }\n"
                       "sweep heavy over demo { g = 1 .. 2 count 2; record p.z }\n");
  const std::string why = "--set fine.time.end: the block `fine` does not run here, `demo` does";
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"compare", file}, {"sweep", file, "heavy"}}) {
    std::vector<std::string> args = verb;
    args.insert(args.end(), {"--quiet", "--set", "fine.time.end=0.1"});
    const Ran ran = run_mbc(args);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, why));
    CHECK(ran.out.empty());
    args.back() = "demo.time.end=0.5";
    CHECK(run_mbc(args).code == 0);
  }
}

TEST_CASE("plot --log says what it does not show") {
  const Folder folder;
  const std::string file = folder / "a.csv";
  write_file(file, "time,x,y\n0,1,1\n1,-2,2\n2,0,3\n");
  CHECK(run_mbc({"plot", file, "x", "--log", "y"}).err ==
        "mbc: plot: note: `x` has 2 values not above 0, which a logarithmic axis does not show\n");
  CHECK(run_mbc({"plot", file, "y", "--log", "y"}).err.empty());
  CHECK(has(run_mbc({"plot", file, "y", "--log", "x"}).err, "`time` has 1 value not above 0"));
}

}  // namespace mbc::test
