// SPDX-License-Identifier: Apache-2.0
// Tests sessions of the REPL from a pipe and on a terminal.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"
#include "tools/session/session_lines.h"

namespace mbc::test {
namespace {

Ran session(const std::string& input, const std::vector<std::string>& args = {}) {
  return run_mbc(args, {.input = input});
}

constexpr const char* kParticle = "particle p(1) at (0, 0, 1)\n";

}  // namespace

TEST_CASE(":help NAME says what a name is") {
  const std::string model =
      "use joints\n/// of the bob\nparam m = 2 [kg]\nparam k = 8 [N/m]\nlet T = 2*pi*sqrt(m/k)\n"
      "/// lets itself be pulled\nparticle p(m) at (0, 0, 1) [m]\n";
  const Ran ran =
      session(model + ":help m\n:help T\n:help p\n:help Revolute\n:help sin\n:help GravityField\n:help Spring\n");
  CAPTURE(ran.out);
  CHECK(has(ran.out, "param m = 2 [kg]\n  parameter: a number [kg] = 2\n  of the bob\n"));
  CHECK(has(ran.out, "let T = 2*pi*sqrt(m/k)\n  value: a number [s] = 3.14159"));
  CHECK(has(ran.out, "particle p(m) at (0, 0, 1) [m]\n  particle\n  lets itself be pulled\n"));
  CHECK(has(ran.out, "joint Revolute(a: frame, b: frame, axis: vector = ez)\n  joint of stdlib/joints.mbd\n  A hinge"));
  CHECK(has(ran.out, "sin(x)\n  built in: sine"));
  CHECK(has(ran.out, " of the library: `use forces`"));
  CHECK(ran.err == "nothing has the name `GravityField`\n");
  CHECK(ran.code == 1);
  CHECK(session(":help Revolut\n").err == "nothing has the name `Revolut`; did you mean `Revolute`?\n");
}

TEST_CASE("what is meant otherwise gets a hint") {
  const std::string model = "coord r = 1\nkinetic T: r'^2/2\n";
  CHECK(has(session(model + "r = 2\n").err, "hint: `init { r = VALUE }` gives it another initial value\n"));
  CHECK(has(session(model + "k = 2\n").err, "hint: `param k = VALUE` declares it;"));
  CHECK(has(session("help sin\n").err, "hint: `:help sin` says what a name is\n"));
  CHECK(has(session(model + "plot(t, r)\n").err, "hint: `plot p.z, E` draws values over the time"));
}

TEST_CASE("Tab completes members, also of joints") {
  const Ran ran = run_mbc_on_terminal({}, {{"mbc> ", "use joints\n"},
                                           {"mbc> ", "body bar(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0)\n"},
                                           {"mbc> ", "Revolute hinge(ground, bar)\n"},
                                           {"mbc> ", "hinge.ang\t\n"},
                                           {"mbc> ", "bar.ome\t\n"},
                                           {"mbc> ", ":quit\n"}});
  CAPTURE(ran.out);
  CHECK_FALSE(has(ran.out, "error"));  // `hinge.ang` and `bar.ome` alone are not names.
  CHECK(has(ran.out, "(0, 0, 0)"));
}

TEST_CASE("values on stdout and nothing else") {
  const Ran ran = session("particle p(1) at (0,0,1)\ngravity (0,0,-9.81)\nrun 1\np.z\np.vel\nt\n");
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  REQUIRE(ran.out.find('\n') != std::string::npos);
  CHECK(std::stod(ran.out) == doctest::Approx(1 - 9.81 / 2).epsilon(1e-9));
  CHECK(has(ran.out, "\n(0, 0, -9.8"));
  CHECK(ran.out.ends_with("\n1\n"));
}

TEST_CASE("what events change goes on from run to run, and is shown as it is") {
  const Ran ran = session(
      "particle p(1) at (0, 0, 1)\nstate n = 0, u = 1\nevery tick: 0.25 { n = n + 1; u = -u }\nrun 1\nn; "
      "tick.count\nrun 0.5\nn; u; "
      "tick.time\n");
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out == "5\n5\n8\n1\n1.5\n");
}

TEST_CASE("what an event has switched off stays off in the next run") {
  const Ran ran = session(
      "space 1\nparticle p(1) at 0\nforce pull on p: 1\nwhen far: p.x > 0.125 { disable pull }\nrun 1\nrun 1\np.vx\n");
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  REQUIRE_FALSE(ran.out.empty());
  CHECK(std::stod(ran.out) == doctest::Approx(0.5).epsilon(1e-9));
}

