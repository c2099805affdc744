// SPDX-License-Identifier: Apache-2.0
// mbc: models of constrained mechanics, compiled and run. The whole embedding interface; standard library types only.
//
//   #include <mbc/mbc.h>
//
//   mbc::Model model = mbc::Model::from_file("pendulum.mbd");
//   if (!model.ok()) { std::cerr << model.render_diagnostics(); return 1; }
//   mbc::Simulation simulation = mbc::Simulation::create(model).value();
//   mbc::RunResult result = simulation.run({}, [](const mbc::Row& row) { /* row.time, row.values */ return true; });
//
// What most hosts need:
//   model.h       Model: a text, compiled; names, units, blocks. A handle to something that never changes, for any
//   number
//                 of threads at once
//   simulation.h  Simulation: a motion of a model: parameters, state, steps, runs. One thread at a time, cheap to make
//   run.h         what a run is asked for and what it answers
//   result.h      how calls fail: Result and Error
// Beside that:
//   diagnostics.h, info.h, settings.h, quantities.h   the data they speak in
//   tests.h, doctor.h, compare.h, sweep.h             what `mbc test`, `doctor`, `compare` and `sweep` do
//   scene.h                                           what a picture of a model shows, and where it is
//   texts.h                                           layout of texts, pieces of a session, versions
//   source_index.h, vocabulary.h                      what an editor shows: names of a text, words of the language
//
// Nothing here prints, or reads anything but the files of the model (and a cache of compiled code,
// CompileOptions::cache). Mistakes of a model are diagnostics; failures of a run are a status with a diagnostic; calls
// that make no sense (an index too large, a vector too short, a value that is not finite) answer with an Error. What is
// thrown: std::bad_alloc, what a callback of the host throws, and BadResult by a host that takes the value of a failed
// Result. A mistake inside mbc is ErrorCode::internal, Status::internal_error or a diagnostic of kind "internal_error".
//
// All numbers are SI; vectors are flat. Texts are UTF-8. What is returned is a copy, or lives as long as the object it
// comes from and until the next call on it. Compiling is serialised inside; everything else of different models runs
// side by side. A thread calls in whatever rounding mode it likes: each call sets its own and puts it back.
#pragma once
#include "mbc/compare.h"
#include "mbc/diagnostics.h"
#include "mbc/doctor.h"
#include "mbc/info.h"
#include "mbc/machine_code.h"
#include "mbc/model.h"
#include "mbc/quantities.h"
#include "mbc/result.h"
#include "mbc/run.h"
#include "mbc/scene.h"
#include "mbc/settings.h"
#include "mbc/simulation.h"
#include "mbc/source_index.h"
#include "mbc/sweep.h"
#include "mbc/tests.h"
#include "mbc/texts.h"
#include "mbc/vocabulary.h"
