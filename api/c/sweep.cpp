// SPDX-License-Identifier: Apache-2.0
// Sweeps of mbc_c.h.
#include "mbc/sweep.h"

#include <algorithm>
#include <optional>

#include "api/c/boundary.h"

using namespace mbc;

namespace {

std::vector<const char*> pointers(const std::vector<Quantity>& from, std::string Quantity::*which) {
  std::vector<const char*> out;
  out.reserve(from.size());
  for (const Quantity& q : from) out.push_back((q.*which).c_str());
  return out;
}

void begin(const mbc_sweep_options& o, const SweepInfo& sweep) {
  std::vector<Quantity> varied;
  for (const VariedInfo& v : sweep.varied) varied.push_back(v.quantity);
  const auto varied_names = pointers(varied, &Quantity::name), varied_units = pointers(varied, &Quantity::unit);
  const auto names = pointers(sweep.records, &Quantity::name), units = pointers(sweep.records, &Quantity::unit);
  const mbc_sweep_info info{sizeof info,         sweep.members,       varied.size(), sweep.records.size(),
                            varied_names.data(), varied_units.data(), names.data(),  units.data()};
  o.on_begin(o.user, &info);
}

bool member(const mbc_sweep_options& o, const SweepMember& m) {
  const mbc_sweep_member given{
      sizeof given,      m.number,          m.varied.data(),      m.varied.size(),
      m.recorded.data(), m.recorded.size(), c::code_of(m.status), m.reason.c_str(),
  };
  return o.on_member(o.user, &given) == 0;
}

Result<SweepOptions> sweep_options(const mbc_sweep_options& o) {
  Result<CompileOptions> compile = c::compile_options(o.compile);
  if (!compile) return compile.error();
  Result<std::vector<std::string>> vary = c::texts(o.vary, o.vary_count, "mbc_sweep_options.vary");
  if (!vary) return vary.error();
  Result<std::vector<std::string>> record = c::texts(o.record, o.record_count, "mbc_sweep_options.record");
  if (!record) return record.error();
  SweepOptions out;
  out.compile = *std::move(compile);
  out.name = c::text_or(o.name);
  out.vary = *std::move(vary);
  out.record = *std::move(record);
  out.jobs = o.jobs;
  out.assemble = o.assemble != 0;
  out.stop = o.stop;
  if (o.first > 0 && o.last > 0 && o.last < o.first)
    return c::wrong("mbc_sweep_options.last comes before mbc_sweep_options.first");
  out.first = std::max<std::uint64_t>(o.first, 1);
  out.last = o.last;
  if (o.on_begin != nullptr) out.begin = [o](const SweepInfo& info) { begin(o, info); };
  if (o.progress != nullptr) out.progress = [o](double part) { o.progress(o.user, part); };
  return out;
}

std::optional<Error> beyond_the_last(const mbc_sweep_options& o, const SweepInfo& info) {
  const std::uint64_t most = std::max(o.first, o.last);
  if (most <= info.members) return {};
  const std::string all = std::to_string(info.members) + (info.members == 1 ? " member" : " members");
  return Error{ErrorCode::out_of_range,
               "there is no member " + std::to_string(most) + ": the sweep has " + all + ", numbered from 1"};
}

// `run` returns a SweepResult.
template <class Run>
mbc_code swept(const mbc_sweep_options* options, const char* source, Run&& run) noexcept {
  return c::enter(c::of_thread(), {{source, "the model"}}, [&]() -> Result<void> {
    mbc_sweep_options o;
    if (Result<void> taken = c::take(options, o, "mbc_sweep_options"); !taken) return taken;
    Result<SweepOptions> how = sweep_options(o);
    if (!how) return how.error();
    std::optional<Error> beyond;
    how->begin = [&, given = how->begin](const SweepInfo& info) {
      beyond = beyond_the_last(o, info);
      if (given && !beyond) given(info);
    };
    // Without an observer the members would be kept.
    const SweepObserver observer = [&](const SweepMember& m) {
      return !beyond && (o.on_member == nullptr || member(o, m));
    };
    const SweepResult result = run(*how, observer);
    if (beyond) return *beyond;
    const mbc_code code = c::code_of(result.status);
    c::of_thread() = {};  // a callback may have left its own
    if (code == MBC_OK) return {};
    return Error{static_cast<ErrorCode>(code - 1), c::message_of(result.rendered, "the sweep was ended by its host"),
                 result.diagnostics};
  });
}

}  // namespace

extern "C" {

mbc_code mbc_sweep_file(const char* path, const mbc_sweep_options* options) {
  return swept(options, path,
               [&](const SweepOptions& how, const SweepObserver& each) { return sweep(path, how, each); });
}

mbc_code mbc_sweep_text(const char* text, const char* name, const mbc_sweep_options* options) {
  return swept(options, text, [&](const SweepOptions& how, const SweepObserver& each) {
    return sweep_text(text, c::text_or(name, "model"), how, each);
  });
}
}
