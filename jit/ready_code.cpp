// SPDX-License-Identifier: Apache-2.0
#include "jit/ready_code.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <vector>

#include "jit/code_environment.h"
#include "jit/external_tables.h"
#include "jit/host_symbols.h"
#include "jit/kept/kernel_key.h"
#include "jit/kept/object_cache.h"
#include "jit/kept/object_code.h"
#include "jit/kept/processor.h"
#include "jit/library_files.h"

namespace mbc::jit {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// Returns "" if no object can be looked for: no engine has kept any, or objects have names for another processor.
std::string environment_of(const CompileOptions& options) {
  std::string error;
  const std::string processor = processor_identity();
  if (processor.empty() || options.cache.empty() || !options.cpu.empty()) return {};
  const std::vector<std::string> libraries = files_named(kLibrary, error);
  return libraries.empty() ? "" : code_environment(processor, libraries.front(), options.optimise);
}

class ReadyKernel final : public CompiledKernel {
 public:
  ReadyKernel(std::unique_ptr<ObjectCode> code, std::vector<ExternalTable> outside)
      : outside_(std::move(outside)), code_(std::move(code)) {}

  [[nodiscard]] kernel::KernelFunction function(const std::string& name) const override {
    return reinterpret_cast<kernel::KernelFunction>(code_->function(kKeptPrefix + name));
  }
  [[nodiscard]] const CompileTimes& times() const override { return times_; }
  void keep_times(const CompileTimes& times) { times_ = times; }

 private:
  std::vector<ExternalTable> outside_;  // read by the code
  std::unique_ptr<ObjectCode> code_;
  CompileTimes times_;
};

// The routines of this process, and the functions with which the code generator may copy or clear memory.
std::map<std::string, const void*, std::less<>> outside_symbols(const std::vector<ExternalTable>& tables) {
  std::map<std::string, const void*, std::less<>> out;
  for (const HostSymbol& s : host_symbols()) out[s.name] = s.address;
  out["memcpy"] = reinterpret_cast<const void*>(&std::memcpy);
  out["memset"] = reinterpret_cast<const void*>(&std::memset);
  for (const ExternalTable& t : tables) out[t.symbol] = t.storage->data();
  return out;
}

std::unique_ptr<ReadyKernel> link(const kernel::Kernel& k, const std::string& object) {
  std::vector<ExternalTable> tables = external_tables(k, kKeptPrefix);
  const auto symbols = outside_symbols(tables);
  auto code = ObjectCode::load(object, [&](std::string_view name) {
    const auto found = symbols.find(name);
    return found != symbols.end() ? found->second : nullptr;
  });
  if (!code) return nullptr;
  auto made = std::make_unique<ReadyKernel>(std::move(code), std::move(tables));
  for (const kernel::Function& f : k.functions)
    if (made->function(f.name) == nullptr) return nullptr;
  return made;
}

// The list holds the numbers of the last texts, the most recent one last.
constexpr std::size_t kTexts = 500;

Digest key_of_texts(const std::string& environment) {
  const std::string text = "texts|" + environment;
  return sha256(text.data(), text.size());
}

std::vector<std::uint64_t> texts_in(const ObjectCache& cache, const Digest& key) {
  const std::string bytes = cache.load(key).value_or("");
  std::vector<std::uint64_t> texts(bytes.size() / 8);
  if (!texts.empty()) std::memcpy(texts.data(), bytes.data(), 8 * texts.size());
  return texts;
}

}  // namespace

ReadyCode ready_code(const kernel::Kernel& k, const CompileOptions& options) {
  const auto begin = Clock::now();
  ReadyCode out;
  const std::string environment = environment_of(options);
  if (environment.empty() || !worth_keeping(k)) return out;
  out.key = kernel_key(k, environment);
  const std::optional<std::string> object = ObjectCache(options.cache).load(*out.key);
  const auto found = Clock::now();
  std::unique_ptr<ReadyKernel> made = object ? link(k, *object) : nullptr;
  if (!made) return out;
  CompileTimes times;
  times.look_up = seconds_between(begin, found);
  times.link = seconds_between(found, Clock::now());
  times.cached = true;
  made->keep_times(times);
  out.code = std::move(made);
  return out;
}

bool code_is_kept(std::uint64_t text, const CompileOptions& options) {
  const std::string environment = environment_of(options);
  if (environment.empty()) return false;
  const std::vector<std::uint64_t> texts = texts_in(ObjectCache(options.cache), key_of_texts(environment));
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void note_kept(std::uint64_t text, bool kept, const CompileOptions& options) {
  const std::string environment = environment_of(options);
  if (environment.empty()) return;
  const ObjectCache cache(options.cache);
  const Digest key = key_of_texts(environment);
  std::vector<std::uint64_t> texts = texts_in(cache, key);
  std::erase(texts, text);
  if (kept) texts.push_back(text);
  if (texts.size() > kTexts) texts.erase(texts.begin(), texts.end() - kTexts);
  std::string bytes(8 * texts.size(), '\0');
  if (!texts.empty()) std::memcpy(bytes.data(), texts.data(), bytes.size());
  cache.store(key, bytes);
}

}  // namespace mbc::jit
