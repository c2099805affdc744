// SPDX-License-Identifier: Apache-2.0
// Tests sessions typed on a terminal: redefinition, values, the kept motion, history, completion, and interrupts.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/scratch.h"
#include "tests/tools/page_data.h"
#include "tests/tools/program_runner.h"
#include "tests/tools/terminal.h"

namespace mbc::test {
namespace {

Ran session(const std::string& input) { return run_mbc({}, {.input = input}); }

}  // namespace

TEST_CASE("a name that is declared anew takes its place, and what followed is said") {
  Terminal t;
  t.line("param m = 2 [kg], k = 8 [N/m]");
  t.line("let T = 2*pi*sqrt(m/k)");
  t.line("particle p(m) at (0, 0, 1) [m]");
  t.line("force spring on p: -k*p.pos");
  const std::string said = t.line("param k = 32 [N/m]");
  CAPTURE(said);
  CHECK(has(said, "k = 32 [N/m], was 8 [N/m]"));
  CHECK(has(said, "followed: T = 1.5707963267948966 [s], was 3.141592653589793 [s]; spring"));
  CHECK(t.line("T") == "1.5707963267948966 [s]\n");
  CHECK(t.line(":list") ==
        "   1 | param m = 2 [kg]\n   2 | param k = 32 [N/m]\n   3 | let T = 2*pi*sqrt(m/k)\n"
        "   4 | particle p(m) at (0, 0, 1) [m]\n   5 | force spring on p: -k*p.pos\n");
  CHECK(has(t.line("particle p(m) at (0, 0, 3) [m]"), "p was `particle p(m) at (0, 0, 1) [m]`"));
  CHECK(t.line("p.z") == "3 [m]\n");
  // A declaration that makes others wrong is dropped, and the old one stays.
  const std::string wrong = t.line("param k = 1 [m]");
  CHECK(has(wrong, "error["));
  CHECK(t.line("k") == "32 [N/m]\n");
  CHECK(has(t.line(":undo"), "taken back: particle p(m) at (0, 0, 3) [m]"));
  CHECK(t.line("p.z") == "1 [m]\n");
  CHECK(has(t.line(":undo"), "taken back: param k = 32 [N/m]"));
  CHECK(t.line("T") == "3.141592653589793 [s]\n");
  CHECK(t.end() == 0);
}

TEST_CASE("gravity, blocks and elements of lists are declared anew, too") {
  const Ran ran = session(
      "particle p(1) at (0, 0, 1)\ngravity (0, 0, -1)\ngravity (0, 0, -2)\n"
      "simulate a { time = 0 .. 1 step 0.1 }\nsimulate a { time = 0 .. 2 step 0.1 }\nrun\np.vz\n"
      "coord c[i in 1..2] = 0\noutput E = energy.total\noutput E = energy.kinetic\n:list\n");
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  CHECK(has(ran.err, "note: gravity was `gravity (0, 0, -1)`"));
  CHECK(has(ran.err, "note: a was `simulate a { time = 0 .. 1 step 0.1 }`"));
  CHECK(std::fabs(std::stod(ran.out) + 4) < 1e-9);
  CHECK(has(ran.out, "output E = energy.kinetic\n"));
  CHECK_FALSE(has(ran.out, "energy.total"));
}

TEST_CASE("values have their units and shapes, and the last one is `ans`") {
  Terminal t;
  CHECK(t.line("2*3 [m]") == "6 [m]\n");
  CHECK(t.line("ans/(2 [s])") == "3 [m/s]\n");
  CHECK(t.line("(1, 2, ans*1 [s/m])") == "(1, 2, 3)\n");
  CHECK(t.line("norm(ans)") == "3.7416573867739413\n");
  CHECK(t.line("rotz(pi/2)*2") ==
        "((1.2246467991473532e-16,                     -2, 0),\n"
        " (                     2, 1.2246467991473532e-16, 0),\n"
        " (                     0,                      0, 2))\n");
  CHECK(t.line("transpose(ans)*ez") == "(0, 0, 2)\n");
  CHECK(t.line("2 > 1") == "true\n");
  CHECK(has(t.line("param g = ans"), "must be a number"));
  CHECK(t.line("param h = 2*3") == "");
  CHECK(t.line("7 [kg*m^2]") == "7 [kg*m^2]\n");
  CHECK(t.line("param I = ans") == "");
  CHECK(t.line("I") == "7 [kg*m^2]\n");
  CHECK(has(t.line("1/0"), "the value of `1/0` is undefined"));
  CHECK(has(t.line("sqrt(-1)"), "undefined"));
  CHECK(t.line("ans") == "7 [kg*m^2]\n");
  CHECK(has(t.line(":list"), "param I = (7 [kg*m^2])"));
}

TEST_CASE("the motion is kept: its values at other times, curves, a page") {
  const Folder folder;
  Terminal t({}, {{"TMPDIR", folder / ""}});
  t.line("particle p(1) at (0, 0, 1) moving (2, 0, 0)");
  t.line("gravity (0, 0, -9.81)");
  CHECK(has(t.line("plot p.z"), "there is no motion yet"));
  CHECK(has(t.line("val(p.z, 0)"), "there is no motion yet"));
  CHECK(has(t.line("run 1 step 0.05"), "t = 0 .. 1, "));
  CHECK(has(t.line("step"), "t = 1 .. 1.001, "));
  CHECK(has(t.line("step 4"), "t = 1.001 .. 1.005, "));
  CHECK(std::stod(t.line("t")) == doctest::Approx(1.005).epsilon(1e-12));
  // Values between two rows are compared with the closed form.
  for (const double time : {0.0, 0.025, 0.333, 0.71, 1.0, 1.0042}) {
    const double z = 1 - 9.81 / 2 * time * time;
    CHECK(std::stod(t.line("val(p.z, " + std::to_string(time) + ")")) == doctest::Approx(z).epsilon(1e-9));
  }
  CHECK(std::stod(t.line("val(p.vz, 0.5) - val(p.vz, 0.25)")) == doctest::Approx(-9.81 / 4).epsilon(1e-9));
  CHECK(has(t.line("val(p.z, 7)"), "goes from t = 0 to 1.005"));
  CHECK(has(t.line("val(p.z)"), "`val` wants an expression and a time"));
  t.line("let speed = norm(p.vel)");  // The new name is also known for the existing motion.
  CHECK(std::stod(t.line("val(speed, 0.5)")) == doctest::Approx(std::hypot(2, 9.81 / 2)).epsilon(1e-9));
  const std::string curve = t.line("plot p.z, p.x");
  CHECK(has(curve, "p.z"));
  CHECK(has(curve, "\xe2\xa0"));  // This character is braille.
  CHECK(has(t.line("plot p.z against p.x"), "p.x"));
  CHECK(t.line("plot p.z over p.x") == t.line("plot p.z against p.x"));
  CHECK(has(t.line("plot q.z"), "error"));
  CHECK(has(t.line("plot p.pos -o " + (folder / "a.svg")), "wrote"));
  CHECK(has(read_file(folder / "a.svg"), "<svg"));
  CHECK(has(t.line("plot p.z -o " + (folder / "a.jpg")), "SVG"));
  const std::string page = t.line("view");
  CHECK(has(page, folder / "mbc-"));
  CHECK(has(read_file(page.substr(0, page.find('\n'))), "<html"));
}

TEST_CASE("the page of a session shows what constraints do") {
  Terminal t;
  t.line("particle bob(2) at (0, 0, -1)");
  t.line("gravity (0, 0, -9.81)");
  t.line("constraint rod: dist(ground, bob) == 1");
  t.line("run 0.1");
  const std::string page = t.line("view");
  const Json data = data_of(read_file(page.substr(0, page.find('\n'))));
  REQUIRE(data["scene"]["arrows"].size() == 1);
  CHECK(data["scene"]["arrows"][0]["kind"] == "reaction");
  // The particle hangs at rest.
  CHECK(data["arrows"]["columns"][2]["value"].get<double>() == doctest::Approx(2 * 9.81));
}

TEST_CASE("the motion before an event is what it was") {
  const Ran ran = session(
      "particle p(1) at (0, 0, 1)\nstate n = 0\nevery tick: 0.25 { n = n + 1 }\nrun 1 step 0.1\nval(n, 0.35)\n"
      "val(n, 0)\nval(n, 1)\n:events\n");
  CAPTURE(ran.err);
  CHECK(has(ran.out, "2\n1\n5\n"));
  CHECK(has(ran.out, "5 times so far"));
  CHECK(has(ran.out, "t = 0.75  tick"));
}

TEST_CASE("a state of events is kept beside contacts, friction and impulses") {
  const std::string run = "run 1 step 0.1\n";
  CHECK(session("space 1\nstate u = 1\nparticle p(1) at 0\nforce h on p: u\nconstraint floor_: p.x >= -1\n"
                "every e: 0.25 { u = u + 1 }\n" +
                run + "val(u, 0.6)\nval(p.ax, 0.6)\nval(u, 0)\n")
            .out == "4\n4\n2\n");
  CHECK(session("coord x = 0 rate 1\nkinetic T: x'^2/2\nat k: 0.5 { impulse on x: 1 }\nstate n = 0\n"
                "every e: 0.3 { n = n + 1 }\noutput c = e.count\n" +
                run + "val(n, 0.7)\nval(e.count, 0.7)\nval(c, 0.4)\n")
            .out == "3\n3\n2\n");
  // At this row the ball has bounced 5 times since the row before it.
  const std::string bounces =
      "space 1\nparticle b(1) at 0.3\ngravity -10\nconstraint g: b.x >= 0 restitution 0.5\nstate n = 0\n"
      "every e: 0.3 { n = n + 1 }\nwhen z: b.vx rising { n = n + 10 }\nfriction f on b.vx: 0.1\n";
  CHECK(session(bounces + run + "val(n, 0.6)\nval(n, 0.7)\n").out == "23\n53\n");
}

TEST_CASE("the past keeps its parameters, inputs and loads") {
  Terminal t;
  t.line("coord x = 1 rate 0");
  t.line("kinetic T: x'^2/2");
  t.line("param w = 2");
  t.line("load spring on x: -w^2*x");
  t.line("run 1 step 0.01");
  const double early = std::stod(t.line("val(x'', 0.505)"));
  CHECK(early == doctest::Approx(-4 * std::cos(1.01)).epsilon(1e-6));
  t.line("param w = 3");
  t.line("run 1 step 0.01");
  CHECK(std::stod(t.line("val(x'', 0.505)")) == early);
  CHECK(std::stod(t.line("val(w, 0.5)")) == 2);
  CHECK(std::stod(t.line("val(x'' + 9*x, 1.5)")) == doctest::Approx(0).epsilon(1e-9));
  t.line("load push on x: 5");
  t.line("let twice = 2*w");
  CHECK(std::stod(t.line("val(x'', 0.505)")) == early);
  CHECK(std::stod(t.line("val(twice, 0.5)")) == 4);
  CHECK(std::stod(t.line("val(twice, 1.5)")) == 6);

  const Ran inputs = session(
      "input u = 3\ncoord x = 0 rate 0\nkinetic T: x'^2/2\nload f on x: u\nrun 1\n:set u=7\nrun 1\n"
      "val(u, 0.5)\nval(x'', 0.5)\nval(x'', 1.5)\n");
  CHECK(inputs.out == "3\n3\n7\n");
}

TEST_CASE("a curve has a gap where the run did not know its quantity") {
  const Folder folder;
  const std::string file = folder / "n.svg";
  const Ran ran = session(
      "particle p(1) at (0, 0, 1)\ngravity (0, 0, -10)\nrun 1 step 0.1\nconstraint rail: p.vx == 0\nrun 1 step 0.1\n"
      "plot rail.lambda -o " +
      file + "\nval(rail.lambda, 1.5)\nval(rail.lambda, 0.5)\n");
  CAPTURE(ran.err);
  CHECK(ran.out == "0\n");
  CHECK(has(ran.err, "wrote " + file));
  CHECK(has(ran.err, "unknown name `rail`"));
}

TEST_CASE("rows: rank, degrees of freedom, residuals, what one is") {
  Terminal t;
  t.line("particle p(1) at (3, 0, 4)");
  t.line("constraint rod: p.x^2 + p.z^2 == 25");
  t.line("constraint plane: p.y == 0");
  CHECK(t.line(":rank") == "  2 of 2 rows\n");
  CHECK(t.line(":dof") == "  1: 3 speeds, rank 2\n");
  t.line("constraint again: 2*p.y == 0");
  CHECK(t.line(":rank") == "  2 of 3 rows\n");
  CHECK(has(t.line(":residual"), "rod"));
  const std::string rod = t.line(":explain rod");
  CAPTURE(rod);
  CHECK(has(rod, "rod: a row of position level"));
  CHECK(has(rod, "from `constraint rod: p.x^2 + p.z^2 == 25`"));
  CHECK(has(rod, "p.vx: 6, p.vz: 8"));
  CHECK(has(rod, "independent"));
  CHECK(has(t.line(":explain again"), "depends on the rows before it; at the initial state on plane"));
  CHECK(has(t.line(":explain rodd"), "did you mean `rod`"));
  CHECK(has(t.line(":doctor"), "rank"));
  CHECK(has(t.line(":compare"), "udwadia_kalaba"));
  CHECK(has(t.line(":rnak"), "did you mean `:rank`"));
}

TEST_CASE(":save writes what was set, and :load and :reload read it") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file,
             "mbd 1\nuse joints\n/// length\nparam L = 1, m = 2 // both\nparticle p(m) at (0, 0, L)\n"
             "model Weight(k = 3) { param kk = k }\nWeight w()\ninput u = 0\nforce f on p: (u, 0, 0)\n"
             "simulate demo { time = 0 .. 1 step 0.1; integrator = rk4 }\n");
  Terminal t;
  CHECK(t.line(":load " + file) == "");
  for (const char* set :
       {"m=5", "w.k = 7", "integrator=dopri5", "demo.time.end=3", "stabilise=none", "input.u=sin(t)"}) {
    CAPTURE(set);
    CHECK(t.line(std::string(":set ") + set) == "");
  }
  CHECK(t.line("m; w.kk") == "5\n7\n");
  CHECK(has(t.line(":save " + file), "exists"));
  CHECK(t.line(":save " + (folder / "b.mbd")) == "");
  const std::string saved = read_file(folder / "b.mbd");
  CAPTURE(saved);
  CHECK(has(saved, "/// length\nparam L = 1, m = 5"));
  CHECK(has(saved, "Weight w(k = 7)"));
  CHECK(has(saved, "time = 0 .. 3 step 0.1; integrator = dopri5; stabilise = none; input.u = sin(t)"));
  CHECK_FALSE(has(saved, ":set"));
  CHECK(run_mbc({"check", folder / "b.mbd"}).code == 0);
  // The present content of the file counts.
  write_file(file, "mbd 1\nparam L = 4\nparticle p(1) at (0, 0, L)\n");
  t.line(":clear");
  t.line(":undo");
  CHECK(t.line("m") == "5\n");
  t.line(":clear");
  t.line("param extra = 9");
  CHECK(t.line(":load " + file) == "");
  CHECK(t.line("p.z") == "4\n");
  write_file(file, "mbd 1\nparam L = 6\nparticle p(1) at (0, 0, L)\n");
  CHECK(t.line(":reload") == "");
  CHECK(t.line("p.z; extra") == "6\n9\n");
  write_file(file, "mbd 1\nparam L = \n");
  CHECK(has(t.line(":reload"), "error["));
  CHECK(t.line("p.z") == "6\n");
}

