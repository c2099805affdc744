// SPDX-License-Identifier: Apache-2.0
// Tests the command line of `mbc`: accepted arguments, answers, and exit statuses.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
TEST_CASE("version and help go to stdout") {
  const Ran version = run_mbc({"--version"});
  CHECK(version.code == 0);
  CHECK(version.out.starts_with("mbc "));
  CHECK(has(version.out, "back end: "));
  CHECK(version.err.empty());
  const Ran help = run_mbc({"--help"});
  CHECK(help.code == 0);
  for (const char* word : {"run", "check", "compile", "test", "fmt", "explain", "doctor", "compare", "sweep", "info",
                           "repl", "Exit status"})
    CHECK(has(help.out, word));
  for (const char* command : {"run", "check", "compile", "test", "fmt", "explain", "doctor", "linearize", "equilibrium",
                              "compare", "sweep", "info", "repl", "lsp"}) {
    CAPTURE(command);
    const Ran of = run_mbc({command, "--help"});
    CHECK(of.code == 0);
    CHECK(has(of.out, "Usage: mbc " + std::string(command)));
    CHECK(has(of.out, "Examples:"));
    CHECK(of.err.empty());
    CHECK(run_mbc({"help", command}).out == of.out);
  }
}

TEST_CASE("an event that a run was to end by and did not is told of; its list of events is not whole after a failure") {
  const Folder folder;
  write_file(folder / "a.mbd",
             "mbd 1\nspace 1\nstate n = 0\nparticle p(1) at 0 moving 1\nwhen far: p.x - 5 rising { n = n + 1 }\n"
             "when near: p.x - 0.5 rising { n = n + 1 }\nwhen bad: p.x - 1.5 rising { n = 1/(n - n) }\n"
             "simulate { time = 0 .. 1 step 0.1 }\n");
  const auto ran = [&](const std::string& event, const std::string& end) {
    return run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--events", folder / "e.csv", "--until-event",
                    event, "--set", "time.end=" + end});
  };
  const Ran near = ran("near", "1");
  CHECK(near.code == 0);
  CHECK(!has(near.err, "did not end by"));
  const Ran far = ran("far", "1");
  CHECK(far.code == 0);
  CHECK(has(far.err, "the run did not end by `far`: it did not fire\n"));
  CHECK(read_file(folder / "e.csv") == "time,event\n0.5,\"near\"\n");
  // The ending .json selects JSON.
  const auto as_json = [&](const std::string& end) {
    const std::string file = folder / "a.mbd", rows = folder / "a.csv", list = folder / "e.json";
    CHECK(run_mbc({"run", file, "-o", rows, "--events", list, "--set", "time.end=" + end}).code == 0);
    return read_file(folder / "e.json");
  };
  CHECK(as_json("1") == "[\n{\"time\": 0.5, \"event\": \"near\"}\n]\n");
  CHECK(as_json("0.4") == "[\n]\n");
  std::filesystem::remove(folder / "e.csv");
  CHECK(ran("far", "2").code == 4);
  CHECK(!std::filesystem::exists(folder / "e.csv"));
  CHECK(std::filesystem::exists(folder / "e.csv.partial"));
}

