// SPDX-License-Identifier: Apache-2.0
#include "jit/host_symbols.h"

#include "kernel/op_semantics.h"
#include "kernel/support/mbc_support.h"

namespace mbc::jit {
namespace {

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

std::vector<HostSymbol> host_symbols() {
  std::vector<HostSymbol> symbols{{"mbc_dense_solve", address(mbc_dense_solve)},
                                  {"mbc_sparse_solve", address(mbc_sparse_solve)},
                                  {"mbc_augmented_solve", address(mbc_augmented_solve)},
                                  {"mbc_quasi_solve", address(mbc_quasi_solve)},
                                  {"mbc_add_rows", address(mbc_add_rows)},
                                  {"mbc_sincos", address(mbc_sincos)},
                                  {"mbc_sincos_lanes", address(mbc_sincos_lanes)},
                                  {"mbc_fma", address(mbc_fma)},
                                  {"mbc_table", address(mbc_table)},
                                  {"mbc_floor", address(mbc_floor)}};
  for (const kernel::MathFunction& f : kernel::math_functions())
    symbols.push_back({f.symbol, f.unary != nullptr ? address(f.unary) : address(f.binary)});
  return symbols;
}

}  // namespace mbc::jit
