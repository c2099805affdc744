// SPDX-License-Identifier: Apache-2.0
// Tests `mbc compile` to archives, bitcode, shared objects and executables. An executable gives the rows of `mbc run`
// byte for byte, interpreted and native. It needs only the C library, no compiler and no file.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;
const std::string kExamples = MBC_SOURCE "/examples/";

struct Shell {
  int code = -1;
  std::string out;  // both streams
};

Shell shell(const Folder& folder, const std::string& command) {
  Shell ran;
  FILE* pipe = popen(("cd '" + folder.path() + "'; exec 2>&1 </dev/null; " + command).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> piece{};
  for (std::size_t n = 0; (n = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) ran.out.append(piece.data(), n);
  const int status = pclose(pipe);
  ran.code = status >= 0 && status % 256 == 0 ? status / 256 : -1;
  return ran;
}

std::string compile(const Folder& folder, const std::string& model, std::vector<std::string> how) {
  how.insert(how.begin(), {"compile", model});
  const Ran ran = run_mbc(how);
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  return folder / "program";
}

}  // namespace

TEST_CASE("functions that need a run beside them are refused, the executable is not" * doctest::skip(kSanitized)) {
  const Folder folder;
  const std::string file = kExamples + "pendulum.mbd";
  for (const std::string formulation : {"projection", "kane", "maggi", "volterra", "efficient_volterra"})
    for (const std::string ending : {"o", "so", "a", "bc"}) {
      CAPTURE(formulation);
      CAPTURE(ending);
      const Ran ran = run_mbc({"compile", file, "--formulation", formulation, "-o", folder / ("x." + ending)});
      CHECK(ran.code == 2);
      CHECK(ran.err.find("`formulation = " + formulation + "` need independent speeds that a run chooses") !=
            std::string::npos);
      CHECK_FALSE(fs::exists(folder / ("x." + ending)));
    }
  compile(folder, file, {"--formulation", "projection", "--emit", "exe", "-o", folder / "program"});
  CHECK(shell(folder, "./program -o c.csv").code == 0);
}

// The models cover redundant rows, velocity-level rows, events, contact, a stiff model, and a clutch.
TEST_CASE("an executable gives the rows of the interpreter and of native code" * doctest::skip(kSanitized)) {
  for (const std::string model : {"double_four_bar", "sleigh", "relay", "bouncing_ball", "stiff_bushing", "clutch"}) {
    CAPTURE(model);
    const Folder folder;
    const std::string file = kExamples + model + ".mbd";
    const std::string program = compile(folder, file, {"--emit", "exe", "-o", folder / "program"});
    const Ran interpreted = run_mbc({"run", file, "--interpret", "--quiet", "-o", folder / "a.csv"});
    const Ran native = run_mbc({"run", file, "--native", "--no-cache", "--quiet", "-o", folder / "b.csv"});
    REQUIRE_MESSAGE(interpreted.code == native.code, native.err);
    const Shell own = shell(folder, "env -i ./program -o c.csv");
    CHECK_MESSAGE(own.code == native.code, own.out);
    const Shell at_once = shell(folder, "env -i ./program --native --quiet -o d.csv");
    CHECK_MESSAGE(at_once.code == native.code, at_once.out);
    const std::string rows = read_file(folder / "a.csv");
    CHECK(rows.size() > 1000);
    CHECK(rows == read_file(folder / "b.csv"));
    CHECK(rows == read_file(folder / "c.csv"));
    CHECK(rows == read_file(folder / "d.csv"));
    CHECK(has(shell(folder, "./program --native -o e.csv").out, "native code"));
    CHECK(has(shell(folder, "./program --interpret -o e.csv").out, "interpreter"));
  }
}

TEST_CASE("an executable needs the C library only, and no file" * doctest::skip(kSanitized)) {
  const Folder folder;
  fs::create_directory(folder / "parts");
  write_file(folder / "parts/mass.mbd", "mbd 1\ndef doubled(x) = 2*x\n");
  write_file(folder / "push.csv", "t,F\n0,0\n0.5,3\n1,1\n");
  write_file(folder / "a.mbd",
             "mbd 1\nuse \"parts/mass.mbd\"\nparam m = 1\nparticle p(doubled(m)) at (0, 0, 1)\n"
             "force push on p: (table(t, \"push.csv\", column = \"F\", beyond = hold), 0, 0)\n"
             "simulate slow { time = 0 .. 1 step 0.01; integrator = rk4 }\n"
             "simulate fast { time = 0 .. 1 step 0.01; integrator = rk4; save = \"rows.csv\" }\n");
  compile(folder, folder / "a.mbd", {"fast", "--emit=exe", "--set", "m=3", "-o", folder / "program"});
  REQUIRE(run_mbc({"run", folder / "a.mbd", "fast", "--set", "m=3", "--quiet", "-o", folder / "x.csv"}).code == 0);
  REQUIRE(run_mbc({"run", folder / "a.mbd", "fast", "--set", "m=5", "--quiet", "-o", folder / "y.csv"}).code == 0);
  for (const char* gone : {"a.mbd", "parts", "push.csv"}) fs::remove_all(folder / gone);
  CHECK(shell(folder, "ldd ./program | grep -v -e libc.so -e libm.so -e ld-linux -e vdso").out.empty());
  REQUIRE(shell(folder, "./program --quiet").code == 0);
  CHECK(read_file(folder / "rows.csv") == read_file(folder / "x.csv"));
  REQUIRE(shell(folder, "./program slow --set m=5 --quiet -o z.csv").code == 0);
  CHECK(read_file(folder / "z.csv") == read_file(folder / "y.csv"));
  const Shell help = shell(folder, "./program --help");
  CHECK(help.code == 0);
  CHECK(has(help.out, "runs a.mbd, by mbc"));
  CHECK(has(help.out, "--variables"));
  CHECK_FALSE(has(help.out, "--checkpoint"));
  const Shell wrong = shell(folder, "./program --sett m=1");
  CHECK(wrong.code == 2);
  CHECK(wrong.out == "./program: unknown option `--sett`\nhint: did you mean `--set`?\n");
  CHECK(shell(folder, "./program middle -o w.csv").code == 1);
  CHECK(shell(folder, "./program --set m=-1 -o w.csv").code == 1);
  // A truncated executable reports its damage.
  shell(folder, "head -c -100 program > cut; chmod +x cut");
  const Shell cut = shell(folder, "./cut");
  CHECK(cut.code == 2);
  CHECK(has(cut.out, "this program holds no model"));
}

TEST_CASE("an executable for another processor says so and gives the same rows" * doctest::skip(kSanitized)) {
  const Folder folder;
  const std::string file = kExamples + "double_four_bar.mbd";
  compile(folder, file, {"--emit", "exe", "--cpu=x86-64", "-o", folder / "program"});
  REQUIRE(shell(folder, "./program --native --quiet -o a.csv").code == 0);
  compile(folder, file, {"--emit", "exe", "--cpu=native", "-o", folder / "program"});
  REQUIRE(shell(folder, "./program --native --quiet -o b.csv").code == 0);
  CHECK(read_file(folder / "a.csv").size() > 1000);
  CHECK(read_file(folder / "a.csv") == read_file(folder / "b.csv"));
  // Few processors have xop.
  compile(folder, file, {"--emit", "exe", "--cpu=bdver1", "-o", folder / "program"});
  if (shell(folder, "grep -q ' xop ' /proc/cpuinfo").code == 0) return;
  const Shell other = shell(folder, "./program -o c.csv");
  CHECK(other.code == 0);
  CHECK_MESSAGE(has(other.out, "the model is interpreted: it was compiled for processors with xop"), other.out);
  CHECK(read_file(folder / "a.csv") == read_file(folder / "c.csv"));
  CHECK(shell(folder, "./program --native -o d.csv").code == 2);
}

TEST_CASE("a program without a named block has code for all, and runs the first one" * doctest::skip(kSanitized)) {
  const Folder folder;
  write_file(folder / "two.mbd",
             "mbd 1\nparticle p(1) at (0, 0, 1)\nforce on p: (0, 0, -9.81)\n"
             "simulate slow { time = 0 .. 1 step 0.01; integrator = rk4 }\n"
             "simulate fast { time = 0 .. 1 step 0.01; integrator = taylor }\n");
  compile(folder, folder / "two.mbd", {"--emit=exe", "-o", folder / "program"});
  const Shell which = shell(folder, "./program -o x.csv");
  CHECK(which.code == 0);
  CHECK_MESSAGE(has(which.out, "the first of 2 `simulate` blocks is run (`slow`)"), which.out);
  for (const std::string block : {"slow", "fast"}) {
    const Shell own = shell(folder, "./program " + block + " --native -o own.csv");
    CHECK_MESSAGE(own.code == 0, own.out);
    CHECK_MESSAGE(has(own.out, "native code"), own.out);
    REQUIRE(run_mbc({"run", folder / "two.mbd", block, "--interpret", "--quiet", "-o", folder / "x.csv"}).code == 0);
    CHECK(read_file(folder / "own.csv") == read_file(folder / "x.csv"));
  }
  write_file(folder / "none.mbd", "mbd 1\nparticle p(1) at (0, 0, 1)\nforce on p: (0, 0, -9.81)\n");
  const Ran none = run_mbc({"compile", folder / "none.mbd", "--emit=exe", "-o", folder / "none"});
  CHECK(none.code == 1);
  CHECK_MESSAGE(has(none.err, "no `simulate` block that a program could run"), none.err);
}

TEST_CASE("what cannot be made is refused") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const auto refused = [&](std::vector<std::string> how, const std::string& why) {
    how.insert(how.begin(), {"compile", folder / "a.mbd"});
    const Ran ran = run_mbc(how);
    CHECK(ran.code == 2);
    CHECK_MESSAGE(has(ran.err, why), ran.err);
  };
  refused({"--emit=exe"}, "an executable needs a file");
  refused({"--emit=exe", "-o", folder / "x", "--prefix=m"}, "--prefix is for llvm-ir");
  refused({"--emit=exe", "-o", folder / "x", "--stdlib", folder.path()}, "--stdlib is not for fmu and exe");
  refused({"demo", "-o", folder / "x.o"}, "NAME is for fmu and exe");
  refused({"--fmi", "2", "-o", folder / "x.so"}, "--fmi is for fmu");
  const Ran other = run_mbc({"compile", folder / "a.mbd", "other", "--emit=exe", "-o", folder / "x"});
  CHECK(other.code == 1);
  CHECK_MESSAGE(has(other.err, "there is no `simulate` block `other`"), other.err);
  CHECK(folder.entries() == 1);
}

