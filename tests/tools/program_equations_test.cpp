// SPDX-License-Identifier: Apache-2.0
// Tests what verbs make of options that name places, forms and blocks: `mbc equations`, `--set`, `plot --log`.
#include <doctest/doctest.h>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

// Returns the output for a model from standard input.
std::string printed(const std::string& model, const std::string& form) {
  const Ran ran = run_mbc({"equations", "-", form}, {.input = "mbd 1\n" + model});
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  return ran.out;
}

}  // namespace

TEST_CASE("the sign of Python takes numbers of numpy, whose conditions cannot be subtracted") {
  CHECK(has(printed("coord x = 0\nkinetic T: x'^2/2\nload f on x: -sign(x')\n", "--python"),
            "    return float(x > 0) - float(x < 0)\n"));
}

TEST_CASE("equations --mbd writes a new model and no other") {
  const Folder folder;
  const std::string file = folder / "a.mbd", made = folder / "new.mbd", other = folder / "other.mbd";
  write_file(file, kFall);
  write_file(other, kFall);
  CHECK(run_mbc({"equations", file, "--mbd", "-o", made}).code == 0);
  CHECK(run_mbc({"check", made}).code == 0);
  CHECK(has(run_mbc({"equations", file, "--mbd", "-o", other}).err, "is there and is no result of mbc"));
  CHECK(has(run_mbc({"equations", file, "--mbd", "-o", file, "--force"}).err, "would destroy the model"));
  CHECK(has(run_mbc({"equations", file, "--c", "-o", folder / "b.mbd"}).err, "would destroy a model"));
  CHECK(has(run_mbc({"equations", file, "--mbd", "-o", folder / "b"}).err, "name a file that ends in .mbd"));
}

}  // namespace mbc::test
