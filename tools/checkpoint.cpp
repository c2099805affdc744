// SPDX-License-Identifier: Apache-2.0
#include "tools/checkpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <limits>

#include "base/digest.h"
#include "base/numbers.h"
#include "base/read_file.h"
#include "base/row_format.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

constexpr const char* kMagic = "mbc checkpoint 4";

std::string current_folder() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) != nullptr ? path : "";
}

// Transfers the options that determine the run and the places of its results. Options for its messages belong to the
// command that resumes it.
void transfer_options(Archive& a, Options& o) {
  a(o.file, o.simulation, o.output, o.set, o.stdlib, o.summary, o.events, o.until_event, o.output_every, o.variables,
    o.interpret, o.native, o.no_cache, o.assemble, o.strict, o.every, o.force);
}

std::string checkpoint_bytes(Checkpoint& checkpoint) {
  Archive archive;
  std::string magic = kMagic, by = version();
  archive(magic, by, checkpoint);
  std::uint64_t sum = digest(archive.bytes());
  archive(sum);
  return archive.bytes();
}

bool is_checkpoint(const std::string& bytes) {
  Archive archive(bytes);
  std::string magic;
  archive(magic);
  return archive.good() && magic == kMagic;
}

}  // namespace

void Checkpoint::transfer(Archive& archive) {
  transfer_options(archive, options);
  archive(folder, model, time, wall_seconds, rows, events, run, event_times, event_names);
  archive.expect(options.output_every > 0 && event_times.size() == event_names.size());
}

bool read_checkpoint(const std::string& path, Checkpoint& out, std::string& error) {
  std::string bytes, why;
  const auto fail = [&](const std::string& text) {
    error = "cannot go on from `" + path + "`: " + text;
    return false;
  };
  if (!read_file(path, bytes, why, std::numeric_limits<std::size_t>::max())) return fail(why);
  if (!is_checkpoint(bytes)) return fail("it is no checkpoint of a run");
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  std::uint64_t sum = 0;
  Archive end(bytes.substr(bytes.size() - kSum));
  end(sum);
  if (sum != digest(std::string_view(bytes).substr(0, bytes.size() - kSum)))
    return fail("it is damaged, or not the whole of one");
  Archive archive(bytes.substr(0, bytes.size() - kSum));
  std::string magic, by;
  archive(magic, by);
  if (by != version()) return fail("it was written by mbc " + by + ", and this is " + version());
  archive(out);
  return (archive.good() && archive.at_end()) || fail("it is damaged, or not the whole of one");
}

int check_checkpoint(const Options& options, const std::string& rows) {
  const std::string& path = options.checkpoint;
  if (path.empty()) return kOk;
  const Report report(options);
  const auto usage = [&](const std::string& text) { return report.failure("usage", text); };
  if (options.file == "-") return usage("--checkpoint needs a model in a file: standard input cannot be read again");
  if (options.imported) return usage("--checkpoint needs a model: `mbc import` makes one of the robot file");
  if (!options.report.empty()) return usage("--report shows a run as a whole: it cannot be had with --checkpoint");
  if (output::is_stream(rows)) return usage("--checkpoint needs a file for the rows: name one with -o or `save`");
  if (names_hdf5(rows)) return usage("--checkpoint needs rows as CSV: an HDF5 file cannot be gone on with");
  if (!options.events.empty() && output::is_stream(options.events))
    return usage("--checkpoint needs a file for the list of events");
  std::vector<std::string> taken = output::names_beside(rows);
  taken.insert(taken.end(), {rows, options.summary, options.events});
  for (const std::string& name : taken)
    if (path == name || same_file(path, name)) return usage("the checkpoint needs a file of its own");
  std::string bytes, error;
  struct stat there {};
  if (stat(path.c_str(), &there) == 0 && there.st_size > 0 &&
      (!S_ISREG(there.st_mode) || !read_file(path, bytes, error, kMostOfModel) || !is_checkpoint(bytes)))
    return usage("`" + path + "` is there and is no checkpoint: name another file");
  Options judged = options;
  judged.force = true;  // the file is a checkpoint or does not exist
  return check_place(judged, path, {});
}

