// SPDX-License-Identifier: Apache-2.0
// Tests `mbc view RESULT`, which shows a run from its rows and their description.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/scratch.h"
#include "tests/tools/page_data.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

const Start kNoDisplay{.setenv = {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}}};

// The model is a rod on a pin. A table in a file drives its motion, and it uses a component in a file of the user.
const char* kDriven =
    "mbd 1\n"
    "/// A driven arm\n"
    "use \"parts/arm.mbd\"\n"
    "use joints\n"
    "param L = 0.5 [m]\n"
    "gravity (0, 0, -9.81) [m/s^2]\n"
    "body b(mass = 2 [kg], inertia = diag(0.1, 0.2, 0.15) [kg*m^2]) at (L, 0, 0)\n"
    "Spherical pin(a = ground.at(0, 0, 0), b = b.at(-L, 0, 0))\n"
    "force push on b: (0, table(t, \"push.csv\", column = \"F\", beyond = hold), 0)\n"
    "output E = energy.total, twice = doubled(b.z)\n"
    "at knock: 0.3 [s] { impulse on b: (0, 0, 1) [N*s] }\n"
    "simulate { time = 0 [s] .. 1 [s] step 10 [ms]; integrator = rk4 }\n";

void write_driven(const Folder& folder) {
  std::filesystem::create_directory(folder / "parts");
  write_file(folder / "parts/arm.mbd", "mbd 1\ndef doubled(x) = 2*x\n");
  write_file(folder / "push.csv", "t [s],F [N]\n0,0\n0.5,3\n1,1\n");
  write_file(folder / "a.mbd", kDriven);
  const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--report", folder / "run.html", "--set",
                           "L = 0.7 [m]", "--quiet"});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
}

Json view(const Folder& folder, const std::string& rows) {
  const Ran ran = run_mbc({"view", folder / rows, "-o", folder / "view.html"}, kNoDisplay);
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  CHECK(ran.out == (folder / "view.html") + "\n");
  return data_of(read_file(folder / "view.html"));
}

void edit(const std::string& path, const std::string& from, const std::string& to) {
  std::string text = read_file(path);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  write_file(path, text.replace(at, from.size(), to));
}

}  // namespace

TEST_CASE("a result is viewed from the texts beside it, as its run was") {
  const Folder folder;
  write_driven(folder);
  const Json run = data_of(read_file(folder / "run.html"));
  // The model and the files that it used no longer exist.
  for (const char* name : {"a.mbd", "push.csv", "parts/arm.mbd"}) std::filesystem::remove(folder / name);
  const Json again = view(folder, "a.csv");
  for (const char* same : {"scene", "times", "poses", "series", "events", "parameters", "source", "title", "simulation",
                           "rows", "time_unit"})
    CHECK_MESSAGE(again[same] == run[same], same);
  CHECK(again["parameters"][0]["value"] == 0.7);
  CHECK(again["events"].size() == 1);
  CHECK(again["events"][0]["name"] == "knock");
  CHECK(again["events"][0]["time"] == 0.3);
  CHECK_FALSE(again.contains("no_picture"));
  CHECK(has(again["summary"], "complete"));
}

TEST_CASE("a description holds all texts, and is the same for the same run") {
  const Folder folder;
  write_driven(folder);
  const std::string first = read_file(folder / "a.csv.json");
  const Json description = Json::parse(first);
  CHECK(description["format_version"] == 2);
  std::vector<std::string> names;
  for (const Json& t : description["texts"])
    names.push_back(t["kind"].get<std::string>() + " " + t["name"].get<std::string>());
  CHECK(names[0] == "model " + (folder / "a.mbd"));
  CHECK(std::find(names.begin(), names.end(), "library joints") != names.end());
  CHECK(std::find(names.begin(), names.end(), "file parts/arm.mbd") != names.end());
  CHECK(std::find(names.begin(), names.end(), "file push.csv") != names.end());
  CHECK(description["texts"][0]["text"] == kDriven);
  write_driven(folder);
  CHECK(read_file(folder / "a.csv.json") == first);
}

TEST_CASE("a library that has changed since is the one of the description") {
  const Folder folder;
  write_driven(folder);
  const Json before = view(folder, "a.csv");
  Json description = Json::parse(read_file(folder / "a.csv.json"));
  for (Json& t : description["texts"])
    if (t["name"] == "joints") t["text"] = t["text"].get<std::string>() + "\ndef of_another_time(x) = x\n";
  write_file(folder / "a.csv.json", description.dump());
  const Json after = view(folder, "a.csv");
  CHECK(after["poses"] == before["poses"]);
  CHECK_FALSE(after.contains("no_picture"));
}

TEST_CASE("a result without states gets curves only, and says why") {
  const Folder folder;
  write_driven(folder);
  const std::string rows = read_file(folder / "a.csv"), description = read_file(folder / "a.csv.json");
  const auto why = [&](const char* part) {
    const Json data = view(folder, "a.csv");
    CHECK_MESSAGE(has(data.value("no_picture", ""), part), data.value("no_picture", ""));
    CHECK(data["scene"]["parts"].empty());
    CHECK(data["series"].size() >= 2);
    CHECK(data["frames"] == 101);
  };
  edit(folder / "a.csv", ",b.p2,", ",other,");
  why("without states: there is no column `b.p2`");
  write_file(folder / "a.csv", rows);
  Json j = Json::parse(description);
  j.erase("texts");
  write_file(folder / "a.csv.json", j.dump());
  why("the description holds no model");
  j = Json::parse(description);
  j["texts"][0]["text"] = "mbd 1\nparticle p(\n";
  write_file(folder / "a.csv.json", j.dump());
  why("the model of this result is none to mbc");
  write_file(folder / "a.csv.json", "{\"format\": 3, \"texts\": [1, {\"kind\": []}], \"settings\": []}");
  why("there is no description");
  std::filesystem::remove(folder / "a.csv.json");
  why("there is no description");
}

