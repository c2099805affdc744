// SPDX-License-Identifier: Apache-2.0
// Compares what a simulation says at states of a run, when it is asked, with what the run has recorded there.
#pragma once
#include <string>

namespace mbc::test {

// Runs the model and asks at eight of its rows, with the state and the discrete state of the row: the columns, the rows
// of the equations, rates and outputs are those of the row, and asking changes nothing. Returns the number of rows at
// which the discrete state that is found without being given has the same columns; the row of an instant can differ.
int check_doors(const std::string& text);

}  // namespace mbc::test
