// SPDX-License-Identifier: Apache-2.0
// Runs that continue later: RunOptions::pause and resume. The bytes have the identity of the model, the run, and a
// check sum.
#include "api/simulation/saved.h"
#include "base/digest.h"
#include "mbc/texts.h"

namespace mbc::api {

namespace {

constexpr const char* kMagic = "mbc run 1";

struct Head {
  std::string magic = kMagic, version = mbc::version();
  std::uint64_t model = 0, settings = 0;
  void transfer(Archive& a) { a(magic, version, model, settings); }
};

Error wrong(const std::string& why) { return {ErrorCode::wrong_bytes, why}; }

// Returns a digest of everything besides the text of the model that determines the motion and its rows.
std::uint64_t settings_digest(const Simulation::Impl& impl, const RunResult& named, const RunOptions& options) {
  std::vector<double> numbers = impl.params;
  numbers.insert(numbers.end(), impl.inputs.begin(), impl.inputs.end());
  numbers.insert(numbers.end(), {named.begin, named.end, named.step, static_cast<double>(options.output_every),
                                 options.assemble ? 1.0 : 0.0});
  numbers.insert(numbers.end(), named.row_times.begin(), named.row_times.end());
  numbers.insert(numbers.end(), options.state.begin(), options.state.end());
  Archive archive;
  archive(numbers);
  for (std::string text : {named.simulation, named.integrator, named.formulation, named.stabilise, options.until_event})
    archive(text);
  return digest(archive.bytes());
}

}  // namespace

std::uint64_t model_digest(const EquationVariant& variant) {
  std::uint64_t out = digest(version());
  for (std::uint32_t k = 0; k < variant.sources().size(); ++k)
    out = digest(variant.sources()[k].text(), digest("|", out));
  for (const std::string& path : variant.parameters_asked_for()) out = digest(path, digest("|", out));
  const kernel::SystemLayout& l = variant.layout();
  return out ^ (std::uint64_t{l.n_y()} << 32) ^ l.n_rows;
}

std::string checkpoint_bytes(const Simulation::Impl& impl, const RunResult& named, const RunOptions& options,
                             const std::string& run) {
  Head head;
  head.model = model_digest(impl.variant());
  head.settings = settings_digest(impl, named, options);
  Archive archive;
  std::string bytes = run;
  archive(head, bytes);
  std::uint64_t sum = digest(archive.bytes());
  archive(sum);
  return archive.bytes();
}

Result<std::string> run_in_checkpoint(const Simulation::Impl& impl, const RunResult& named, const RunOptions& options) {
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  const std::string& bytes = options.resume;
  if (bytes.size() < kSum) return wrong("these bytes hold no run");
  std::uint64_t sum = 0;
  Archive end(bytes.substr(bytes.size() - kSum));
  end(sum);
  Archive archive(bytes.substr(0, bytes.size() - kSum));
  Head head;
  std::string run;
  archive(head, run);
  if (sum != digest(std::string_view(bytes).substr(0, bytes.size() - kSum)) || !archive.good() || !archive.at_end() ||
      head.magic != kMagic)
    return wrong("these bytes hold no run, or not the whole of one");
  if (head.version != version())
    return wrong("the run was begun by mbc " + head.version + ", and this is " + version());
  if (head.model != model_digest(impl.variant())) return wrong("the run was begun with another text of the model");
  if (head.settings != settings_digest(impl, named, options))
    return wrong("the run was begun with other settings, parameters or inputs");
  return run;
}

}  // namespace mbc::api

namespace mbc {

std::uint64_t text_digest(const Model& model) {
  const SourceSet& sources = model.state()->variant->sources();
  std::uint64_t out = digest("");
  for (std::uint32_t k = 0; k < sources.size(); ++k) out = digest(sources[k].text(), digest("|", out));
  return out;
}

}  // namespace mbc
