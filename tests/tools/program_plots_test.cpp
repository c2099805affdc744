// SPDX-License-Identifier: Apache-2.0
// Compares plots of ten examples, in the terminal and as SVG, curves and poses, with the stored ones character by
// character. Their PNG must have the size of the SVG. MBC_UPDATE_PICTURES=1 stores the new plots for inspection.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

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

// A sweep of pendulums, and a driven one whose rows hold the instants of an event, as in docs/pictures.md.
const char* kSwept =
    "mbd 1\nparam L = 1 [m], phi0 = 30 [deg]\ncoord phi = phi0\n"
    "particle bob(1 [kg]) follows (L*sin(phi), 0 [m], -L*cos(phi))\ngravity (0, 0, -9.81) [m/s^2]\n"
    "output v = norm(bob.vel)\n"
    "simulate swing { time = 0 [s] .. 1 [s] step 0.01 [s]; integrator = rk4; stabilise = none }\n"
    "sweep both over swing { phi0 = 10 [deg] .. 90 [deg] count 5; L = (0.5, 1, 2) [m]; record final(v) }\n";
const char* kDriven =
    "mbd 1\nparam c = 0.5, A = 1.2, w = 0.66667\nlet T = 2*pi/w\ncoord phi = 0.2\nkinetic rod: 0.5*phi'^2\n"
    "load drive on phi: A*cos(w*t) - c*phi' - sin(phi)\nevery strobe: T from T { }\nwhen top: phi rising { }\noutput "
    "angle = atan2(sin(phi), cos(phi))\n"
    "simulate long { time = 0 .. 400 step 0.1; integrator = rk4; stabilise = none; rows = events }\n";

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

// The pictures of docs/pictures.md that show sweeps, sections and several pairs of axes.
TEST_CASE("looks: curves by a parameter, error bars, sections, pairs of axes, gnuplot") {
  const Folder folder;
  const std::string swept = folder / "swept.csv", driven = folder / "driven.csv", forces = folder / "forces.csv";
  write_file(folder / "swept.mbd", kSwept);
  write_file(folder / "driven.mbd", kDriven);
  write_file(forces, "h,f,df\n1,2,0.5\n2,4,0.25\n3,5,-1\n");
  REQUIRE(run_mbc({"sweep", folder / "swept.mbd", "-o", swept, "--quiet", "--interpret"}).code == 0);
  REQUIRE(run_mbc({"run", folder / "driven.mbd", "-o", driven, "--quiet", "--interpret"}).code == 0);
  const auto plot = [&](std::vector<std::string> line) {
    line.insert(line.begin(), "plot");
    const Ran drawn = run_mbc(line);
    CHECK_MESSAGE(drawn.code == 0, drawn.err);
    return drawn.out;
  };
  const auto stored = [&](const std::string& name, std::vector<std::string> line) {
    std::vector<std::string> text = line;
    text.insert(text.end(), {"--width", "64", "--height", "10"});
    check_stored(name + ".txt", plot(text));
    line.insert(line.end(), {"--width", "320", "--height", "200", "-o", "-"});
    check_stored(name + ".svg", plot(line));
  };
  const std::string degrees = "phi0 in [deg]";
  stored("by", {swept, "final(v)", "--against", degrees, "--by", "L", "--title", "one second later"});
  stored("bars", {swept, "final(v)", "--against", degrees, "--bars", "deviation", "--title", ""});
  stored("bars_range", {swept, "final(v)", "--against", degrees, "--bars", "range", "--points", "--title", ""});
  stored("bars_column", {forces, "f", "--against", "h", "--bars", "df", "--points", "--title", ""});
  stored("section", {driven, "phi'", "--against", "angle", "--at-event", "strobe", "--title", "once a period"});
  stored("panels", {driven, "phi; phi'", "--across", "2", "--xlim", "0..40", "--title", ""});
  const std::string latex = folder / "bars.tex", script = folder / "panels.gp";
  plot({swept, "final(v)", "--against", degrees, "--by", "L", "--bars", "range", "-o", latex});
  check_stored("bars.tex", read_file(latex));
  plot({forces, "f, df; f", "--against", "h", "--bars", "df", "--log", "y", "--xlim", "0..4", "-o", script});
  check_stored("panels.gp", read_file(script));
  plot({forces, "f", "--against", "h", "-o", script});  // replaces what mbc has written

  // Curves hold the rows of their value, bars the mean and the sample deviation of the rows of one abscissa.
  const nlohmann::json rows = nlohmann::json::parse(plot({swept, "L, final(v)", "--against", "member", "--json"}));
  const auto values = [](const nlohmann::json& list) { return list.at("values").get<std::vector<double>>(); };
  const std::vector<double> v = values(rows.at("plots").at(1).at("curves").at(0));
  const nlohmann::json by =
      nlohmann::json::parse(plot({swept, "final(v)", "--against", degrees, "--by", "L", "--json"}));
  const nlohmann::json& lines = by.at("plots").at(0).at("curves");
  REQUIRE(lines.size() == 3);
  CHECK(lines[2].at("name") == "L = 2 m");
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(lines[2].at("over").at(k).get<double>() == doctest::Approx(10 + 20.0 * static_cast<double>(k)));
    for (std::size_t i = 0; i < 3; ++i) CHECK(values(lines[i]).at(k) == v.at(3 * k + i));
  }
  const nlohmann::json bars =
      nlohmann::json::parse(plot({swept, "final(v)", "--against", degrees, "--bars", "deviation", "--json"}));
  const nlohmann::json& line = bars.at("plots").at(0).at("curves").at(0);
  for (std::size_t k = 0; k < 5; ++k) {
    const double a = v.at(3 * k), b = v.at(3 * k + 1), c = v.at(3 * k + 2);
    // (n - 1) n s^2 is the sum of the squares of all differences.
    const double s = std::sqrt(((a - b) * (a - b) + (b - c) * (b - c) + (c - a) * (c - a)) / 6);
    CHECK(values(line).at(k) == doctest::Approx((a + b + c) / 3).epsilon(1e-12));
    CHECK(line.at("high").at(k).get<double>() - line.at("low").at(k).get<double>() == doctest::Approx(2 * s));
  }
  // Curves of a second file keep its name.
  const nlohmann::json two =
      nlohmann::json::parse(plot({swept, "final(v)", "--against", degrees, "--by", "L", "--with", swept, "--json"}));
  CHECK(has(two.at("plots").at(0).at("curves").back().at("name").get<std::string>(), "(swept.csv), L = "));
  // The section holds the rows behind the events of that name, one each period, and the times are those of the drive.
  const nlohmann::json section =
      nlohmann::json::parse(plot({driven, "time", "--against", "time", "--at-event", "strobe", "--json"}));
  const std::vector<double> times = values(section.at("plots").at(0).at("curves").at(0));
  REQUIRE(times.size() == 42);
  for (std::size_t k = 0; k < times.size(); ++k)
    CHECK(times[k] == doctest::Approx(2 * 3.14159265358979 / 0.66667 * static_cast<double>(k + 1)));
}

