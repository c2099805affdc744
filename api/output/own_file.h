// SPDX-License-Identifier: Apache-2.0
// A result may replace files that mbc has written before, and files that are empty.
//
// Rows are known by the description beside them, HDF5 also by what its file says, all other results by how they begin
// or end. What is not known may be anybody's: a measured table, notes, the output of another program.
#pragma once
#include <string>

namespace mbc::output {

// Nothing is there, or a stream, or a file of 0 bytes, or one that mbc has written.
[[nodiscard]] bool may_be_replaced(const std::string& path);
// The same of NAME.partial, which a killed writer of rows or events has left behind: it need not be whole.
[[nodiscard]] bool may_be_taken_over(const std::string& path);

// What a PNG or PDF file made of a picture gets, so that it is known again.
void mark_picture(std::string& bytes);

}  // namespace mbc::output
