/* SPDX-License-Identifier: Apache-2.0 */
/* mbc for C and for languages that call C: models of constrained mechanics, compiled and run.
 *
 *   #include <mbc/mbc_c.h>
 *
 *   mbc_model* model = mbc_model_from_file("pendulum.mbd", NULL);
 *   if (model == NULL) { fputs(mbc_error_message(), stderr); return 1; }
 *   mbc_simulation* simulation = mbc_simulation_new(model, NULL);
 *   mbc_step(simulation, 1e-3);
 *
 * Objects. A model is a compiled text, a simulation one motion of it, a table the rows of a run. The caller owns the
 * result of a function with `_new` or `_from_` in its name and passes it to the `_free` of its kind, which accepts
 * NULL. Objects may be freed in any order: a simulation keeps what it needs of its model.
 *
 * Errors. A function that can fail returns a code, MBC_OK = 0 or one of those below. If it fails, it changes nothing
 * unless its comment says otherwise. The object of the call then keeps the message (mbc_model_message, ...) until the
 * next call on it. A function that makes an object returns NULL if it fails, and the thread keeps the message
 * (mbc_error_message, ...); the same holds for a call whose object is NULL. Diagnostics are JSON texts beside the
 * message, one object a line, as `mbc check --json` prints them. All arguments are checked: NULL, an index or a size
 * that does not fit and a number that is not finite are errors. No function prints, exits, or unwinds through the
 * caller.
 *
 * Structs begin with their size, which the caller sets to sizeof. All other members may be 0, which has the meaning
 * given beside them. An older library accepts the longer struct of a newer header if the members that it does not know
 * are 0; a newer library accepts the shorter struct of an older header. The library fills in a result only as far as
 * the struct extends.
 *
 * Texts are UTF-8 and end with 0. The library copies texts that it is given. Texts that it returns are never NULL
 * unless stated; those of a model live as long as the model, others until the next call on the object they come from.
 * Numbers are SI; vectors are flat.
 *
 * Threads. Different threads may use different objects at the same time; an object is used by one thread at a time.
 * Exceptions are mbc_simulation_new and mbc_model_copy (which costs next to nothing and gives another thread its own
 * model): any number of threads may call them with one model at once. Simulations share compiled code. Callbacks are
 * called by the thread that made the call. They get `user` as it was given, must not unwind (throw, longjmp), and must
 * not free or use the object that calls them, except where stated.
 *
 * The interface only grows: functions are added, none changes its meaning or is removed (MBC_INTERFACE counts). */
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

#define MBC_INTERFACE 3

typedef struct mbc_model mbc_model;
typedef struct mbc_simulation mbc_simulation;
typedef struct mbc_table mbc_table;

/* ---- codes ---- */

typedef int32_t mbc_code;
enum {
  MBC_OK = 0,
  MBC_MODEL_ERROR = 1,      /* the model has errors, or the request causes one */
  MBC_NO_SUCH_NAME = 2,     /* no parameter, input, output, block, ... of that name */
  MBC_OUT_OF_RANGE = 3,     /* an index is too large */
  MBC_WRONG_SIZE = 4,       /* an array or a struct does not have the required length */
  MBC_NOT_FINITE = 5,       /* an argument is nan or infinite */
  MBC_INVALID_ARGUMENT = 6, /* an argument is invalid: NULL, a step of 0, an end before its beginning */
  MBC_UNDEFINED_VALUE = 7,  /* a value of the model is not finite at this state, or an expression has no value */
  MBC_INCONSISTENT = 8,     /* the state does not satisfy the constraints, or they contradict each other */
  MBC_STOPPED = 9,          /* the integration could not go on, or the model has ended it */
  MBC_INTERRUPTED = 10,     /* the host ended it: `stop` was set, or a callback said so */
  MBC_WRONG_BYTES = 11,     /* the bytes given to mbc_restore were not saved by this version for this model */
  MBC_NO_NATIVE_CODE = 12,  /* native code was demanded and is not available */
  MBC_TOO_LARGE = 13,       /* the model is too large for the request (full matrices) */
  MBC_NO_THREADS = 14,      /* the system gives no more threads */
  MBC_INTERNAL = 15,        /* a mistake in mbc; please report it */
  MBC_NO_MEMORY = 16
};

