// SPDX-License-Identifier: Apache-2.0
// Compares plots of ten examples, in the terminal and as SVG, curves and poses, with the stored ones character by
// character. Their PNG must have the size of the SVG. MBC_UPDATE_PICTURES=1 stores the new plots for inspection.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/scratch.h"
#include "tests/tools/page_data.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

struct Picture {
  const char *example, *block, *columns;
  bool poses;
};

// These are short runs of particles, bodies in the plane and in space, coordinates, events, and contact.
constexpr Picture kPictures[] = {
    {"pendulum", "", "bob.x, bob.y", true},
    {"slider_crank_joints", "", "piston.x", true},
    {"bouncing_ball", "", "", false},
    {"intermediate_axis", "", "", true},
    {"walker", "walk", "", true},
    {"spherical_pendulum", "", "", true},
    {"suspension", "", "car.y in [cm], E", true},
    {"bead_on_hoop", "", "th in [deg]", true},
    {"kepler", "", "", true},
    {"peaucellier", "", "D.y, D.x", true},
};

void check_stored(const std::string& name, const std::string& text) {
  const std::string path = std::string(MBC_TEST_DATA_DIR) + "/tools/pictures/examples/" + name;
  if (const char* update = std::getenv("MBC_UPDATE_PICTURES"); update != nullptr && *update == '1')
    write_file(path, text);
  CHECK_MESSAGE(text == read_file(path), name);
  CHECK_MESSAGE(text.size() < 30'000, name);
}

std::size_t number_at(const std::string& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes.at(at + k));
  return value;
}

}  // namespace

TEST_CASE("plots of ten examples") {
  const std::string examples = std::string(MBC_SOURCE_DIR) + "/examples/";
  for (const Picture& p : kPictures) {
    const std::string name = p.example;
    CAPTURE(name);
    const Folder folder;
    const std::string rows = folder / (name + ".csv");
    std::vector<std::string> run = {"run", examples + name + ".mbd", "-o", rows, "--quiet", "--interpret"};
    if (*p.block != '\0') run.insert(run.begin() + 2, p.block);
    run.insert(run.end(), {"--output-every", "10"});
    const Ran ran = run_mbc(run);
    REQUIRE_MESSAGE(ran.code == 0, ran.err);
    const auto plot = [&](std::vector<std::string> more) {
      std::vector<std::string> line = {"plot", rows};
      if (*p.columns != '\0' && more.front() != "--stroboscopic") line.emplace_back(p.columns);
      line.insert(line.end(), more.begin(), more.end());
      const Ran drawn = run_mbc(line);
      CHECK_MESSAGE(drawn.code == 0, drawn.err);
      return drawn.out;
    };
    check_stored(name + ".txt", plot({"--width", "64", "--height", "8"}));
    check_stored(name + ".svg", plot({"--width", "320", "--height", "200", "-o", "-"}));
    if (p.poses)
      check_stored(name + "-poses.svg", plot({"--stroboscopic", "--poses", "5", "--width", "320", "-o", "-"}));
    const std::string png = folder / "a.png";
    const Ran made = run_mbc({"plot", rows, "--width", "320", "--height", "200", "-o", png});
    if (made.code != 0) {
      CHECK(has(made.err, "librsvg2-bin"));
      continue;
    }
    const std::string bytes = read_file(png);
    REQUIRE(bytes.starts_with("\x89PNG"));
    CHECK(number_at(bytes, 16) == 320);
    CHECK(number_at(bytes, 20) % 200 == 0);
    CHECK(bytes.size() > 2000);  // The picture is not empty.
  }
}

