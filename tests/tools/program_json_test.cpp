// SPDX-License-Identifier: Apache-2.0
// Tests `--json`: every verb with an answer gives one JSON document on stdout (`sweep`, `test` and `repl -e` give one
// per line).
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mbc/mbc.h"
#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

using Json = nlohmann::json;

const char* kDrop =
    "mbd 1\n"
    "param g = 10 [m/s^2]\n"
    "particle p(1 [kg]) at (0, 0, 5) [m]\n"
    "gravity (0, 0, -g)\n"
    "output height = p.z\n"
    "simulate fall { time = 0 [s] .. 1 [s] step 0.1 [s]; integrator = rk4 }\n"
    "test \"it falls\" over fall { check p.z <= 5 [m] always }\n";

Json answer(const std::vector<std::string>& line, int code = 0) {
  const Ran ran = run_mbc(line);
  CHECK_MESSAGE(ran.code == code, ran.err);
  const Json json = Json::parse(ran.out, nullptr, false);
  REQUIRE_MESSAGE(!json.is_discarded(), line[0] << ": " << ran.out);
  return json;
}

}  // namespace

TEST_CASE("run --json: the summary on stdout, rows where they are asked for") {
  const Folder folder;
  const std::string file = folder / "a.mbd", csv = folder / "a.csv";
  write_file(file, kDrop);
  const Json summary = answer({"run", file, "--json", "--summary", "-"});
  CHECK(summary["status"] == "complete");
  CHECK_FALSE(std::filesystem::exists(folder / "a.csv"));
  CHECK(answer({"run", file, "-o", csv, "--json", "--quiet"})["status"] == "complete");
  CHECK(read_file(csv).starts_with("time,"));
  CHECK(run_mbc({"run", file, "--json", "-o", "-"}).code == 2);
  CHECK(run_mbc({"run", file, "--json", "--summary", folder / "s.json"}).code == 2);
  write_file(folder / "bad.mbd", "mbd 1\nparticle p(m) at (0, 0, 0)\n");
  for (const char* verb : {"run", "view", "check"}) {
    const Json bad = answer({verb, folder / "bad.mbd", "--json"}, 1);
    CHECK(bad["ok"] == false);
    CHECK(bad["diagnostics"][0]["code"] == "E0201");
  }
}

TEST_CASE("a name on the command line that is none of the model's is a diagnostic, in every form") {
  const Folder folder;
  const std::string file = folder / "a.mbd", rows = folder / "a.csv";
  write_file(file, std::string(kDrop) + "when low: p.z - 3 [m] falling { }\n");
  const auto refused = [&](std::vector<std::string> line, const std::string& message, const std::string& help) {
    const Ran plain = run_mbc(line);
    CHECK(plain.code == 1);
    CHECK(plain.out.empty());
    CHECK(plain.err.starts_with("error"));
    CHECK(plain.err.ends_with(": " + message + "\n     = help: " + help + "\n"));
    line.emplace_back("--diagnostics=json");
    const Ran lines = run_mbc(line);
    CHECK(lines.code == 1);
    const Json said = Json::parse(lines.err, nullptr, false);
    REQUIRE_MESSAGE(!said.is_discarded(), lines.err);
    CHECK(said["message"] == message);
    CHECK(said["help"] == help);
    line.emplace_back("--json");
    const Json answered = answer(line, 1);
    CHECK(answered["ok"] == false);
    CHECK(answered["diagnostics"][0] == said);
  };
  refused({"run", file, "-o", rows, "--until-event", "nope"}, "the model has no event `nope`", "its events are low");
  refused({"run", file, "-o", rows, "--until-event", "loww"}, "the model has no event `loww`", "did you mean `low`?");
  refused({"run", file, "-o", rows, "fly"}, "there is no `simulate` block `fly`", "the blocks are fall");
  for (const char* verb : {"doctor", "linearize", "equilibrium"})
    refused({verb, file, "fly"}, "there is no `simulate` block `fly`", "the blocks are fall");
  write_file(file, kDrop);
  refused({"run", file, "-o", rows, "--until-event", "low"}, "the model has no event `low`",
          "an event with a name is `when low: p.z falling { }`");
}

