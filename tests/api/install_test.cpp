// SPDX-License-Identifier: Apache-2.0
// Tests the result of `cmake --install` after it is moved to another place: the program, its manual and completion; the
// hosts of examples/embed, built outside of the tree with pkg-config and with the CMake package; and the Python
// package. All of them must also work without the library of native code. A part whose tools are missing on this
// machine is skipped with a message.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

const fs::path kScratch = fs::path(MBC_BUILD_DIR) / "installed";
const fs::path kPrefix = kScratch / "moved";
const std::string kEmbed = MBC_SOURCE_DIR "/examples/embed";
const std::string kModel = MBC_SOURCE_DIR "/examples/spherical_pendulum.mbd";
// This is the result of the model; the text of the model gives its source.
constexpr const char* kAnswer = "bob.z = -0.80805948 at t = 5\n";

struct Ran {
  int code = -1;
  std::string out;  // The text contains both streams.
};

// Runs a command in the scratch folder, with the packages of the tree available.
Ran shell(const std::string& command) {
  const std::string whole = "cd '" + kScratch.string() + "' && export LC_ALL=C PREFIX='" + kPrefix.string() +
                            "' PKG_CONFIG_PATH='" + kPrefix.string() + "/lib/pkgconfig' MBC_CACHE=off; unset " +
                            "MBC_LIBRARY MBC_LIBRARY_PATH LD_LIBRARY_PATH; exec 2>&1 </dev/null; " + command;
  Ran ran;
  FILE* pipe = popen(whole.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> piece{};
  for (std::size_t n = 0; (n = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) ran.out.append(piece.data(), n);
  const int status = pclose(pipe);
  ran.code = status >= 0 && status % 256 == 0 ? status / 256 : -1;
  return ran;
}

bool there(const char* what, const std::string& command) {
  if (shell(command + " >/dev/null").code == 0) return true;
  MESSAGE("left out: there is no ", what, " here");
  return false;
}

const std::string kFlags = " $(pkg-config --cflags --libs mbc) -Wl,-rpath,$PREFIX/lib ";
const bool kSanitized = std::string(MBC_CXX_FLAGS).find("-fsanitize") != std::string::npos;

void build_and_run(const std::string& compiler, const std::string& source, const std::string& libraries,
                   const std::string& expected) {
  const std::string host = "./host_of_" + source.substr(0, source.find('.'));
  const Ran built = shell(compiler + " -Wall -Wextra -Werror " + kEmbed + "/" + source + kFlags + libraries + " -o " +
                          host + source.substr(source.find('.')));
  REQUIRE_MESSAGE(built.code == 0, built.out);
  const Ran ran = shell(host + source.substr(source.find('.')) + " " + kModel);
  CHECK_MESSAGE(ran.code == 0, ran.out);
  CHECK(ran.out == expected);
}

// Installs the tree once and moves it.
void need_tree() {
  static const bool done = [] {
    fs::remove_all(kScratch);
    fs::create_directories(kScratch);
    const Ran ran = shell("cmake --install '" MBC_BUILD_DIR "' --prefix '" + (kScratch / "first").string() + "'");
    REQUIRE_MESSAGE(ran.code == 0, ran.out);
    fs::rename(kScratch / "first", kPrefix);
    return true;
  }();
  REQUIRE(done);
}

}  // namespace

TEST_CASE("the program of a moved tree finds what belongs to it") {
  need_tree();
  const Ran version = shell("$PREFIX/bin/mbc --version");
  CHECK(version.code == 0);
  CHECK(version.out.starts_with("mbc " MBC_VERSION_TEXT));
#if MBC_HAVE_JIT
  CHECK(version.out.find("moved/bin/../lib/libmbc-jit.so") != std::string::npos);
  const Ran native = shell("$PREFIX/bin/mbc run " + kModel + " -o out.csv --native");
  CHECK_MESSAGE(native.out.find("native code") != std::string::npos, native.out);
#endif
  for (const char* file : {"share/doc/mbc/LICENSE", "share/doc/mbc/NOTICE", "share/man/man1/mbc.1"})
    CHECK_MESSAGE(fs::exists(kPrefix / file), file);
  CHECK(shell("grep -rl '" + (kScratch / "first").string() + "' $PREFIX/lib/cmake $PREFIX/lib/pkgconfig").code == 1);
}

TEST_CASE("manual and completion know the commands of the program") {
  need_tree();
  const Ran verbs = shell("$PREFIX/bin/mbc --help | awk '/^Subcommands:/ {on=1; next} /^$/ {on=0} on {print $1}'");
  std::istringstream lines(verbs.out);
  std::ifstream page(kPrefix / "share/man/man1/mbc.1");
  const std::string manual{std::istreambuf_iterator<char>(page), {}};
  std::size_t count = 0;
  for (std::string verb; std::getline(lines, verb); ++count)
    CHECK_MESSAGE(manual.find(".SH \"mbc " + verb + "\"") != std::string::npos, verb);
  CHECK(count >= 15);
  const std::string complete = "PATH=$PREFIX/bin:$PATH; . $PREFIX/share/bash-completion/completions/mbc; COMP_WORDS=(";
  const auto completed = [&](const std::string& words, int at) {
    return shell("bash -c '" + complete + words + "); COMP_CWORD=" + std::to_string(at) +
                 "; _mbc; printf \"%s \" \"${COMPREPLY[@]}\"'")
        .out;
  };
  CHECK(completed("mbc sw", 1) == "sweep ");
  CHECK(completed("mbc run --until", 2) == "--until-event ");
  CHECK(completed("mbc run --nat", 2) == "--native ");
  CHECK(completed("mbc examples spherical", 2) == "spherical_pendulum ");
  shell("mkdir -p models && touch models/a.mbd models/a.txt");
  CHECK(completed("mbc run models/a", 2) == "models/a.mbd ");
}

TEST_CASE("hosts in C and C++ are built out of the tree") {
  need_tree();
  if (kSanitized || !there("pkg-config", "pkg-config --version")) return;
  const std::string first = "bob.z'' = -0.3316\n";
  build_and_run("cc -std=c11 -pedantic", "host.c", "", first + kAnswer);
  build_and_run("cc -std=c11 -pedantic", "function.c", "", kAnswer);
  build_and_run("c++ -std=c++20", "host.cpp", "", first + kAnswer + "lowest: -0.8185\n");
  if (there("ARKODE of SUNDIALS", "pkg-config --version && ls /usr/include/arkode/arkode_erkstep.h"))
    build_and_run("cc -std=c11", "sundials.c", "-lsundials_arkode -lsundials_nvecserial", kAnswer);
}

TEST_CASE("find_package finds the library of a moved tree") {
  need_tree();
  if (kSanitized) return;
  const Ran built = shell("cmake -S " + kEmbed + " -B by_cmake -DCMAKE_PREFIX_PATH=$PREFIX && cmake --build by_cmake");
  REQUIRE_MESSAGE(built.code == 0, built.out);
  const Ran ran = shell("by_cmake/host " + kModel);
  CHECK(ran.out == "bob.z'' = -0.3316\n" + std::string(kAnswer) + "lowest: -0.8185\n");
}

TEST_CASE("the Python package finds the library of its tree") {
  need_tree();
  const std::string python = "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PREFIX/lib/python3/dist-packages /usr/bin/python3 ";
  if (kSanitized || !there("/usr/bin/python3", "/usr/bin/python3 --version")) return;
  const Ran ran = shell(python + kEmbed + "/host.py " + kModel);
  CHECK_MESSAGE(ran.code == 0, ran.out);
  CHECK(ran.out ==
        "bob.z'' = -0.3316\n" + std::string(kAnswer) + "on the Moon: -0.5309\nhighest: -0.6485, -0.7636, -0.8000\n");
  const Ran controlled = shell(python + kEmbed + "/control.py");
  CHECK_MESSAGE(controlled.code == 0, controlled.out);
  CHECK(controlled.out ==
        "q = 0.2000, 1.1000; hand.z = 0.6238 at t = 2.0\nfalls to hand.z = -0.9999\n"
        "upright: hand.z = 1.0, q1'' = 0.0\n");
}

TEST_CASE("the Debian packages hold a tree that works") {
  need_tree();
  if (kSanitized || !there("dpkg-dev", "dpkg-deb --version && dpkg-shlibdeps --version")) return;
  const Ran made = shell("cpack --config '" MBC_BUILD_DIR "/CPackConfig.cmake' -B packages");
  REQUIRE_MESSAGE(made.code == 0, made.out);
  const Ran root = shell("for p in packages/*.deb; do dpkg-deb -x $p root; done; ls packages/*.deb | wc -l");
  CHECK(root.out == std::to_string(4 + MBC_HAVE_JIT + MBC_HAVE_HDF5) + "\n");
  CHECK(shell("root/usr/bin/mbc run " + kModel + " -o out.csv").code == 0);
  CHECK(shell("man -l root/usr/share/man/man1/mbc.1.gz >/dev/null || zcat root/usr/share/man/man1/mbc.1.gz").code == 0);
  CHECK(shell("dpkg-deb -f packages/python3-mbc_*.deb Depends").out == "libmbc0 (= " MBC_VERSION_TEXT "), python3\n");
  CHECK(shell("dpkg-deb -f packages/mbc_*.deb Recommends").out == "libmbc-jit (= " MBC_VERSION_TEXT ")\n");
  CHECK(shell("dpkg-deb -f packages/libmbc0_*.deb Depends").out.find("LLVM") == std::string::npos);
  if (!there("/usr/bin/python3", "/usr/bin/python3 --version")) return;
  const Ran python =
      shell("PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 -c " +
            std::string("'import mbc; print(mbc.__version__)'"));
  CHECK(python.out == MBC_VERSION_TEXT "\n");
}

#if MBC_HAVE_JIT
TEST_CASE("a model as an object file needs its header and the support library, as a shared object nothing") {
  need_tree();
  if (kSanitized) return;
  for (const std::string ending : {"h", "o", "so"}) {
    const Ran made = shell("$PREFIX/bin/mbc compile " + kModel + " --prefix pendulum -o pendulum." + ending);
    REQUIRE_MESSAGE(made.code == 0, made.out);
  }
  const std::string compile = "cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I. " + kEmbed + "/object.c ";
  const Ran alone = shell(compile + "pendulum.o $PREFIX/lib/libmbc_support.a -lm -o object && ./object");
  CHECK_MESSAGE(alone.out == kAnswer, alone.out);
  const Ran shared = shell(compile + "./pendulum.so -o with_shared && LD_LIBRARY_PATH=. ./with_shared");
  CHECK_MESSAGE(shared.out == kAnswer, shared.out);
  const Ran shown = shell("nm -D --defined-only pendulum.so | awk '{print $3}' | grep -v ^pendulum_");
  CHECK_MESSAGE(shown.out.empty(), shown.out);
  CHECK(shell("ldd ./object pendulum.so | grep -e LLVM -e stdc++ -e mbc").code == 1);
  const Ran in_cpp = shell("echo '#include \"pendulum.h\"' > in_cpp.cpp && c++ -Wall -Wextra -Werror -c in_cpp.cpp");
  CHECK_MESSAGE(in_cpp.code == 0, in_cpp.out);
  const Ran without_tools = shell("PATH= $PREFIX/bin/mbc compile " + kModel + " --prefix pendulum -o other.so");
  CHECK_MESSAGE(without_tools.code == 0, without_tools.out);
  CHECK(shell("nm -D other.so | grep -q pendulum_rhs").code == 0);
  const Ran program =
      shell("PATH= $PREFIX/bin/mbc compile " + kModel + " --emit exe -o pendulum && ./pendulum -o own.csv");
  CHECK_MESSAGE(program.code == 0, program.out);
  CHECK(shell("$PREFIX/bin/mbc run " + kModel + " --quiet -o out.csv && cmp own.csv out.csv").code == 0);
}

TEST_CASE("without the library of native code all is interpreted, and said so") {
  need_tree();
  fs::copy(kPrefix, kScratch / "no_jit", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::remove(kScratch / "no_jit/lib/libmbc-jit.so");
  const Ran ran = shell("no_jit/bin/mbc run " + kModel + " -o out.csv");
  CHECK(ran.code == 0);
  CHECK_MESSAGE(ran.out.find("interpreter") != std::string::npos, ran.out);
  const Ran native = shell("no_jit/bin/mbc run " + kModel + " -o out.csv --native");
  CHECK(native.code == 2);
  CHECK_MESSAGE(native.out.find("libmbc-jit.so was not found in") != std::string::npos, native.out);
  if (kSanitized || !there("pkg-config", "pkg-config --version")) return;
  const Ran host = shell("cc " + kEmbed + "/host.c $(pkg-config --cflags --libs mbc) -o host_no_jit && " +
                         "LD_LIBRARY_PATH=no_jit/lib ./host_no_jit " + kModel);
  CHECK_MESSAGE(host.out.find(kAnswer) != std::string::npos, host.out);
}
#endif
