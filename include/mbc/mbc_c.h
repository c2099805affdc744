/* SPDX-License-Identifier: Apache-2.0 */
/* mbc from C and from everything that calls C: models of constrained mechanics, compiled and run.
 *
 *   #include <mbc/mbc_c.h>
 *
 *   mbc_model* model = mbc_model_from_file("pendulum.mbd", NULL);
 *   if (model == NULL) { fputs(mbc_error_message(), stderr); return 1; }
 *   mbc_simulation* simulation = mbc_simulation_new(model, NULL);
 *   mbc_step(simulation, 1e-3);
 *
 * Objects. A model is a compiled text, a simulation one motion of it, a table the rows of a run. What a function with
 * `_new` or `_from_` in its name gives is the caller's and goes to the `_free` of its kind, which takes NULL. They may
 * be freed in any order: a simulation holds what it needs of its model.
 *
 * Errors. A function that can fail answers with a code, MBC_OK = 0 or one of those below, and changes nothing where it
 * fails, unless it says otherwise. The message is then kept by the object of the call (mbc_model_message, ...), until
 * the next call on it. What makes an object answers with NULL, and the message is kept by the thread
 * (mbc_error_message, ...); so it is where the object of a call is NULL. Diagnostics come beside a message as JSON
 * texts, one object a line, as `mbc check --json` prints them. No argument is trusted: NULL, an index or a size that
 * does not fit and a number that is not finite are errors. Nothing prints, exits, or unwinds through the caller.
 *
 * Structs begin with their size, which the caller sets to sizeof; all else may be 0, and then is what is said beside
 * it. An older library takes the longer struct of a newer header where what it does not know is 0; a newer library
 * takes the shorter struct of an older header. What the library fills in, it fills in as far as the struct goes.
 *
 * Texts are UTF-8 and end with 0; those given are copied. Those taken are never NULL unless said; those of a model live
 * as long as it does, others until the next call on the object they come from. Numbers are SI; vectors are flat.
 *
 * Threads. Different objects may be used by different threads at the same time, one object by one thread at a time; but
 * mbc_simulation_new and mbc_model_copy (which costs next to nothing and gives another thread a model of its own) may
 * be called with one model by any number of threads at once. Simulations share what was compiled. Callbacks are called
 * by the thread that made the call; they get `user` as it was given, must not unwind (throw, longjmp) and must not free
 * or use the object that calls them, but for what is said there.
 *
 * The interface is what C knows: functions are added, none changes its meaning or goes (MBC_INTERFACE counts). */
#ifndef MBC_MBC_C_H
#define MBC_MBC_C_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define MBC_C_API __attribute__((visibility("default")))
#else
#define MBC_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MBC_INTERFACE 2

typedef struct mbc_model mbc_model;
typedef struct mbc_simulation mbc_simulation;
typedef struct mbc_table mbc_table;

/* ---- codes ---- */

typedef int32_t mbc_code;
enum {
  MBC_OK = 0,
  MBC_MODEL_ERROR = 1,      /* the model has errors, or a request makes it one that has */
  MBC_NO_SUCH_NAME = 2,     /* no parameter, input, output, block, ... of that name */
  MBC_OUT_OF_RANGE = 3,     /* an index is too large */
  MBC_WRONG_SIZE = 4,       /* an array or a struct has another length than is asked for */
  MBC_NOT_FINITE = 5,       /* an argument is nan or infinite */
  MBC_INVALID_ARGUMENT = 6, /* an argument makes no sense: NULL, a step of 0, an end before its beginning */
  MBC_UNDEFINED_VALUE = 7,  /* a value of the model is not finite at this state, or an expression has no value */
  MBC_INCONSISTENT = 8,     /* the state does not satisfy the constraints, or they contradict each other */
  MBC_STOPPED = 9,          /* the integration could not go on, or the model has ended it */
  MBC_INTERRUPTED = 10,     /* the host wanted it: `stop` was set, or a callback said so */
  MBC_WRONG_BYTES = 11,     /* what mbc_restore was given was not saved by this version for this model */
  MBC_NO_NATIVE_CODE = 12,  /* native code was demanded and cannot be had */
  MBC_TOO_LARGE = 13,       /* the model is too large for what was asked (full matrices) */
  MBC_NO_THREADS = 14,      /* the system gives no more threads */
  MBC_INTERNAL = 15,        /* a mistake in mbc; please report it */
  MBC_NO_MEMORY = 16
};