TEST_CASE("a wrong command line is exit status 2, one line and a hint, nothing on stdout") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  write_file(folder / "b.csv.json", kFall);
  const std::string file = folder / "a.mbd", described = folder / "b.csv.json";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"run"}, "no model file is given"},
      {{"check"}, "no model file is given"},
      {{"test"}, "no model file is given"},
      {{"fmt"}, "no model file is given"},
      {{"test", file, "--both", "--interpret"}, "exclude each other"},
      {{"compile", "--emit=ast"}, "no model file is given"},
      {{"compare"}, "no model file is given"},
      {{"compare", file, "--formulations", "augmented,,kane"}, "an entry of --formulations is empty"},
      {{"compare", file, "--bodies", "natural,"}, "an entry of --bodies is empty"},
      {{"compare", file, "--formulations", "kane,foo(literal)"}, "--formulations: there is no `foo`"},
      {{"compare", file, "--bodies", "quaternions"}, "--bodies: there is no `quaternions`"},
      {{"help", "foo"}, "unknown command `foo`"},
      {{"rnu", "--help"}, "unknown command `rnu`"},
      {{"compare", file, "--samples", "-1"}, "--samples"},
      {{"compare", file, "--tolerance", "0"}, "--tolerance"},
      {{"compare", file, "--json", "--csv", "-"}, "both go to standard output"},
      {{"explain"}, "no code is given"},
      {{"rnu", file}, "unknown command `rnu`"},
      {{file}, "is no command"},
      {{"--frobnicate"}, "unknown option `--frobnicate`"},
      {{"run", file, "--frobnicate"}, "unknown option `--frobnicate`"},
      {{"run", file, "demo", "more"}, "unexpected argument `more`"},
      {{"plot", "a.csv", "x", "y"}, "columns are listed with commas: `mbc plot swing.csv bob.x,bob.z`"},
      {{"linearize", file, "--json", "--csv"}, "--json and --csv both go to standard output"},
      {{"import", "a.urdf", "-o", "-", "--json"}, "the model and --json both go to standard output"},
      {{"import", "a.urdf", "-o", "-", "--names"}, "the model and --names both go to standard output"},
      {{"import", "a.urdf", "-o", "a.mbd", "--json", "--names"}, "--json holds the names already"},
      {{"plot", "a.csv", "x", "--json", "--log", "y"}, "are for a picture"},
      {{"equations", file, "--python", "--derivation"}, "--derivation is for equations to read"},
      {{"equations", file, "--c", "--of", "M"}, "--of is for equations to read"},
      {{"equations", file, "--json", "--ascii"}, "--ascii is for equations as text"},
      {{"equilibrium", file, "--seed", "2"}, "--seed is of the positions that --starts draws"},
      {{"compare", "a.csv", "b.csv", "--no-cache"}, "--no-cache is for models, not for two results"},
      {{"compare", "a.csv", "b.csv", "--seed", "2"}, "--seed is for models, not for two results"},
      {{"compare", "a.csv", "swing"}, "`a.csv` is a result, not a model"},
      {{"run", file, "-o"}, "--output"},
      {{"run", file, "-o", ""}, "empty"},
      {{"run", file, "--output-every", "0"}, "--output-every"},
      {{"run", file, "--output-every", "x"}, "--output-every"},
      {{"run", file, "--diagnostics=xml"}, "--diagnostics"},
      {{"run", file, "--colour=blue"}, "--colour"},
      {{"compile", file}, "which stage"},
      {{"compile", file, "--emit=prose"}, "unknown stage `prose`"},
      {{"compile", file, "--emit=asm", "--prefix=2x"}, "no name for functions"},
      {{"compile", file, "--emit=kernel", "--cpu=native"},
       "--cpu is for llvm-ir, bitcode, asm, obj, archive, so and exe"},
      {{"compile", file, "--emit=ast", "--prefix=m"},
       "--prefix is for llvm-ir, bitcode, asm, obj, archive, so and header"},
      {{"compile", file, "--emit=ast", "-o", file}, "would destroy the model"},
      {{"run", file, "-o", file}, "would destroy the model"},
      {{"run", described, "-o", folder / "b.csv"}, "b.csv.json` would destroy the model"},
      {{"sweep", file, "--vary", "g=1..2 count 2", "--record", "p.z", "-o", file}, "would destroy the model"},
      {{"sweep", described, "--vary", "g=1..2 count 2", "--record", "p.z", "-o", folder / "b.csv"}, "would destroy"},
      {{"compare", file, "--csv", file}, "would destroy the model"},
      {{"run", file, "-o", folder / "x", "--summary", folder / "x.json"}, "the summary needs another name"},
      {{"run", file, "-o", folder / "x", "--summary", folder / "x"}, "cannot both go"},
      {{"repl", "--set", "a=1"}, "--set needs a model"},
      {{"explain", "E9999"}, "no diagnostic `E9999`"},
      {{"explain", "hide"}, "no diagnostic `hide`\nhint: it is a word of the language: `mbc doc hide`"},
  };
  for (const auto& [args, text] : cases) {
    const Ran ran = run_mbc(args);
    CAPTURE(ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, text));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') <= 2);
  }
  for (const std::string& model : {file, described}) CHECK(read_file(model) == kFall);
  CHECK(folder.entries() == 2);
}