TEST_CASE("linearize and equilibrium --json: poles, matrices, multipliers, and the reason where there are none") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file,
             "mbd 1\ncoord th = 0.1, x = 2\ninput M = 0\nkinetic T: (th'^2 + x'^2)/2\npotential V: -4*cos(th)\n"
             "constraint here: x == 2\nload motor on th: M\noutput tip = sin(th)\n");
  const Json found = answer({"equilibrium", file, "--json"});
  REQUIRE(found["found"].size() == 1);
  const Json one = found["found"][0];
  CHECK(std::fabs(one["coordinates"]["th"].get<double>()) < 1e-12);
  CHECK(one["multipliers"]["here"] == 0);
  const Json model = answer({"linearize", file, "--equilibrium", "--json"});
  CHECK(model == one["linear_model"]);
  CHECK(model["stability"] == "spectrally_stable");  // the motor may do work
  CHECK(model["directions"][1]["name"] == "th'");
  CHECK(model["A"] == Json::parse("[[0, 1], [-4, 0]]"));
  CHECK(model["B"] == Json::parse("[[0], [1]]"));
  CHECK(model["C"] == Json::parse("[[1, 0]]"));
  CHECK(model["poles"][0]["frequency"].get<double>() == doctest::Approx(1 / std::acos(-1.0)).epsilon(1e-12));
  CHECK(run_mbc({"linearize", file, "--equilibrium", "--csv"}).out == ",th,th',M\nth',0,1,0\nth'',-4,0,1\ntip,1,0,0\n");
  write_file(file, "mbd 1\ncoord z = 1\nkinetic T: z'^2/2\npotential V: 10*z\n");
  CHECK(answer({"equilibrium", file, "--json"}, 1)["diagnostics"][0]["code"] == "E0808");
}

TEST_CASE("resume --json: the summary of the whole run") {
  const Folder folder;
  const std::string file = folder / "a.mbd", check = folder / "a.check";
  write_file(file, kDrop);
  REQUIRE(run_mbc({"run", file, "-o", folder / "a.csv", "--checkpoint", check, "--max-steps", "4"}).code != 0);
  CHECK(answer({"resume", check, "--json"})["status"] == "complete");
}

TEST_CASE("plot --json: curves in the units they are drawn in") {
  const Folder folder;
  const std::string file = folder / "a.mbd", csv = folder / "a.csv";
  write_file(file, kDrop);
  REQUIRE(run_mbc({"run", file, "-o", csv, "--quiet"}).code == 0);
  const Json plots = answer({"plot", csv, "height in [cm]", "--json"})["plots"];
  REQUIRE(plots.size() == 1);
  CHECK(plots[0]["x"]["name"] == "time");
  CHECK(plots[0]["x"]["values"].size() == 11);
  CHECK(plots[0]["curves"][0]["unit"] == "cm");
  CHECK(plots[0]["curves"][0]["values"][0] == 500);
  CHECK(plots[0]["curves"][0]["values"][10].get<double>() == doctest::Approx(0).scale(500));
  CHECK(answer({"plot", csv, "--json", "-o", folder / "a.svg"})["file"] == folder / "a.svg");
  CHECK(run_mbc({"plot", csv, "--json", "-o", "-"}).code == 2);
  CHECK(run_mbc({"plot", csv, "--json", "--width", "40"}).code == 2);
}

TEST_CASE("view and compile --json: what was written, or the text") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kDrop);
  CHECK(answer({"view", file, "-o", folder / "a.html", "--json"})["page"] == folder / "a.html");
  const Json stage = answer({"compile", file, "--emit=model", "--json"});
  CHECK(stage["stage"] == "model");
  CHECK(stage["text"] == run_mbc({"compile", file, "--emit=model"}).out);
  const Json header = answer({"compile", file, "-o", folder / "a.h", "--json"});
  CHECK(header["file"] == folder / "a.h");
  CHECK(header["bytes"] == std::filesystem::file_size(folder / "a.h"));
  CHECK(run_mbc({"compile", file, "--emit=obj", "--json"}).code == 2);
}

