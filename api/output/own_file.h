// SPDX-License-Identifier: Apache-2.0
// A result may replace files that mbc has written before, and empty files.
//
// Rows are recognised by the description beside them, HDF5 also by the contents of its file, all other results by their
// beginning or end. An unrecognised file may belong to anybody: a measured table, notes, the output of another program.
#pragma once
#include <string>

namespace mbc::output {

// Returns whether the path does not exist, or is a stream, an empty file, or a file that mbc has written.
[[nodiscard]] bool may_be_replaced(const std::string& path);
// Does the same for NAME.partial, which a killed writer of rows or events has left; it may be incomplete.
[[nodiscard]] bool may_be_taken_over(const std::string& path);

// Marks a PNG or PDF file of a picture, so that it is recognised later.
void mark_picture(std::string& bytes);

}  // namespace mbc::output
