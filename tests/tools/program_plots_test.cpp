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

}  // namespace mbc::test
