// SPDX-License-Identifier: Apache-2.0
// A compiled model.
//
//   mbc::Model model = mbc::Model::from_file("pendulum.mbd");
//   if (!model.ok()) { std::cerr << model.render_diagnostics(); return 1; }
//
// A Model is a handle: copying it copies a pointer. What it stands for never changes and may be used by any number of
// threads at once; what is made of it when first asked for (native code, other shapes) is made once, under a lock, and
// shared by all its copies and simulations. It lives as long as the last of them; the end of the last one waits for a
// function that is being compiled.
//
// The text of a model is compiled for one *shape*: the representation of free bodies, the formulation, rows added to a
// singular mass matrix, Baumgarte's terms. A model is made in the shape of its first `simulate` block; shaped() gives
// another one, and a Simulation moves to the one it needs.
//
// Errors of a text are diagnostics: ok() is false then, lists are empty, and calls that answer with a Result fail with
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
  // Arguments of instances, "long.L", that are to be parameters of the run, as those in `set` and in `sweep` blocks
  // are: Simulation::set_parameter takes them. One that shapes the model (`int`, a bound, a condition) is refused: each
  // of its values is another compilation, with `set`.
  std::vector<std::string> parameters{};
  // Folder in place of the standard library built in, or several with `:` between them, the first that has a module
  // counts; "" = the one built in.
  std::string stdlib{};
  // Gives the text of a file that `use "parts/wheel.mbd"` or `table(t, "wind.csv")` names, by its path from the model's
  // folder, or nothing where there is none; no file is looked for then. One that a table in `set` names is asked for as
  // "command line: wind.csv". Called by the thread that compiles, at most once for each file, and not after from_file()
  // or from_string() has answered.
  std::function<std::optional<std::string>(const std::string& file)> loader{};
  // Without either flag a model is interpreted at first and changes over to native code, compiled on a thread of its
  // own, when a run is long enough for it: the same bits, sooner. Where no native code can be had it stays interpreted.
  bool native_at_once = false;  // compile before the first step; a run fails where that cannot be done
  bool cache = true;            // keep compiled code in a folder (docs/benchmarks.md) and look for it there
  bool colour = false;          // of the texts in results: `rendered`, Error::message
  bool facts = false;           // keep what source_index() says of expressions
};

enum class Stage : std::uint8_t { ast, model, system, kernel, jacobian, llvm_ir, assembly, object, header };

struct StageTime {
  std::string name;
  double seconds = 0;
  bool background = false;  // on a thread of its own, while something else went on
};

// What a model is compiled for; what is not given stays as it is.
struct ShapeSettings {
  std::optional<Representation> bodies{};
  std::optional<Formulation> formulation{};
  std::optional<bool> baumgarte{};  // b with Baumgarte's terms
  std::optional<InertiaRows> inertia_rows{};
};

// What it is compiled for.
struct ModelShape {
  Representation bodies{};
  Formulation formulation{};
  bool baumgarte = false;
  InertiaRows inertia_rows{};
};

// A text that a model was made of.
struct ModelText {
  enum class Kind : std::uint8_t { model, library, file } kind{};
  // The model's as it was given, "joints" of the library, of a file its path from the model's folder: what
  // CompileOptions::loader is asked for.
  std::string name;
  std::string text;
};

class Model {
 public:
  // `name` is what diagnostics call the text. A file that cannot be read is a diagnostic.
  [[nodiscard]] static Model from_file(const std::string& path, const CompileOptions& options = {});
  [[nodiscard]] static Model from_string(const std::string& text, const std::string& name,
                                         const CompileOptions& options = {});
  Model();  // of no text: not ok()
  // A handle, and none is ever empty: one that was moved from is the model it was.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;
  ~Model() = default;

  [[nodiscard]] bool ok() const;
  [[nodiscard]] std::vector<DiagnosticInfo> diagnostics() const;  // errors and warnings
  [[nodiscard]] std::string render_diagnostics(bool colour = false) const;
  [[nodiscard]] std::string render_diagnostics_json() const;  // one object a line

  // ---- shapes
  // The same text as that `simulate` block wants it ("": the first one); with these settings. Fails for a block that is
  // not there. A shape that the model cannot have is a model that is not ok().
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
  // How many there are, where lists of them would be long; one of them.
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

  // ---- its blocks
  [[nodiscard]] std::vector<std::string> simulations() const;
  // Of the block of that name; "" means the first one. Nothing, or "", where there is no such block.
  [[nodiscard]] std::optional<TimeSpan> time_span(const std::string& simulation) const;
  [[nodiscard]] std::string save_path(const std::string& simulation) const;  // its `save`, or ""
  [[nodiscard]] std::vector<TestInfo> tests() const;                         // in the order of the file
  // What the model consists of, with the values it was compiled with. Without the momenta it costs next to nothing.
  [[nodiscard]] Result<ModelInfo> info(bool momenta = true) const;

  // ---- texts
  [[nodiscard]] std::string source_text() const;
  // The value of an expression of parameters and numbers. The only call that needs no motion: it works on a model whose
  // one error is that nothing moves (E0412).
  [[nodiscard]] Result<std::vector<double>> value(const std::string& expression) const;
  // What a stage produced, as text (object: bytes; header: what a program in C that is linked with the object
  // includes). `prefix` names the functions of assembly, object and header: prefix_rhs,
  // ... `processor` of llvm_ir, assembly and object: "native", a name LLVM knows, or "" for the oldest of the
  // architecture, where fused multiply-adds are calls of the runtime library; the results are the same.
  [[nodiscard]] Result<std::string> emit(Stage stage, const std::string& prefix = "model",
                                         const std::string& processor = "") const;
  // False where LLVM knows no processor of that name; true without LLVM, where nothing can be said.
  [[nodiscard]] bool knows_processor(const std::string& processor) const;

  // ---- what goes on
  // Fails where native code was demanded (CompileOptions::native_at_once) and there is no back end, with the places
  // where it was looked for. Opens the back end, and waits for that.
  [[nodiscard]] Result<void> check_native() const;
  [[nodiscard]] std::vector<StageTime> stage_times() const;
  // Whether native code is being made, which the end of the last handle waits for. A process must not end by exit()
  // meanwhile.
  [[nodiscard]] bool compiling() const;

  struct State;  // internal
  explicit Model(std::shared_ptr<const State> state);
  [[nodiscard]] const std::shared_ptr<const State>& state() const { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// Its text, then those of the modules and files it uses; empty for a model that is not ok().
[[nodiscard]] std::vector<ModelText> model_texts(const Model& model);
// The files it was read from, itself, modules and tables, as they were opened; also of a model that is not ok().
[[nodiscard]] std::vector<std::string> model_files(const Model& model);
// The `plot` entries of a `simulate` block; "" is the first one, and none where there is no such block.
[[nodiscard]] std::vector<PlotInfo> model_plots(const Model& model, const std::string& simulation);
// As Model::value(), with shape and unit.
[[nodiscard]] Result<Evaluated> evaluate(const Model& model, const std::string& expression);
// A check sum of the text of a model and of the modules it uses; also of one that is not ok().
[[nodiscard]] std::uint64_t text_digest(const Model& model);

}  // namespace mbc