/* Version of the library, "0.2.0"; its MBC_INTERFACE; "no_such_name" of a code ("" of none). Any thread; they never
 * fail, and the texts live for ever. */
MBC_C_API const char* mbc_version(void);
MBC_C_API int32_t mbc_interface(void);
MBC_C_API const char* mbc_code_name(mbc_code code);
/* "LLVM 19.1.7, /usr/lib/libmbc-jit.so": where native code would come from; "" when only the interpreter is there. Any
 * thread; the text lives until the thread asks again. */
MBC_C_API const char* mbc_back_end(void);

/* Of the last call of this thread that made an object, or had none: its code, message and diagnostics; MBC_OK and ""
 * where it succeeded. */
MBC_C_API mbc_code mbc_error_code(void);
MBC_C_API const char* mbc_error_message(void);
MBC_C_API const char* mbc_error_diagnostics(void);

/* ---- models ---- */

typedef int32_t mbc_engine;
enum {
  MBC_ENGINE_CHOSEN = 0,      /* interpreted at first; native code, made aside, when a run is long enough for it */
  MBC_ENGINE_INTERPRETER = 1, /* libmbc-jit is not looked for */
  MBC_ENGINE_NATIVE = 2       /* native code before the first step; fails where it cannot be had */
};

/* Gives the text of a file that `use "parts/wheel.mbd"` or `table(t, "wind.csv")` names, by its path from the folder of
 * the model, or NULL where there is none; one that a table in `set` names is asked for as "command line: wind.csv". The
 * text is copied before the loader is called again. Called while the model is made, never after. */
typedef const char* (*mbc_loader)(void* user, const char* file);

typedef struct mbc_compile_options {
  size_t size;
  const char* const* set; /* "R = 0.4 [m]", "demo.time.end = 2": as `mbc run --set` */
  size_t set_count;
  const char* const* parameters; /* arguments of instances, "long.L", that are to be parameters */
  size_t parameters_count;
  const char* folder; /* of a text: where `use "parts.mbd"` finds files; NULL: nowhere */
  const char* stdlib; /* folder in place of the standard library built in; NULL: that one */
  mbc_engine engine;
  int32_t no_cache;  /* not 0: compiled code is neither looked for nor kept between processes */
  mbc_loader loader; /* in place of files; NULL: files */
  void* user;        /* of the loader */
} mbc_compile_options;

/* Compiles a file, or a text that diagnostics call `name` (NULL: "model"). options NULL: none. NULL where the model has
 * errors, which mbc_error_diagnostics() holds. Any thread. */
MBC_C_API mbc_model* mbc_model_from_file(const char* path, const mbc_compile_options* options);
MBC_C_API mbc_model* mbc_model_from_text(const char* text, const char* name, const mbc_compile_options* options);
/* Another handle to the same. NULL of NULL. */
MBC_C_API mbc_model* mbc_model_copy(const mbc_model* model);
MBC_C_API void mbc_model_free(mbc_model* model);

/* Of the last call on the model that failed; "" where it succeeded. */
MBC_C_API const char* mbc_model_message(const mbc_model* model);
/* The warnings of the model, as JSON. */
MBC_C_API const char* mbc_model_warnings(mbc_model* model);

typedef int32_t mbc_list;
enum {
  MBC_PARAMETERS = 0,
  MBC_INPUTS = 1,
  MBC_COORDINATES = 2, /* q */
  MBC_SPEEDS = 3,      /* u */
  MBC_STATES = 4,      /* those declared with `state` */
  MBC_OUTPUTS = 5,
  MBC_COLUMNS = 6,     /* of recorded rows, after the time */
  MBC_EVENTS = 7,      /* those with a name; they have no units */
  MBC_SIMULATIONS = 8, /* the `simulate` blocks; they have no units */
  MBC_CONSTRAINTS = 9, /* statements, each of which may be several rows; they have no units */
  MBC_DISCRETE = 10    /* what is constant between events (mbc_discrete_state); they have no units */
};

/* How many there are; 0 of NULL and of a list that does not exist. The order is that of the arrays that hold values. */
MBC_C_API size_t mbc_model_count(mbc_model* model, mbc_list list);
/* Of entry `index` of a list: its name, its unit ("" in a model without units, "1" of a pure number), the words of its
 * `///` comment. NULL where there is no such entry. */