// A script of mbc is read by gnuplot without a word.
TEST_CASE("gnuplot draws the script") {
  const Folder folder;
  const std::string a = folder / "a.csv", script = folder / "a.gp";
  write_file(a, "time,it's,y\n0,1,2\n1,nan,3\n2,2,4\n");
  REQUIRE(run_mbc({"plot", a, "it's, y; y", "--log", "y", "-o", script}).code == 0);
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) return;
  const std::string line =
      "gnuplot -e \"set term svg; set output '" + (folder / "a.svg") + "'\" " + script + " 2> " + (folder / "err");
  CHECK(std::system(line.c_str()) == 0);
  CHECK(read_file(folder / "err").empty());
  CHECK(has(read_file(folder / "a.svg"), "it's"));
}

// The pictures of a GIF, and its width.
std::pair<std::size_t, std::size_t> pictures_and_width(const std::string& gif) {
  REQUIRE(gif.starts_with("GIF89a"));
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = gif.find("\x21\xf9\x04", at)) != std::string::npos; ++at) ++pictures;
  return {pictures, static_cast<unsigned char>(gif[6]) + 256 * static_cast<unsigned char>(gif[7])};
}

// The film of docs/pictures.md. Its bytes depend on the version of ffmpeg.
void check_stored_film(const std::string& bytes) {
  const std::string path = std::string(MBC_TEST_DATA_DIR) + "/tools/pictures/examples/film.gif";
  if (const char* update = std::getenv("MBC_UPDATE_PICTURES"); update != nullptr && *update == '1')
    write_file(path, bytes);
  CHECK(pictures_and_width(read_file(path)) == pictures_and_width(bytes));
}

