// SPDX-License-Identifier: Apache-2.0
// Tests kept code without LLVM: the linker of objects (jit/kept/object_code.h) on good and damaged objects, the search
// in the cache, and equal bits of kept code, interpreter and engine.
#include "jit/ready_code.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <map>

#include "jit/code_environment.h"
#include "jit/external_tables.h"
#include "jit/host_symbols.h"
#include "jit/kept/kernel_key.h"
#include "jit/kept/object_cache.h"
#include "jit/kept/object_code.h"
#include "jit/kept/processor.h"
#include "kernel/interpreter.h"
#include "tests/jit/engine.h"
#include "tests/kernel/block_builder.h"
#include "tests/kernel/random_kernel.h"
#include "tests/support/scratch.h"

namespace mbc::test {
namespace {

using jit::ObjectCode;
using kernel::Kernel;

// Kept code is found without LLVM only on known processors.
bool known_processor() { return !jit::processor_identity().empty(); }

jit::CompileOptions in(const Folder& folder) {
  jit::CompileOptions options;
  options.cache = folder / "cache";
  return options;
}

std::string only_file(const Folder& folder) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cache")) {
    CHECK(found.empty());
    found = entry.path();
  }
  return found;
}

void write_whole(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

struct Outcome {
  std::int32_t status = 0;
  std::vector<double> work, deriv;
  bool operator==(const Outcome& other) const {
    return status == other.status && same_bits(work, other.work) && same_bits(deriv, other.deriv);
  }
};

Outcome call(kernel::KernelFunction f, KernelData d) {
  const std::int32_t status =
      f(d.t, d.state.data(), d.params.data(), d.inputs.data(), d.mask.data(), d.work.data(), d.deriv.data());
  return {status, std::move(d.work), std::move(d.deriv)};
}

Outcome interpreted(const kernel::Function& f, KernelData d, kernel::Registers& registers) {
  const std::int32_t status = kernel::interpret(f, d.t, d.state.data(), d.params.data(), d.inputs.data(), d.mask.data(),
                                                d.work.data(), d.deriv.data(), registers);
  return {status, std::move(d.work), std::move(d.deriv)};
}

// Counts the functions for which one of the three results differs.
std::size_t differences(const Kernel& kernel, const jit::CompiledKernel& ready, const jit::CompiledKernel& compiled,
                        std::uint64_t seed) {
  kernel::Registers registers = kernel::make_registers(kernel);
  Random random(seed);
  std::size_t out = 0;
  for (const kernel::Function& f : kernel.functions)
    for (int k = 0; k < 3; ++k) {
      const KernelData data = random_data(kernel, random, k > 0);
      const Outcome found = call(ready.function(f.name), data);
      if (!(found == call(compiled.function(f.name), data)) || !(found == interpreted(f, data, registers))) ++out;
    }
  return out;
}

const void* routine(std::string_view name) {
  static const std::vector<jit::HostSymbol> symbols = jit::host_symbols();
  if (name == "memcpy") return reinterpret_cast<const void*>(&std::memcpy);
  if (name == "memset") return reinterpret_cast<const void*>(&std::memset);
  for (const jit::HostSymbol& s : symbols)
    if (name == s.name) return s.address;
  return nullptr;
}

std::string object_of(const Kernel& kernel) {
  std::string error;
  jit::CompileOptions options;
  options.cpu = "native";
  const std::string object = engine_or_fail()->emit(kernel, jit::Artifact::object, "k", options, error);
  REQUIRE_MESSAGE(!object.empty(), error);
  return object;
}

}  // namespace

TEST_CASE("random kernels: kept code is found without the engine, with the bits of engine and interpreter") {
  if (!known_processor()) return;
  const auto engine = engine_or_fail();
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Folder folder;
    RandomKernelOptions shape;
    shape.functions = 20;
    shape.guarded = seed % 2 == 0;
    const Kernel kernel = random_kernel(seed, shape);
    for (const int level : {0, 2}) {
      jit::CompileOptions options = in(folder);
      options.optimise = level;
      CHECK_FALSE(jit::ready_code(kernel, options).code);
      std::string error;
      const auto compiled = engine->compile(kernel, options, error);
      REQUIRE_MESSAGE(compiled != nullptr, error);
      const jit::ReadyCode ready = jit::ready_code(kernel, options);
      REQUIRE(ready.code);
      CHECK(ready.code->times().cached);
      CHECK(bool{ready.code->function("none") == nullptr});
      CHECK(differences(kernel, *ready.code, *compiled, seed) == 0);
    }
  }
}

TEST_CASE("long index tables are those of the kernel, whose memory lives as long as the code") {
  if (!known_processor()) return;
  const Folder folder;
  const auto engine = engine_or_fail();
  Kernel kernel = random_kernel(3, {});
  std::uint64_t long_tables = jit::external_tables(kernel, "k_").size();
  // This changes a block into a long loop with a table that follows no rule.
  for (kernel::Function& f : kernel.functions)
    for (kernel::Block& b : f.blocks)
      if (long_tables == 0 && b.table.rows() > 1 && b.columns > 0) {
        const kernel::IndexTable before = b.table;
        const std::uint32_t count = 6000, period = b.count;
        b.table = {count, b.columns,
                   [&](std::uint32_t row, std::uint32_t column) { return before(row * row % period, column); }};
        b.count = count;
        long_tables = jit::external_tables(kernel, "k_").size();
      }
  REQUIRE(long_tables > 0);
  std::string error;
  const auto compiled = engine->compile(kernel, in(folder), error);
  REQUIRE_MESSAGE(compiled != nullptr, error);
  const jit::ReadyCode ready = jit::ready_code(kernel, in(folder));
  REQUIRE(ready.code);
  CHECK(differences(kernel, *ready.code, *compiled, 11) == 0);
}