TEST_CASE("a held state may come before the event that changes it") {
  const Ran ran = session("particle p(1) at (0, 0, 1)\nstate n = 0\nrun 1\nevery 0.25 { n = n + 1 }\nrun 1\nn\n");
  CAPTURE(ran.err);
  CHECK(has(ran.err, "no event changes the state `n` yet"));
  CHECK(ran.out == "5\n");
}

TEST_CASE("expressions need no particle") {
  const Ran ran = session("2*pi\nparam m = 2, k = 8\nsqrt(k/m); m\n2 > 1\n(1, 2, 3)\n");
  CAPTURE(ran.err);
  CHECK(ran.out.starts_with("6.283185307179586\n2\n2\n"));
  CHECK(ran.out.ends_with("(1, 2, 3)\n"));
}

TEST_CASE("a statement with errors is reported with its own place and dropped") {
  const Ran ran = session(std::string(kParticle) + "constraint c: p.z == q\nlet q = 1; let q = 2\n2 +\n* 3 )\np.z\n");
  CHECK(ran.code == 1);
  CHECK(ran.out == "1\n");
  CHECK(has(ran.err, "<input>:2:22: error[E0201]"));
  CHECK(has(ran.err, "   2 | constraint c: p.z == q\n     |                      ^"));
  CHECK(has(ran.err, "<input>:3:16: error[E0202]"));
  CHECK(has(ran.err, "   3 | let q = 1; let q = 2\n     |     -          ^\n     |     first declared here"));
  CHECK(session(std::string(kParticle) + "x = 3\n").err.find(":set x=VALUE") != std::string::npos);
}

TEST_CASE("statements over several lines, comments, a whole file") {
  CHECK(session("particle p(1) at (0,\n  0,\n  4)\n\n// nothing\np.z\n").out == "4\n");
  CHECK(session("param a = 1 +\n 2\na\n").out == "3\n");
  CHECK(session("/// the mass\nparam a = 3\n:list\n").out == "   1 | /// the mass\n   2 | param a = 3\n");
  const Ran file = session(std::string(kFall) + "run\nt\n");
  CHECK(file.code == 0);
  CHECK(file.out == "1\n");
  const Ran cut = session("particle p(1");
  CHECK(cut.code == 1);
  CHECK(has(cut.err, "<input>:1:11"));
}

TEST_CASE("commands") {
  const Ran views = session(std::string(kParticle) +
                            "constraint c: p.x == 0\n:q\n:u\n:t\n:state\n:A\n:b\n:M\n:f\n:a\n:lambda\n:rows\n");
  CHECK(views.code == 0);
  CHECK(has(views.out, "p.z = 1\n"));
  CHECK(has(views.out, "t = 0\n"));
  CHECK(has(views.out, "rank 1 of 1"));
  CHECK(session("param a = 1\nparam b = 2\n:undo\n:list\n").out == "   1 | param a = 1\n");
  CHECK(session(std::string(kParticle) + ":set a=1\nparam a = 1\n:set a=5\na\n:set a = 7\na\n:list\n").out ==
        "5\n7\n   1 | particle p(1) at (0, 0, 1)\n   2 | param a = 1\n  :set a = 7\n");
  CHECK(session("param a = 1\n:clear\n:list\n:quit\nnonsense(\n").code == 0);
  CHECK(session("quit\nnonsense(\n").code == 0);
  CHECK(has(session(":help\n").out, "run 5"));
  for (const std::string wrong :
       {":frob\n", ":set\n", ":list now\n", ":load /nonexistent.mbd\n", ":A\n", "run 5\n", ":undo\n"}) {
    CAPTURE(wrong);
    const Ran ran = session(wrong);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_FALSE(ran.err.empty());
  }
}

TEST_CASE("the motion goes on where it stopped") {
  const Ran ran =
      session(std::string(kParticle) +
              "run 1\nrun 0.5 step 0.25\nt\nparam k = 2\nt\n:reset\nt\nrun 2 step 0.3\nt\nrun 1 step 3\nt\n");
  CHECK(ran.out == "1.5\n1.5\n0\n2\n2\n");
  CHECK(has(ran.err, "t = 0 .. 2, "));
  CHECK(has(ran.err, "a step of 3 is longer than the time of 1"));
  CHECK(session(std::string(kParticle) + "run -1\n").err == "`-1` is -1, not a time to go on for\n");
  CHECK(has(session(std::string(kParticle) + "run - 1\n").err, "unknown name `run`"));
  const Ran other = session(std::string(kParticle) + "run 1\nparticle r(1) at (0, 0, 0)\nt\n");
  CHECK(other.out == "0\n");
  CHECK(has(other.err, "back to the initial state"));
  const Ran block = session(std::string(kFall) + "run\nt\nrun 3\nt\n");
  CHECK(block.out == "1\n4\n");
}