// A film has a picture for each 25th of a second, is recognised as one of ours, and needs both programs.
TEST_CASE("the motion as a film") {
  const Folder folder;
  const std::string rows = folder / "a.csv";
  REQUIRE(run_mbc({"run", std::string(MBC_SOURCE_DIR) + "/examples/pendulum.mbd", "-o", rows, "--quiet", "--interpret",
                   "--output-every", "30"})
              .code == 0);
  const auto film = [&](const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> line = {"plot", rows, "--animation", "-o", folder / file};
    line.insert(line.end(), more.begin(), more.end());
    return line;
  };
  const bool installed = std::system("command -v rsvg-convert > /dev/null && command -v ffmpeg > /dev/null") == 0;
  for (const char* file : {"a.gif", "a.apng", "a.mp4"}) {
    for (const char* seconds : {"0.2", "1"}) {  // the second one replaces the first
      const Ran made = run_mbc(film(file, {"--seconds", seconds, "--width", "201"}));
      if (installed)
        CHECK_MESSAGE(made.code == 0, made.err);
      else
        CHECK(has(made.err, "which is not installed"));
    }
    if (!installed) continue;
    const std::string bytes = read_file(folder / file);
    const std::string name = file;
    if (name.ends_with("gif")) {
      CHECK(pictures_and_width(bytes) == std::pair<std::size_t, std::size_t>{26, 201});
      check_stored_film(bytes);
    } else if (name.ends_with("apng")) {
      const std::size_t count = bytes.find("acTL");
      REQUIRE(count != std::string::npos);
      CHECK(number_at(bytes, 16) == 201);
      CHECK(number_at(bytes, count + 4) == 26);
    } else {
      CHECK(bytes.substr(4, 4) == "ftyp");
      CHECK(bytes.size() > 2000);
    }
  }
  CHECK(has(run_mbc(film("b.gif"), {.setenv = {{"PATH", folder.path()}}}).err, "rsvg-convert, which is not installed"));
  if (std::system("command -v rsvg-convert > /dev/null") == 0) {
    const Folder bin;
    std::filesystem::create_symlink("/usr/bin/rsvg-convert", bin / "rsvg-convert");
    const Ran ran = run_mbc(film("b.gif", {"--seconds", "0.1"}), {.setenv = {{"PATH", bin.path()}}});
    CHECK(ran.code != 0);
    CHECK(has(ran.err, "ffmpeg, which is not installed (Debian: ffmpeg)"));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "b.gif"));
  write_file(folder / "mine.gif", "GIF89a, of somebody else");
  CHECK(run_mbc(film("mine.gif")).code != 0);
  const auto refused = [&](std::vector<std::string> line) {
    line.insert(line.begin(), {"plot", rows});
    const Ran ran = run_mbc(line);
    CHECK(ran.code == 2);
    return ran.err;
  };
  CHECK(has(refused({"--animation"}), "an animation does not fit into a terminal"));
  CHECK(has(refused({"--animation", "-o", folder / "a.svg"}), "the film is GIF, APNG or MP4"));
  CHECK(has(refused({"--animation", "--stroboscopic", "-o", folder / "a.gif"}), "exclude each other"));
  CHECK(has(refused({"--animation", "--poses", "3", "-o", folder / "a.gif"}), "are for a stroboscopic picture"));
  CHECK(has(refused({"--animation", "--seconds", "500", "-o", folder / "a.gif"}), "a film has 120 seconds at most"));
  CHECK(has(refused({"--animation", "--seconds", "0", "-o", folder / "a.gif"}), "no positive number"));
  CHECK(has(refused({"--animation", "--width", "100", "-o", folder / "a.gif"}), "at least 150 pixels"));
  CHECK(has(refused({"--animation", "--height", "20", "-o", folder / "a.gif"}), "pixels wide and 120 high"));
  CHECK(has(refused({"--animation", "bob.x", "-o", folder / "a.gif"}), "an animation shows poses, not columns"));
  CHECK(has(refused({"--stroboscopic", "--seconds", "3", "-o", folder / "a.svg"}), "--seconds is for an animation"));
  CHECK(has(refused({"bob.x", "--seconds", "3"}), "belong to pictures of the motion"));
}