/* Return the version of the library, "0.2.0"; its MBC_INTERFACE; the name of a code, "no_such_name" ("" for an unknown
 * code). Any thread may call them; they never fail, and the texts live for ever. */
MBC_C_API const char* mbc_version(void);
MBC_C_API int32_t mbc_interface(void);
MBC_C_API const char* mbc_code_name(mbc_code code);
/* Returns the back end for native code, "LLVM 19.1.7, /usr/lib/libmbc-jit.so"; "" if only the interpreter is available.
 * Any thread may call it; the text lives until the thread calls it again. */
MBC_C_API const char* mbc_back_end(void);

/* Return code, message and diagnostics of this thread's last call that made an object or had no object; MBC_OK and ""
 * if it succeeded. */
MBC_C_API mbc_code mbc_error_code(void);
MBC_C_API const char* mbc_error_message(void);
MBC_C_API const char* mbc_error_diagnostics(void);

/* ---- models ---- */

typedef int32_t mbc_engine;
enum {
  MBC_ENGINE_CHOSEN = 0,      /* interpreted at first; native code, made alongside, when a run is long enough */
  MBC_ENGINE_INTERPRETER = 1, /* libmbc-jit is not searched for */
  MBC_ENGINE_NATIVE = 2       /* native code before the first step; fails if it is not available */
};

/* Returns the text of a file that `use "parts/wheel.mbd"` or `table(t, "wind.csv")` names, given its path from the
 * folder of the model, or NULL if there is none. The name of a file that a table in `set` names is
 * "command line: wind.csv". The text is copied before the loader is called again. The loader is called only while the
 * model is made. */
typedef const char* (*mbc_loader)(void* user, const char* file);

typedef struct mbc_compile_options {
  size_t size;
  const char* const* set; /* "R = 0.4 [m]", "demo.time.end = 2": as `mbc run --set` */
  size_t set_count;
  const char* const* parameters; /* arguments of instances, "long.L", that become parameters */
  size_t parameters_count;
  const char* folder; /* for a text: where `use "parts.mbd"` finds files; NULL: nowhere */
  const char* stdlib; /* folder that replaces the built-in standard library; NULL: the built-in one */
  mbc_engine engine;
  int32_t no_cache;  /* not 0: compiled code is neither read from nor kept in the cache */
  mbc_loader loader; /* replaces the file system; NULL: files are read */
  void* user;        /* passed to the loader */
} mbc_compile_options;

/* Compiles a file, or a text that diagnostics call `name` (NULL: "model"). options may be NULL. Returns NULL if the
 * model has errors; mbc_error_diagnostics() has them. Any thread may call it. */
MBC_C_API mbc_model* mbc_model_from_file(const char* path, const mbc_compile_options* options);
MBC_C_API mbc_model* mbc_model_from_text(const char* text, const char* name, const mbc_compile_options* options);
/* Returns another handle to the same model; NULL for NULL. */
MBC_C_API mbc_model* mbc_model_copy(const mbc_model* model);
MBC_C_API void mbc_model_free(mbc_model* model);

/* Returns the message of the last call on the model; "" if it succeeded. */
MBC_C_API const char* mbc_model_message(const mbc_model* model);
/* Returns the warnings of the model as JSON. */
MBC_C_API const char* mbc_model_warnings(mbc_model* model);

typedef int32_t mbc_list;
enum {
  MBC_PARAMETERS = 0,
  MBC_INPUTS = 1,
  MBC_COORDINATES = 2, /* q */
  MBC_SPEEDS = 3,      /* u */
  MBC_STATES = 4,      /* those declared with `state` */
  MBC_OUTPUTS = 5,
  MBC_COLUMNS = 6,     /* columns of recorded rows after the time */
  MBC_EVENTS = 7,      /* those with a name; they have no units */
  MBC_SIMULATIONS = 8, /* the `simulate` blocks; they have no units */
  MBC_CONSTRAINTS = 9, /* statements, each of which may have several rows; they have no units */
  MBC_DISCRETE = 10    /* the discrete state (mbc_discrete_state); they have no units */
};