TEST_CASE("a run that fails names the statement by its line in the listing and keeps the session") {
  const Ran ran = session(std::string(kParticle) + "\n\nforce f on p: (0, 0, sqrt(0.5 - t))\nrun 1 step 0.25\nt\n");
  CHECK(ran.code == 1);
  CHECK(std::fabs(std::stod(ran.out) - 0.5) < 1e-9);  // This is the last state that could be evaluated.
  CHECK(has(ran.err, "<session>:2:"));
  const Ran off = session(std::string(kParticle) + "constraint c: p.z == 5\nrun 1\nt\nrun 1 assemble\np.z\n");
  CHECK(off.out == "0\n5\n");
  CHECK(has(off.err, "E0601"));
}

TEST_CASE("load, save, repl FILE") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  write_file(folder / "bad.mbd", "mbd 1\nparticle p(1) at (0, 0, 1)\nconstraint c: p.q == 0\n");
  const Ran loaded = session(":load " + (folder / "a.mbd") + "\nrun\nt\n:set g=0\n:reset\nrun 1\np.z\n:save " +
                             (folder / "b.mbd") + "\n:save " + (folder / "a.mbd") + "\n");
  CHECK(loaded.out == "1\n1\n");
  CHECK(has(loaded.err, "exists"));
  CHECK(read_file(folder / "b.mbd").starts_with("mbd 1\n/// acceleration\nparam g = 0\n"));
  CHECK(run_mbc({"check", folder / "b.mbd"}).code == 0);
  CHECK(session("g\n", {"repl", folder / "a.mbd", "--set", "g=2"}).out == "2\n");
  const Ran bad = session("p.z\n", {"repl", folder / "bad.mbd"});
  CHECK(bad.code == 1);
  CHECK(has(bad.err, "bad.mbd:3:"));
}

TEST_CASE("on a terminal: prompts, continuation, Ctrl-C keeps the session, Ctrl-D ends it") {
  setenv("ASAN_OPTIONS", "detect_leaks=0", 0);  // Leaks cannot be searched for in this test.
  const Ran ran = run_mbc_on_terminal({}, {{"mbc> ", "particle p(1) at (0,\r"},
                                           {"...> ", "0,1)\r"},
                                           {"mbc> ", "p.z + nonsense"},
                                           {"nonsense", "\x03"},
                                           {"mbc> ", "run 1000000\r"},
                                           {"% ", "\x03"},
                                           {"interrupted", ""},
                                           {"mbc> ", "p.z + 41\r"},
                                           {"42", ""},
                                           {"mbc> ", "p.q\r"},
                                           {"\x1b[1;31merror", ""},
                                           {"mbc> ", "\x04"}});
  CHECK(ran.code == 0);
  CHECK(ran.signal == 0);
}

TEST_CASE("places of a session's source are translated") {
  using tools::translate_lines;
  const std::string rendered =
      "<input>:12:3: error[E0202]: twice\n"
      "   4 | param a = 1\n"
      "     |       - first declared here\n"
      "  12 | param a = 2\n"
      "     |       ^\n"
      "     = help: 13 | is no number of a line\n";
  CHECK(translate_lines(rendered, {12, 1}) ==
        "<input>:1:3: error[E0202]: twice\n"
        "     | param a = 1\n"
        "     |       - first declared here\n"
        "   1 | param a = 2\n"
        "     |       ^\n"
        "     = help: 13 | is no number of a line\n");
  CHECK(translate_lines("<input>:4:1: warning[W0607]: near\n   4 | x\n", {12, 1}) ==
        "<session>:3:1: warning[W0607]: near\n   3 | x\n");
  CHECK(translate_lines("\x1b[1m<input>:12:3:\x1b[0m e\n\x1b[34m  12 | \x1b[0mx\n", {12, 7}) ==
        "\x1b[1m<input>:7:3:\x1b[0m e\n\x1b[34m   7 | \x1b[0mx\n");
  CHECK(translate_lines("<input>:1:3: e\n   1 | x\n    --> <input>\n   4 | param a\n", {1, 6}) ==
        "<input>:6:3: e\n   6 | x\n    --> <session>\n   3 | param a\n");
  CHECK(translate_lines("a.mbd:4:1: error[E0201]: x\n   4 | x\n", {3, 1}) == "a.mbd:4:1: error[E0201]: x\n   4 | x\n");
  CHECK(tools::split_diagnostics(rendered + rendered).size() == 2);
  CHECK(tools::split_diagnostics("").empty());
}

}  // namespace mbc::test
