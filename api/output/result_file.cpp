// SPDX-License-Identifier: Apache-2.0
#include "api/output/result_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/digest.h"

namespace mbc::output {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns whether incomplete rows must not replace the file: it is not empty and not described as unfinished.
bool is_worth_keeping(const std::string& rows) {
  struct stat s {};
  if (stat(rows.c_str(), &s) != 0 || s.st_size == 0) return false;
  const std::optional<Described> found = read_description(rows + ".json");
  return !found || found->data_file != base_name(rows) || found->status == "complete";
}

}  // namespace

std::vector<std::string> names_beside(const std::string& path) {
  if (is_stream(path)) return {};
  const std::string rows = follow_links(path);
  return {rows + ".json", rows + ".partial", rows + ".partial.json"};
}

bool ResultFile::fail(const std::string& why) {
  if (error_.empty()) error_ = why;
  return false;
}

bool ResultFile::open(const std::string& path) {
  path_ = path;
  if (is_stream(path)) return true;
  return partial_.open(path) || fail(partial_.error());
}

// Removes the description of the rows that an earlier writer left incomplete.
bool ResultFile::drop_description() {
  const std::string described = partial_.path() + ".json";
  return calls_->unlink(described.c_str()) == 0 || errno == ENOENT ||
         fail("cannot write `" + described + "`: " + std::system_category().message(errno));
}

bool ResultFile::begin() {
  begun_ = true;
  if (!partial_.is_open()) return sink_.open(path_) || fail(sink_.error());
  if (!drop_description()) return false;
  if (!partial_.empty()) return fail(partial_.error());
  return sink_.attach(partial_.descriptor(), "`" + path_ + "`") || fail(sink_.error());
}

// Reads from the mark on and updates its sum and size. The rows may come from this writer or an earlier one.
bool ResultFile::add_up(const std::string& path, std::uint64_t bytes, Mark& mark) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(mark.bytes));
  std::vector<char> buffer(1 << 16);
  while (file && mark.bytes < bytes) {
    file.read(buffer.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(buffer.size(), bytes - mark.bytes)));
    mark.sum = digest({buffer.data(), static_cast<std::size_t>(file.gcount())}, mark.sum);
    mark.bytes += static_cast<std::uint64_t>(file.gcount());
  }
  return mark.bytes == bytes;
}

// The writer may have been killed after its rows were renamed and before it was recorded. Then FILE has the rows, and
// it does not change until they are complete again.
bool ResultFile::copy_published(const Mark& mark) {
  Mark found;
  if (!add_up(partial_.target(), mark.bytes, found) || found.sum != mark.sum) return true;  // FILE is of another run
  FileSink copy(*calls_);
  if (!partial_.empty() || !copy.attach(partial_.descriptor(), "`" + path_ + "`")) return fail(partial_.error());
  std::ifstream file(partial_.target(), std::ios::binary);
  std::string buffer;
  for (std::uint64_t left = mark.bytes; left > 0; left -= buffer.size()) {
    buffer.resize(std::min<std::uint64_t>(1 << 16, left));
    if (!file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || !copy.append(buffer)) break;
  }
  return copy.close() || fail(copy.error());
}

bool ResultFile::mark(Mark& mark) {
  if (!sink_.flush()) return fail(sink_.error());
  const off_t end = lseek(partial_.descriptor(), 0, SEEK_CUR);
  if (end < 0 || !add_up(partial_.path(), static_cast<std::uint64_t>(end), marked_))
    return fail("`" + path_ + "` cannot be gone on with");
  marked_.records = earlier_ + sink_.records();
  mark = marked_;
  return partial_.sync() || fail(partial_.error());
}

bool ResultFile::resume(const Mark& mark) {
  begun_ = true;
  marked_ = {};
  if (partial_.size() < mark.bytes && !copy_published(mark)) return false;
  if (!add_up(partial_.path(), mark.bytes, marked_)) return fail("`" + partial_.path() + "` is shorter than it was");
  if (marked_.sum != mark.sum) return fail("`" + partial_.path() + "` does not hold the rows that were written");
  marked_.records = earlier_ = mark.records;
  earlier_bytes_ = mark.bytes;
  if (!drop_description()) return false;
  if (!partial_.cut(mark.bytes)) return fail(partial_.error());
  return sink_.attach(partial_.descriptor(), "`" + path_ + "`") || fail(sink_.error());
}

bool ResultFile::finish(bool complete, Sidecar* description) {
  const bool written = sink_.close() || fail(sink_.error());
  if (!partial_.is_open()) return written;
  if (!written && description != nullptr) {  // the buffered records are lost
    const std::uint64_t records = earlier_ + sink_.records();
    description->status = "output failed";
    description->rows = static_cast<std::int64_t>(records > 0 ? records - 1 : 0);
  }
  bool good = written;
  const bool takes_place = !stays_partial_ && description != nullptr && !is_worth_keeping(partial_.target());
  if (written && (complete || takes_place))
    good = publish(description);
  else
    good = keep_partial(description) && written;
  if (!good && rows_at_ == partial_.path()) error_ += "; what was written is in `" + rows_at_ + "`";
  return good;
}

// Interruptions between these steps leave: the old pair, the old rows alone, the new rows alone, the new pair.
bool ResultFile::publish(Sidecar* description) {
  const std::string rows = partial_.target();
  rows_at_ = partial_.path();
  PartialFile described(*calls_);
  if (description != nullptr) {
    description->data_file = base_name(rows);
    std::string error;
    if (!write_partial(described, rows + ".json", json_of(*description), error, *calls_)) {
      described.remove();
      return fail(error);
    }
  }
  if (!partial_.sync()) return fail(partial_.error());
  remove_old_description(description != nullptr);
  if (!partial_.publish()) return fail(partial_.error());
  rows_at_ = rows;
  if (description != nullptr) {
    if (!described.publish()) return fail(described.error());
    described_at_ = described.target();
  }
  const int number = sync_folder(*calls_, folder_of(rows));
  return number == 0 || fail("cannot write `" + path_ + "`: " + std::system_category().message(number));
}

// Removes the description of replaced rows. A file of that name that describes other data stays unless it is replaced.
void ResultFile::remove_old_description(bool replaced) {
  const std::string place = partial_.target() + ".json";
  const std::optional<Described> found = read_description(place);
  if (replaced || (found && found->data_file == base_name(partial_.target()))) calls_->unlink(place.c_str());
}

bool ResultFile::keep_partial(Sidecar* description) {
  rows_at_ = partial_.path();
  if (!partial_.sync()) return fail(partial_.error());
  if (description == nullptr) return true;
  description->data_file = base_name(rows_at_);
  std::string error;
  if (!write_sidecar(rows_at_ + ".json", *description, error, *calls_)) return fail(error);
  described_at_ = rows_at_ + ".json";
  return true;
}

}  // namespace mbc::output
