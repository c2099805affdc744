// SPDX-License-Identifier: Apache-2.0
#include "api/c/boundary.h"

#include <iterator>

#include "mbc/texts.h"

namespace mbc::c {

Failure& of_thread() {
  thread_local Failure failure;
  return failure;
}

// Both lists are frozen; that of C has MBC_OK before and MBC_NO_MEMORY after them.
mbc_code code_of(ErrorCode code) { return static_cast<mbc_code>(code) + 1; }
static_assert(static_cast<int>(ErrorCode::model_error) + 1 == MBC_MODEL_ERROR);
static_assert(static_cast<int>(ErrorCode::invalid_argument) + 1 == MBC_INVALID_ARGUMENT);
static_assert(static_cast<int>(ErrorCode::stopped) + 1 == MBC_STOPPED);
static_assert(static_cast<int>(ErrorCode::internal) + 1 == MBC_INTERNAL);

mbc_code code_of(Status status) {
  // The entries follow the order of the enumerators.
  static constexpr mbc_code kCodes[] = {MBC_OK,          MBC_MODEL_ERROR, MBC_INCONSISTENT,   MBC_STOPPED,
                                        MBC_INTERRUPTED, MBC_INTERRUPTED, MBC_NO_NATIVE_CODE, MBC_NO_THREADS,
                                        MBC_INTERNAL};
  static_assert(std::size(kCodes) == static_cast<std::size_t>(Status::internal_error) + 1);
  return kCodes[static_cast<std::size_t>(status)];
}

std::string json_of(const std::vector<DiagnosticInfo>& diagnostics) {
  std::string out;
  for (const DiagnosticInfo& d : diagnostics) out += to_json(d) + "\n";
  return out;
}

std::string message_of(std::string rendered, const char* otherwise) {
  if (rendered.ends_with('\n')) rendered.pop_back();
  return rendered.empty() ? otherwise : std::move(rendered);
}

mbc_code fail(Failure& failure, const Error& error) {
  failure.diagnostics = json_of(error.diagnostics);
  failure.message = error.message;
  failure.index = error.index;
  return failure.code = code_of(error.code);
}

// The message stays empty if there is no memory for it.
mbc_code fail(Failure& failure, mbc_code code, const char* message) noexcept {
  failure.code = code;
  failure.index = 0;
  failure.diagnostics.clear();
  try {
    failure.message = message;
  } catch (...) {
    failure.message.clear();
  }
  return code;
}

mbc_code fail_by_exception(Failure& failure) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fail(failure, MBC_NO_MEMORY, "there is not enough memory");
  } catch (const std::exception& e) {
    return fail(failure, MBC_INTERNAL, e.what());
  } catch (...) {
    return fail(failure, MBC_INTERNAL, "a callback of the host has thrown");
  }
}

mbc_code no_object(const char* what) noexcept {
  return enter(of_thread(), [&]() -> Result<void> { return missing(what); });
}

Result<std::vector<std::string>> texts(const char* const* list, std::size_t count, const char* what) {
  if (count > 0 && list == nullptr) return missing(what);
  std::vector<std::string> out;
  for (std::size_t k = 0; k < count; ++k) {
    if (list[k] == nullptr) return Error{ErrorCode::invalid_argument, std::string("a text of ") + what + " is NULL"};
    out.emplace_back(list[k]);
  }
  return out;
}

Result<CompileOptions> compile_options(const mbc_compile_options* given) {
  mbc_compile_options o;
  if (Result<void> taken = take(given, o, "mbc_compile_options"); !taken) return taken.error();
  Result<std::vector<std::string>> set = texts(o.set, o.set_count, "mbc_compile_options.set");
  if (!set) return set.error();
  Result<std::vector<std::string>> parameters =
      texts(o.parameters, o.parameters_count, "mbc_compile_options.parameters");
  if (!parameters) return parameters.error();
  if (o.engine < MBC_ENGINE_CHOSEN || o.engine > MBC_ENGINE_NATIVE)
    return wrong("there is no engine " + std::to_string(o.engine));
  CompileOptions out;
  out.set = *std::move(set);
  out.parameters = *std::move(parameters);
  out.folder = text_or(o.folder);
  out.stdlib = text_or(o.stdlib);
  out.interpret = o.engine == MBC_ENGINE_INTERPRETER;
  out.native_at_once = o.engine == MBC_ENGINE_NATIVE;
  out.cache = o.no_cache == 0;
  if (o.loader != nullptr)
    out.loader = [loader = o.loader, user = o.user](const std::string& file) -> std::optional<std::string> {
      const char* text = loader(user, file.c_str());
      if (text == nullptr) return {};
      return text;
    };
  return out;
}

}  // namespace mbc::c

using namespace mbc;

extern "C" {

const char* mbc_version(void) {
  static const std::string text = version();
  return text.c_str();
}

int32_t mbc_interface(void) { return MBC_INTERFACE; }

const char* mbc_code_name(mbc_code code) {
  if (code == MBC_OK) return "ok";
  if (code == MBC_NO_MEMORY) return "no_memory";
  return code > MBC_OK && code < MBC_NO_MEMORY ? to_text(static_cast<ErrorCode>(code - 1)) : "";
}

const char* mbc_back_end(void) {
  thread_local std::string text;
  try {
    text = back_end_library();
  } catch (...) {
    text.clear();
  }
  return text.c_str();
}

mbc_code mbc_error_code(void) { return c::of_thread().code; }
const char* mbc_error_message(void) { return c::of_thread().message.c_str(); }
const char* mbc_error_diagnostics(void) { return c::of_thread().diagnostics.c_str(); }
}
