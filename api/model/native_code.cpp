// SPDX-License-Identifier: Apache-2.0
#include "api/model/native_code.h"

#include <exception>
#include <system_error>

#include "base/copy_members.h"
#include "base/stopwatch.h"
#include "jit/ready_code.h"
#include "kernel/floating_point.h"

namespace mbc::api {

namespace {

double sum(const jit::CompileTimes& t) { return t.look_up + t.emit + t.optimise + t.codegen + t.link; }

}  // namespace

NativeCode::~NativeCode() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  jobs_.clear();  // their objects are freed before the engine
}

void NativeCode::work() {
  const kernel::StrictFloatingPoint strict;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || (!jobs_.empty() && !taken_); });
    if (stop_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    std::string failure;
    try {
      job();
    } catch (const std::exception& e) {  // out of memory; the interpreter may still work
      failure = e.what();
    }
    lock.lock();
    if (!failure.empty()) note_ = failure;
    busy_ = !jobs_.empty();
    changed_.notify_all();
  }
}

// Queues a job. Nothing is compiled if there is no thread.
void NativeCode::submit(std::unique_lock<std::mutex>& lock, Job job) {
  static_cast<void>(lock);
  if (unavailable_) return;
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& e) {
    unavailable_ = true;
    note_ = std::string("no thread to compile on: ") + e.what();
    return;
  }
  jobs_.push_back(std::move(job));
  busy_ = true;
  changed_.notify_all();
}

void NativeCode::wait_idle(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return !busy_; });
}

void NativeCode::open(const std::string& text) {
  std::unique_lock lock(mutex_);
  text_ = std::hash<std::string>{}(text);
#ifdef MBC_HAVE_JIT
  listed_ = !options_.cache.empty() && jit::code_is_kept(*text_, how());
#endif
  if (!listed_) submit(lock, [this] { open_engine(); });
}

bool NativeCode::available(std::string& error) {
  {
    std::unique_lock lock(mutex_);
    wait_idle(lock);
    if (!opened_ && listed_) return true;
  }
  return engine(error) != nullptr;
}

void NativeCode::open_engine() {
  if (opened_) return;  // only this thread writes it
  std::string error;
#ifdef MBC_HAVE_JIT
  const auto begin = Clock::now();
  std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  const double seconds = seconds_since(begin);
#else
  std::unique_ptr<jit::Engine> engine;
  const double seconds = 0;
  error = "this build has no native back end";
#endif
  const std::lock_guard lock(mutex_);
  engine_ = std::move(engine);
  opened_ = true;
  unavailable_ = engine_ == nullptr;
  if (unavailable_) note_ = error;
  times_.push_back({"open LLVM", seconds, true});
}

jit::Engine* NativeCode::engine(std::string& error) {
  std::unique_lock lock(mutex_);
  if (!opened_) submit(lock, [this] { open_engine(); });
  wait_idle(lock);
  error = engine_ ? "" : note_;
  return engine_.get();
}

kernel::Kernel NativeCode::part_of(const kernel::Kernel& kernel, const kernel::Function& function) {
  kernel::Kernel part;
  MBC_COPY_MEMBERS(part, kernel, name, n_state, n_params, n_inputs, n_mask, n_work);
  part.functions = {function};
  return part;
}

NativeCode::Order NativeCode::order_of(const std::shared_ptr<Code>& owner, const kernel::Kernel& kernel,
                                       const kernel::Function& function, bool waited_for) {
  Order out;
  out.part = part_of(kernel, function);
  out.slot = std::make_shared<kernel::NativeSlot>(nullptr);
  out.owner = owner;
  out.waited_for = waited_for;
  return out;
}

jit::CompileOptions NativeCode::how() const {
  jit::CompileOptions out;
  out.optimise = options_.optimise;
  out.cache = options_.cache;
  return out;
}

// Notes for the next process that opens this text whether the cache has all its code.
void NativeCode::note_kept(bool kept) {
  const std::lock_guard lock(mutex_);
  all_kept_ = all_kept_ && kept;
  if (!text_ || all_kept_ == listed_) return;
  listed_ = all_kept_;
#ifdef MBC_HAVE_JIT
  jit::note_kept(*text_, listed_, how());
#endif
}

// Returns the code from the cache or from the back end. Null if there is none, with the reason in `error`; `error` is
// "" if there is no back end, which is reported elsewhere.
std::unique_ptr<jit::CompiledKernel> NativeCode::code_of(const kernel::Kernel& part, std::string& error) {
  jit::CompileOptions options = how();
#ifdef MBC_HAVE_JIT
  if (!options.cache.empty()) {
    jit::ReadyCode ready = jit::ready_code(part, options);
    if (ready.code) {
      note_kept(true);
      return std::move(ready.code);
    }
    options.key = ready.key;
  }
#endif
  open_engine();
  if (!engine_) return nullptr;
  std::unique_ptr<jit::CompiledKernel> made = engine_->compile(part, options, error);
  // Cached code that needed LLVM again counts as not cached.
  if (made && !options.cache.empty()) note_kept(options.key && !made->times().cached);
  return made;
}