TEST_CASE("explain FILE ROW: statement, derivation, numbers at the beginning") {
  const Folder folder;
  const std::string model = folder / "sleigh.mbd";
  CHECK(run_mbc({"examples", "sleigh", "-o", model}).code == 0);
  const Ran rod = run_mbc({"explain", model, "rod", "--set", "l = 2"});
  CAPTURE(rod.out);
  CHECK(rod.code == 0);
  CHECK(has(rod.out, "rod: a row of position level"));
  CHECK(has(rod.out, "(position level: dist(a, b) == l, at " + model + ":13:19)"));
  CHECK(has(rod.out, "e'[rod]  = z3·z4"));
  CHECK(has(rod.out, "e''[rod]"));
  CHECK(has(rod.out, "residual "));
  CHECK(has(answer({"explain", model, "blade", "--json"}).at("text").get<std::string>(), "A[blade,2] = b.x - a.x"));
  write_file(folder / "ball.mbd",
             "mbd 1\nparticle p(2) at (0, 0, 0.3)\nconstraint deck: p.z >= 0\nsimulate { time = 0 .. 1 step 0.1 }\n");
  const Ran open_contact = run_mbc({"explain", folder / "ball.mbd", "deck"});
  CHECK(has(open_contact.out, "  residual 0.3\n  no row here: it is open"));
  write_file(folder / "block.mbd",
             "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(2) at (0, 0) moving (1, 0)\nparticle q(1) at (1, 1)\n"
             "constraint deck: p.y == 0\nfriction rub on p.vx: 0.5*abs(deck.lambda)\nconstraint held: q.pos == (1, 1)\n"
             "init { disable held }\nsimulate { time = 0 .. 1 step 0.1 }\n");
  CHECK(has(run_mbc({"explain", folder / "block.mbd", "rub"}).out, "no row here: it slides; its limit, 9.81,"));
  const Ran disabled = run_mbc({"explain", folder / "block.mbd", "held.x"});
  CAPTURE(disabled.out);
  CHECK(has(disabled.out, "no row here: it is disabled; `enable held` in an event makes it act"));
  const Ran gone = run_mbc({"explain", model, "blode"});
  CHECK(gone.code == 2);
  CHECK(has(gone.err, "did you mean `blade`?"));
  CHECK(run_mbc({"explain", "E0302", "--set", "l = 2"}).code == 2);
  CHECK(run_mbc({"explain", "no.mbd", "rod"}).code != 0);
}

TEST_CASE("explain, doc, examples, new --json") {
  const Folder folder;
  const Json code = answer({"explain", "E0302", "--json"});
  CHECK(code["code"] == "E0302");
  CHECK(code["severity"] == "error");
  CHECK(code["text"].get<std::string>().size() > 20);
  CHECK(answer({"explain", "--list", "--json"}).size() > 100);
  const Json library = answer({"doc", "--json"});
  CHECK(library.size() > 2);
  CHECK(library[0]["parts"].is_array());
  CHECK(answer({"doc", "Revolute", "--json"})[0]["module"] == "joints");
  CHECK(answer({"doc", "joints", "--json"})["module"] == "joints");
  CHECK(answer({"doc", "E0302", "--json"})["code"] == "E0302");
  const Json word = answer({"doc", "constraint", "--json"});
  CHECK(word["kind"] == "statement");
  CHECK(word["examples"][0] == "constraint rod: dist(bead, cart) == l");
  CHECK(word["text"].get<std::string>().find(".lambda") != std::string::npos);
  CHECK(answer({"doc", "integrator", "--json"})["kind"] == "setting");
  CHECK(answer({"doc", "plot", "--json"})["examples"].size() > 0);
  CHECK(answer({"examples", "--json"})[0]["name"].is_string());
  CHECK(answer({"examples", "pendulum", "--json"})["text"] == run_mbc({"examples", "pendulum"}).out);
  CHECK(answer({"examples", "wind", "-o", folder / "wind.mbd", "--json"})["files"].size() == 2);
  CHECK(answer({"new", folder / "mine", "--json"})["files"][0] == folder / "mine.mbd");
}

