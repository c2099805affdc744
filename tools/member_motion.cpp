// SPDX-License-Identifier: Apache-2.0
#include "tools/member_motion.h"

#include <algorithm>

#include "base/numbers.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/picture/page.h"
#include "tools/picture/recording.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kFrames = 10'000;  // frames of all motions of a page together

Model compiled(const Options& options, const std::string& text, const SweepInfo& info,
               const std::vector<double>& values) {
  CompileOptions compile = compile_options(options);
  compile.native_at_once = compile.colour = false;
  for (std::size_t k = 0; k < values.size(); ++k)
    compile.set.push_back(info.varied[k].quantity.name + " = " + text::number(info.varied[k].factor * values[k]));
  return options.file != "-" ? Model::from_file(options.file, compile) : Model::from_string(text, "<stdin>", compile);
}

}  // namespace

MotionRoom room_for(std::size_t members) {
  const std::size_t n = std::max<std::size_t>(members, 1);
  return {std::clamp<std::size_t>(kFrames / n, 100, 2000), std::min(1.0, 4.0 / static_cast<double>(n))};
}

std::string member_motion(const Options& options, const std::string& text, const SweepInfo& info,
                          const std::vector<double>& values, const MotionRoom& room) {
  const Model model = compiled(options, text, info, values);
  Result<Simulation> made = Simulation::create(model, info.simulation);
  if (!made) return "";
  Simulation& simulation = *made;
  Recording recording;
  recording.at_most(room.frames);
  recording.prefer(model_plots(model, info.simulation));
  recording.begin(simulation);
  RunOptions run;
  run.assemble = options.assemble;
  run.stop = interrupt_flag();
  run.multipliers = true;
  run.on_event = [&](double t, const std::string& event) { recording.event(t, event); };
  const RunResult result = simulation.run(run, [&](const Row& row) {
    recording.row(row);
    return true;
  });
  if (recording.rows() == 0) return "";
  recording.finish();
  return page_data(recording, page_facts(simulation, result, options.file, false), room.share);
}

}  // namespace mbc::tools
