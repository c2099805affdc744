// SPDX-License-Identifier: Apache-2.0
// Native code of one model in all its variants. A separate thread finds functions in the cache or opens the back end
// and compiles them one after the other. Callers continue with the interpreter or wait. A caller that waits for a
// cached function links it itself. Any thread may call.
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
  // Returns whether native code is available, as far as this is known without opening the back end needlessly; if not,
  // `error` has the reason.
  bool available(std::string& error);
  // Returns the back end after the running compilation, for emitting text; null and the reason if there is none.
  jit::Engine* engine(std::string& error);

  // Returns a kernel of one function, the unit of compilation.
  static kernel::Kernel part_of(const kernel::Kernel& kernel, const kernel::Function& function);

  // The code of one owner, a variant's kernel; the owner frees it with discard().
  using Code = std::vector<std::unique_ptr<jit::CompiledKernel>>;

  // Waits for the code of the function; null if there is none (note()).
  kernel::KernelFunction compile_now(const std::shared_ptr<Code>& owner, const kernel::Kernel& kernel,
                                     const kernel::Function& function);
  // Returns the slot in which the code will appear. Kernel and function need not outlive the call.
  std::shared_ptr<const kernel::NativeSlot> start(const std::shared_ptr<Code>& owner, const kernel::Kernel& kernel,
                                                  const kernel::Function& function);
  // Frees the code of an owner and cancels its pending compilations. Nobody may run the code after this call. The
  // caller has the last reference.
  void discard(std::shared_ptr<Code> owner);

  [[nodiscard]] bool busy() const;  // the back end is being opened or a function compiled
  // The back end was requested and is not available.
  [[nodiscard]] bool unavailable() const;
  // Returns why a function that somebody waited for could not be compiled; "" if all could.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] std::string note() const;  // why there is no native code, if that is known
  [[nodiscard]] std::vector<PassTime> times() const;

 private:
  struct Order {
    kernel::Kernel part;  // has one function
    std::shared_ptr<kernel::NativeSlot> slot;
    std::weak_ptr<Code> owner;
    bool waited_for = false;
    double seconds = 0;  // time of the compilation
  };
  using Job = std::function<void()>;

  void submit(std::unique_lock<std::mutex>& lock, Job job);
  void wait_idle(std::unique_lock<std::mutex>& lock);
  void work();
  void open_engine();  // both run on the thread
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
  mutable std::mutex mutex_;  // guards all members below except engine_, which belongs to the thread while it is busy
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool busy_ = false, stop_ = false, opened_ = false, unavailable_ = false;
  bool taken_ = false;  // a waiting caller is linking a cached function
  std::string note_, failure_;
  std::vector<PassTime> times_;
  std::unique_ptr<jit::Engine> engine_;  // outlives all code, because every owner of code holds this object
  std::optional<std::uint64_t> text_;    // digest of the text given to open()
  bool listed_ = false;                  // the cache lists the text as completely stored
  bool all_kept_ = true;                 // all functions requested so far are in the cache
  std::thread thread_;
};

// Returns a text on the engine that evaluated the right-hand sides, and why it was not native code although this was
// requested. `native` may be null.
std::string engine_text(const kernel::EnginesUsed& used, const NativeCode* native);

}  // namespace mbc::api