TEST_CASE("misspelt commands, options, stages and codes get a suggestion") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const std::string file = folder / "a.mbd";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"chek", file}, "mbc: unknown command `chek`\nhint: did you mean `check`?\n"},
      {{"dokter", file}, "mbc: unknown command `dokter`\nhint: did you mean `doctor`?\n"},
      {{"simulate", file},
       "mbc: unknown command `simulate`\nhint: the commands are run, resume, view, plot, check, compile, test, fmt, "
       "explain, examples, new, doc, doctor, linearize, equilibrium, compare, sweep, info, equations, import, repl, "
       "lsp, "
       "jupyter\n"},
      {{"run", file, "--assembel"}, "mbc run: unknown option `--assembel`\nhint: did you mean `--assemble`?\n"},
      {{"run", file, "--sumary=x"}, "mbc run: unknown option `--sumary=x`\nhint: did you mean `--summary`?\n"},
      {{"check", file, "--jsn"}, "mbc check: unknown option `--jsn`\nhint: did you mean `--json`?\n"},
      {{"--verson"}, "mbc: unknown option `--verson`\nhint: did you mean `--version`?\n"},
      {{"run", file, "--frobnicate"},
       "mbc run: unknown option `--frobnicate`\nhint: `mbc run --help` lists what can be given\n"},
      {{"compile", file, "--emit=kernl"}, "mbc: compile: unknown stage `kernl`\nhint: did you mean `kernel`?\n"},
      {{"explain", "conflicting_row"},
       "mbc: explain: there is no diagnostic `conflicting_row`\nhint: did you mean `conflicting_rows`?\n"},
  };
  for (const auto& [args, text] : cases) {
    const Ran ran = run_mbc(args);
    CHECK(ran.code == 2);
    CHECK(ran.err == text);
  }
}

TEST_CASE("what is wrong with a command line is JSON where diagnostics are") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const std::string file = folder / "a.mbd";
  const std::vector<std::vector<std::string>> lines = {{"rnu", file, "--diagnostics=json"},
                                                       {"run", "--diagnostics", "json"},
                                                       {"run", file, "--frobnicate", "--diagnostics=json"},
                                                       {"compile", file, "--emit=prose", "--diagnostics=json"}};
  for (const std::vector<std::string>& args : lines) {
    const Ran ran = run_mbc(args);
    CAPTURE(ran.err);
    CHECK(ran.code == 2);
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    const auto object = nlohmann::json::parse(ran.err);
    CHECK(object["kind"] == "usage");
    CHECK(object["severity"] == "error");
    CHECK_FALSE(object["message"].get<std::string>().empty());
    CHECK_FALSE(object["help"].get<std::string>().empty());
  }
}

TEST_CASE("version names the library of native code without opening it") {
  const Ran version = run_mbc({"--version"});
  const bool interpreter_only = has(version.out, "back end: interpreter only");
  CHECK((interpreter_only || has(version.out, "libmbc-jit.so\n")));
}

TEST_CASE("check --json: one object on stdout") {
  const Folder folder;
  write_file(folder / "good.mbd", std::string(kFall) + "constraint floor_: p.x == 0\n");
  const Ran good = run_mbc({"check", folder / "good.mbd", "--json"});
  CHECK(good.code == 0);
  CHECK(good.err.empty());
  const auto fine = nlohmann::json::parse(good.out);
  CHECK(fine["ok"] == true);
  CHECK(fine["coordinates"] == 3);
  CHECK(fine["constraint_rows"] == 1);
  CHECK(fine["diagnostics"].empty());
  write_file(folder / "bad.mbd", std::string(kFall) + "constraint c: p.q == 0\n");
  const Ran bad = run_mbc({"check", folder / "bad.mbd", "--json"});
  CHECK(bad.code == 1);
  CHECK(bad.err.empty());
  const auto wrong = nlohmann::json::parse(bad.out);
  CHECK(wrong["ok"] == false);
  REQUIRE(wrong["diagnostics"].size() == 1);
  CHECK(wrong["diagnostics"][0]["code"] == "E0204");
  CHECK(wrong["diagnostics"][0]["line"] == 7);
}