MBC_C_API const char* mbc_model_name(mbc_model* model, mbc_list list, size_t index);
MBC_C_API const char* mbc_model_unit(mbc_model* model, mbc_list list, size_t index);
MBC_C_API const char* mbc_model_description(mbc_model* model, mbc_list list, size_t index);
/* The entry of that name. */
MBC_C_API mbc_code mbc_model_index(mbc_model* model, mbc_list list, const char* name, size_t* index);
/* Entries of the state y = [q; u; s; w]: coordinates, speeds, states, integrals of work. 0 of NULL. */
MBC_C_API size_t mbc_model_state_size(const mbc_model* model);
/* "s", or "" in a model without units; the words at the top of the file; its text. */
MBC_C_API const char* mbc_model_time_unit(mbc_model* model);
MBC_C_API const char* mbc_model_about(mbc_model* model);
MBC_C_API const char* mbc_model_text(mbc_model* model);
/* Beginning, end and step of a `simulate` block (NULL: the first one); each may be NULL. */
MBC_C_API mbc_code mbc_model_time_span(mbc_model* model, const char* simulation, double* begin, double* end,
                                       double* step);

/* ---- simulations ---- */

/* Of that `simulate` block; NULL: the first one, or none in a model without. It begins at the beginning of the block,
 * with the initial values of the text. The model is not changed, and may be used by others meanwhile. */
MBC_C_API mbc_simulation* mbc_simulation_new(const mbc_model* model, const char* block);
MBC_C_API void mbc_simulation_free(mbc_simulation* simulation);
/* The model as it is simulated: coordinates and columns may differ from those of the model it was made of, where the
 * block wants another representation of bodies. The caller's. */
MBC_C_API mbc_model* mbc_model_from_simulation(const mbc_simulation* simulation);

/* Of the last call on the simulation that failed; "" where it succeeded. index: the entry at fault, of MBC_NOT_FINITE
 * and MBC_UNDEFINED_VALUE. */
MBC_C_API const char* mbc_simulation_message(const mbc_simulation* simulation);
MBC_C_API const char* mbc_simulation_diagnostics(const mbc_simulation* simulation);
MBC_C_API size_t mbc_simulation_error_index(const mbc_simulation* simulation);

/* The time at hand; nan of NULL. */
MBC_C_API double mbc_time(const mbc_simulation* simulation);
/* Copies the state at hand to y, which has mbc_model_state_size() entries. */
MBC_C_API mbc_code mbc_state(mbc_simulation* simulation, double* y, size_t count);
/* Finite; whether it satisfies the constraints is looked at by the next step. */
MBC_C_API mbc_code mbc_set_state(mbc_simulation* simulation, double time, const double* y, size_t count);
/* Parameters and inputs, by index. Setting one leaves the state alone (mbc_reset) and compiles nothing. Allowed in the
 * callbacks of mbc_run. An input that the block gives a signal is the host's from the first time it is set, which makes
 * other equations of the same text and is refused in callbacks. */
MBC_C_API mbc_code mbc_parameter(mbc_simulation* simulation, size_t index, double* value);
MBC_C_API mbc_code mbc_set_parameter(mbc_simulation* simulation, size_t index, double value);
MBC_C_API mbc_code mbc_input(mbc_simulation* simulation, size_t index, double* value);
MBC_C_API mbc_code mbc_set_input(mbc_simulation* simulation, size_t index, double value);
/* What only events change, by name: held states (of one with labels the number of its label, from 0), of a named event
 * "cut.count" and "cut.time", of what events switch "rope.enabled". Setting is not allowed in callbacks. */
MBC_C_API mbc_code mbc_held(mbc_simulation* simulation, const char* name, double* value);
MBC_C_API mbc_code mbc_set_held(mbc_simulation* simulation, const char* name, double value);
/* The discrete state, of mbc_model_count(model, MBC_DISCRETE) entries: all that is constant between events, also which
 * contacts hold and what sticks. A motion leaves it behind. At a state that was set it is found anew, as the beginning
 * of a run finds it but for impacts and projection, or set; the values are checked by name. */
MBC_C_API mbc_code mbc_discrete_state(mbc_simulation* simulation, double* values, size_t count);
MBC_C_API mbc_code mbc_set_discrete_state(mbc_simulation* simulation, const double* values, size_t count);
/* What the beginning of a run does at the state at hand: impacts, projection onto the constraints, contacts and
 * frictions. The time stays. */
MBC_C_API mbc_code mbc_settle(mbc_simulation* simulation);
/* An output at the state at hand; evaluates the equations of motion. */
MBC_C_API mbc_code mbc_output(mbc_simulation* simulation, size_t index, double* value);
/* The value of an expression of the language at the state at hand, "p.pos - q.pos": one number, or those of a vector.
 * `count`: of values there is room for on entry, of those that were needed on return; MBC_WRONG_SIZE where there are
 * more. */