/* Returns the number of entries of a list; 0 for NULL and for a list that does not exist. The order is that of the
 * arrays that hold values. */
MBC_C_API size_t mbc_model_count(mbc_model* model, mbc_list list);
/* Return the name of entry `index` of a list, its unit ("" in a model without units, "1" for a pure number), and the
 * text of its `///` comment; NULL if there is no such entry. */
MBC_C_API const char* mbc_model_name(mbc_model* model, mbc_list list, size_t index);
MBC_C_API const char* mbc_model_unit(mbc_model* model, mbc_list list, size_t index);
MBC_C_API const char* mbc_model_description(mbc_model* model, mbc_list list, size_t index);
/* Finds the entry of that name. */
MBC_C_API mbc_code mbc_model_index(mbc_model* model, mbc_list list, const char* name, size_t* index);
/* Returns the number of entries of the state y = [q; u; s; w]: coordinates, speeds, states, integrals of work; 0 for
 * NULL. */
MBC_C_API size_t mbc_model_state_size(const mbc_model* model);
/* Return "s", or "" in a model without units; the text of the `///` lines at the top of the file; the text of the
 * model. */
MBC_C_API const char* mbc_model_time_unit(mbc_model* model);
MBC_C_API const char* mbc_model_about(mbc_model* model);
MBC_C_API const char* mbc_model_text(mbc_model* model);
/* Writes the equations of the model to *text. `form` is "text", "ascii", "latex" (a document), "fragments" (LaTeX
 * without one), "markdown", "json", "mbd", or source code of a function y' = rhs(t, y, p): "c", "python", "octave",
 * "sympy", "julia". `of` selects sections ("M"), entries ("M[1,2]"), coordinates, rows, parts of the model (none:
 * everything); `numbers` are parameters to be written as the numbers they have; with `derivation` constraints have
 * their places and first derivatives. MBC_NO_SUCH_NAME for what is not there, MBC_INVALID_ARGUMENT for an unknown form,
 * and for code of a model with contacts, friction, tables. The text lives until the next call for this model. */
MBC_C_API mbc_code mbc_model_equations(mbc_model* model, const char* form, const char* const* of, size_t of_count,
                                       const char* const* numbers, size_t numbers_count, int32_t derivation,
                                       const char** text);
/* Returns beginning, end and step of a `simulate` block (NULL: the first one); each pointer may be NULL. */
MBC_C_API mbc_code mbc_model_time_span(mbc_model* model, const char* simulation, double* begin, double* end,
                                       double* step);

/* ---- simulations ---- */

/* Creates a simulation of the named `simulate` block; NULL: the first one, or none in a model without blocks. It begins
 * at the beginning of the block, with the initial values of the text. The model is not changed, and others may use it
 * meanwhile. */
MBC_C_API mbc_simulation* mbc_simulation_new(const mbc_model* model, const char* block);
MBC_C_API void mbc_simulation_free(mbc_simulation* simulation);
/* Returns the model as it is simulated; the caller owns it. Its coordinates and columns differ from those of the
 * original model if the block uses another representation of bodies. */
MBC_C_API mbc_model* mbc_model_from_simulation(const mbc_simulation* simulation);

/* Return message, diagnostics and index of the last call on the simulation; "" if it succeeded. index: the bad entry,
 * for MBC_NOT_FINITE and MBC_UNDEFINED_VALUE. */
MBC_C_API const char* mbc_simulation_message(const mbc_simulation* simulation);
MBC_C_API const char* mbc_simulation_diagnostics(const mbc_simulation* simulation);
MBC_C_API size_t mbc_simulation_error_index(const mbc_simulation* simulation);

