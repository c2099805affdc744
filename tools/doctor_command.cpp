// SPDX-License-Identifier: Apache-2.0
// `mbc doctor`: a report on the rows, the inertia and the motion of a model.
#include "api/report/answers.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

int exit_code(const DoctorReport& d) {
  if (!d.consistent || !d.conflicting.empty()) return kInconsistent;
  return d.sound() && d.undetermined.empty() ? kOk : kStopped;
}

}  // namespace

int doctor_model(const Options& options) {
  const Model model = load_model(options, true);
  const Report report(options);
  report.compiled(model);
  if (!model.ok()) return without_model(options, model);
  if (!has_block(options, model)) return kModelError;
  if (!sets_its_block(options, model)) return kUsage;
  DoctorOptions wanted;
  wanted.samples = static_cast<int>(options.samples);
  wanted.simulation = options.simulation;
  const DoctorReport found = Simulation::create(model).value().doctor(wanted).value();
  const std::string text =
      options.print_json ? api::doctor_json(found) : api::doctor_text(found, shown_name(options.file));
  if (const int problem = print_output(text); problem != kOk) return problem;
  if (!options.print_json) {
    if (found.diagnostic && report.json())
      print_error(to_json_line(*found.diagnostic));
    else
      report.rendered(found.rendered);
  }
  return exit_code(found);
}

}  // namespace mbc::tools