TEST_CASE("files that are damaged, and code for another processor, level or build, are no hit") {
  if (!known_processor()) return;
  const Folder folder;
  const auto engine = engine_or_fail();
  const Kernel kernel = random_kernel(5, {});
  std::string error;
  REQUIRE(engine->compile(kernel, in(folder), error));
  REQUIRE(jit::ready_code(kernel, in(folder)).code);
  jit::CompileOptions unoptimised = in(folder), elsewhere = in(folder);
  unoptimised.optimise = 0;
  elsewhere.cache = folder / "another";
  CHECK_FALSE(jit::ready_code(kernel, unoptimised).code);
  CHECK_FALSE(jit::ready_code(kernel, elsewhere).code);

  const std::string file = only_file(folder), good = read_file(file);
  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
  write_whole(file, bad);
  CHECK_FALSE(jit::ready_code(kernel, in(folder)).code);
  write_whole(file, good);
  CHECK(jit::ready_code(kernel, in(folder)).code);

  // The key of the file is a digest of all these values.
  write_whole(folder / "library", "x");
  const std::string own = jit::code_environment(jit::processor_identity(), folder / "library", 2);
  CHECK_FALSE(own.empty());
  CHECK(own == jit::code_environment(jit::processor_identity(), folder / "library", 2));
  CHECK(own != jit::code_environment("another", folder / "library", 2));
  CHECK(own != jit::code_environment(jit::processor_identity(), folder / "library", 0));
  write_whole(folder / "library", "xx");
  CHECK(own != jit::code_environment(jit::processor_identity(), folder / "library", 2));
  CHECK(jit::code_environment(jit::processor_identity(), folder / "missing", 2).empty());
}

TEST_CASE("an object that can be linked by LLVM only is left to it") {
  if (!known_processor()) return;
  const Folder folder;
  const auto engine = engine_or_fail();
  const Kernel kernel = random_kernel(6, {});
  const jit::ReadyCode missing = jit::ready_code(kernel, in(folder));
  REQUIRE(missing.key);
  REQUIRE(jit::ObjectCache(folder / "cache").store(*missing.key, "no object"));
  CHECK_FALSE(jit::ready_code(kernel, in(folder)).code);
  std::string error;
  jit::CompileOptions options = in(folder);
  options.key = missing.key;
  const auto made = engine->compile(kernel, options, error);
  REQUIRE(made);
  CHECK_FALSE(made->times().cached);
  CHECK(jit::ready_code(kernel, in(folder)).code);  // The damaged entry was replaced.
}

TEST_CASE("objects use nothing but what they are given, and damaged ones are refused or harmless") {
  if (!known_processor()) return;
  RandomKernelOptions shape;
  shape.functions = 4;
  const std::string object = object_of(random_kernel(9, shape));
  const auto code = ObjectCode::load(object, routine);
  REQUIRE(code);
  CHECK(code->function("k_f0") != nullptr);
  CHECK(code->function("f0") == nullptr);
  CHECK_FALSE(ObjectCode::load(object, [](std::string_view) { return nullptr; }));
  CHECK_FALSE(ObjectCode::load("", routine));
  for (std::size_t size = 0; size < object.size(); size += 1 + object.size() / 200)
    ObjectCode::load(std::string_view(object).substr(0, size), routine);
  // The code is never called, so only headers, symbols and relocations matter.
  Random random(1);
  Elf64_Ehdr header{};
  std::memcpy(&header, object.data(), sizeof header);
  const std::size_t table = header.e_shoff;
  REQUIRE(table < object.size());
  for (int k = 0; k < 20000; ++k) {
    std::string bad = object;
    const std::size_t part = k % 4 == 0 ? 64 : k % 4 == 1 ? object.size() : object.size() - table;
    const std::size_t at = (k % 4 < 2 ? 0 : table) + random.below(static_cast<std::uint32_t>(part));
    bad[at] = static_cast<char>(k % 3 == 0 ? 0xff : bad[at] ^ (1 << random.below(8)));
    ObjectCode::load(bad, routine);
  }
}

TEST_CASE("texts whose code is kept are listed, the last ones") {
  if (!known_processor()) return;
  const Folder folder;
  const jit::CompileOptions options = in(folder);
  CHECK_FALSE(jit::code_is_kept(7, options));
  jit::note_kept(7, true, options);
  CHECK(jit::code_is_kept(7, options));
  CHECK_FALSE(jit::code_is_kept(8, options));
  jit::CompileOptions unoptimised = options;
  unoptimised.optimise = 0;
  CHECK_FALSE(jit::code_is_kept(7, unoptimised));
  jit::note_kept(7, false, options);
  CHECK_FALSE(jit::code_is_kept(7, options));
  for (std::uint64_t text = 0; text < 600; ++text) jit::note_kept(text, true, options);
  CHECK_FALSE(jit::code_is_kept(7, options));
  CHECK(jit::code_is_kept(599, options));
  CHECK(std::filesystem::file_size(only_file(folder)) < 10000);
  CHECK_FALSE(jit::code_is_kept(599, {}));  // Without a cache no code is kept.
}

}  // namespace mbc::test