/* Returns the current time; nan for NULL. */
MBC_C_API double mbc_time(const mbc_simulation* simulation);
/* Copies the current state to y, which has mbc_model_state_size() entries. */
MBC_C_API mbc_code mbc_state(mbc_simulation* simulation, double* y, size_t count);
/* Sets time and state; y is finite. The next step checks whether it satisfies the constraints. */
MBC_C_API mbc_code mbc_set_state(mbc_simulation* simulation, double time, const double* y, size_t count);
/* Parameters and inputs by index. Setting one leaves the state unchanged (mbc_reset) and compiles nothing. Both are
 * allowed in the callbacks of mbc_run. An input for which the block has a signal belongs to the host once it is set;
 * setting it changes the equations of the model, and callbacks may not do so. */
MBC_C_API mbc_code mbc_parameter(mbc_simulation* simulation, size_t index, double* value);
MBC_C_API mbc_code mbc_set_parameter(mbc_simulation* simulation, size_t index, double value);
MBC_C_API mbc_code mbc_input(mbc_simulation* simulation, size_t index, double* value);
MBC_C_API mbc_code mbc_set_input(mbc_simulation* simulation, size_t index, double value);
/* Discrete states by name: states without a rate (for a machine the number of its label, from 0), "cut.count" and
 * "cut.time" of a named event, "rope.enabled" of what events switch. Setting is not allowed in callbacks. */
MBC_C_API mbc_code mbc_held(mbc_simulation* simulation, const char* name, double* value);
MBC_C_API mbc_code mbc_set_held(mbc_simulation* simulation, const char* name, double value);
/* The complete discrete state, with mbc_model_count(model, MBC_DISCRETE) entries: all values that are constant between
 * events, including active contacts and sticking frictions. A motion leaves it as it is at its end. After mbc_set_state
 * it is found as at the beginning of a run, but without impacts and projection, or it is set; the values are checked by
 * name. */
MBC_C_API mbc_code mbc_discrete_state(mbc_simulation* simulation, double* values, size_t count);
MBC_C_API mbc_code mbc_set_discrete_state(mbc_simulation* simulation, const double* values, size_t count);
/* Does the work of the beginning of a run at the current state: impacts, projection onto the constraints, contacts and
 * frictions. The time does not change. */
MBC_C_API mbc_code mbc_settle(mbc_simulation* simulation);
/* Returns an output at the current state; evaluates the equations of motion. */
MBC_C_API mbc_code mbc_output(mbc_simulation* simulation, size_t index, double* value);
/* Returns the value of an expression of the language at the current state, "p.pos - q.pos": one number, or those of a
 * vector. `count` is the room for values on entry and the number of values on return; MBC_WRONG_SIZE if there are more
 * values than room. */
MBC_C_API mbc_code mbc_value(mbc_simulation* simulation, const char* expression, double* values, size_t* count);
/* Returns to the beginning of the block, at the present parameters. */
MBC_C_API mbc_code mbc_reset(mbc_simulation* simulation);

/* Make one step of size h > 0 by the integrator of the block; steps of the block's size until `time`. After a failure,
 * time and state are those of the last successful step. A time more than 1e10 steps of the block away is refused, and
 * so is one before which an event of `every` fires more than 1e9 times. */
MBC_C_API mbc_code mbc_step(mbc_simulation* simulation, double h);
MBC_C_API mbc_code mbc_run_until(mbc_simulation* simulation, double time);
/* Sets the flag that ends mbc_step and mbc_run_until with MBC_INTERRUPTED, between two steps, once a signal handler or
 * (atomically) another thread has set it; NULL: none. It has to outlive these calls. */
MBC_C_API mbc_code mbc_set_stop(mbc_simulation* simulation, const volatile int32_t* stop);

/* ---- evaluation at any time and state, not only the current ones ---- */

/* Computes dy = y'(time, y); y and dy have `count` = mbc_model_state_size() entries and do not overlap. */
MBC_C_API mbc_code mbc_rhs(mbc_simulation* simulation, double time, const double* y, double* dy, size_t count);
/* Computes the accelerations u'; `count` is the number of speeds. */
MBC_C_API mbc_code mbc_accelerations(mbc_simulation* simulation, double time, const double* y, size_t y_count,
                                     double* accelerations, size_t count);