MBC_C_API mbc_code mbc_value(mbc_simulation* simulation, const char* expression, double* values, size_t* count);
/* Back to the beginning of the block, at the present parameters. */
MBC_C_API mbc_code mbc_reset(mbc_simulation* simulation);

/* One step of size h > 0, by the integrator of the block; steps of the block's size to `time`. After a failure time and
 * state are those of the last step that succeeded. Nothing ends a call but itself: a time more than 1e10 steps of the
 * block away, and one before which an event of `every` fires more than 1e9 times, is refused. */
MBC_C_API mbc_code mbc_step(mbc_simulation* simulation, double h);
MBC_C_API mbc_code mbc_run_until(mbc_simulation* simulation, double time);

/* ---- looking at it, at any time and state, which need not be those at hand ---- */

/* dy = y'(time, y); y and dy have `count` = mbc_model_state_size() entries and do not overlap. */
MBC_C_API mbc_code mbc_rhs(mbc_simulation* simulation, double time, const double* y, double* dy, size_t count);
/* The accelerations u', of which `count` is the number of speeds. */
MBC_C_API mbc_code mbc_accelerations(mbc_simulation* simulation, double time, const double* y, size_t y_count,
                                     double* accelerations, size_t count);

/* The equations of motion M u' = f + C + A^T lambda, A u' = b; matrices by rows. C: what constraints do besides
 * (`nonideal`); reaction-dependent loads and sliding friction are part of f. The arrays are the simulation's, until the
 * next call on it. */
typedef struct mbc_rows_at {
  size_t size;
  size_t speeds, rows;
  const double *M, *A;                     /* speeds x speeds, rows x speeds */
  const double *f, *b;                     /* speeds, rows */
  const double *acceleration, *multiplier; /* speeds, rows */
  int32_t rank;
  const double* C; /* speeds */
} mbc_rows_at;
/* MBC_TOO_LARGE beyond 2000 rows. */
MBC_C_API mbc_code mbc_rows(mbc_simulation* simulation, double time, const double* y, size_t count, mbc_rows_at* rows);

/* The right-hand side as a plain function with its context, for integrators of others: y' = f(t, y) at the parameters,
 * inputs and held states that the simulation has when it is called. MBC_INVALID_ARGUMENT for a model with contacts or
 * friction: a function of the state alone moves through them; mbc_rhs decides on them at each state. It checks nothing:
 * y and dy have `count` entries and do not overlap, and the thread rounds to nearest. It answers with 0; k > 0 where
 * dy[k-1] is not finite; -1 where it cannot be called: in a callback of a run, or when the simulation has got another
 * shape. It lives as long as the simulation and counts as a call on it: one thread at a time. */
typedef struct mbc_plain_rhs {
  size_t size;
  int32_t (*call)(void* context, double t, const double* y, double* dy);
  void* context;
  size_t count;
} mbc_plain_rhs;
MBC_C_API mbc_code mbc_rhs_function(mbc_simulation* simulation, mbc_plain_rhs* function);

/* ---- runs ---- */

/* Rows of a run, one behind the other: the time, then the columns of the model. Its own object, so that it outlives the
 * simulation; a run begins it anew. mbc_table_values is NULL without rows, and stays what it is until the next run into
 * the table. */
MBC_C_API mbc_table* mbc_table_new(void);
MBC_C_API void mbc_table_free(mbc_table* table);
MBC_C_API size_t mbc_table_rows(const mbc_table* table);
MBC_C_API size_t mbc_table_columns(const mbc_table* table); /* the time among them */
MBC_C_API const double* mbc_table_values(const mbc_table* table);

/* Called for every recorded row; 0 goes on, anything else ends the run with MBC_INTERRUPTED. */
typedef int32_t (*mbc_on_row)(void* user, double time, const double* values, size_t value_count, const double* y,
                              size_t y_count);
/* Called at every accepted state before it is evaluated: may write the inputs, which hold until the next step. With it
 * no signal of the block counts. */
typedef void (*mbc_drive)(void* user, double time, const double* y, size_t y_count, double* inputs, size_t input_count);
/* Called for every event that fires, by its name ("when in line 7" of one without). */
typedef void (*mbc_on_event)(void* user, double time, const char* event);
/* Called at every step; keep it cheap. */
typedef void (*mbc_progress)(void* user, double time);

