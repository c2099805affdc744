// SPDX-License-Identifier: Apache-2.0
// Tests that a step allocates nothing: the number of allocations of a run does not depend on its number of steps.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "doctest/doctest.h"
#include "mbc/mbc.h"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t& /*tag*/) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

long allocations_of(const std::string& methods, int steps, bool interpret) {
  const std::string text = std::string(R"(mbd 1
gravity (0, 0, -9.81)
particle a(1) at (1, 0, 0)
particle b(2) at (2, 0, 0)
force drag on b: -0.1*b.vel
constraint rod1: dist(ground, a) == 1
constraint rod2: dist(a, b) == 1
constraint again: dist(ground, a)^2 == 1
simulate { time = 0 .. )") +
                           std::to_string(steps) + " step 1; " + methods + " }\n";
  mbc::CompileOptions options;
  options.interpret = interpret;
  options.native_at_once = !interpret;
  options.set = {"time.end = " + std::to_string(steps) + "/1000", "time.step = 0.001"};
  mbc::Simulation program = mbc::Simulation::create(mbc::Model::from_string(text, "allocation.mbd", options)).value();
  REQUIRE(program.model().ok());
  for (int k = 0; k < 6; ++k) program.run({}, nullptr);  // These runs compile all functions that are worth compiling.
  const long before = allocations;
  const mbc::RunResult result = program.run({}, nullptr);
  REQUIRE(result.status == mbc::Status::complete);
  REQUIRE(result.rows == static_cast<std::uint64_t>(steps) + 1);
  return allocations - before;
}

}  // namespace

TEST_CASE("the number of allocations of a run does not depend on its steps") {
  for (const char* integrator : {"rk4", "ab4", "dopri5", "dopri5(fixed)", "dop853", "dop853(fixed)", "bdf", "auto"})
    for (const char* stabilise : {"none", "project", "baumgarte", "partition"})
      for (const bool interpret : {true, false}) {
        const std::string methods = std::string("integrator = ") + integrator + "; stabilise = " + stabilise;
        CAPTURE(methods);
        CAPTURE(interpret);
        CHECK(allocations_of(methods, 1000, interpret) == allocations_of(methods, 100, interpret));
      }
}
