// SPDX-License-Identifier: Apache-2.0
// `mbc equations`: the equations of a model to read, to typeset and as source code.
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

namespace {

Written file_of_equations(EquationsRequest::Form form) {
  // The entries follow the order of the enumerators.
  static const Written kFiles[] = {{"the equations are text", {"txt"}},     {"the equations are LaTeX", {"tex"}},
                                   {"the equations are Markdown", {"md"}},  {"the equations are JSON", {"json"}},
                                   {"the equations are C", {"c", "h"}},     {"the equations are Python", {"py"}},
                                   {"the equations are for Octave", {"m"}}, {"the equations are Python", {"py"}},
                                   {"the equations are Julia", {"jl"}},     {"the equations are a model", {"mbd"}}};
  static_assert(std::size(kFiles) == static_cast<std::size_t>(EquationsRequest::Form::mbd) + 1);
  return kFiles[static_cast<std::size_t>(form)];
}

int no_equations(const Options& options, const Error& error) {
  const Report report(options);
  if (error.code == ErrorCode::no_such_name) {
    if (options.print_json) print_refusal(options.file, error.diagnostics);
    for (const DiagnosticInfo& d : error.diagnostics)
      if (report.json()) print_error(to_json_line(d));
    if (!report.json()) report.rendered(error.message + "\n");
    return kModelError;
  }
  report.failure(error.code == ErrorCode::invalid_argument ? "usage" : "equations_failed", error.message);
  return error.code == ErrorCode::invalid_argument ? kUsage : kInternalError;
}

}  // namespace

int print_equations(const Options& options) {
  if (const int problem = check_place(options, options.output, file_of_equations(options.equations.form));
      problem != kOk)
    return problem;
  const Model model = load_model(options, true);
  const Report report(options);
  report.compiled(model);
  if (const int problem = check_not_read(options, model_files(model), {options.output}); problem != kOk) return problem;
  if (!model.ok()) return without_model(options, model);
  EquationsRequest request = options.equations;
  request.colour = options.colour;
  const Result<std::string> made = model_equations(model, request);
  if (options.time_passes) report.times(model.stage_times());
  if (!made) return no_equations(options, made.error());
  if (options.output.empty() || options.output == "-")
    return request.form == EquationsRequest::Form::text ? print_output(*made) : print_data(*made);
  std::string error;
  if (!write_text(options.output, *made, error)) return report.failure("output_failed", error);
  return kOk;
}

}  // namespace mbc::tools
