// SPDX-License-Identifier: Apache-2.0
// `mbc info`: the contents of a model.
#include "api/report/answers.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

int info_model(const Options& options) {
  const Model model = load_model(options, true);
  Report(options).compiled(model);
  if (!model.ok()) return without_model(options, model);
  const ModelInfo info = model.info().value();
  return print_output(options.print_json ? api::info_json(info) : api::info_text(info, shown_name(options.file)));
}

}  // namespace mbc::tools