RunWatch::RunWatch(const Options& options, const Model& model, RunOutput& rows, output::ResultFile& events,
                   const Checkpoint* from)
    : options_(options), rows_(rows), events_(events) {
  if (from != nullptr) {
    checkpoint_.time = from->time;
    checkpoint_.event_times = from->event_times;
    checkpoint_.event_names = from->event_names;
    earlier_seconds_ = from->wall_seconds;
    any_ = true;
  }
  if (options.checkpoint.empty()) return;
  checkpoint_.options = options;
  checkpoint_.folder = current_folder();
  checkpoint_.model = text_digest(model);
}

void RunWatch::event(double time, const std::string& name) {
  if (checkpoint_.event_times.size() >= output::Sidecar::kMostEvents) return;
  checkpoint_.event_times.push_back(time);
  checkpoint_.event_names.push_back(name);
}

std::vector<output::Sidecar::Event> RunWatch::events() const {
  std::vector<output::Sidecar::Event> events;
  for (std::size_t k = 0; k < checkpoint_.event_times.size(); ++k)
    events.push_back({checkpoint_.event_times[k], checkpoint_.event_names[k]});
  return events;
}

bool RunWatch::wanted() const {
  return !options_.checkpoint.empty() || options_.max_steps || options_.max_time || options_.max_output;
}

std::string RunWatch::limit(const Pause& pause) const {
  if (options_.max_steps && pause.steps >= *options_.max_steps)
    return "--max-steps " + std::to_string(*options_.max_steps);
  if (options_.max_time && seconds_since(begin_) >= text::seconds_in(*options_.max_time))
    return "--max-time " + *options_.max_time;
  if (options_.max_output && static_cast<double>(rows_.bytes()) >= text::bytes_in(*options_.max_output))
    return "--max-output " + *options_.max_output;
  return "";
}

std::string RunWatch::pause(const Pause& pause) {
  std::string why = limit(pause);
  if (options_.checkpoint.empty() || !pause.save) return why;
  const bool due = seconds_since(written_) >= text::seconds_in(options_.every).value_or(0);
  if (due || pause.ending || !why.empty()) write(pause);
  return why;
}

// A run continues if its checkpoint cannot be written: the one before is complete, and the next may succeed.
void RunWatch::write(const Pause& pause) {
  written_ = Clock::now();
  Checkpoint& c = checkpoint_;
  std::string error;
  if (!rows_.mark(c.rows)) error = rows_.error();
  if (error.empty() && events_.begun() && !events_.mark(c.events)) error = events_.error();
  bool good = error.empty();
  if (good) {
    c.run = pause.save();
    c.wall_seconds = earlier_seconds_ + seconds_since(begin_);
    const std::string bytes = checkpoint_bytes(c);
    good = write_text(options_.checkpoint, bytes, error);
  }
  if (good) c.time = pause.time;
  if (good) any_ = true;
  if (!good && !failed_) Report(options_).failure("output_failed", error + "; the run goes on without this checkpoint");
  failed_ = failed_ || !good;
}

bool RunWatch::finish(Status status) {
  if (!any_ || options_.checkpoint.empty()) return !failed_;
  if (status == Status::complete || status == Status::stopped) {
    any_ = false;
    unlink(output::follow_links(options_.checkpoint).c_str());
  }
  return !failed_;
}

std::string RunWatch::summary() const {
  if (!any_ || options_.checkpoint.empty()) return "";
  return "checkpoint of t = " + text::short_number(checkpoint_.time, 10) + " in " + options_.checkpoint +
         ": `mbc resume " + options_.checkpoint + "` goes on\n";
}

}  // namespace mbc::tools
