// SPDX-License-Identifier: Apache-2.0
// Tests `mbc run --report`, `mbc view` and `mbc plot`: it reads back the data in a page and compares plots character by
// character.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/scratch.h"
#include "tests/tools/page_data.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

// Compares a picture with the one stored beside this file. MBC_UPDATE_PICTURES=1 stores the new picture for inspection.
void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(MBC_TEST_DATA_DIR) + "/tools/pictures/" + name;
  if (const char* update = std::getenv("MBC_UPDATE_PICTURES"); update != nullptr && *update == '1')
    write_file(path, text);
  CHECK_MESSAGE(text == read_file(path), name);
}

const char* kSwing =
    "mbd 1\n"
    "/// A pendulum </script><b>\n"
    "param L = 1 [m]\n"
    "particle bob(2 [kg]) at (1, 0, 0) [m]\n"
    "gravity (0, 0, -10) [m/s^2]\n"
    "constraint rod: dist(ground, bob) == L\n"
    "output E = energy.total\n"
    "simulate swing { time = 0 [s] .. 2 [s] step 0.01 [s]; integrator = rk4; stabilise = project }\n";

}  // namespace

TEST_CASE("a page holds the motion within 16 bits and the outputs as floats") {
  const Folder folder;
  write_file(folder / "a.mbd", kSwing);
  const Ran ran = run_mbc({"run", folder / "a.mbd", "--report", folder / "a.html", "-o", folder / "a.csv"});
  CHECK(ran.code == 0);
  CHECK(has(ran.err, "wrote " + (folder / "a.html") + " (201 frames)\n"));
  const Json data = data_of(read_file(folder / "a.html"));
  CHECK(data["frames"] == 201);
  CHECK(data["rows"] == 201);
  CHECK(data["simulation"] == "swing");
  CHECK(data["source"] == kSwing);
  CHECK(data["parameters"][0]["name"] == "L");
  CHECK(has(data["summary"], "complete"));
  CHECK(data["scene"]["parts"].size() == 1);
  CHECK(data["scene"]["links"][0]["kind"] == "rod");
  const auto times = numbers<double>(data["times"]);
  const auto energy = numbers<float>(data["series"][0]["data"]);
  REQUIRE(times.size() == 201);
  std::istringstream csv(read_file(folder / "a.csv"));
  std::string line;
  std::getline(csv, line);
  REQUIRE(line.starts_with("time,bob.x,bob.y,bob.z,"));
  for (std::size_t k = 0; std::getline(csv, line); ++k) {
    std::istringstream fields(line);
    std::vector<double> row;
    for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stod(field));
    CHECK(times[k] == row[0]);
    CHECK(std::fabs(pose(data, 0, k) - row[1]) <= 2.0 / 65535);
    CHECK(std::fabs(pose(data, 2, k) - row[3]) <= 1.0 / 65535);
    CHECK(pose(data, 1, k) == 0);
    CHECK(energy[k] == doctest::Approx(0).epsilon(1e-4).scale(20));
  }
}

