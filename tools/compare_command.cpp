// SPDX-License-Identifier: Apache-2.0
// `mbc compare`: comparison of formulations and representations of bodies.
#include "base/copy_members.h"
#include "base/row_format.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/compare_results.h"
#include "tools/interrupt.h"
#include "tools/last_resort.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"
#include "tools/terminal/progress.h"

namespace mbc::tools {
namespace {

CompareOptions wanted(const Options& options) {
  CompareOptions o;
  o.compile = compile_options(options);
  MBC_COPY_MEMBERS(o, options, simulation, formulations, bodies, seed);
  o.samples = static_cast<int>(options.samples);
  o.run = !options.no_run;
  o.stop = interrupt_flag();
  return o;
}

void report(const Options& options, const Comparison& c) {
  if (!options.json) return Report(options).rendered(c.rendered);
  std::string lines;
  for (const DiagnosticInfo& d : c.diagnostics) lines += to_json_line(d);
  print_error(lines.empty() && c.status == Status::model_error ? c.rendered : lines);
}

int write(const Options& options, const Comparison& c) {
  if (!options.csv.empty() && options.csv != "-") {
    std::string error;
    if (!write_text(options.csv, comparison_csv(c), error)) return Report(options).failure("output_failed", error);
  }
  if (options.csv == "-") return print_data(comparison_csv(c));
  return print_output(options.print_json ? comparison_json(c) : comparison_text(c));
}

int verdict(const Options& options, const Comparison& c) {
  if (c.status == Status::interrupted) return kInterrupted;
  const Report problems(options);
  if (c.applied() == 0 || (c.applied() == 1 && c.methods.size() > 1)) {
    problems.failure("nothing_compared", c.applied() == 0
                                             ? "no method could be applied"
                                             : "one method only could be applied: nothing to compare with");
    return kModelError;
  }
  if (!options.tolerance || c.agree(*options.tolerance)) return kOk;
  problems.failure("methods_differ", "the methods differ by more than the tolerance");
  return kModelError;
}

}  // namespace

int compare_methods(const Options& options) {
  if (names_rows(options.file) && names_rows(options.simulation)) return compare_results(options);
  if (const int problem = check_place(options, options.csv, {"the comparison is CSV", {"csv"}}); problem != kOk)
    return problem;
  catch_interrupts(1);  // until there are results to finish
  ProgressOptions how;
  if (options.quiet || options.json) how.terminal = 0;
  Progress progress(0, 1, std::move(how));
  CompareOptions compare = wanted(options);
  compare.progress = [&progress](double part, const std::string& method) {
    catch_interrupts(2);
    progress.label(method);
    progress.update(part);
  };
  const LastResort last([] { return kInterrupted; });
  const std::string piped = options.file == "-" ? piped_model() : "";
  if (!sets_its_block(options, options.simulation, piped)) return kUsage;
  const Comparison c =
      options.file == "-" ? compare_text(piped, "<stdin>", compare) : mbc::compare(options.file, compare);
  progress.finish();
  report(options, c);
  if (c.status == Status::model_error) {
    if (options.print_json) print_refusal(options.file, c.diagnostics);
    return kModelError;
  }
  if (const int problem = check_not_read(options, c.files, {options.csv}); problem != kOk) return problem;
  if (const int problem = write(options, c); problem != kOk) return problem;
  return verdict(options, c);
}

}  // namespace mbc::tools