TEST_CASE("history goes from session to session, and has a limit") {
  const Folder folder;
  const std::vector<std::pair<std::string, std::string>> state = {{"XDG_STATE_HOME", folder / "state"}};
  {
    Terminal t({}, state);
    t.line("param first = 41");
    t.line("first + 1");
    CHECK(t.end() == 0);
  }
  CHECK(read_file(folder / "state/mbc/history") == "param first = 41\nfirst + 1\n");
  {
    Terminal t({}, state);
    t.type("\x1b[A\x1b[A");  // The keys are up and up.
    CHECK(t.line("") == "");
    CHECK(t.line("first") == "41\n");
    CHECK(t.end() == 0);
  }
  {
    std::ofstream file(folder / "state/mbc/history");
    for (int k = 0; k < 300000; ++k) file << "1 + " << k << "\n";
  }
  {
    Terminal t({}, state);
    CHECK(t.line("5 + 5") == "10\n");
    t.end();
  }
  const std::string kept = read_file(folder / "state/mbc/history");
  CHECK(kept.size() < 20000);
  CHECK(kept.ends_with("1 + 299999\n5 + 5\n"));
  Terminal off({}, {{"MBC_HISTORY", "off"}, {"XDG_STATE_HOME", folder / "other"}});
  off.line("1");
  off.end();
  CHECK_FALSE(std::ifstream(folder / "other/mbc/history").good());
}