TEST_CASE("a page needs nothing else, and no text of a model breaks out of it") {
  const Folder folder;
  write_file(folder / "a.mbd", kSwing);
  REQUIRE(run_mbc({"run", folder / "a.mbd", "--report", folder / "a.html", "-o", folder / "a.csv", "--quiet"}).code ==
          0);
  const std::string page = read_file(folder / "a.html");
  for (const char* word : {"http://", "https://", "src=", "@import", "url("}) CHECK_MESSAGE(!has(page, word), word);
  for (const char* mark : {"@title@", "@style@", "@script@", "@data@"}) CHECK_MESSAGE(!has(page, mark), mark);
  std::size_t closing = 0;
  for (std::size_t at = 0; (at = page.find("</script>", at)) != std::string::npos; ++at) ++closing;
  CHECK(closing == 2);
  CHECK(page.size() < 200'000);
}

TEST_CASE("a long run is thinned evenly, with its last row; the same run gives the same page") {
  const Folder folder;
  std::string text = kSwing;
  text.replace(text.find("step 0.01"), 9, "step 0.0001");
  write_file(folder / "a.mbd", text);
  REQUIRE(run_mbc({"run", folder / "a.mbd", "--report", folder / "a.html", "-o", "/dev/null"}).code == 0);
  const Json data = data_of(read_file(folder / "a.html"));
  CHECK(data["rows"] == 20001);
  const auto times = numbers<double>(data["times"]);
  CHECK(times.size() == data["frames"]);
  CHECK(times.size() <= 10001);
  CHECK(times.size() >= 5000);
  CHECK(times.back() == 2);
  std::size_t ranks = 0;
  for (const Json& series : data["series"]) {
    if (series["group"] != "rank") continue;
    const auto values = numbers<float>(series["data"]);
    CHECK(values.size() >= 200);
    CHECK((values.size() - 1) * series["every"].get<std::size_t>() < times.size());
    for (const float v : values) CHECK(v == doctest::Approx(1));  // The model has one row, which is scaled to norm 1.
    ++ranks;
  }
  CHECK(ranks == 2);
  for (std::size_t k = 1; k + 1 < times.size(); ++k) CHECK(times[k] - times[k - 1] == doctest::Approx(times[1]));
}

TEST_CASE("twenty bodies in ten thousand frames are less than five megabytes") {
  const Folder folder;
  write_file(folder / "a.mbd",
             "mbd 1\nuse bodies\nparam n: int = 20\ngravity (0, 0, -1)\n"
             "body b[i in 1..n](mass = 1, inertia = cuboid_inertia(1, 0.1, 0.2, 0.3)) at (i, 0, 0) spinning (1, 0.1*i, "
             "2) moving "
             "(0.1*i, 1, 3)\noutput E = energy.total\nsimulate s { time = 0 .. 10 step 0.001; integrator = rk4 }\n");
  REQUIRE(run_mbc({"run", folder / "a.mbd", "--report", folder / "a.html", "-o", "/dev/null"}).code == 0);
  const Json data = data_of(read_file(folder / "a.html"));
  CHECK(data["frames"].get<int>() >= 10000);
  CHECK(data["columns_left_out"].get<int>() > 0);
  CHECK(std::filesystem::file_size(folder / "a.html") < 5'000'000);
}

TEST_CASE("a run that stops is shown up to there, with what was said") {
  const Folder folder;
  write_file(folder / "a.mbd",
             "mbd 1\nparticle p(1) at (1, 0, 0) moving (-1, 0, 0)\nforce f on p: (-sqrt(p.x - 0.5), 0, 0)\n"
             "simulate s { time = 0 .. 4 step 0.1; integrator = rk4 }\n");
  const Ran ran = run_mbc({"run", folder / "a.mbd", "--report", folder / "a.html", "-o", folder / "a.csv"});
  REQUIRE(ran.code == 4);
  const Json data = data_of(read_file(folder / "a.html"));
  CHECK(data["frames"].get<int>() > 1);
  CHECK(data["diagnostics"].back()["severity"] == "error");
}

TEST_CASE("view writes no rows and says where the page is") {
  const Folder folder;
  std::string text = kSwing;
  text.insert(text.rfind("}"), "; save = \"kept.csv\" ");
  write_file(folder / "a.mbd", text);
  const Start start{.setenv = {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}, {"TMPDIR", folder.path()}}};
  const Ran ran = run_mbc({"view", folder / "a.mbd"}, start);
  CHECK(ran.code == 0);
  REQUIRE(ran.out.ends_with("/a.html\n"));
  CHECK(data_of(read_file(ran.out.substr(0, ran.out.size() - 1)))["frames"] == 201);
  CHECK_FALSE(std::filesystem::exists(folder / "kept.csv"));
  const Ran there = run_mbc({"view", folder / "a.mbd", "swing", "-o", folder / "b.html", "--quiet"}, start);
  CHECK(there.out == (folder / "b.html") + "\n");
  CHECK(there.err.empty());
  const std::size_t before = folder.entries();
  CHECK(run_mbc({"view", folder / "gone.mbd"}, start).code == 1);
  CHECK(folder.entries() == before);
}

TEST_CASE("places of pages are judged before the run") {
  const Folder folder;
  write_file(folder / "a.mbd", kSwing);
  const Ran text = run_mbc({"run", folder / "a.mbd", "--report", folder / "a.txt"});
  CHECK(text.code == 2);
  CHECK(has(text.err, "a.txt`: the page is HTML; name a file that ends in .html"));
  CHECK(run_mbc({"run", folder / "a.mbd", "--report", folder / "no/a.html"}).code == 74);
  CHECK(run_mbc({"run", folder / "a.mbd", "--report", folder / "a.html", "--summary", folder / "a.html"}).code == 2);
}