TEST_CASE("a run says when the constraints leave no freedom") {
  const std::string model = "mbd 1\nparticle p(1) at (0, 0, 1)\nconstraint a: p.x == 0\nconstraint c: p.y == 0\n";
  const std::string rest = "simulate { time = 0 .. 1 step 0.5; integrator = rk4 }\n";
  const std::string said = "0 degrees of freedom: the constraints alone decide the motion";
  CHECK(has(run_mbc({"run", "-", "-o", "/dev/null"}, {.input = model + "constraint b: p.z == 1\n" + rest}).err,
            "rank 3 of 3 rows, " + said + "\n"));
  CHECK_FALSE(has(run_mbc({"run", "-", "-o", "/dev/null"}, {.input = model + rest}).err, said));
}

TEST_CASE("the lines at the head of a file describe the model and no parameter") {
  const auto described = [](const std::string& text) {
    const Ran ran = run_mbc({"info", "-", "--json"}, {.input = text});
    const auto j = nlohmann::json::parse(ran.out);
    return std::pair(j["description"].get<std::string>(), j["parameters"][0]["description"].get<std::string>());
  };
  const std::string rest = "param a = 1, b = 2\nparticle p(a*b) at (0, 0, 1)\n";
  using Both = std::pair<std::string, std::string>;
  CHECK(described("mbd 1\n/// A model.\n" + rest) == Both("A model.", ""));
  CHECK(described("/// A model.\n/// In two lines.\nmbd 1\n" + rest) == Both("A model.\nIn two lines.", ""));
  CHECK(described("mbd 1\n/// A model.\n\n" + rest) == Both("A model.", ""));
  CHECK(described("mbd 1\n/// A model.\n\n/// Its numbers.\n" + rest) == Both("A model.", "Its numbers."));
  CHECK(described("/// A model.\nmbd 1\n/// Its numbers.\n" + rest) == Both("A model.", "Its numbers."));
}

TEST_CASE("check says ok on stdout, what is wrong on stderr") {
  const Folder folder;
  write_file(folder / "good.mbd", std::string(kFall) + "constraint floor_: p.x == 0\n");
  const Ran good = run_mbc({"check", folder / "good.mbd"});
  CHECK(good.code == 0);
  CHECK(has(good.out, "good.mbd: ok (3 coordinates, 1 constraint row)"));
  write_file(folder / "bad.mbd", std::string(kFall) + "constraint c: p.q == 0\n");
  const Ran bad = run_mbc({"check", folder / "bad.mbd"});
  CHECK(bad.code == 1);
  CHECK(bad.out.empty());
  CHECK(has(bad.err, "bad.mbd:7:"));
  CHECK_FALSE(has(bad.err, "\x1b["));
  CHECK(has(run_mbc({"check", "--colour=always", folder / "bad.mbd"}).err, "\x1b["));
}

TEST_CASE("diagnostics as JSON lines") {
  const Folder folder;
  write_file(folder / "bad.mbd", std::string(kFall) + "constraint c: p.q == 0\nforce f on r: (0, 0, 1)\n");
  for (const char* command : {"check", "run"}) {
    const Ran ran = run_mbc({command, folder / "bad.mbd", "--diagnostics=json"});
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    std::istringstream lines(ran.err);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      const auto object = nlohmann::json::parse(line);
      CHECK(object["severity"] == "error");
      CHECK(object["line"] == 7 + count);
    }
    CHECK(count == 2);
  }
  write_file(folder / "good.mbd", kFall);
  const Ran good = run_mbc({"run", folder / "good.mbd", "--diagnostics=json"});
  CHECK(good.code == 0);
  CHECK(good.err.empty());
  const Ran lost = run_mbc({"run", folder / "good.mbd", "--diagnostics=json", "-o", folder / "missing/x.csv"});
  CHECK(lost.code == 74);
  CHECK(nlohmann::json::parse(lost.err)["kind"] == "output_failed");
}

TEST_CASE("files that are no models") {
  const Folder folder;
  for (const std::string& path : {folder / "missing.mbd", folder.path()}) {
    for (const char* command : {"run", "check"}) {
      const Ran ran = run_mbc({command, path});
      CAPTURE(ran.err);
      CHECK(ran.code == 1);
      CHECK(ran.out.empty());
      CHECK(has(ran.err, path));
    }
  }
}

