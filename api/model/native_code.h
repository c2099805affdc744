// SPDX-License-Identifier: Apache-2.0
// Native code of one model in all its variants: a thread of its own finds functions in the cache or opens the back end
// and compiles them, one after the other, so that whoever asked may go on by the interpreter, or wait. Who waits links
// what is kept himself. Any thread may ask.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "compiler/pipeline.h"
#include "jit/engine.h"
#include "kernel/native_slot.h"

namespace mbc::api {

class NativeCode {
 public:
  struct Options {
    int optimise = 2;
    std::string cache;  // folder of compiled objects, "" = none
  };
  explicit NativeCode(Options options) : options_(std::move(options)) {}
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;
  // The destructor waits for the function that is being compiled; later ones are not begun.
  ~NativeCode();

  // Opens the back end in the background, unless the cache seems to hold the code of this text.
  void open(const std::string& text);
  // Whether native code is available, as far as this is known without opening the back end needlessly; if not, why.
  bool available(std::string& error);
  // The back end, once nothing is being compiled, for emitting text; null and the reason if there is none.
  jit::Engine* engine(std::string& error);

  // A kernel of one function: the unit of compilation.
  static kernel::Kernel part_of(const kernel::Kernel& kernel, const kernel::Function& function);

  // The code of those that use it together, a variant's kernel: it goes when they say so (discard).
  using Code = std::vector<std::unique_ptr<jit::CompiledKernel>>;

  // Waits for the code of the function; null if there is none (note()).
  kernel::KernelFunction compile_now(const std::shared_ptr<Code>& owner, const kernel::Kernel& kernel,
                                     const kernel::Function& function);
  // The slot in which the code will appear. Kernel and function need not outlive the call.
  std::shared_ptr<const kernel::NativeSlot> start(const std::shared_ptr<Code>& owner, const kernel::Kernel& kernel,
                                                  const kernel::Function& function);
  // What was compiled for it is not needed any more, and what is being compiled will not be; nobody may run it after
  // this. The caller's is the last reference.
  void discard(std::shared_ptr<Code> owner);

  [[nodiscard]] bool busy() const;  // something is being opened or compiled
  // The back end was requested and is not available.
  [[nodiscard]] bool unavailable() const;
  // Why a function could not be compiled although somebody waited for it; "" while all could.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] std::string note() const;  // why there is no native code, once that is known
  [[nodiscard]] std::vector<PassTime> times() const;

 private:
  struct Order {
    kernel::Kernel part;  // the one function
    std::shared_ptr<kernel::NativeSlot> slot;
    std::weak_ptr<Code> owner;
    bool waited_for = false;
    double seconds = 0;  // it took
  };
  using Job = std::function<void()>;

  void submit(std::unique_lock<std::mutex>& lock, Job job);
  void wait_idle(std::unique_lock<std::mutex>& lock);
  void work();
  void open_engine();  // these on the thread
  void compile(Order& order);
  void hand_over(Order& order, std::unique_ptr<jit::CompiledKernel> made);
  bool link_kept(std::unique_lock<std::mutex>& lock, Order& order);
  std::unique_ptr<jit::CompiledKernel> code_of(const kernel::Kernel& part, std::string& error);
  [[nodiscard]] jit::CompileOptions how() const;
  void note_kept(bool kept);
  void keep_times(const std::string& function, const jit::CompileTimes& times, bool waited_for);
  static Order order_of(const std::shared_ptr<Code>& owner, const kernel::Kernel& kernel,
                        const kernel::Function& function, bool waited_for);

  const Options options_;
  mutable std::mutex mutex_;  // of all that follows but engine_, which is the thread's while it is busy
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool busy_ = false, stop_ = false, opened_ = false, unavailable_ = false;
  bool taken_ = false;  // one of those who wait does it
  std::string note_, failure_;
  std::vector<PassTime> times_;
  std::unique_ptr<jit::Engine> engine_;  // outlives all code: whoever owns some holds this object
  std::optional<std::uint64_t> text_;    // what open() was asked for: a number made of it
  bool listed_ = false;                  // as kept, in the cache
  bool all_kept_ = true;                 // of what was asked for so far
  std::thread thread_;
};

// Says what evaluated the right-hand sides, and why it was not native code although this was wanted. `native` may be
// null.
std::string engine_text(const kernel::EnginesUsed& used, const NativeCode* native);

}  // namespace mbc::api