TEST_CASE("Ctrl-R finds an earlier line") {
  const Folder folder;
  Terminal t({}, {{"MBC_HISTORY", folder / "history"}});
  t.line("param alpha = 4");
  t.line("alpha*2");
  t.line("1 + 1");
  CHECK(has(t.line("\x12"
                   "alpha*"),
            "8\n"));
}

TEST_CASE("Tab completes names, members, the library, settings, files, commands") {
  const Folder folder;
  write_file(folder / "pendulum.mbd", kFall);
  Terminal t;
  t.line("use joints");
  t.line("param stiffness = 3, damping = 4");
  t.line("particle bob(1) at (0, 0, 1)");
  t.line("constraint deck: bob.z >= 0");
  t.line("simulate fall { time = 0 .. 1 step 0.1 }");
  CHECK(has(t.line("stif\t + 1"), "4\n"));
  CHECK(has(t.line("bob.mas\t"), "1\n"));
  CHECK(has(t.line("deck.coun\t"), "0\n"));
  CHECK(has(t.line("energy.kin\t"), "0\n"));
  CHECK(has(t.line("groun\t.\x7f.x"), "0\n"));
  CHECK(t.line(":set damp\t5") == "");
  CHECK(has(t.line("damping"), "5\n"));
  CHECK(t.line(":set integr\tdopri\t") == "");
  CHECK(has(t.line(":list"), ":set integrator=dopri5"));
  CHECK(has(t.line(":res\tid\t"), "deck"));
  CHECK(t.line(":load " + (folder / "pend\t")) == "");
  CHECK(has(t.line(":list"), "simulate demo"));
  CHECK(has(t.line(":help Revol\t"), "A hinge"));
  CHECK(has(t.line(":help integrat\t"), "a setting of `simulate`: rk4, "));
  CHECK(has(t.line(":help dopri5"), "a choice of `integrator`"));
  CHECK(has(t.line(":help joints"), "a module of the library, `use joints`: "));
  CHECK(has(t.line(":help part\t"), "begins a statement; behind it: at, "));
  const std::string two = t.line(
      "gr\t\x15"
      "1");  // Tab lists the names, and Ctrl-U clears the line.
  CHECK(has(two, "gravity   ground"));
  CHECK_FALSE(has(two, "ground.x"));
  CHECK(has(t.line(":expl\t de\t"), "deck: a row"));
  // If there are several completions, they are shown.
  CHECK(has(t.keys("bob.v\t", "bob.vx"), "bob.vel"));
  t.type("\x03");
}