TEST_CASE("a model from standard input") {
  const Ran ok = run_mbc({"check", "-"}, {.input = kFall});
  CHECK(ok.code == 0);
  CHECK(has(ok.out, "<stdin>: ok"));
  const Ran bad = run_mbc({"check", "-"}, {.input = "mbd 1\nparticle p\n"});
  CHECK(bad.code == 1);
  CHECK(has(bad.err, "<stdin>:2:"));
  const Ran empty = run_mbc({"run", "-"});
  CHECK(empty.code == 1);
  CHECK(has(empty.err, "<stdin>:1:1"));
}

TEST_CASE("explain") {
  const Ran list = run_mbc({"explain", "--list"});
  CHECK(list.code == 0);
  CHECK(has(list.out, "E0201 unknown_name\n"));
  const Ran one = run_mbc({"explain", "E0201"});
  CHECK(one.code == 0);
  CHECK(has(one.out, "E0201"));
  CHECK(run_mbc({"explain", "e0201"}).out == one.out);
  CHECK(run_mbc({"explain", "unknown_name"}).out == one.out);
}

TEST_CASE("compile shows every stage") {
  const Folder folder;
  write_file(folder / "two-masses.mbd", kFall);
  const std::string file = folder / "two-masses.mbd";
  for (const char* stage : {"ast", "model", "system", "kernel", "jacobian"}) {
    CAPTURE(stage);
    const Ran ran = run_mbc({"compile", file, "--emit=" + std::string(stage)});
    CHECK(ran.code == 0);
    CHECK(ran.out.size() > 10);
    const std::string text = folder / std::string(stage) + ".txt";
    CHECK(run_mbc({"compile", file, "--emit", stage, "-o", text}).code == 0);
    CHECK(read_file(text) == ran.out);
  }
  CHECK(run_mbc({"compile", folder / "missing.mbd", "--emit=ast"}).code == 1);
  CHECK(run_mbc({"compile", file, "--emit=ast", "-o", folder.path()}).code == 74);
  CHECK(run_mbc({"compile", file, "--emit=ast", "-o", folder / "missing/x.txt"}).code == 74);
  CHECK(run_mbc({"compile", file, "--emit=ast", "-o", "/dev/full"}).code == 74);
}

TEST_CASE("compiled code of a model with events is the motion between them: what events change are inputs" *
          doctest::skip(kSanitized)) {
  if (!has(run_mbc({"--version"}).out, "LLVM")) return;
  const Folder folder;
  const std::string file = folder / "tied.mbd", object = folder / "tied.so";
  write_file(file,
             "mbd 1\nspace 2\nstate u = 0\nparticle p(1) at (0, 1)\nparticle q(2) at (1, 1)\n"
             "constraint rod: dist(p, q) == 1\nforce f on p: (u, 0)\n"
             "when far: p.x - 0.3 rising { disable rod; u = 2 }\nsimulate { time = 0 .. 1 step 0.1 }\n");
  CHECK(has(run_mbc({"compile", file, "--emit=header"}).out,
            "tied_inputs_names[] = {\"u\", \"far.count\", \"far.time\", \"rod.enabled\", 0};"));
  CHECK(has(run_mbc({"compile", file, "--emit=header"}).out, "tied_inputs_written[] = {0, 0, 0, 1, 0};"));
  const Ran compiled = run_mbc({"compile", file, "-o", object});
  REQUIRE_MESSAGE(compiled.code == 0, compiled.err);
  void* library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  void* const found = dlsym(library, "tied_rhs");
  REQUIRE(found != nullptr);
  using Function =
      std::int32_t (*)(double, const double*, const double*, const double*, const double*, double*, double*);
  const auto rhs = reinterpret_cast<Function>(found);
  const std::vector<double> state = {0, 1, 1, 1, 0, 0, 0, 0, 0, 0}, params(1), mask = {1};
  std::vector<double> work(1000), rate(10);
  for (const double tied : {1.0, 0.0}) {
    const std::vector<double> inputs = {2, 0, 0, tied};
    CHECK(rhs(0, state.data(), params.data(), inputs.data(), mask.data(), work.data(), rate.data()) == 0);
    CHECK(rate[4] == doctest::Approx(tied == 1 ? 2.0 / 3 : 2).epsilon(1e-15));
    CHECK(rate[6] == doctest::Approx(tied == 1 ? 2.0 / 3 : 0).epsilon(1e-15));
  }
  dlclose(library);
}