TEST_CASE("archives, bitcode and shared objects, by ending and by name") {
  const Folder folder;
  write_file(folder / "fall.mbd", kFall);
  for (const std::string ending : {"a", "bc", "so", "ll", "s", "o", "h"}) {
    compile(folder, folder / "fall.mbd", {"-o", folder / "fall." + ending});
    compile(folder, folder / "fall.mbd", {"--emit", ending, "--prefix=fall", "-o", folder / "other." + ending});
    if (ending == "so") continue;  // A shared object contains the name of its file.
    CHECK_MESSAGE(read_file(folder / "other." + ending) == read_file(folder / "fall." + ending), ending);
  }
  CHECK(read_file(folder / "fall.bc").starts_with("BC\xC0\xDE"));
  write_file(folder / "host.c",
             "#include \"fall.h\"\n#include <stdio.h>\n"
             "int main(void) {\n"
             "  static double mask[fall_mask_size + 1], work[fall_work_size], dy[fall_state_size];\n"
             "  fall_rhs(0, fall_state_written, fall_params_written, fall_inputs_written, mask, work, dy);\n"
             "  return printf(\"%g\\n\", dy[5]) < 0;\n}\n");
  if (shell(folder, "cc --version").code != 0) {
    MESSAGE("left out: there is no C compiler here");
    return;
  }
  CHECK(shell(folder, "cc host.c fall.a -lm -o by_archive && ./by_archive").out == "-9.81\n");
  CHECK(shell(folder, "cc host.c ./fall.so -o by_so && LD_LIBRARY_PATH=. ./by_so").out == "-9.81\n");
  CHECK(shell(folder, "nm -D --defined-only fall.so | awk '{print $3}' | grep -v ^fall_").out.empty());
}

}  // namespace mbc::test