TEST_CASE("names of columns in a unit have it once on the axis") {
  const Folder folder;
  const std::string a = folder / "a.csv";
  write_file(a, "time,phi [deg]\n0,1\n1,2\n");
  write_file(a + ".json", R"({"columns": [{"name": "time", "unit": "s"}, {"name": "phi [deg]", "unit": "deg"}]})");
  CHECK(has(run_mbc({"plot", a, "phi [deg]", "-o", "-"}).out, ">phi [deg]</text>"));
  CHECK(has(run_mbc({"plot", a, "phi [deg] in [rad]", "-o", "-"}).out, ">phi [rad]</text>"));
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
  for (const char* option : {"--points", "--steps", "--equal"})
    CHECK(has(refused({"--stroboscopic", "-o", folder / "a.svg", option}), "are for curves"));
  for (const char* option : {"--by", "--bars", "--at-event", "--log", "--xlim", "--title", "--label", "--with"})
    CHECK(has(refused({"--stroboscopic", "-o", folder / "a.svg", option, "x"}),
              option == std::string("--log") ? "--log" : "are for curves"));
  CHECK(has(refused({"--stroboscopic", "-o", folder / "a.gp"}), "are for curves"));
  CHECK(has(refused({"x", "--equal", "--xlim", "0..1"}), "--equal chooses the limits"));
  CHECK(has(refused({"x", "--poses", "3"}), "belong to pictures of the motion"));
  CHECK(has(refused({"x", "--against", "z"}), "has no column `z`"));
  CHECK(has(refused({"x", "--by", "z"}), "has no column `z`"));
  CHECK(has(refused({"x", "--bars", "z"}), "has no column `z`"));
  CHECK(has(refused({"x;", "--across", "2"}), "has no column ``"));
  CHECK(has(refused({"x", "--across", "0"}), "--across"));
  CHECK(has(refused({"x", "--at-event", "low"}), "has no rows of events"));
  CHECK(has(refused({"x", "--json", "--across", "2"}), "--across are for a picture"));
  CHECK(has(refused({"x", "-o", folder / "a.eps"}), "SVG, PNG, PDF, LaTeX or a script for gnuplot"));
  CHECK(has(refused({"x", "-o", folder / "a.svg", "--width", "100"}), "at least 150 pixels"));
  CHECK(has(refused({"x", "-o", "-", "--json"}), "cannot both go to standard output"));
  CHECK(has(refused({"x", "--json", "--width", "100"}), "--json without -o gives numbers"));
  CHECK(run_mbc({"plot", a, "x", "--with", folder / "gone.csv"}).code == 1);
  std::string many = "time,x\n";
  for (int k = 0; k < 13; ++k) many += std::to_string(k) + "," + std::to_string(k) + "\n";
  write_file(b, many);
  CHECK(has(run_mbc({"plot", b, "x", "--by", "x"}).err, "`x` has 13 values, and a picture shows 12"));
}

TEST_CASE("units that do not fit, and events that did not fire") {
  const Folder folder;
  const std::string a = folder / "a.csv", b = folder / "b.csv";
  const std::string columns = R"({"columns": [{"name": "time", "unit": "s"}, {"name": "event", "unit": ""}, )"
                              R"({"name": "x", "unit": "m"}], "events": [{"time": 1, "name": "low"}]})";
  for (const std::string& file : {a, b}) write_file(file, "time,event,x\n0,0,1\n1,-1,2\n1,1,3\n2,0,4\n");
  write_file(a + ".json", columns);
  std::string other = columns;
  other.replace(other.find("\"m\""), 3, "\"kg\"");
  write_file(b + ".json", other);
  const auto refused = [&](std::vector<std::string> line) {
    line.insert(line.begin(), {"plot", a});
    const Ran ran = run_mbc(line);
    CHECK(ran.code == 2);
    return ran.err;
  };
  CHECK(has(refused({"x", "--at-event", "lo"}), "has no event `lo`\nhint: did you mean `low`?"));
  CHECK(has(refused({"x", "--with", b}), "has another unit: it is in [kg]"));
  CHECK(has(refused({"x", "--equal"}), "--equal: `time` is in [s], and `x` in [m]"));
  CHECK(has(refused({"x", "--bars", "time"}), "--bars: `time` is in [s], and `x` in [m]"));
  CHECK(has(refused({"x", "--by", "x in [s]"}), "`x` cannot be drawn in [s]: it is in [m]"));
  // What a long run has not listed is not left out silently.
  for (const char* listed :
       {R"([{"time": 1, "name": "low"}, {"time": 1, "name": "high"}])", R"([{"time": 1, "name": "high"}])"}) {
    write_file(b + ".json", columns.substr(0, columns.rfind("[{")) + listed + R"(, "events_left_out": 7})");
    const Ran ran = run_mbc({"plot", b, "x", "--at-event", "low"});
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "lists the first of its events only"));
  }
  const Ran one = run_mbc({"plot", a, "x", "--at-event", "low", "--json"});
  CHECK(nlohmann::json::parse(one.out).at("plots").at(0).at("curves").at(0).at("values") == std::vector<double>{3});
}

TEST_CASE("limits that show nothing are drawn, and said") {
  const Folder folder;
  const std::string a = folder / "a.csv";
  write_file(a, "time,x\n0,1\n1,2\n2,5\n");
  const auto said = [&](std::vector<std::string> line) {
    line.insert(line.begin(), {"plot", a, "x"});
    const Ran ran = run_mbc(line);
    CHECK(ran.code == 0);
    CHECK(!ran.out.empty());
    return ran.err;
  };
  CHECK(said({"--xlim", "5..6"}) ==
        "mbc: plot: the limits of the axes show nothing: `time` goes from 0 to 2, `x` goes from 1 to 5\n");
  CHECK(has(said({"--ylim", "-1..0", "-o", "-"}), "show nothing"));
  CHECK(said({"--xlim", "1.2..1.4"}).empty());  // a line without a point of its own
  CHECK(has(said({"--xlim", "1.2..1.4", "--points"}), "show nothing"));
}

}  // namespace mbc::test
