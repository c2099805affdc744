// SPDX-License-Identifier: Apache-2.0
// Tests the answers about a text: hover, definition, names, completion, outline, hints, and corrections.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/support/scratch.h"
#include "tests/tools/lsp/client.h"

using namespace mbc;
using test::Json;

namespace {

const std::string kUri = "file:///tmp/none/model.mbd";

// These seven lines contain everything that the tests below ask for.
const std::string kArm =
    "mbd 1\n"
    "use joints\n"
    "/// length of the arm, µ-metre steps\n"
    "param L = 0.5 [m], m = 2 [kg]\n"
    "/// a bar on a hinge\n"
    "model Arm(on: frame, length = 1 [m]) {\n"
    "  body bar(mass = m, inertia = diag(1, 1, 1) [kg*m^2]) at on.pos + (0.5*length, 0, 0)\n"
    "  Revolute hinge(on, bar.at(-0.5*length, 0, 0), axis = ey)\n"
    "}\n"
    "gravity (0, 0, -9.81) [m/s^2]\n"
    "Arm arm(ground, length = L)\n"
    "let weight = m*9.81 [m/s^2]\n"
    "output E = energy.total\n"
    "simulate swing { time = 0 [s] .. 1 [s] step 10 [ms]; integrator = rk4 }\n"
    "test \"energy\" over swing { check abs(E - initial(E)) < 1e-6 [J] always }\n";

std::size_t at(const std::string& text, const std::string& word, std::size_t nth = 0) {
  std::size_t found = text.find(word);
  for (; nth > 0; --nth) found = text.find(word, found + 1);
  REQUIRE(found != std::string::npos);
  return found;
}

std::string hover(test::Client& client, const std::string& word, std::size_t nth = 0) {
  const Json answer = client.ask("textDocument/hover", kUri, at(client.text(kUri), word, nth));
  return answer.is_null() ? "" : answer["contents"]["value"].get<std::string>();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::set<std::string> labels(const Json& answer) {
  std::set<std::string> out;
  for (const Json& item : answer["items"]) out.insert(item["label"].get<std::string>());
  return out;
}

// Returns the completion at `|`. The text was correct before its line was typed.
Json completed(const std::string& text) {
  test::Client client;
  const std::size_t place = text.find('|');
  const std::size_t line = text.rfind('\n', place) + 1;
  client.open(kUri, text.substr(0, line) + text.substr(std::min(text.size(), text.find('\n', place) + 1)));
  client.diagnostics(kUri);
  const std::string typed = text.substr(line, place - line);
  const std::string rest = text.substr(place + 1, text.find('\n', place) - place);
  client.edit(kUri, line, line, typed + rest);
  return client.ask("textDocument/completion", kUri, line + typed.size());
}

}  // namespace

TEST_CASE("hover says what a name is: kind, unit, value, level, description") {
  test::Client client;
  client.open(kUri, kArm);
  const std::string length = hover(client, "L)");
  CHECK(has(length, "param L = 0.5 [m]"));
  CHECK(has(length, "a number [m] = 0.5"));
  CHECK(has(length, "µ-metre"));
  CHECK(has(hover(client, "weight"), "[N] = 19.62"));
  CHECK(has(hover(client, "Revolute"), "A hinge: b turns"));
  CHECK(has(hover(client, "arm("), "a bar on a hinge"));
  CHECK(has(hover(client, "hinge("), "instance of `Arm`"));
  CHECK(has(hover(client, "total"), "kinetic and potential"));
  CHECK(has(hover(client, "total"), "[N*m]"));
  CHECK(has(hover(client, "abs"), "absolute value"));
  CHECK(has(hover(client, "integrator"), "dop853"));
  CHECK(has(hover(client, "joints"), "stdlib/joints.mbd"));
  CHECK(has(hover(client, "axis"), "axis: vector = ez"));
  CHECK(hover(client, "time").find("setting") != std::string::npos);
  CHECK(client.ask("textDocument/hover", kUri, 0).is_null());
}

TEST_CASE("definition goes to the declaration, into the library too") {
  const test::Folder folder;
  test::Client client({"", folder / "copies"});
  client.open(kUri, kArm);
  const Json own = client.ask("textDocument/definition", kUri, at(kArm, "Arm arm"));
  CHECK(own["uri"] == kUri);
  CHECK(own["range"]["start"] == test::position(kArm, at(kArm, "Arm(")));
  for (const char* word : {"Revolute", "axis", "joints"}) {
    const Json shipped = client.ask("textDocument/definition", kUri, at(kArm, word));
    REQUIRE(shipped.is_object());
    const std::string path = shipped["uri"].get<std::string>().substr(7);
    CHECK(path == folder / "copies/joints.mbd");
    const std::string text = test::read_text(path);
    CHECK(text.starts_with("mbd 1\n"));
    const std::size_t place = test::offset(text, shipped["range"]["start"]);
    if (std::string(word) == "Revolute") CHECK(text.substr(place).starts_with("Revolute(a: frame"));
    if (std::string(word) == "axis") CHECK(text.substr(place).starts_with("axis: vector"));
  }
  CHECK(client.ask("textDocument/definition", kUri, at(kArm, "energy")).is_null());
  test::Client without;
  without.open(kUri, kArm);
  CHECK(without.ask("textDocument/definition", kUri, at(kArm, "Revolute")).is_null());
}

TEST_CASE("definition into a file that is used, and mistakes of that file") {
  const test::Folder folder;
  std::ofstream(folder / "parts.mbd") << "mbd 1\n/// twice\ndef twice(x) = 2*x\n";
  const std::string text = "mbd 1\nuse \"parts.mbd\"\nparticle p(twice(1)) at (0, 0, 1)\n";
  const std::string uri = "file://" + folder / "model.mbd";
  test::Client client;
  client.open(uri, text);
  CHECK(client.diagnostics(uri).empty());
  const Json found = client.ask("textDocument/definition", uri, at(text, "twice"));
  REQUIRE(found.is_object());
  CHECK(std::filesystem::equivalent(found["uri"].get<std::string>().substr(7), folder / "parts.mbd"));
  CHECK(found["range"]["start"]["line"] == 2);
  const Json all =
      client.ask("textDocument/references", uri, at(text, "twice"), {{"context", {{"includeDeclaration", true}}}});
  CHECK(all.size() == 2);
  std::ofstream(folder / "parts.mbd") << "mbd 1\ndef twice(x) = 2*y\n";
  client.edit(uri, text.size(), text.size(), "\n");
  const Json list = client.diagnostics(uri);
  REQUIRE(list.size() >= 1);
  CHECK(list[0]["range"]["start"]["line"] == 1);  // The place is that of the use.
  CHECK(has(list[0]["message"], "parts.mbd:2:"));
}

TEST_CASE("references and highlights") {
  test::Client client;
  client.open(kUri, kArm);
  const Json all =
      client.ask("textDocument/references", kUri, at(kArm, "length", 1), {{"context", {{"includeDeclaration", true}}}});
  CHECK(all.size() == 4);  // The uses are the declaration, two in the model, and one in the instance.
  CHECK(
      client.ask("textDocument/references", kUri, at(kArm, "length", 1), {{"context", {{"includeDeclaration", false}}}})
          .size() == 3);
  CHECK(client.ask("textDocument/documentHighlight", kUri, at(kArm, "length", 1)).size() == 4);
  CHECK(client.ask("textDocument/references", kUri, at(kArm, "energy")).empty());
}

TEST_CASE("a name is changed everywhere, or not at all and why") {
  test::Client client;
  client.open(kUri, kArm);
  const auto renamed = [&](const std::string& word, std::size_t nth, const std::string& name) {
    return client.ask("textDocument/rename", kUri, at(kArm, word, nth), {{"newName", name}});
  };
  const auto refused = [&](const std::string& word, std::size_t nth, const std::string& name, const std::string& why) {
    const Json answer = renamed(word, nth, name);
    REQUIRE_MESSAGE((answer.is_object() && answer.contains("error")), answer.dump());
    CHECK(answer["error"]["code"] == -32803);
    CHECK_MESSAGE(has(answer["error"]["message"], why), answer.dump());
  };
  const std::string after = test::edited(kArm, renamed("length", 1, "reach")["changes"][kUri]);
  CHECK(has(after, "reach = 1 [m]) {"));
  CHECK(has(after, "Arm arm(ground, reach = L)"));
  CHECK(has(after, "length of the arm"));                      // The comment keeps the old name.
  refused("length", 1, "m", "is the name of something else");  // The new name would hide the parameter m.
  refused("L)", 0, "m", "is the name of something else");
  refused("length", 1, "let", "no name");
  refused("length", 1, "a b", "no name");
  refused("length", 1, "", "no name");
  refused("length", 1, "sin", "built in");
  refused("Revolute", 0, "Turn", "declared in stdlib/joints.mbd");
  refused("energy", 1, "work", "no name of the model");
  CHECK(client.ask("textDocument/prepareRename", kUri, at(kArm, "weight"))["placeholder"] == "weight");
  client.edit(kUri, kArm.size(), kArm.size(), "let b = = 1\n");
  CHECK(has(client.ask("textDocument/prepareRename", kUri, at(kArm, "weight"))["error"]["message"],
            "mistakes of syntax"));
}

TEST_CASE("a name that others may mean stays") {
  test::Client client;
  const std::string vague =
      "mbd 1\ndef place(thing) = thing.tip\nmodel M() { point tip at (0, 0, 1)\n particle p(1) }\nM a()\nlet z = "
      "place(a)\n";
  client.open(kUri, vague);
  CHECK(has(client.ask("textDocument/rename", kUri, at(vague, "tip", 1), {{"newName", "end"}})["error"]["message"],
            "may be this one"));
  const test::Folder folder;
  const std::string parts = "mbd 1\ndef twice(x) = 2*x\n", uri = "file://" + folder / "parts.mbd";
  std::ofstream(folder / "parts.mbd") << parts;
  std::ofstream(folder / "user.mbd") << "mbd 1\nuse \"parts.mbd\"\nparticle p(twice(1))\n";
  client.open(uri, parts);
  CHECK(has(client.ask("textDocument/rename", uri, at(parts, "twice"), {{"newName", "double_of"}})["error"]["message"],
            "user.mbd uses this file"));
  CHECK(client.ask("textDocument/rename", uri, at(parts, "x)"), {{"newName", "y"}}).contains("changes"));
}

TEST_CASE("completion knows what fits a place") {
  const auto at_start = labels(completed(kArm + "pa|\n"));
  for (const char* word : {"particle", "param", "constraint", "Arm", "Revolute"})
    CHECK_MESSAGE(at_start.contains(word), word);
  CHECK_FALSE(at_start.contains("sin"));
  const auto members = labels(completed(kArm + "output x = arm.bar.|\n"));
  for (const char* word : {"pos", "vx", "omega", "quat", "mass"}) CHECK_MESSAGE(members.contains(word), word);
  const auto parts = labels(completed(kArm + "output x = arm.|\n"));
  CHECK(parts == std::set<std::string>{"bar", "hinge", "length", "on"});
  CHECK(labels(completed(kArm + "output x = arm.hinge.|\n")).contains("angle"));
  CHECK(labels(completed(kArm + "output x = energy.|\n")) == std::set<std::string>{"kinetic", "potential", "total"});
  CHECK(labels(completed(kArm + "output x = ground.|\n")).contains("at"));
  const auto expression = labels(completed(kArm + "let x = |\n"));
  for (const char* word : {"weight", "sin", "pi", "ground", "arm", "L"}) CHECK_MESSAGE(expression.contains(word), word);
  CHECK(labels(completed(kArm + "Revolute two(|)\n")).contains("axis = "));
  CHECK(labels(completed(kArm + "use |\n")).contains("forces"));
  CHECK(labels(completed(kArm + "let x = 2 [k|]\n")).contains("kg"));
  CHECK(labels(completed(kArm + "simulate b { int| }\n")) ==
        std::set<std::string>{"time", "integrator", "formulation", "bodies", "stabilise", "at_singular", "kinks",
                              "rows", "impact", "contact", "reactions", "save", "assemble", "plot"});
  CHECK(labels(completed(kArm + "simulate b { integrator = | }\n")).contains("dop853"));
  CHECK(labels(completed(kArm + "simulate b { stabilise = project(| }\n")).contains("tol"));
  CHECK(labels(completed(kArm + "particle p(1) mo|\n")).contains("moving"));
  CHECK(labels(completed(kArm + "test \"b\" over swing { ch| }\n")).contains("check"));
  CHECK(labels(completed(kArm + "// |\n")).empty());
}

TEST_CASE("a restitution and the inputs of a block are places of their names") {
  test::Client client;
  const std::string text =
      "mbd 1\nparam e = 0.5\ninput u = 0\nparticle p(1) at (0, 0, 1)\nforce f on p: (u, 0, 0)\n"
      "constraint deck: p.z >= 0 restitution e\nsimulate b { time = 0 .. 1 step 0.1; input.u = sin(t) }\n";
  client.open(kUri, text);
  const auto renamed = [&](const std::string& word, const std::string& by) {
    return test::edited(text,
                        client.ask("textDocument/rename", kUri, at(text, word), {{"newName", by}})["changes"][kUri]);
  };
  const std::string bounce = renamed("e = 0.5", "bounce");
  CHECK(has(bounce, "param bounce = 0.5"));
  CHECK(has(bounce, "restitution bounce\n"));
  const std::string push = renamed("u = 0", "push");
  CHECK(has(push, "input.push = sin(t)"));
  CHECK(has(push, "force f on p: (push, 0, 0)"));
  CHECK(has(hover(client, "u = sin"), "input u = 0"));
}

TEST_CASE("completion of inequalities, tables and the inputs of a block") {
  const std::string model =
      "mbd 1\ninput u = 0\nparticle p(1) at (0, 0, 1)\nconstraint deck: p.z >= 0\nconstraint rod: "
      "p.x == 0\n";
  const auto deck = labels(completed(model + "output x = deck.|\n"));
  for (const char* word : {"lambda", "active", "impulse", "count", "time"}) CHECK_MESSAGE(deck.contains(word), word);
  CHECK_FALSE(labels(completed(model + "output x = rod.|\n")).contains("active"));
  const auto table = labels(completed(model + "let x = table(1, (0, 1), (0, 2), |)\n"));
  for (const char* word : {"method = ", "smooth = ", "beyond = ", "column = ", "argument = "})
    CHECK_MESSAGE(table.contains(word), word);
  CHECK(labels(completed(model + "simulate b { in| }\n")).contains("input.u"));
  CHECK(labels(completed(model + "simulate b { input.| }\n")) == std::set<std::string>{"u"});
  const auto types = labels(completed(model + "joint J(a: |\n"));
  for (const std::string& type : vocabulary().types) CHECK_MESSAGE(types.contains(type), type);
}

TEST_CASE("a part of the library that is not in use brings its `use` along") {
  const std::string text = "mbd 1\nparticle p(1) at (0, 0, 1)\nSph|\n";
  const Json answer = completed(text);
  const auto item = std::find_if(answer["items"].begin(), answer["items"].end(),
                                 [](const Json& i) { return i["label"] == "Spherical"; });
  REQUIRE(item != answer["items"].end());
  REQUIRE(item->contains("additionalTextEdits"));
  CHECK(test::edited("mbd 1\nparticle p(1)\n", (*item)["additionalTextEdits"]) == "mbd 1\nuse joints\nparticle p(1)\n");
}

TEST_CASE("signatures name the argument at hand") {
  test::Client client;
  client.open(kUri, kArm);
  client.diagnostics(kUri);
  const auto help = [&](const std::string& typed) {
    client.edit(kUri, client.text(kUri).size(), client.text(kUri).size(), typed);
    return client.ask("textDocument/signatureHelp", kUri, client.text(kUri).size());
  };
  const Json joint = help("Revolute two(ground, ");
  CHECK(joint["signatures"][0]["label"] == "Revolute(a: frame, b: frame, axis: vector = ez)");
  CHECK(joint["activeParameter"] == 1);
  CHECK(help("axis = ")["activeParameter"] == 2);
  CHECK(help("ex)\nlet a = atan2(1, ")["signatures"][0]["label"] == "atan2(y, x)");
  CHECK(help("2)\nArm b(")["signatures"][0]["documentation"]["value"] == "a bar on a hinge");
  CHECK(help("ground)\n").is_null());
}

TEST_CASE("outline, folding and lenses") {
  test::Client client;
  client.open(kUri, kArm);
  std::vector<std::string> names;
  Json inside;
  for (const Json& s : client.ask("textDocument/documentSymbol", kUri)) {
    names.push_back(s["name"]);
    if (s["name"] == "Arm") inside = s["children"];
  }
  CHECK(names == std::vector<std::string>{"L", "m", "Arm", "arm", "weight", "E", "swing", "energy"});
  REQUIRE(inside.size() == 2);
  CHECK(inside[0]["name"] == "bar");
  CHECK(inside[1]["name"] == "hinge");
  const Json folds = client.ask("textDocument/foldingRange", kUri);
  REQUIRE(folds.size() == 1);
  CHECK(folds[0] == Json({{"startLine", 5}, {"endLine", 7}}));
  std::vector<std::string> commands;
  for (const Json& lens : client.ask("textDocument/codeLens", kUri)) {
    commands.push_back(lens["command"]["command"].get<std::string>() + " " +
                       lens["command"]["arguments"][1].get<std::string>());
    CHECK(lens["command"]["arguments"][0] == kUri);
  }
  CHECK(commands == std::vector<std::string>{"mbc.run swing", "mbc.view swing", "mbc.test energy"});
}

TEST_CASE("hints: units that were inferred, levels of rows, degrees of freedom") {
  test::Client client;
  const std::string text =
      "mbd 1\nparam m = 2 [kg], k = 8 [N/m]\nlet T = 2*pi*sqrt(m/k)\nlet d = 2 [m]\nparticle p(m) at (1, 0, 0) [m]\n"
      "constraint rod: dist(ground, p) == 1 [m]\nconstraint y: p.vy == 0\n";
  client.open(kUri, text);
  const Json all = client.request(
      "textDocument/inlayHint",
      {{"textDocument", {{"uri", kUri}}},
       {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 99}, {"character", 0}}}}}});
  std::set<std::string> found;
  for (const Json& h : all) found.insert(h["label"].get<std::string>() + " " + h["position"].dump());
  const auto expected = [&](const std::string& label, std::size_t place) {
    CHECK_MESSAGE(found.contains(label + " " + test::position(text, place).dump()), label);
  };
  expected("1 degree of freedom", 5);
  expected("[s]", at(text, "T =") + 1);
  expected("position", at(text, "== 1 [m]") + 8);
  expected("velocity", at(text, "vy == 0") + 7);
  CHECK(found.size() == 4);
}