TEST_CASE("statements of several lines, and Ctrl-C") {
  Terminal t;
  t.line("param a = (1 +");
  CHECK(t.prompt() == "...> ");
  t.line(" 2 +");
  CHECK(t.prompt() == "...> ");
  t.line("3)");
  CHECK(t.prompt() == "mbc> ");
  CHECK(t.line("a") == "6\n");
  t.line("let b = (");
  CHECK(t.prompt() == "...> ");
  t.keys("\x03", "mbc> ");
  CHECK(t.line("a + 1") == "7\n");
  t.line("particle p(1) at (0, 0, 1) moving (1, 0, 0)");
  t.type("run 1e6\r");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(has(t.keys("\x03", "mbc> "), "interrupted"));
  CHECK(std::stod(t.line("p.x - t")) == doctest::Approx(0.0));
  CHECK(std::stod(t.line("t").substr(0)) > 0);
  CHECK(std::stod(t.line("val(p.x, 0.5)")) == doctest::Approx(0.5).epsilon(1e-6));
  kill(t.process(), SIGINT);
  t.keys("", "^C\nmbc> ");
  CHECK(t.line("a") == "6\n");
  CHECK(t.end() == 0);
}

TEST_CASE("-e evaluates and ends") {
  CHECK(run_mbc({"-e", "2*pi"}).out == "6.283185307179586\n");
  CHECK(run_mbc({"-e", "param a = 2", "-e", "a^10"}).out == "1024\n");
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const Ran fall = run_mbc({"repl", folder / "a.mbd", "--set", "g=2", "-e", "run", "-e", "p.vz"});
  CHECK(std::stod(fall.out) == doctest::Approx(-2));
  const Ran wrong = run_mbc({"-e", "1/0", "-e", "2"});
  CHECK(wrong.code == 1);
  CHECK(wrong.out.empty());
  CHECK(has(wrong.err, "undefined"));
  CHECK(run_mbc({"run", "a.mbd", "-e", "1"}).code == 2);
}