typedef struct mbc_run_options {
  size_t size;
  const char* simulation; /* name of the `simulate` block; NULL: the one at hand */
  int32_t has_span;       /* not 0: from `begin` to `end` > begin, in place of the block's span */
  int32_t assemble;       /* not 0: the initial state may be moved onto the constraints */
  double begin, end;
  const double* state; /* with a span: y at its beginning; NULL: the initial state of the model */
  size_t state_count;
  uint32_t output_every;        /* every how many steps a row is recorded; 0: every step */
  int32_t reserved;             /* 0 */
  const volatile int32_t* stop; /* NULL, or what a signal handler or, atomically, another thread sets to end the run */
  const char* until_event;      /* ends behind the first firing of this event; NULL: none */
  mbc_table* table;             /* NULL, or what the rows go to */
  mbc_on_row on_row;            /* these may be NULL */
  mbc_drive drive;
  mbc_on_event on_event;
  mbc_progress progress;
  void* user;
} mbc_run_options;

typedef struct mbc_run_result {
  size_t size;
  uint64_t steps, rows, evaluations, events;
  double begin, end, reached, wall_seconds;
  int32_t rank, freedoms;
  /* What `mbc run` prints behind a run, as text and as JSON (there the events with their counts, kinks, impacts that
   * accumulated, restitutions that were lowered); what was warned of, as JSON. The simulation's, until the next call on
   * it. */
  const char *summary, *summary_json, *warnings;
} mbc_run_result;

/* A whole run of a `simulate` block (of options, else the one at hand: at first the first one), from its initial state,
 * and leaves time and state where it ended. options and result may be NULL. The result, and the table as far as it
 * came, are filled in also where the run fails. */
MBC_C_API mbc_code mbc_run(mbc_simulation* simulation, const mbc_run_options* options, mbc_run_result* result);

/* Everything that decides how the motion goes on, as bytes; they are the simulation's until the next call on it. One of
 * the same text and settings, in this or another process, that restores them goes on with the same bits (by `bdf`
 * within its tolerance). Of this version of mbc only; a failed restore changes nothing. */
MBC_C_API mbc_code mbc_save(mbc_simulation* simulation, const void** bytes, size_t* count);
MBC_C_API mbc_code mbc_restore(mbc_simulation* simulation, const void* bytes, size_t count);

/* ---- sweeps: one model with many values of parameters, on several threads ---- */

typedef struct mbc_sweep_info {
  size_t size;
  uint64_t members;
  size_t varied, recorded;
  const char *const *varied_names, *const *varied_units;
  const char *const *recorded_names, *const *recorded_units;
} mbc_sweep_info;

typedef struct mbc_sweep_member {
  size_t size;
  uint64_t number;      /* from 1; the last of the names varied changes fastest */
  const double* varied; /* as many as mbc_sweep_info says */
  size_t varied_count;
  const double* recorded; /* none where the run did not reach its end */
  size_t recorded_count;
  mbc_code code;      /* of its run */
  const char* reason; /* "" where it succeeded; otherwise in one line */
} mbc_sweep_member;

typedef struct mbc_sweep_options {
  size_t size;
  const mbc_compile_options* compile; /* NULL: none */
  const char* name;        /* of the `sweep` block or, with `vary`, of the `simulate` block; NULL: the only one */
  const char* const* vary; /* "k = 1 .. 2 step 0.1" */
  size_t vary_count;
  const char* const* record; /* "max_over(bead.z)" */
  size_t record_count;
  uint32_t jobs; /* threads; 0: one for each core. Results do not depend on it */
  int32_t assemble;
  const volatile int32_t* stop;
  /* Called by the thread that called mbc_sweep_*, NULL or: once, before the first member; for every member, in the
   * order of their numbers, 0 goes on; with the part that is done, 0 to 1. What they are given lives during the call.
   */
  void (*on_begin)(void* user, const mbc_sweep_info* info);
  int32_t (*on_member)(void* user, const mbc_sweep_member* member);
  void (*progress)(void* user, double part);
  void* user;
} mbc_sweep_options;

/* Compiles and runs all members. Any thread; the message is the thread's. A member that fails is no failure of the
 * sweep. */
MBC_C_API mbc_code mbc_sweep_file(const char* path, const mbc_sweep_options* options);
MBC_C_API mbc_code mbc_sweep_text(const char* text, const char* name, const mbc_sweep_options* options);

#ifdef __cplusplus
}
#endif

#endif
