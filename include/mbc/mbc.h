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
// Most hosts need:
//   model.h       Model: a compiled text; names, units, blocks. A handle to an immutable object, for any number of
//                 threads at once
//   simulation.h  Simulation: a motion of a model: parameters, state, steps, runs. For one thread at a time; cheap
//   run.h         options and results of a run
//   result.h      Result and Error: how calls report failures
// The other headers:
//   diagnostics.h, info.h, settings.h, quantities.h   the data types of the interface
//   tests.h, doctor.h, compare.h, sweep.h             what `mbc test`, `doctor`, `compare` and `sweep` do
//   questions.h                                       derivatives at a state, linear models, equilibria
//   scene.h                                           the parts of a picture of a model and their positions
//   texts.h                                           layout of texts, pieces of a session, versions
//   source_index.h, vocabulary.h                      data for editors: names of a text, words of the language
//
// The library prints nothing and reads no files but those of the model (and a cache of compiled code,
// CompileOptions::cache). Mistakes in a model are diagnostics. Failures of a run are a status with a diagnostic.
// Invalid calls (an index too large, a vector too short, a value that is not finite) return an Error. The library
// throws only std::bad_alloc, exceptions of the host's callbacks, and BadResult when a host takes the value of a failed
// Result. A mistake inside mbc is ErrorCode::internal, Status::internal_error or a diagnostic of kind "internal_error".
//
// All numbers are SI; vectors are flat. Texts are UTF-8. A returned value is a copy, or it lives as long as the object
// it comes from and until the next call on that object. Compiling is serialised inside; all other calls on different
// models run in parallel. A thread may call in any rounding mode: each call sets its own and restores the caller's.
#pragma once
#include "mbc/compare.h"
#include "mbc/diagnostics.h"
#include "mbc/doctor.h"
#include "mbc/equations.h"
#include "mbc/info.h"
#include "mbc/machine_code.h"
#include "mbc/model.h"
#include "mbc/quantities.h"
#include "mbc/questions.h"
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