TEST_CASE("a result of a table of the command line, which lies beside the model") {
  const Folder folder;
  write_file(folder / "u.csv", "t [s],u [N]\n0,0\n1,2\n");
  write_file(folder / "a.mbd",
             "mbd 1\nspace 1\ninput u [N] = 0\nparticle p(1 [kg]) at 0 [m]\nforce f on p: u\n"
             "simulate { time = 0 [s] .. 1 [s] step 0.1 [s]; integrator = rk4 }\n");
  const std::string before = std::filesystem::current_path().string();
  std::filesystem::current_path(folder.path());
  const Ran ran = run_mbc({"run", "a.mbd", "--input", "u=u.csv", "-o", "a.csv", "--quiet"});
  std::filesystem::current_path(before);
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  std::filesystem::remove(folder / "u.csv");
  CHECK(view(folder, "a.csv")["frames"] == 11);
}

TEST_CASE("held states of a result have their places among what events change") {
  const Folder folder;
  // The switch of `pull` lies between the counts of the event and `h`.
  write_file(folder / "a.mbd",
             "mbd 1\nbody b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0)\nforce pull on b: (2, 0, 0)\n"
             "when far: b.x > 0.25 { disable pull; h = 3 }\nstate h = 1\npotential field: -h*b.x\n"
             "output h\nsimulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n");
  const Ran ran =
      run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--report", folder / "run.html", "--quiet"});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  const Json run = data_of(read_file(folder / "run.html")), again = view(folder, "a.csv");
  CHECK(again["poses"] == run["poses"]);
  CHECK(again["series"] == run["series"]);
}

TEST_CASE("a description that was tampered with does no harm") {
  const Folder folder;
  write_driven(folder);
  const std::string description = read_file(folder / "a.csv.json");
  const Json whole = Json::parse(description);
  for (const auto& member : whole.items())
    for (const Json& other : {Json(nullptr), Json(3), Json("x"), Json::array({1, nullptr, "a"}), Json::object()}) {
      Json j = whole;
      j[member.key()] = other;
      write_file(folder / "a.csv.json", j.dump());
      const Ran ran = run_mbc({"view", folder / "a.csv", "-o", folder / "view.html"}, kNoDisplay);
      CHECK_MESSAGE(ran.code == 0, member.key() << ran.err);
    }
}

TEST_CASE("rows are the same whether a page is made of them or not") {
  const Folder folder;
  for (const char* example : {"bouncing_ball", "slider_crank_joints", "double_pendulum_redundant", "hopper"}) {
    const std::string model = std::string(MBC_SOURCE_DIR "/examples") + "/" + example + ".mbd";
    REQUIRE(run_mbc({"run", model, "-o", folder / "a.csv", "--report", folder / "a.html", "--quiet"}).code == 0);
    REQUIRE(run_mbc({"run", model, "-o", folder / "b.csv", "--quiet"}).code == 0);
    CHECK_MESSAGE(read_file(folder / "a.csv") == read_file(folder / "b.csv"), example);
  }
  const std::string ball = std::string(MBC_SOURCE_DIR "/examples") + "/bouncing_ball.mbd";
  CHECK(run_mbc({"run", ball, "--report", folder / "a.html", "-o", "/dev/null"}).code == 0);
  const Json data = data_of(read_file(folder / "a.html"));
  CHECK(data["events"].size() > 10);
  CHECK(data["events"][0]["name"] == "top");
  CHECK(data["events"][0]["time"].get<double>() == doctest::Approx(std::sqrt(2 / 9.81)));
  CHECK(data["scene"]["arrows"][0]["kind"] == "reaction");
  const Json& push = data["arrows"]["columns"][0];
  CHECK(push["to"].get<double>() == doctest::Approx(0.981));
  CHECK(push["from"] == 0);
}

TEST_CASE("what belongs to a run to come is refused for one that is over") {
  const Folder folder;
  write_driven(folder);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--set", "L = 1 [m]"}, {"--native"}, {"--interpret"}, {"--output-every", "2"}, {"--assemble"}, {"demo"}}) {
    std::vector<std::string> arguments = {"view", folder / "a.csv", "-o", folder / "view.html"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = run_mbc(arguments, kNoDisplay);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "is a result, and its run is over"));
  }
  CHECK(run_mbc({"view", folder / "gone.csv"}, kNoDisplay).code == 1);
}

TEST_CASE("the arrow of a load that an event switched off is not drawn in a stored result either") {
  const Folder folder;
  write_file(folder / "a.mbd",
             "mbd 1\nparticle p(1) at (0, 0, 0)\nforce push on p: (2, 0, 0)\nforce lift on p: (0, 0, 3)\n"
             "init { disable lift }\nat off: 0.45 { disable push; enable lift }\n"
             "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n");
  REQUIRE(run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--report", folder / "a.html"}).code == 0);
  REQUIRE(run_mbc({"view", folder / "a.csv", "-o", folder / "b.html"}).code == 0);
  const Json run = data_of(read_file(folder / "a.html")), stored = data_of(read_file(folder / "b.html"));
  CHECK(run["arrows"] == stored["arrows"]);
  REQUIRE(stored["scene"]["arrows"].size() == 2);
  const Json& columns = stored["arrows"]["columns"];
  REQUIRE(columns.size() == 6);
  CHECK(columns[0]["from"] == 0);  // The force `push` acts along x and is off at the end.
  CHECK(columns[0]["to"] == 2);
  CHECK(columns[5]["from"] == 0);  // The force `lift` acts along z and is off at first.
  CHECK(columns[5]["to"] == 3);
}

}  // namespace mbc::test