void NativeCode::compile(Order& order) {
  {
    const std::lock_guard lock(mutex_);
    if (order.owner.expired()) return;
  }
  std::string error;
  std::unique_ptr<jit::CompiledKernel> made = code_of(order.part, error);
  const std::lock_guard lock(mutex_);
  if (made)
    hand_over(order, std::move(made));
  else if (!error.empty())
    note_ = error;
}

// Called under the lock.
void NativeCode::hand_over(Order& order, std::unique_ptr<jit::CompiledKernel> made) {
  const std::string& name = order.part.functions[0].name;
  keep_times(name, made->times(), order.waited_for);
  order.seconds = sum(made->times());
  const std::shared_ptr<Code> owner = order.owner.lock();
  if (!owner) return;
  order.slot->store(made->function(name), std::memory_order_release);
  owner->push_back(std::move(made));
}

// Links a cached function on the thread that waits for it, because waking the other thread would take longer. The other
// thread is idle meanwhile. Returns false if the function is not in the cache.
bool NativeCode::link_kept(std::unique_lock<std::mutex>& lock, Order& order) {
#ifdef MBC_HAVE_JIT
  if (busy_ || unavailable_ || !listed_) return false;
  busy_ = taken_ = true;
  lock.unlock();
  jit::ReadyCode ready;
  try {
    ready = jit::ready_code(order.part, how());
  } catch (const std::exception&) {  // out of memory; the other thread reports it
  }
  lock.lock();
  taken_ = false;
  busy_ = !jobs_.empty();
  changed_.notify_all();
  if (!ready.code) return false;
  hand_over(order, std::move(ready.code));
  return true;
#else
  static_cast<void>(lock);
  static_cast<void>(order);
  return false;
#endif
}

void NativeCode::keep_times(const std::string& function, const jit::CompileTimes& t, bool waited_for) {
  const std::string of = " (" + function + ")";
  const auto add = [&](const char* name, double seconds) { times_.push_back({name + of, seconds, !waited_for}); };
  if (t.look_up > 0) add("look up in the cache", t.look_up);
  if (!t.cached) {
    add("emit LLVM IR", t.emit);
    add("optimise", t.optimise);
    add("code generation", t.codegen);
  }
  add(t.cached ? "link, from the cache" : "link", t.link);
}

kernel::KernelFunction NativeCode::compile_now(const std::shared_ptr<Code>& owner, const kernel::Kernel& kernel,
                                               const kernel::Function& function) {
  const auto begin = Clock::now();
  const auto order = std::make_shared<Order>(order_of(owner, kernel, function, true));
  std::unique_lock lock(mutex_);
  if (!link_kept(lock, *order)) {
    submit(lock, [this, order] { compile(*order); });
    wait_idle(lock);
  }
  const char* const waited = opened_ ? "wait for LLVM (" : "wait for native code (";
  times_.push_back({waited + function.name + ")", seconds_since(begin) - order->seconds});
  const kernel::KernelFunction made = order->slot->load(std::memory_order_acquire);
  if (made == nullptr && failure_.empty())
    failure_ = "the function `" + function.name + "` could not be compiled: " + note_;
  return made;
}

std::shared_ptr<const kernel::NativeSlot> NativeCode::start(const std::shared_ptr<Code>& owner,
                                                            const kernel::Kernel& kernel,
                                                            const kernel::Function& function) {
  const auto order = std::make_shared<Order>(order_of(owner, kernel, function, false));
  std::unique_lock lock(mutex_);
  submit(lock, [this, order] { compile(*order); });
  return order->slot;
}

// The thread frees the code after its present job.
void NativeCode::discard(std::shared_ptr<Code> owner) {
  std::unique_lock lock(mutex_);
  if (owner->empty()) return;
  const auto old = std::make_shared<Code>(std::move(*owner));
  owner.reset();
  submit(lock, [old] { old->clear(); });
}

bool NativeCode::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

bool NativeCode::unavailable() const {
  const std::lock_guard lock(mutex_);
  return unavailable_;
}

std::string NativeCode::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::string NativeCode::note() const {
  const std::lock_guard lock(mutex_);
  return note_;
}

std::vector<PassTime> NativeCode::times() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

std::string engine_text(const kernel::EnginesUsed& used, const NativeCode* native) {
  if (used.native) return used.interpreter ? "interpreter, then native code" : "native code";
  const std::string note = native ? native->note() : "";
  return note.empty() ? "interpreter" : "interpreter (no native code: " + note + ")";
}

}  // namespace mbc::api