TEST_CASE("a plot in the terminal") {
  const Folder folder;
  std::string csv = "time,x,\"p[1,2].y\"\r\n";
  for (int k = 0; k <= 40; ++k)
    csv += std::to_string(k / 4.0) + "," + std::to_string(k * k / 100.0) + "," + std::to_string(k % 2) + "\r\n";
  write_file(folder / "a.csv", csv);
  const Ran ran = run_mbc({"plot", folder / "a.csv", "x", "--width", "40", "--height", "6"});
  CHECK(ran.code == 0);
  check_golden("parabola.txt", ran.out);
  CHECK(has(run_mbc({"plot", folder / "a.csv", "p[1,2].y"}).out, "p[1,2].y"));
  const Ran wrong = run_mbc({"plot", folder / "a.csv", "y"});
  CHECK(wrong.code == 2);
  CHECK(has(wrong.err, "has no column `y`"));
  CHECK(has(wrong.err, "its columns are time, x, p[1,2].y"));
}

TEST_CASE("units, outputs and phase portraits come from the file beside the rows") {
  const Folder folder;
  write_file(folder / "a.mbd", kSwing);
  REQUIRE(run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--quiet"}).code == 0);
  CHECK(has(run_mbc({"plot", folder / "a.csv"}).out, "E [N*m]\n"));
  const Ran phase = run_mbc({"plot", folder / "a.csv", "bob.vz, bob.z", "--against", "bob.x", "-o", folder / "a.svg"});
  CHECK(phase.code == 0);
  const std::string svg = read_file(folder / "a.svg");
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 900\""));
  check_golden("phase.svg", svg);
  CHECK(has(svg, ">bob.x [m]</text>"));
  CHECK(has(svg, ">bob.vz [m/s]</text>"));
  CHECK(has(svg, ">bob.z [m]</text>"));
  CHECK(run_mbc({"plot", folder / "a.csv", "bob.*", "-o", folder / "a.gif"}).code == 2);
  CHECK(run_mbc({"plot", folder / "a.csv", "bob.*", "-o", "-"}).out.starts_with("<svg"));
  CHECK(run_mbc({"plot", folder / "a.mbd"}).code == 1);
}

TEST_CASE("what is no table of results is refused: other bytes than text, and lines of numbers alone") {
  const Folder folder;
  const auto refused = [&](const std::string& text, const std::string& why) {
    write_file(folder / "a.csv", text);
    for (const char* verb : {"plot", "view"}) {
      const Ran ran =
          run_mbc({verb, folder / "a.csv", "-o", folder / (verb == std::string("view") ? "a.html" : "a.svg")});
      CAPTURE(verb);
      CHECK(ran.code == 1);
      CHECK(ran.out.empty());
      CHECK(has(ran.err, "`" + (folder / "a.csv") + "` is no table of results: " + why));
    }
    CHECK(run_mbc({"plot", folder / "a.csv", "--json"}).code == 1);
    CHECK(run_mbc({"plot", "-"}, {.input = text}).code == 1);
  };
  refused("time,x\xff\n0,1\n", "it is not UTF-8 text");
  refused("time,x\n0,1\n1,\xfe\n", "it is not UTF-8 text");
  refused(std::string("\x7f"
                      "ELF,\0\1\n0,1\n",
                      13),
          "it is not UTF-8 text");
  refused("0,1\n1,2\n2,3\n", "its first line holds numbers and no names");
  refused("time\n0\n", "a line of names and lines of numbers");
  write_file(folder / "a.csv", "time,\xc3\xa4\n0,1\n1,2\n");
  CHECK(run_mbc({"plot", folder / "a.csv"}).code == 0);
  write_file(folder / "a.csv", "time,1,2\n0,1,2\n1,2,3\n");
  CHECK(run_mbc({"plot", folder / "a.csv", "1"}).code == 0);
}