TEST_CASE("compile writes native code; the ending of the file picks the stage") {
  if (!has(run_mbc({"--version"}).out, "LLVM")) return;
  const Folder folder;
  write_file(folder / "two-masses.mbd", kFall);
  const std::string file = folder / "two-masses.mbd";
  CHECK(run_mbc({"compile", file, "-o", folder / "m.o"}).code == 0);
  CHECK(read_file(folder / "m.o")
            .starts_with("\x7f"
                         "ELF"));
  CHECK(has(read_file(folder / "m.o"), "two_masses_"));
  CHECK(run_mbc({"compile", file, "-o", folder / "m.s", "--prefix=swing"}).code == 0);
  CHECK(has(read_file(folder / "m.s"), "swing_"));
  CHECK(run_mbc({"compile", file, "-o", folder / "m.ll"}).code == 0);
  CHECK(has(read_file(folder / "m.ll"), "define"));
  CHECK(run_mbc({"compile", file, "-o", folder / "n.s", "--cpu=native"}).code == 0);
  const Ran abacus = run_mbc({"compile", file, "-o", folder / "abacus.s", "--cpu=abacus"});
  CHECK(abacus.code == 2);
  CHECK(has(abacus.err, "no processor `abacus`"));
  CHECK_FALSE(std::filesystem::exists(folder / "abacus.s"));
}

TEST_CASE("set in all its forms") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const auto last_row = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", folder / "a.mbd", "--quiet"});
    const Ran ran = run_mbc(more);
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    const std::size_t end = ran.out.size() - 2;
    return ran.out.substr(ran.out.rfind('\n', end - 1) + 1);
  };
  const std::string plain = last_row({"--set", "g=2"});
  CHECK(plain != last_row({}));
  CHECK(last_row({"--set=g=2"}) == plain);
  CHECK(last_row({"--set", "g = 2"}) == plain);
  CHECK(last_row({"--set", "g=1+1"}) == plain);
  CHECK(last_row({"--set", "g=1", "--set", "g=2"}) == plain);
  CHECK(last_row({"--set", "demo.time.end=0.5"}).starts_with("0.5,"));
  const Ran unknown = run_mbc({"run", folder / "a.mbd", "--set", "gg=2"});
  CHECK(unknown.code == 1);
  CHECK(has(unknown.err, "gg"));
  CHECK(unknown.out.empty());
  CHECK(run_mbc({"run", folder / "a.mbd", "--set", "g"}).code == 1);
}

TEST_CASE("a setting of a block that does not run is refused") {
  const Folder folder;
  const std::string file = folder / "a.mbd", out = folder / "a.csv";
  write_file(file,
             "mbd 1\nparam k = 1 [N/m]\nparticle p(1 [kg]) at (1, 0, 0) [m]\npotential v: k*p.x^2\n"
             "simulate a { time = 0 [s] .. 1 [s] step 0.5 [s] }\nsimulate b { time = 0 [s] .. 1 [s] step 0.5 [s] }\n");
  for (const std::string verb : {"run", "linearize", "doctor", "equilibrium"}) {
    const Ran ran = run_mbc({verb, file, "--set", "b.time.end = 2"});
    CAPTURE(verb);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "--set b.time.end: the block `b` does not run here, `a` does"));
    CHECK(has(ran.err, "a.mbd b`"));
  }
  CHECK(has(run_mbc({"explain", file, "rod", "--set", "b.time.end = 2"}).err, "the block `b` does not run here"));
  const Ran none = run_mbc({"run", file, "--set", "c.time.end = 2"});
  CHECK(none.code == 1);
  CHECK(has(none.err, "c.time.end"));
  CHECK(run_mbc({"run", file, "b", "--set", "b.time.end = 2", "--set", "k=2", "-o", out}).code == 0);
  CHECK(run_mbc({"run", file, "--set", "time.end = 2", "--set", "a.time.step=1", "-o", out}).code == 0);
  CHECK(run_mbc({"test", file, "--set", "b.time.end = 2"}).code == 0);
}

TEST_CASE("time-passes is a table on stderr") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const Ran ran = run_mbc({"run", folder / "a.mbd", "--quiet", "--time-passes"});
  CHECK(ran.code == 0);
  for (const char* word : {"stage", "parse", "simulate", "total"}) CHECK(has(ran.err, word));
  CHECK_FALSE(has(ran.out, "stage"));
}

}  // namespace mbc::test