// Each look of curves has a stored picture; docs/pictures.md shows them.
TEST_CASE("looks: several results, labels, logarithmic and equal axes, limits, points, steps, LaTeX") {
  const Folder folder;
  const std::string pendulum = std::string(MBC_SOURCE_DIR) + "/examples/pendulum.mbd";
  const std::string a = folder / "a.csv", b = folder / "b.csv", errors = folder / "errors.csv";
  REQUIRE(run_mbc({"run", pendulum, "-o", a, "--quiet", "--interpret", "--output-every", "30"}).code == 0);
  REQUIRE(run_mbc({"run", pendulum, "-o", b, "--quiet", "--interpret", "--output-every", "50", "--set", "l = 1.2 [m]"})
              .code == 0);
  write_file(errors, "h,rk4,euler\n0.1,1e-5,0.3\n0.05,6e-7,0.2\n0.025,4e-8,0.07\n0.0125,0,0.03\n");
  const auto plot = [&](std::vector<std::string> line) {
    line.insert(line.begin(), "plot");
    const Ran drawn = run_mbc(line);
    CHECK_MESSAGE(drawn.code == 0, drawn.err);
    return drawn.out;
  };
  const std::vector<std::string> small{"--width", "320", "--height", "200", "-o", "-"};
  const auto stored = [&](const std::string& name, std::vector<std::string> line) {
    std::vector<std::string> text = line;
    text.insert(text.end(), {"--width", "64", "--height", "10"});
    check_stored(name + ".txt", plot(text));
    line.insert(line.end(), small.begin(), small.end());
    check_stored(name + ".svg", plot(line));
  };
  stored("results", {a, "bob.x", "--with", b, "--label", "1 m", "--label", "1.2 m", "--title", "Two pendulums"});
  stored("equal", {a, "bob.y", "--against", "bob.x", "--equal", "--title", ""});
  stored("logarithmic", {errors, "rk4, euler", "--log", "xy", "--points", "--title", "errors"});
  stored("limits", {a, "bob.x, bob.y", "--xlim", "0.5..2", "--ylim", "-0.5 .. 1.5", "--steps"});
  const std::string latex = folder / "errors.tex";
  plot({errors, "rk4, euler", "--log", "y", "-o", latex});
  check_stored("errors.tex", read_file(latex));
  plot({errors, "rk4", "-o", latex});  // replaces what mbc has written
  const nlohmann::json both = nlohmann::json::parse(plot({a, "bob.x", "--with", b, "--json"}));
  const nlohmann::json& curves = both.at("plots").at(0).at("curves");
  CHECK(curves.size() == 2);
  CHECK(curves[1].at("name") == "bob.x (b.csv)");
  CHECK(curves[1].at("over").size() == curves[1].at("values").size());
}

TEST_CASE("looks that contradict each other, and what is not there") {
  const Folder folder;
  const std::string a = folder / "a.csv", b = folder / "b.csv";
  write_file(a, "time,x,y\n0,1,2\n1,2,3\n");
  write_file(b, "time,x\n0,1\n1,2\n");
  const auto refused = [&](std::vector<std::string> line) {
    line.insert(line.begin(), {"plot", a});
    const Ran ran = run_mbc(line);
    CHECK(ran.code == 2);
    return ran.err;
  };
  CHECK(has(refused({"x", "--points", "--steps"}), "points or steps"));
  CHECK(has(refused({"x", "--log", "y", "--ylim", "0..1"}), "no limits of a logarithmic axis"));
  CHECK(has(refused({"x", "--xlim", "2..1"}), "no limits of an axis"));
  CHECK(has(refused({"x", "--xlim", "a..1"}), "no limits of an axis"));
  CHECK(has(refused({"x", "--log", "z"}), "--log"));
  CHECK(has(refused({"x", "--equal", "--log", "x"}), "--equal"));
  CHECK(has(refused({"x,y", "--with", b}), "has no column `y`"));
  CHECK(has(refused({"x", "--label", "1", "--label", "2"}), "1 curve, and 2 --labels"));
  CHECK(has(refused({"--stroboscopic", "-o", folder / "a.svg", "--points"}), "are for curves"));
  CHECK(run_mbc({"plot", a, "x", "--with", folder / "gone.csv"}).code == 1);
}

}  // namespace mbc::test
