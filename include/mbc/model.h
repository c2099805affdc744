// SPDX-License-Identifier: Apache-2.0
// A compiled model.
//
//   mbc::Model model = mbc::Model::from_file("pendulum.mbd");
//   if (!model.ok()) { std::cerr << model.render_diagnostics(); return 1; }
//
// A Model is a handle: copying it copies a pointer. The object behind it never changes and may be used by any number of
// threads at once. Parts that are made on first use (native code, other shapes) are made once, under a lock, and shared
// by all copies and simulations. The object lives as long as the last of them; the end of the last one waits for a
// function that is being compiled.
//
// The text of a model is compiled for one *shape*: the representation of free bodies, the formulation, rows added to a
// singular mass matrix, Baumgarte's terms. A model is made in the shape of its first `simulate` block; shaped() returns
// another one, and a Simulation switches to the one it needs.
//
// Errors of a text are diagnostics: ok() is false then, lists are empty, and calls that return a Result fail with
// ErrorCode::model_error. Every call may be made on every model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"
#include "mbc/info.h"
#include "mbc/quantities.h"
#include "mbc/result.h"
#include "mbc/settings.h"

namespace MBC_API mbc {

struct CompileOptions {
  std::vector<std::string> set{};  // "R = 0.4 [m]", "demo.time.end = 2", "input.u = sin(t)": docs/language.md
  bool interpret = false;          // run the interpreter, do not load LLVM
  int optimise = 2;                // 0 or 2
  std::string folder{};            // from_string: where `use "parts.mbd"` finds files; "" = nowhere
  // Arguments of instances, "long.L", that become parameters of the run, as those in `set` and in `sweep` blocks do:
  // Simulation::set_parameter takes them. An argument that changes the structure of the model (`int`, a bound, a
  // condition) is refused: each of its values is another compilation, with `set`.
  std::vector<std::string> parameters{};
  // Folder that replaces the built-in standard library, or several folders with `:` between them, of which the first
  // that has a module counts; "": the built-in library.
  std::string stdlib{};
  // Returns the text of a file that `use "parts/wheel.mbd"` or `table(t, "wind.csv")` names, given its path from the
  // model's folder, or nothing if there is none; the file system is not searched then. A file that a table in `set`
  // names is requested as "command line: wind.csv". The loader is called by the thread that compiles, at most once for
  // each file, and not after from_file() or from_string() has returned.
  std::function<std::optional<std::string>(const std::string& file)> loader{};
  // If neither `interpret` nor `native_at_once` is set, a model is interpreted at first and switches to native code,
  // compiled on a separate thread, when a run is long enough for it; the results are the same bits. If native code is
  // not available, it stays interpreted.
  bool native_at_once = false;  // compile before the first step; a run fails if that is not possible
  bool cache = true;            // keep compiled code in a folder (docs/benchmarks.md) and look for it there
  bool colour = false;          // colour the texts in results: `rendered`, Error::message
  bool facts = false;           // keep the facts of source_index() on expressions
};

enum class Stage : std::uint8_t { ast, model, system, kernel, jacobian, llvm_ir, assembly, object, header };

struct StageTime {
  std::string name;
  double seconds = 0;
  bool background = false;  // on a separate thread, in parallel with other stages
};

// The equations that a model is compiled for; settings without a value keep the present choice.
struct ShapeSettings {
  std::optional<Representation> bodies{};
  std::optional<Formulation> formulation{};
  std::optional<bool> baumgarte{};  // b with Baumgarte's terms
  std::optional<InertiaRows> inertia_rows{};
};

// The equations that a model is compiled for.
struct ModelShape {
  Representation bodies{};
  Formulation formulation{};
  bool baumgarte = false;
  InertiaRows inertia_rows{};
};

// A text that a model was compiled from.
struct ModelText {
  enum class Kind : std::uint8_t { model, library, file } kind{};
  // The name of the model's text as it was given; "joints" for a module of the library; for a file its path from the
  // model's folder, as CompileOptions::loader gets it.
  std::string name;
  std::string text;
};

class Model {
 public:
  // Diagnostics call the text `name`. A file that cannot be read is a diagnostic.
  [[nodiscard]] static Model from_file(const std::string& path, const CompileOptions& options = {});
  [[nodiscard]] static Model from_string(const std::string& text, const std::string& name,
                                         const CompileOptions& options = {});
  Model();  // of no text: not ok()
  // A handle is never empty: a model that was moved from still refers to the same object.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;
  ~Model() = default;

  [[nodiscard]] bool ok() const;
  [[nodiscard]] std::vector<DiagnosticInfo> diagnostics() const;  // errors and warnings
  [[nodiscard]] std::string render_diagnostics(bool colour = false) const;
  [[nodiscard]] std::string render_diagnostics_json() const;  // one object a line