TEST_CASE("formatting is that of mbc fmt") {
  test::Client client;
  const std::string text = "mbd 1\nlet   µ=1\nparticle p( 1 )  at (0,0,1)\n";
  client.open(kUri, text);
  CHECK(test::edited(text, client.ask("textDocument/formatting", kUri)) == format_text(text, "a").value().text);
  client.edit(kUri, text.size(), text.size(), "let = \n");
  CHECK(client.ask("textDocument/formatting", kUri)["error"]["code"] == -32803);
}

TEST_CASE("corrections do away with the mistake they are for") {
  const auto corrected = [](const std::string& text, const std::string& word) {
    test::Client client;
    client.open(kUri, text);
    const Json list = client.diagnostics(kUri);
    REQUIRE(!list.empty());
    const Json place = test::position(text, at(text, word));
    const Json actions = client.request("textDocument/codeAction", {{"textDocument", {{"uri", kUri}}},
                                                                    {"range", {{"start", place}, {"end", place}}},
                                                                    {"context", {{"diagnostics", list}}}});
    REQUIRE_MESSAGE(!actions.empty(), text);
    return test::edited(text, actions[0]["edit"]["changes"][kUri]);
  };
  CHECK(corrected("mbd 1\nparam mass1 = 1\nparticle p(mas1) at (0, 0, 1)\n", "mas1") ==
        "mbd 1\nparam mass1 = 1\nparticle p(mass1) at (0, 0, 1)\n");
  CHECK(
      corrected("mbd 1\nbody b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 1)\nRevolute r(ground, b)\n", "Revolute") ==
      "mbd 1\nuse joints\nbody b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 1)\nRevolute r(ground, b)\n");
  CHECK(
      corrected("mbd 1\nparticle p(1) at (0, 0, 1)\nsimulate { time = 0 .. 1 step 0.1; integrator = rk5 }\n", "rk5") ==
      "mbd 1\nparticle p(1) at (0, 0, 1)\nsimulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n");
}