TEST_CASE("ten thousand redefinitions take no more memory than a few") {
  std::string input = "particle p(1) at (0, 0, 1)\nparam k = 0\nforce f on p: (0, 0, -k)\nlet half = k/2\n";
  for (int n = 1; n <= 10000; ++n) input += "param k = " + std::to_string(n) + "\n";
  input += "half\n";
  const Folder folder;
  write_file(folder / "in.mbd", input);
  long peak = 0;
  const auto watch = [&](pid_t child) {
    for (;;) {
      std::ifstream status("/proc/" + std::to_string(child) + "/status");
      long found = -1;
      for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) found = std::stol(line.substr(6));
      if (found < 0) return;
      peak = found;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  // Standard input is a file, because a pipe cannot hold all of it.
  const Ran ran = run_mbc({"repl"}, {.input = "",
                                     .prepare =
                                         [&] {
                                           if (!freopen((folder / "in.mbd").c_str(), "r", stdin)) _exit(1);
                                           if (!freopen("/dev/null", "w", stderr)) _exit(1);
                                         },
                                     .meanwhile = watch});
  CHECK(ran.code == 0);
  CHECK(ran.out == "5000\n");
  MESSAGE("peak of 10,000 redefinitions: ", peak / 1024, " MiB");
  CHECK((kSanitized || peak < 64 * 1024));
}

// This test measures the numbers in the table of docs/session.md.
TEST_CASE("how long a session takes") {
  const Folder folder;
  std::ofstream file(folder / "hundred.mbd");
  file << "mbd 1\nuse joints\ngravity (0, 0, -9.81) [m/s^2]\n";
  for (int k = 0; k < 100; ++k) {
    const std::string n = std::to_string(k), place = std::to_string(0.05 + 0.1 * k);
    file << "body b" << n << "(mass = 1 [kg], inertia = diag(1, 1, 1) [kg*m^2]) at (" << place << ", 0, 0) [m]\n"
         << "Revolute h" << n << "("
         << (k == 0 ? "ground" : "b" + std::to_string(k - 1) + ".at(0.05 [m], 0 [m], 0 [m])") << ", b" << n
         << ".at(-0.05 [m], 0 [m], 0 [m]), axis = ey)\n";
  }
  file.close();
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::time_point begin) {
    return 1e3 * std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const auto median = [](std::vector<double> list) {
    std::sort(list.begin(), list.end());
    return list[list.size() / 2];
  };
  std::vector<double> prompts, answers, accelerations;
  for (int k = 0; k < 20; ++k) {
    const Clock::time_point begin = Clock::now();
    const Terminal t;
    prompts.push_back(ms(begin));
  }
  Terminal t({"repl", folder / "hundred.mbd"});
  for (int k = 0; k < 20; ++k) {
    const Clock::time_point begin = Clock::now();
    CHECK(has(t.line("b" + std::to_string(k) + ".x + " + std::to_string(k) + " [m]"), " [m]"));
    answers.push_back(ms(begin));
  }
  const Clock::time_point begin = Clock::now();
  CHECK(has(t.line("b7.acc"), "[m/s^2]"));
  const double first = ms(begin);
  MESSAGE("prompt ", median(prompts), " ms; an expression in a model of 100 bodies ", median(answers),
          " ms, the first acceleration at a state ", first, " ms");
  CHECK(median(prompts) < 300);  // The limit allows for other load on the machine.
  CHECK(median(answers) < 50);
}

}  // namespace mbc::test