  // ---- shapes
  // Return the same text compiled as the named `simulate` block needs it ("": the first one), or with these settings.
  // They fail for a block that does not exist. If the model cannot have the shape, the result is a model that is not
  // ok().
  [[nodiscard]] Result<Model> shaped(const std::string& simulation) const;
  [[nodiscard]] Result<Model> shaped(const ShapeSettings& settings) const;
  [[nodiscard]] ModelShape shape() const;

  // ---- names and units, in the order of the arrays that hold the values
  [[nodiscard]] std::vector<Quantity> parameters() const;
  [[nodiscard]] std::vector<Quantity> coordinates() const;  // q
  [[nodiscard]] std::vector<Quantity> speeds() const;       // u
  [[nodiscard]] std::vector<Quantity> states() const;       // those declared with `state`
  [[nodiscard]] std::vector<Quantity> inputs() const;
  [[nodiscard]] std::vector<Quantity> outputs() const;
  // Columns of recorded rows after the time: positions, velocities, accelerations of each particle and body, states,
  // outputs.
  [[nodiscard]] std::vector<Quantity> columns() const;
  [[nodiscard]] std::string time_unit() const;  // "s", or "" in a model without units
  // Counts, for models where the lists would be long; one entry of them.
  [[nodiscard]] std::size_t coordinate_count() const;
  [[nodiscard]] std::size_t constraint_row_count() const;  // scalar rows of the user's constraints
  [[nodiscard]] std::size_t column_count() const;
  // Entries of the state y = [q; u; s; w]: coordinates, speeds, states, integrals of work (of loads, of constraints,
  // and of each constraint that does any).
  [[nodiscard]] std::size_t state_size() const;
  [[nodiscard]] Result<Quantity> column(std::size_t index) const;
  [[nodiscard]] Result<std::size_t> parameter_index(const std::string& name) const;
  [[nodiscard]] Result<std::size_t> input_index(const std::string& name) const;
  [[nodiscard]] Result<std::size_t> output_index(const std::string& name) const;

  // ---- blocks
  [[nodiscard]] std::vector<std::string> simulations() const;
  // Properties of the block of that name; "" means the first one. The result is nothing, or "", if there is no such
  // block.
  [[nodiscard]] std::optional<TimeSpan> time_span(const std::string& simulation) const;
  [[nodiscard]] std::string save_path(const std::string& simulation) const;  // its `save`, or ""
  [[nodiscard]] std::vector<TestInfo> tests() const;                         // in the order of the file
  // Returns the contents of the model, with the values it was compiled with. Without the momenta this costs next to
  // nothing.
  [[nodiscard]] Result<ModelInfo> info(bool momenta = true) const;

  // ---- texts
  [[nodiscard]] std::string source_text() const;
  // Returns the value of an expression of parameters and numbers. This is the only call that needs no motion: it works
  // on a model whose one error is that nothing moves (E0412).
  [[nodiscard]] Result<std::vector<double>> value(const std::string& expression) const;
  // Returns the output of a stage as text (object: bytes; header: what a program in C that is linked with the object
  // includes). `prefix` names the functions of assembly, object and header: prefix_rhs, ... `processor` applies to
  // llvm_ir, assembly and object: "native", a name that LLVM knows, or "" for the oldest of the architecture, where
  // fused multiply-adds are calls of the runtime library; the results are the same.
  [[nodiscard]] Result<std::string> emit(Stage stage, const std::string& prefix = "model",
                                         const std::string& processor = "") const;
  // Returns false if LLVM knows no processor of that name; true without LLVM, where this cannot be decided.
  [[nodiscard]] bool knows_processor(const std::string& processor) const;

  // ---- back end and progress
  // Fails if native code was demanded (CompileOptions::native_at_once) and there is no back end; the error lists the
  // places that were searched. The call opens the back end and waits for it.
  [[nodiscard]] Result<void> check_native() const;
  [[nodiscard]] std::vector<StageTime> stage_times() const;
  // Returns whether native code is being compiled. The end of the last handle waits for it. A process must not end by
  // exit() meanwhile.
  [[nodiscard]] bool compiling() const;

  struct State;  // internal
  explicit Model(std::shared_ptr<const State> state);
  [[nodiscard]] const std::shared_ptr<const State>& state() const { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// Returns the text of the model, then the texts of the modules and files it uses; empty for a model that is not ok().
[[nodiscard]] std::vector<ModelText> model_texts(const Model& model);
// Returns the files that the model was read from: itself, modules and tables, as they were opened; also for a model
// that is not ok().
[[nodiscard]] std::vector<std::string> model_files(const Model& model);
// Returns the `plot` entries of a `simulate` block ("": the first one); none if there is no such block.
[[nodiscard]] std::vector<PlotInfo> model_plots(const Model& model, const std::string& simulation);
// Does the same as Model::value(), with shape and unit.
[[nodiscard]] Result<Evaluated> evaluate(const Model& model, const std::string& expression);
// Returns a check sum of the text of a model and of the modules it uses; also for a model that is not ok().
[[nodiscard]] std::uint64_t text_digest(const Model& model);

}  // namespace mbc
