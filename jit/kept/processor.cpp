// SPDX-License-Identifier: Apache-2.0
#include "jit/kept/processor.h"

#include <cstdint>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace mbc::jit {
namespace {

#ifdef __x86_64__

// The registers of CPUID's answer that are the same on every core. The others hold numbers of cores, and sizes that
// follow from these registers.
enum : unsigned { kA = 1, kB = 2, kC = 4, kD = 8, kAll = 15 };
struct Leaf {
  std::uint32_t leaf, part;
  unsigned registers;
};
constexpr Leaf kLeaves[] = {
    {0, 0, kAll},          // maker
    {1, 0, kA | kC | kD},  // model, features
    {7, 0, kAll},          {7, 1, kAll},          {0xd, 1, kA},
    {0x14, 0, kB},                                                           // more of them
    {0x19, 0, kB},         {0x24, 0, kB},         {0x80000001, 0, kC | kD},  //
    {0x80000002, 0, kAll}, {0x80000003, 0, kAll}, {0x80000004, 0, kAll},     // name
    {0x80000008, 0, kB},
};

void append(std::string& text, std::uint32_t word) {
  constexpr const char* kDigits = "0123456789abcdef";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15];
}

// Returns which registers the system saves; the instructions that may be used depend on them.
std::uint64_t saved_registers() {
  std::uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

std::string identity() {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  __cpuid(0, a, b, c, d);
  const std::uint32_t most = a;
  __cpuid(0x80000000, a, b, c, d);
  const std::uint32_t most_extended = a;
  std::string text;
  bool saves = false;
  for (const Leaf& l : kLeaves) {
    if (l.leaf > (l.leaf < 0x80000000 ? most : most_extended)) continue;
    __cpuid_count(l.leaf, l.part, a, b, c, d);
    if (l.leaf == 1) saves = (c & bit_OSXSAVE) != 0;
    append(text, l.leaf);
    if (l.registers & kA) append(text, a);
    if (l.registers & kB) append(text, b);
    if (l.registers & kC) append(text, c);
    if (l.registers & kD) append(text, d);
  }
  const std::uint64_t saved = saves ? saved_registers() : 0;
  append(text, static_cast<std::uint32_t>(saved >> 32));
  append(text, static_cast<std::uint32_t>(saved));
  return text;
}

#else

std::string identity() { return {}; }

#endif

}  // namespace

// The answer is kept, because a virtual machine takes a while for every question.
std::string processor_identity() {
  static const std::string found = identity();
  return found;
}

}  // namespace mbc::jit
