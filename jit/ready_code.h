// SPDX-License-Identifier: Apache-2.0
// Code that an earlier process compiled, from the cache of objects (kept/object_cache.h) and without LLVM: opening that
// takes longer than all else a short process does. The code is that of the object, linked to the same routines as by
// the engine, so its bits are the same.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "jit/engine.h"

namespace mbc::jit {

struct ReadyCode {
  std::optional<Digest> key;  // of the kernel's object; none where it is not kept, or only the engine can tell
  std::unique_ptr<CompiledKernel> code;  // null when there is none, or LLVM has to link it
};

// What Engine::compile() would make of the kernel on this processor. Any thread may ask; the code needs no engine.
[[nodiscard]] ReadyCode ready_code(const kernel::Kernel& k, const CompileOptions& options);

// Of a text, by a number made of it: whether all code that was asked for its sake was kept when it was last used. Then
// the engine need not be opened before it is asked for. A guess, of which nothing but time depends: the cache holds a
// list of the texts last used.
[[nodiscard]] bool code_is_kept(std::uint64_t text, const CompileOptions& options);
void note_kept(std::uint64_t text, bool kept, const CompileOptions& options);

}  // namespace mbc::jit