TEST_CASE("plots in chosen units") {
  const Folder folder;
  write_file(folder / "a.mbd",
             "mbd 1\ncoord phi = 0.5\nkinetic k: 1 [kg*m^2]*phi'^2/2\npotential v: 1 [J]*phi^2/2\n"
             "output E = energy.total, turn = phi\nsimulate { time = 0 [s] .. 1 [s] step 0.5 [s] }\n");
  REQUIRE(run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--quiet"}).code == 0);
  const Ran shown =
      run_mbc({"plot", folder / "a.csv", "turn in [deg], E in [mJ]", "--against", "time in [ms]", "-o", "-"});
  REQUIRE_MESSAGE(shown.code == 0, shown.err);
  CHECK(has(shown.out, ">turn [deg]</text>"));
  CHECK(has(shown.out, ">E [mJ]</text>"));
  CHECK(has(shown.out, ">time [ms]</text>"));
  CHECK(has(shown.out, ">1000</text>"));  // This is a label of the time axis.
  CHECK(has(shown.out, ">28</text>"));    // 0.5 rad are 28.6 deg.
  for (const char* wrong : {"turn in [m]", "E in [N]", "E in [nothing]", "E in []", "E in [J] \n]"}) {
    const Ran ran = run_mbc({"plot", folder / "a.csv", wrong});
    CHECK_MESSAGE(ran.code == 2, std::string(wrong));
  }
  CHECK(has(run_mbc({"plot", folder / "a.csv", "E in [N]"}).err, "`E` cannot be drawn in [N]: it is in [N*m]"));
}

TEST_CASE("PNG and PDF are made where the converter is installed; else it is said what is missing") {
  const Folder folder;
  write_file(folder / "a.csv", "time,x\n0,0\n1,2\n2,1\n");
  const Ran without =
      run_mbc({"plot", folder / "a.csv", "x", "-o", folder / "a.png"}, {.setenv = {{"PATH", folder.path()}}});
  CHECK(without.code == 74);
  CHECK(has(without.err, "librsvg2-bin"));
  CHECK_FALSE(std::filesystem::exists(folder / "a.png"));
  const Ran png = run_mbc({"plot", folder / "a.csv", "x", "-o", folder / "a.png"});
  if (png.code != 0) {
    CHECK(has(png.err, "librsvg2-bin"));
    return;
  }
  CHECK(read_file(folder / "a.png").starts_with("\x89PNG"));
  CHECK(run_mbc({"plot", folder / "a.csv", "x", "-o", folder / "a.pdf"}).code == 0);
  CHECK(read_file(folder / "a.pdf").starts_with("%PDF-"));
}

// This is a plane pendulum with plots of its own.
const char* kPlots =
    "mbd 1\n"
    "particle bob(2 [kg]) at (1, 0, 0) [m]\n"
    "gravity (0, 0, -10) [m/s^2]\n"
    "constraint rod: dist(ground, bob) == 1 [m]\n"
    "output E = energy.total, height = bob.z in [cm]\n"
    "simulate swing {\n  time = 0 [s] .. 1 [s] step 0.1 [s]; integrator = rk4\n"
    "  plot height, bob.pos.x in [mm]\n  plot 2*bob.vz over atan2(bob.x, -bob.z) in [deg]\n}\n";

TEST_CASE("plots that a model asks for are drawn of its result, first in its page, and after a run on a terminal") {
  const Folder folder;
  write_file(folder / "a.mbd", kPlots);
  const Ran ran =
      run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--report", folder / "a.html", "--interpret"});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  CHECK(ran.out.empty());  // Standard output is not a terminal.
  const Json plots = Json::parse(read_file(folder / "a.csv.json"))["plots"];
  CHECK(plots == Json::parse(R"json([{"curves": [{"name": "height"}, {"name": "bob.x", "unit": "mm"}]},
    {"curves": [{"name": "2*bob.vz"}], "over": {"name": "atan2(bob.x, -bob.z)", "unit": "deg"}}])json"));

  const std::string drawn = run_mbc({"plot", folder / "a.csv", "-o", "-"}).out;
  CHECK(has(drawn, "viewBox=\"0 0 800 1350\""));  // The units are cm, mm and m/s.
  for (const char* title : {">height [cm]<", ">bob.x [mm]<", ">2*bob.vz [m/s]<", ">atan2(bob.x, -bob.z) [deg]<"})
    CHECK_MESSAGE(has(drawn, title), std::string(title));
  CHECK_FALSE(has(drawn, ">E [N*m]<"));

  const Json data = data_of(read_file(folder / "a.html"));
  REQUIRE(data["plots"].size() == 2);
  CHECK(data["plots"][0]["curves"][1]["factor"] == 1000);
  CHECK(data["plots"][1]["over"]["factor"].get<double>() == doctest::Approx(180 / 3.14159265358979));
  REQUIRE(run_mbc({"view", folder / "a.csv", "-o", folder / "b.html"}).code == 0);
  CHECK(data_of(read_file(folder / "b.html"))["plots"] == data["plots"]);

  const std::vector<std::string> line = {"run", folder / "a.mbd", "-o", folder / "b.csv", "--interpret"};
  const Ran seen = run_mbc_on_terminal(line, {});
  CHECK(has(seen.out, "height [cm]"));
  CHECK(has(seen.out, "atan2(bob.x, -bob.z) [deg]"));
  CHECK(seen.out.find("2*bob.vz [m/s]") < seen.out.find("complete: swing"));
  std::vector<std::string> quiet = line;
  quiet.emplace_back("--quiet");
  CHECK_FALSE(has(run_mbc_on_terminal(quiet, {}).out, "height"));
}

TEST_CASE("poses of a motion in one picture") {
  const Folder folder;
  write_file(folder / "a.mbd", kPlots);
  REQUIRE(run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--interpret", "--quiet"}).code == 0);
  const auto picture = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plot", folder / "a.csv", "--stroboscopic"});
    return run_mbc(more);
  };
  const Ran ran = picture({"--poses", "3", "--width", "300", "-o", "-"});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  check_golden("poses.svg", ran.out);
  CHECK(has(ran.out, ">a.csv: 3 poses from 0 to 1 s, 0.5 s apart<"));

  // With one scale, places agree with the rows: distances in the picture are those of the motion.
  std::vector<std::pair<double, double>> at;
  for (std::size_t k = ran.out.find("<circle"); k != std::string::npos; k = ran.out.find("<circle", k + 1)) {
    double x = 0, y = 0;
    REQUIRE(std::sscanf(ran.out.c_str() + k, "<circle cx=\"%lf\" cy=\"%lf\"", &x, &y) == 2);
    at.emplace_back(x, y);
  }
  REQUIRE(at.size() == 3);
  std::istringstream csv(read_file(folder / "a.csv"));
  std::vector<std::pair<double, double>> motion;
  std::string line;
  std::getline(csv, line);
  for (int row = 0; std::getline(csv, line); ++row) {
    double x = 0, z = 0;
    REQUIRE(std::sscanf(line.c_str(), "%*f,%lf,%*f,%lf", &x, &z) == 2);
    if (row % 5 == 0) motion.emplace_back(x, z);
  }
  const double scale = std::hypot(at[1].first - at[0].first, at[1].second - at[0].second) /
                       std::hypot(motion[1].first - motion[0].first, motion[1].second - motion[0].second);
  for (std::size_t k = 1; k < 3; ++k) {
    CHECK(at[k].first - at[0].first == doctest::Approx(scale * (motion[k].first - motion[0].first)).epsilon(0.01));
    CHECK(at[0].second - at[k].second == doctest::Approx(scale * (motion[k].second - motion[0].second)).epsilon(0.01));
  }

  CHECK(has(picture({"--plane", "yz", "-o", "-"}).out, ">y [m]<"));
  CHECK(has(picture({"--at", "0.25, 1", "-o", "-"}).out, "<title>t = 0.25 s</title>"));
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{}, "does not fit into a terminal"},
      {{"--plane", "xx", "-o", "-"}, "`xx` is no plane"},
      {{"--at", "0, two", "-o", "-"}, "`0, two` is no list of times"},
      {{"--at", "2", "-o", "-"}, "no pose at 2: the rows are from 0 to 1"},
      {{"--at", "1", "--poses", "3", "-o", "-"}, "exclude each other"},
      {{"-o", "-", "--width", "100"}, "at least 150 pixels wide and 120 high"},
      {{"-o", "-", "--height", "100"}, "at least 150 pixels wide and 120 high"},
      {{"bob.x", "-o", "-"}, "poses, not columns"}};
  for (const auto& mistake : wrong) {
    const Ran refused = picture(mistake.first);
    CHECK_MESSAGE(refused.code == 2, mistake.second);
    CHECK_MESSAGE(has(refused.err, mistake.second), refused.err);
  }
  CHECK(run_mbc({"plot", folder / "a.csv", "--plane", "xz"}).code == 2);
  std::filesystem::remove(folder / "a.csv.json");
  const Ran bare = picture({"-o", "-"});
  CHECK(bare.code == 1);
  CHECK(has(bare.err, "there are no poses to draw"));
}

TEST_CASE("a million rows make a picture of its size, not of theirs") {
  const Folder folder;
  std::string text = "time,x\n";
  for (int k = 0; k < 1'000'000; ++k) text += std::to_string(k) + "e-6," + std::to_string(k % 977) + ".25\n";
  write_file(folder / "a.csv", text);
  const Ran ran = run_mbc({"plot", folder / "a.csv", "x", "-o", folder / "a.svg"});
  CHECK(ran.code == 0);
  CHECK(std::filesystem::file_size(folder / "a.svg") < 200'000);
}

}  // namespace mbc::test
