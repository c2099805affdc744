// SPDX-License-Identifier: Apache-2.0
#include "jit/kept/kernel_key.h"

#include "jit/kept/program_symbol.h"

namespace mbc::jit {
namespace {

// Structured bindings name every member on purpose: a new member of the kernel format does not compile here until it is
// decided whether code depends on it. Members that are not added to the sum are marked as unused.

template <typename T>
void add_array(Sha256& sum, const std::vector<T>& values) {
  static_assert(std::is_arithmetic_v<T>);
  sum.add_number(values.size());
  sum.add(values.data(), values.size() * sizeof(T));
}

// The padding of the structure is left out of the sum.
void add_code(Sha256& sum, const std::vector<kernel::Inst>& code) {
  sum.add_number(code.size());
  std::vector<std::uint32_t> words;
  words.reserve(4 * code.size());
  for (const kernel::Inst& inst : code) {
    const auto& [kind, op, space, indexed, a, b, c, spread] = inst;
    words.push_back(static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(op) << 8 |
                    static_cast<std::uint32_t>(space) << 16 | static_cast<std::uint32_t>(indexed) << 24 |
                    static_cast<std::uint32_t>(spread) << 25);
    words.insert(words.end(), {a, b, c});
  }
  sum.add(words.data(), words.size() * sizeof words[0]);
}

void add_table(Sha256& sum, const kernel::IndexTable& table) {
  sum.add_number(table.rows());
  add_array(sum, table.first());
  add_array(sum, table.step());
  add_array(sum, table.apart());
  add_array(sum, table.stored().list());
}

void add_block(Sha256& sum, const kernel::Block& block) {
  const auto& [name, lanes, count, columns, table, code, constants, tables, origin, gate, off] = block;
  static_cast<void>(name), static_cast<void>(origin);
  sum.add_number(lanes);
  sum.add_number(count);
  sum.add_number(columns);
  add_table(sum, table);
  add_code(sum, code);
  add_array(sum, constants);
  sum.add_number(tables.size());
  for (const std::shared_ptr<const kernel::DataTable>& t : tables) {
    sum.add_number(t->data().size());
    sum.add(t->data().data(), t->data().size_bytes());
  }
  if (!gate) return;
  sum.add_number(*gate);
  for (const auto& [store, value] : off) {
    sum.add_number(store);
    sum.add(&value, sizeof value);
  }
}

void add_function(Sha256& sum, const kernel::Function& function) {
  const auto& [name, blocks, calls, steps, check_begin, check_end, guard_begin, guard_end] = function;
  sum.add_text(name);
  sum.add_number(blocks.size());
  for (const kernel::Block& block : blocks) add_block(sum, block);
  sum.add_number(calls.size());
  for (const kernel::RoutineCall& call : calls) {
    const auto& [symbol, plan] = call;
    sum.add_text(symbol);
    add_array(sum, plan.list());
  }
  sum.add_number(steps.size());
  for (const kernel::Step& step : steps) {
    const auto& [is_block, index, instance] = step;
    sum.add_number(is_block ? 1 : 0);
    sum.add_number(index);
    if (instance) sum.add_number(std::uint64_t{*instance} << 32 | 1);
  }
  sum.add_number(check_begin);
  sum.add_number(check_end);
  sum.add_number(guard_begin);
  sum.add_number(guard_end);
}

// Returns the number of bytes that the key is computed from.
std::uint64_t bytes_of(const kernel::Kernel& kernel) {
  std::uint64_t out = 0;
  for (const kernel::Function& f : kernel.functions) {
    for (const kernel::Block& b : f.blocks) {
      for (const std::shared_ptr<const kernel::DataTable>& t : b.tables) out += t->data().size_bytes();
      out += 8 * b.columns + 4 * b.table.stored().size() + 16 * b.code.size() + 8 * b.constants.size();
    }
    for (const kernel::RoutineCall& c : f.calls) out += 4 * c.plan.size();
  }
  return out;
}

}  // namespace

Digest kernel_key(const kernel::Kernel& kernel, const std::string& environment) {
  const auto& [name, n_state, n_params, n_inputs, n_mask, n_work, functions, fields] = kernel;
  static_cast<void>(name), static_cast<void>(fields);
  Sha256 sum;
  sum.add_text(environment);
  for (const std::uint32_t n : {n_state, n_params, n_inputs, n_mask, n_work}) sum.add_number(n);
  sum.add_number(functions.size());
  for (const kernel::Function& function : functions) add_function(sum, function);
  return sum.finish();
}

std::string program_prefix(const kernel::Kernel& kernel) { return "m" + to_hex(kernel_key(kernel, "program")); }

// The digest of a kernel that is mostly tables takes as long as compiling its code: 5 ns a byte against 20 us an
// instruction. The digest may take a quarter of the time of the compilation.
bool worth_keeping(const kernel::Kernel& kernel) {
  constexpr std::uint64_t kBytesAnInstruction = 1000;
  std::uint64_t instructions = 0;
  for (const kernel::Function& f : kernel.functions)
    for (const kernel::Block& b : f.blocks) instructions += b.code.size();
  return bytes_of(kernel) <= kBytesAnInstruction * instructions;
}

}  // namespace mbc::jit