/* The equations of motion M u' = f + C + A^T lambda, A u' = b; matrices by rows. C: the forces of `nonideal` blocks.
 * Reaction-dependent loads and sliding friction are part of f. The arrays belong to the simulation and live until the
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
/* Fails with MBC_TOO_LARGE beyond 2000 rows. */
MBC_C_API mbc_code mbc_rows(mbc_simulation* simulation, double time, const double* y, size_t count, mbc_rows_at* rows);

/* Derivatives at a state that satisfies the constraints, along the manifold of such states; exact but for rounding. The
 * directions are the independent coordinates, the independent speeds and the states of the model; in them the state
 * stays on the constraints. By the time, the state moves with the constraints and the independent coordinates and
 * speeds stay. Multipliers of dependent rows are not unique and left out. All values are in SI units. The arrays belong
 * to the simulation and live until the next call on it. */
typedef int32_t mbc_jacobian_of;
enum { MBC_OF_RATES = 0 /* of the directions */, MBC_OF_ACCELERATIONS = 1, MBC_OF_MULTIPLIERS = 2, MBC_OF_OUTPUTS = 3 };
typedef int32_t mbc_jacobian_by;
enum { MBC_BY_DIRECTIONS = 0, MBC_BY_INPUTS = 1, MBC_BY_TIME = 2 };
typedef struct mbc_jacobian_at {
  size_t size;
  size_t rows, columns;
  const double* values;              /* rows x columns, by rows */
  const char *const *of, *const *by; /* names of the rows and the columns */
} mbc_jacobian_at;
/* Fails with MBC_UNDEFINED_VALUE where there is no derivative: at a singular position, at the edge of a contact or of a
 * piece of a function, and where a force depends on reactions. */
MBC_C_API mbc_code mbc_jacobian(mbc_simulation* simulation, mbc_jacobian_of of, mbc_jacobian_by by, double time,
                                const double* y, size_t count, mbc_jacobian_at* jacobian);

/* The right-hand side as a plain function with its context, for external integrators: y' = f(t, y) at the parameters,
 * inputs and discrete state that the simulation has at the call. A model with contacts or friction is refused with
 * MBC_INVALID_ARGUMENT, because a function of the state alone moves through them; mbc_rhs decides on them at each
 * state. The function checks nothing: y and dy have `count` entries and do not overlap, and the thread rounds to
 * nearest. It returns 0; k > 0 if dy[k-1] is not finite; -1 if it cannot be called: in a callback of a run, or after
 * the simulation has changed its shape. It lives as long as the simulation and counts as a call on it: one thread at a
 * time. */
typedef struct mbc_plain_rhs {
  size_t size;
  int32_t (*call)(void* context, double t, const double* y, double* dy);
  void* context;
  size_t count;
} mbc_plain_rhs;
MBC_C_API mbc_code mbc_rhs_function(mbc_simulation* simulation, mbc_plain_rhs* function);

/* ---- runs ---- */

/* Rows of a run, one after the other: the time, then the columns of the model. The table is a separate object, so that
 * it outlives the simulation; a run clears it first. mbc_table_values is NULL without rows, and stays valid until the
 * next run into the table. */
MBC_C_API mbc_table* mbc_table_new(void);
MBC_C_API void mbc_table_free(mbc_table* table);
MBC_C_API size_t mbc_table_rows(const mbc_table* table);
MBC_C_API size_t mbc_table_columns(const mbc_table* table); /* the time among them */
MBC_C_API const double* mbc_table_values(const mbc_table* table);

/* Called for every recorded row; 0 continues, any other value ends the run with MBC_INTERRUPTED. */
typedef int32_t (*mbc_on_row)(void* user, double time, const double* values, size_t value_count, const double* y,
                              size_t y_count);
/* Called at every accepted state before it is evaluated. It may write the inputs, which stay constant until the next
 * step. With this callback no signal of the block has an effect. */
