// SPDX-License-Identifier: Apache-2.0
// Code that an earlier process compiled, from the cache of objects (kept/object_cache.h). It is loaded without LLVM,
// whose opening takes longer than the rest of a short process. The code is that of the object, linked to the same
// routines as by the engine, so that its bits are the same.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "jit/engine.h"

namespace mbc::jit {

struct ReadyCode {
  std::optional<Digest> key;  // of the kernel's object; none if code is not kept, or only the engine can tell
  std::unique_ptr<CompiledKernel> code;  // null if there is none, or LLVM has to link it
};

// Looks for the code that Engine::compile() would make of the kernel on this processor. Any thread may ask; the code
// needs no engine.
[[nodiscard]] ReadyCode ready_code(const kernel::Kernel& k, const CompileOptions& options);

// Returns whether all code that a text asked for was kept when the text was last used. The text is named by a number
// made of it. If so, the engine is not opened before it is needed. The answer is a guess that affects only time: the
// cache holds a list of the texts last used.
[[nodiscard]] bool code_is_kept(std::uint64_t text, const CompileOptions& options);
void note_kept(std::uint64_t text, bool kept, const CompileOptions& options);

}  // namespace mbc::jit