TEST_CASE("doc knows every word of the language") {
  const Vocabulary& known = vocabulary();
  for (const StatementInfo& s : known.statements) CHECK_MESSAGE(run_mbc({"doc", s.word}).code == 0, s.word);
  for (const BuiltinInfo& f : known.functions) CHECK_MESSAGE(run_mbc({"doc", f.name}).code == 0, f.name);
  for (const SettingInfo& s : known.settings) CHECK_MESSAGE(run_mbc({"doc", s.key}).code == 0, s.key);
  for (const SettingInfo& s : known.settings)
    for (const SettingInfo::Choice& c : s.choices) {  // Each choice has a description of one line.
      const Ran one = run_mbc({"doc", c.name});
      CHECK_MESSAGE(one.code == 0, c.name);
      if (one.out.find(": a choice of") == std::string::npos) continue;  // The word is also a word of the language.
      CHECK_MESSAGE(one.out.find(": a choice of the setting `" + s.key + "`: ") != std::string::npos, one.out);
    }
  const Ran wrong = run_mbc({"doc", "constrant"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("did you mean `constraint`?") != std::string::npos);
}

TEST_CASE("doc and examples name what is about a word that nothing is called by") {
  const Ran part = run_mbc({"doc", "hinge"});
  CHECK(part.code == 2);
  CHECK(part.err.find("hint: `mbc doc` has ") != std::string::npos);
  CHECK(part.err.find("Revolute") != std::string::npos);
  CHECK(part.err.find("`mbc examples` has arm_pose, ") != std::string::npos);
  const Ran model = run_mbc({"examples", "rolling"});
  CHECK(model.code == 2);
  CHECK(model.err.find("hint: `mbc examples` has ") != std::string::npos);
  CHECK(model.err.find("rolling_coin, rolling_disc") != std::string::npos);
  CHECK(run_mbc({"examples", "xyzzy"}).err.find("hint: `mbc examples` lists them") != std::string::npos);
}

TEST_CASE("fmt, jupyter and repl -e --json") {
  const Folder folder;
  write_file(folder / "a.mbd", kDrop);
  write_file(folder / "b.mbd", "mbd 1\nparticle   p(1) at (0,0,0)\n");
  const Json files =
      answer({"fmt", "--check", folder / "a.mbd", folder / "b.mbd", folder / "none.mbd", "--json"}, 1)["files"];
  CHECK(files[0]["changes"] == false);
  CHECK(files[1]["changes"] == true);
  CHECK(files[2]["error"].is_string());
  CHECK(answer({"jupyter", "install", "--prefix", folder.path(), "--json"})["folder"].is_string());
  const Ran ran = run_mbc({"repl", folder / "a.mbd", "-e", "g", "-e", "nonsense", "--json"});
  CHECK(ran.code == 1);
  std::istringstream lines(ran.out);
  std::string first, second;
  REQUIRE(std::getline(lines, first));
  REQUIRE(std::getline(lines, second));
  CHECK(Json::parse(first)["ok"] == true);
  CHECK(Json::parse(first)["answer"].get<std::string>().find("10") != std::string::npos);
  CHECK(Json::parse(second)["ok"] == false);
  CHECK(Json::parse(second)["messages"].get<std::string>().find("nonsense") != std::string::npos);
  CHECK(run_mbc({"repl", folder / "a.mbd", "--json"}).code == 2);
}

TEST_CASE("every verb but the server for editors takes --json") {
  std::istringstream help(run_mbc({"--help"}).out);
  bool on = false;
  int verbs = 0;
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("Subcommands:")) {
      on = true;
      continue;
    }
    on = on && !line.empty();
    if (!on || line.size() < 3 || line[2] == ' ') continue;
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    if (verb == "lsp") continue;
    CHECK_MESSAGE(run_mbc({verb, "--help"}).out.find("--json") != std::string::npos, verb);
    ++verbs;
  }
  CHECK(verbs >= 17);
}

}  // namespace mbc::test