typedef void (*mbc_drive)(void* user, double time, const double* y, size_t y_count, double* inputs, size_t input_count);
/* Called for every event that fires, with its name ("when in line 7" for an event without one). */
typedef void (*mbc_on_event)(void* user, double time, const char* event);
/* Called at every step; keep it cheap. */
typedef void (*mbc_progress)(void* user, double time);

typedef struct mbc_run_options {
  size_t size;
  const char* simulation; /* name of the `simulate` block; NULL: the current block */
  int32_t has_span;       /* not 0: `begin` and `end` > begin replace the block's span */
  int32_t assemble;       /* not 0: the initial state may be moved onto the constraints */
  double begin, end;
  const double* state; /* with a span: y at its beginning; NULL: the initial state of the model */
  size_t state_count;
  uint32_t output_every;        /* number of steps for each recorded row; 0: every step */
  int32_t reserved;             /* 0 */
  const volatile int32_t* stop; /* NULL, or a flag that a signal handler or (atomically) a thread sets to end the run */
  const char* until_event;      /* the run ends after the first firing of this event; NULL: none */
  mbc_table* table;             /* NULL, or the table for the rows */
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
  /* The summary that `mbc run` prints after a run, as text and as JSON (the JSON includes the events with their counts,
   * kinks, impacts that accumulated, restitutions that were lowered); the warnings as JSON. They belong to the
   * simulation and live until the next call on it. */
  const char *summary, *summary_json, *warnings;
} mbc_run_result;

/* Makes a whole run of a `simulate` block (the one of the options, else the current one, initially the first) from its
 * initial state, and leaves time and state at its end. options and result may be NULL. The result, and the rows so far
 * in the table, are filled in even if the run fails. */
MBC_C_API mbc_code mbc_run(mbc_simulation* simulation, const mbc_run_options* options, mbc_run_result* result);

/* Save and restore everything that determines the further motion, as bytes; they belong to the simulation until the
 * next call on it. A simulation of the same text and settings, in this or another process, that restores them continues
 * with the same bits (with `bdf` within its tolerance). The bytes are valid for this version of mbc only; a failed
 * restore changes nothing. */
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
  uint64_t number;      /* from 1; the last of the varied names changes fastest */
  const double* varied; /* as many as mbc_sweep_info::varied */
  size_t varied_count;
  const double* recorded; /* none if the run did not reach its end */
  size_t recorded_count;
  mbc_code code;      /* code of its run */
  const char* reason; /* why it failed, in one line; "" if it succeeded */
} mbc_sweep_member;

typedef struct mbc_sweep_options {
  size_t size;
  const mbc_compile_options* compile; /* NULL: none */
  const char* name;        /* name of the `sweep` block or, with `vary`, of the `simulate` block; NULL: the only one */
  const char* const* vary; /* "k = 1 .. 2 step 0.1" */
  size_t vary_count;
  const char* const* record; /* "max_over(bead.z)" */
  size_t record_count;
  uint32_t jobs; /* threads; 0: one for each core. Results do not depend on it */
  int32_t assemble;
  const volatile int32_t* stop;
  /* Callbacks, each of which may be NULL; the thread that called mbc_sweep_* calls them. on_begin: once, before the
   * first member. on_member: for every member in the order of their numbers; 0 continues. progress: with the finished
   * part, 0 to 1. Their arguments live during the call. */
  void (*on_begin)(void* user, const mbc_sweep_info* info);
  int32_t (*on_member)(void* user, const mbc_sweep_member* member);
  void (*progress)(void* user, double part);
  void* user;
  /* The members that are run, by number from 1: their rows are those of the whole sweep. 0: from the first, to the
   * last. Numbers that the sweep does not have are MBC_OUT_OF_RANGE, before the first member. */
  uint64_t first, last;
} mbc_sweep_options;

/* Compiles and runs all members, or the chosen ones. Any thread may call it, and the thread keeps the message. A failed
 * member is not a failure of the sweep. */
MBC_C_API mbc_code mbc_sweep_file(const char* path, const mbc_sweep_options* options);
MBC_C_API mbc_code mbc_sweep_text(const char* text, const char* name, const mbc_sweep_options* options);

#ifdef __cplusplus
}
#endif

#endif
