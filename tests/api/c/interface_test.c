/* SPDX-License-Identifier: Apache-2.0 */
/* Tests mbc_c.h from a program in C11: its results against closed forms and against each other, and its answers to
 * invalid arguments. */
#include <math.h>
#include <mbc/mbc_c.h>
#include <stdio.h>
#include <string.h>

static int passed, failed, cases_failed;

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static void check(int good, const char* what, int line) {
  if (good) return;
  ++failed;
  printf("interface_test.c:%d: %s\n  thread: %s\n", line, what, mbc_error_message());
}

static int near(double a, double b, double tolerance) { return fabs(a - b) <= tolerance; }
static int has(const char* text, const char* part) { return text != NULL && strstr(text, part) != NULL; }

static const char* const kPendulum =
    "mbd 1\n"
    "/// A pendulum in space.\n"
    "\n"
    "/// its length\n"
    "param L = 0.4 [m]\n"
    "input push = 0 [N]\n"
    "gravity (0, 0, -9.81) [m/s^2]\n"
    "particle bob(2 [kg]) at (L, 0 [m], 0 [m])\n"
    "force hand on bob: (push, 0 [N], 0 [N])\n"
    "constraint rod: dist(ground, bob) == L\n"
    "/// how fast\n"
    "output speed = norm(bob.vel)\n"
    "when lowest: bob.x < 0 [m] { }\n"
    "simulate swing { time = 0 [s] .. 1 [s] step 1 [ms]; integrator = rk4 }\n"
    "sweep lengths over swing { L = 0.5 [m] .. 1.5 [m] count 3; record max_over(speed) }\n";

/* The pendulum starts at rest at the height of its hinge. At depth z its speed is sqrt(2 g z). */
static const double kGravity = 9.81;

static mbc_compile_options interpreted(void) {
  mbc_compile_options options = {.size = sizeof options, .engine = MBC_ENGINE_INTERPRETER};
  return options;
}

static mbc_model* pendulum(void) {
  const mbc_compile_options options = interpreted();
  return mbc_model_from_text(kPendulum, "pendulum", &options);
}

static void versions(void) {
  CHECK(mbc_interface() == MBC_INTERFACE);
  CHECK(strlen(mbc_version()) >= 5);
  CHECK(mbc_back_end() != NULL);
  CHECK(strcmp(mbc_code_name(MBC_OK), "ok") == 0);
  CHECK(strcmp(mbc_code_name(MBC_MODEL_ERROR), "model_error") == 0);
  CHECK(strcmp(mbc_code_name(MBC_INTERNAL), "internal") == 0);
  CHECK(strcmp(mbc_code_name(MBC_NO_MEMORY), "no_memory") == 0);
  CHECK(strcmp(mbc_code_name(99), "") == 0 && strcmp(mbc_code_name(-1), "") == 0);
}

static void names(void) {
  mbc_model* m = pendulum();
  size_t index = 99;
  double begin, end, step;
  CHECK(m != NULL && mbc_error_code() == MBC_OK && mbc_error_message()[0] == 0);
  CHECK(mbc_model_count(m, MBC_PARAMETERS) == 1);
  CHECK(strcmp(mbc_model_name(m, MBC_PARAMETERS, 0), "L") == 0);
  CHECK(strcmp(mbc_model_unit(m, MBC_PARAMETERS, 0), "m") == 0);
  CHECK(strcmp(mbc_model_description(m, MBC_PARAMETERS, 0), "its length") == 0);
  CHECK(strcmp(mbc_model_name(m, MBC_INPUTS, 0), "push") == 0);
  CHECK(mbc_model_count(m, MBC_COORDINATES) == 3 && mbc_model_count(m, MBC_SPEEDS) == 3);
  CHECK(mbc_model_count(m, MBC_STATES) == 0);
  CHECK(strcmp(mbc_model_name(m, MBC_COORDINATES, 2), "bob.z") == 0);
  CHECK(mbc_model_index(m, MBC_OUTPUTS, "speed", &index) == MBC_OK && index == 0);
  CHECK(mbc_model_index(m, MBC_COLUMNS, "bob.vz", &index) == MBC_OK && index == 5);
  CHECK(strcmp(mbc_model_unit(m, MBC_COLUMNS, 5), "m/s") == 0);
  CHECK(mbc_model_count(m, MBC_EVENTS) == 1 && strcmp(mbc_model_name(m, MBC_EVENTS, 0), "lowest") == 0);
  CHECK(mbc_model_count(m, MBC_SIMULATIONS) == 1 && strcmp(mbc_model_name(m, MBC_SIMULATIONS, 0), "swing") == 0);
  CHECK(mbc_model_count(m, MBC_CONSTRAINTS) == 1 && strcmp(mbc_model_name(m, MBC_CONSTRAINTS, 0), "rod") == 0);
  CHECK(strcmp(mbc_model_time_unit(m), "s") == 0);
  CHECK(has(mbc_model_about(m), "A pendulum in space."));
  CHECK(strcmp(mbc_model_text(m), kPendulum) == 0);
  CHECK(mbc_model_time_span(m, NULL, &begin, &end, &step) == MBC_OK && begin == 0 && end == 1 && step == 1e-3);
  CHECK(mbc_model_state_size(m) >= 6);
  mbc_model_free(m);
}

/* The equations of a model as a text in some form; NULL if there are none. */
static const char* equations_in(mbc_model* m, const char* form, const char* of, const char* number) {
  const char* text = NULL;
  const mbc_code code = mbc_model_equations(m, form, &of, of != NULL, &number, number != NULL, 1, &text);
  CHECK((code == MBC_OK) == (text != NULL));
  return text;
}

static void written_equations(void) {
  mbc_model* m = pendulum();
  const char* text = equations_in(m, "ascii", "rod", "L");
  CHECK(text != NULL && has(text, "e[rod]") && has(text, "e'[rod]") && has(text, "- 0.4") && !has(text, "M[1,1]"));
  text = equations_in(m, "ascii", NULL, NULL);
  CHECK(text != NULL && has(text, "M[1,1]") && has(text, "- L"));
  CHECK(mbc_model_equations(m, "ascii", NULL, 0, NULL, 0, 0, &text) == MBC_OK && !has(text, "e'[rod]"));
  CHECK(has(equations_in(m, "c", NULL, NULL), "rhs("));
  CHECK(equations_in(m, "text", "gone", NULL) == NULL && has(mbc_model_message(m), "gone"));
  CHECK(equations_in(m, "word", NULL, NULL) == NULL && has(mbc_model_message(m), "markdown"));
  CHECK(equations_in(m, NULL, NULL, NULL) == NULL && equations_in(NULL, "text", NULL, NULL) == NULL);
  CHECK(mbc_model_equations(m, "text", NULL, 1, NULL, 0, 0, &text) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_equations(m, "text", NULL, 0, NULL, 0, 0, NULL) == MBC_INVALID_ARGUMENT);
  mbc_model_free(m);
}

/* The discrete state by its array is what it is by names. */
static void discrete_state(mbc_simulation* s) {
  mbc_model* m = mbc_model_from_simulation(s);
  const size_t n = mbc_model_count(m, MBC_DISCRETE);
  double values[8] = {0}, value = 0;
  size_t index = 99;
  CHECK(n > 0 && n <= 8 && mbc_model_index(m, MBC_DISCRETE, "lowest.count", &index) == MBC_OK);
  CHECK(mbc_discrete_state(s, values, n) == MBC_OK && values[index] == 5);
  values[index] = 6;
  CHECK(mbc_set_discrete_state(s, values, n) == MBC_OK && mbc_held(s, "lowest.count", &value) == MBC_OK && value == 6);
  values[index] = -1;
  CHECK(mbc_set_discrete_state(s, values, n) == MBC_INVALID_ARGUMENT && mbc_simulation_error_index(s) == index);
  CHECK(mbc_set_discrete_state(s, values, n + 1) == MBC_WRONG_SIZE);
  CHECK(mbc_discrete_state(s, values, n + 1) == MBC_WRONG_SIZE &&
        mbc_discrete_state(s, NULL, n) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_set_discrete_state(s, NULL, n) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_set_discrete_state(s, NULL, 0) == MBC_WRONG_SIZE);
  CHECK(mbc_settle(s) == MBC_OK && mbc_settle(NULL) == MBC_INVALID_ARGUMENT);
  mbc_model_free(m);
}

static void equations(void) {
  mbc_model* m = pendulum();
  mbc_simulation* s = mbc_simulation_new(m, "swing");
  const size_t n = mbc_model_state_size(m);
  double y[32], dy[32], plain[32], u[3], value = 0, vector[3];
  size_t count = 3, k;
  mbc_rows_at r = {.size = sizeof r};
  mbc_jacobian_at j = {.size = sizeof j};
  mbc_plain_rhs f = {.size = sizeof f};
  CHECK(s != NULL && n <= 32);
  mbc_model_free(m); /* The simulation outlives the handle. */
  CHECK(mbc_time(s) == 0 && mbc_state(s, y, n) == MBC_OK && y[0] == 0.4 && y[2] == 0);
  CHECK(mbc_rhs(s, 0, y, dy, n) == MBC_OK && near(dy[5], -kGravity, 1e-12));
  CHECK(mbc_accelerations(s, 0, y, n, u, 3) == MBC_OK && u[0] == dy[3] && u[2] == dy[5]);
  CHECK(mbc_rhs_function(s, &f) == MBC_OK && f.count == n);
  CHECK(f.call(f.context, 0, y, plain) == 0 && memcmp(plain, dy, n * sizeof(double)) == 0);
  /* The function uses the current parameters and inputs. */
  CHECK(mbc_set_input(s, 0, 3.0) == MBC_OK && mbc_input(s, 0, &value) == MBC_OK && value == 3);
  CHECK(mbc_held(s, "lowest.count", &value) == MBC_OK && value == 0);
  CHECK(mbc_set_held(s, "lowest.count", 5) == MBC_OK && mbc_held(s, "lowest.count", &value) == MBC_OK && value == 5);
  CHECK(mbc_held(s, "bob", &value) == MBC_NO_SUCH_NAME && mbc_set_held(s, "bob", 1) == MBC_NO_SUCH_NAME);
  CHECK(mbc_held(s, NULL, &value) == MBC_INVALID_ARGUMENT && mbc_set_held(s, NULL, 1) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_held(s, "lowest.count", NULL) == MBC_INVALID_ARGUMENT);
  discrete_state(s);
  y[0] = 0;
  y[2] = -0.4;
  CHECK(f.call(f.context, 0, y, plain) == 0 && near(plain[3], 1.5, 1e-12)); /* 3 N act on 2 kg across the rod. */
  CHECK(mbc_rows(s, 0, y, n, &r) == MBC_OK && r.speeds == 3 && r.rows == 1 && r.rank == 1);
  for (k = 0; k < 3; ++k) /* M u' = f + A^T lambda */
    CHECK(near(r.M[3 * k] * r.acceleration[0] + r.M[3 * k + 1] * r.acceleration[1] + r.M[3 * k + 2] * r.acceleration[2],
               r.f[k] + r.A[k] * r.multiplier[0], 1e-12));
  CHECK(near(r.A[0] * r.acceleration[0] + r.A[1] * r.acceleration[1] + r.A[2] * r.acceleration[2], r.b[0], 1e-12));
  CHECK(mbc_jacobian(s, MBC_OF_ACCELERATIONS, MBC_BY_INPUTS, 0, y, n, &j) == MBC_OK && j.rows == 3 && j.columns == 1);
  CHECK(near(j.values[0] + j.values[1], 0.5, 1e-12) && near(j.values[2], 0, 1e-12)); /* 2 kg move across the rod. */
  CHECK(mbc_jacobian(s, MBC_OF_RATES, MBC_BY_DIRECTIONS, 0, y, n, &j) == MBC_OK && j.rows == 4 && j.columns == 4);
  CHECK(strcmp(j.of[0], "bob.x") == 0 && strcmp(j.by[1], "bob.y") == 0 && j.values[2] == 1);
  CHECK(mbc_value(s, "2*bob.pos", vector, &count) == MBC_OK && count == 3 && vector[0] == 0.8);
  CHECK(mbc_output(s, 0, &value) == MBC_OK && value == 0);
  CHECK(mbc_parameter(s, 0, &value) == MBC_OK && value == 0.4);
  mbc_simulation_free(s);
}

static void steps(void) {
  mbc_model* m = pendulum();
  mbc_simulation *s = mbc_simulation_new(m, NULL), *other = mbc_simulation_new(m, NULL);
  const size_t n = mbc_model_state_size(m);
  double y[32], z[32], speed = 0;
  const void* bytes = NULL;
  size_t count = 0, k;
  CHECK(mbc_set_parameter(s, 0, 1.0) == MBC_OK && mbc_reset(s) == MBC_OK);
  for (k = 0; k < 100; ++k) CHECK(mbc_step(s, 1e-3) == MBC_OK);
  CHECK(near(mbc_time(s), 0.1, 1e-15) && mbc_run_until(s, 0.3) == MBC_OK && mbc_time(s) == 0.3);
  CHECK(mbc_state(s, y, n) == MBC_OK && mbc_output(s, 0, &speed) == MBC_OK);
  CHECK(near(speed, sqrt(-2 * kGravity * y[2]), 1e-9));
  CHECK(near(y[0] * y[0] + y[1] * y[1] + y[2] * y[2], 1.0, 1e-11));
  /* A restored simulation continues with the same bits. */
  CHECK(mbc_save(s, &bytes, &count) == MBC_OK && count > 0);
  CHECK(mbc_restore(other, bytes, count) == MBC_OK && mbc_time(other) == 0.3);
  CHECK(mbc_run_until(s, 0.5) == MBC_OK && mbc_run_until(other, 0.5) == MBC_OK);
  CHECK(mbc_state(s, y, n) == MBC_OK && mbc_state(other, z, n) == MBC_OK && memcmp(y, z, n * sizeof(double)) == 0);
  CHECK(mbc_restore(other, "nonsense", 8) == MBC_WRONG_BYTES && mbc_time(other) == 0.5);
  CHECK(mbc_set_state(other, 0.25, z, n) == MBC_OK && mbc_time(other) == 0.25);
  mbc_simulation_free(s);
  mbc_simulation_free(other);
  mbc_model_free(m);
}

typedef struct seen {
  size_t rows, driven, events, progress;
  double last, fastest;
  char event[32];
  size_t stop_after;
  mbc_simulation* simulation;
  mbc_code inside;
} seen;

static int32_t on_row(void* user, double time, const double* values, size_t n, const double* y, size_t y_count) {
  seen* s = user;
  double dy[32];
  ++s->rows;
  s->last = time;
  if (values[n - 1] > s->fastest) s->fastest = values[n - 1];
  if (s->rows == 1) s->inside = mbc_rhs(s->simulation, time, y, dy, y_count);
  return s->stop_after != 0 && s->rows == s->stop_after;
}
static void drive(void* user, double time, const double* y, size_t y_count, double* inputs, size_t input_count) {
  (void)time, (void)y, (void)y_count;
  if (input_count == 1) inputs[0] = 0;
  ++((seen*)user)->driven;
}
static void on_event(void* user, double time, const char* event) {
  seen* s = user;
  (void)time;
  ++s->events;
  strncpy(s->event, event, sizeof s->event - 1);
}
static void progress(void* user, double time) {
  (void)time;
  ++((seen*)user)->progress;
}

static void runs(void) {
  mbc_model* m = pendulum();
  mbc_simulation* s = mbc_simulation_new(m, NULL);
  mbc_table* table = mbc_table_new();
  seen w = {0};
  mbc_run_options o = {.size = sizeof o,
                       .table = table,
                       .on_row = on_row,
                       .drive = drive,
                       .on_event = on_event,
                       .progress = progress,
                       .user = &w};
  mbc_run_result r = {.size = sizeof r};
  const double* v;
  double first, y[32];
  int32_t stop = 1;
  w.simulation = s;
  CHECK(mbc_table_rows(table) == 0 && mbc_table_values(table) == NULL);
  CHECK(mbc_run(s, &o, &r) == MBC_OK);
  /* The event splits a step. */
  CHECK(r.steps == 1001 && r.rows == 1001 && r.reached == 1 && r.freedoms == 2 && r.rank == 1 && r.events == 1);
  CHECK(w.rows == 1001 && w.driven == 1002 && w.last == 1 && w.events == 1 && strcmp(w.event, "lowest") == 0);
  CHECK(w.progress >= 1000);
  CHECK(near(w.fastest, sqrt(2 * kGravity * 0.4), 1e-4)); /* The rows are next to the lowest place. */
  CHECK(w.inside == MBC_INVALID_ARGUMENT);                /* A run is in progress. */
  CHECK(has(r.summary, "complete: swing") && has(r.summary_json, "\"steps\"") && strcmp(r.warnings, "") == 0);
  CHECK(mbc_simulation_message(s)[0] == 0);
  CHECK(mbc_table_rows(table) == 1001 && mbc_table_columns(table) == mbc_model_count(m, MBC_COLUMNS) + 1);
  v = mbc_table_values(table);
  CHECK(v[0] == 0 && v[1] == 0.4 && v[1000 * mbc_table_columns(table)] == 1);
  first = v[500 * mbc_table_columns(table) + 3];
  /* This run starts at the current state and records some of the rows. */
  o = (mbc_run_options){.size = sizeof o, .has_span = 1, .begin = 0, .end = 0.5, .output_every = 10, .table = table};
  CHECK(mbc_run(s, &o, NULL) == MBC_OK && mbc_table_rows(table) == 51);
  CHECK(mbc_table_values(table)[50 * mbc_table_columns(table) + 3] == first);
  CHECK(mbc_state(s, y, mbc_model_state_size(m)) == MBC_OK && mbc_time(s) == 0.5 && y[2] == first);
  /* The host ends these runs. */
  w = (seen){.stop_after = 3, .simulation = s};
  o = (mbc_run_options){.size = sizeof o, .on_row = on_row, .user = &w};
  CHECK(mbc_run(s, &o, &r) == MBC_INTERRUPTED && r.rows == 3 && mbc_simulation_message(s)[0] != 0);
  o = (mbc_run_options){.size = sizeof o, .stop = &stop};
  CHECK(mbc_run(s, &o, &r) == MBC_INTERRUPTED);
  o = (mbc_run_options){.size = sizeof o, .until_event = "lowest"};
  CHECK(mbc_run(s, &o, &r) == MBC_OK && r.reached < 1);
  o = (mbc_run_options){.size = sizeof o, .simulation = "gone"};
  CHECK(mbc_run(s, &o, &r) == MBC_MODEL_ERROR && has(mbc_simulation_message(s), "gone"));
  CHECK(mbc_run(s, NULL, NULL) == MBC_OK);
  mbc_simulation_free(s);
  mbc_model_free(m);
  CHECK(mbc_table_rows(table) == 51 && mbc_table_values(table)[0] == 0); /* The table outlives both. */
  mbc_table_free(table);
}

static const char* load(void* user, const char* file) {
  static char text[64];
  ++*(int*)user;
  if (strcmp(file, "parts/weights.mbd") == 0) return "mbd 1\nuse \"more/numbers.mbd\"\ndef heavy() = seven\n";
  if (strcmp(file, "parts/more/numbers.mbd") != 0) return NULL;
  strcpy(text, "mbd 1\nlet seven = 7\n");
  return text;
}

static void loaders(void) {
  static const char* const model =
      "mbd 1\nuse \"parts/weights.mbd\"\nparticle p(heavy()) at (0, 0, 0)\ngravity (0, 0, -1)\noutput w = heavy()\n";
  int asked = 0;
  mbc_compile_options o = interpreted();
  mbc_model* m;
  mbc_simulation* s;
  double value = 0;
  o.loader = load;
  o.user = &asked;
  m = mbc_model_from_text(model, "loaded", &o);
  s = mbc_simulation_new(m, NULL);
  CHECK(s != NULL && asked == 2 && mbc_output(s, 0, &value) == MBC_OK && value == 7);
  mbc_simulation_free(s);
  mbc_model_free(m);
  CHECK(mbc_model_from_text("mbd 1\nuse \"gone.mbd\"\nparticle p(1) at (0, 0, 0)\n", NULL, &o) == NULL);
  CHECK(mbc_error_code() == MBC_MODEL_ERROR && has(mbc_error_message(), "gone.mbd") && asked == 3);
  CHECK(mbc_model_from_text("mbd 1\nuse \"../parts/weights.mbd\"\nparticle p(1) at (0, 0, 0)\n", NULL, &o) == NULL);
  CHECK(has(mbc_error_message(), "outside the folder") && asked == 3);
}

static void diagnostics(void) {
  mbc_model* m = mbc_model_from_text("mbd 1\nparam a = b\n", "bad.mbd", NULL);
  CHECK(m == NULL && mbc_error_code() == MBC_MODEL_ERROR);
  CHECK(has(mbc_error_message(), "bad.mbd:2:11") && has(mbc_error_diagnostics(), "\"code\":\"E0201\""));
  CHECK(mbc_model_from_file("no/such/file.mbd", NULL) == NULL && has(mbc_error_message(), "E0701"));
  m = mbc_model_from_text("mbd 1\nparticle p(1) at (0, 0, 0)\nconstraint c: p.x == 1\n", "off", NULL);
  CHECK(m != NULL && strcmp(mbc_model_warnings(m), "") == 0);
  {
    mbc_simulation* s = mbc_simulation_new(m, NULL);
    CHECK(mbc_step(s, 0.1) == MBC_INCONSISTENT && has(mbc_simulation_diagnostics(s), "\"code\":\"E06"));
    CHECK(mbc_reset(s) == MBC_OK && mbc_simulation_message(s)[0] == 0);
    mbc_simulation_free(s);
  }
  mbc_model_free(m);
}

typedef struct swept {
  uint64_t members, next;
  double speeds[8], lengths[8], part;
  char name[16], unit[16];
  uint64_t stop_at;
} swept;

static void on_begin(void* user, const mbc_sweep_info* info) {
  swept* s = user;
  s->members = info->members;
  if (info->varied == 1) strncpy(s->name, info->varied_names[0], sizeof s->name - 1);
  if (info->recorded == 1) strncpy(s->unit, info->recorded_units[0], sizeof s->unit - 1);
}
static int32_t on_member(void* user, const mbc_sweep_member* member) {
  swept* s = user;
  if (member->number != ++s->next || member->code != MBC_OK || member->recorded_count != 1) return 1;
  s->lengths[member->number] = member->varied[0];
  s->speeds[member->number] = member->recorded[0];
  return member->number == s->stop_at;
}
static void on_part(void* user, double part) { ((swept*)user)->part = part; }

static void sweeps(void) {
  swept w = {0};
  const mbc_compile_options compile = interpreted();
  const char* vary = "L = 0.5 [m] .. 1 [m] count 2";
  const char* record[] = {"max_over(speed)"};
  mbc_sweep_options o = {.size = sizeof o,
                         .compile = &compile,
                         .on_begin = on_begin,
                         .on_member = on_member,
                         .progress = on_part,
                         .user = &w};
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_OK);
  CHECK(w.members == 3 && w.next == 3 && strcmp(w.name, "L") == 0 && strcmp(w.unit, "m/s") == 0 && w.part > 0.5);
  CHECK(w.lengths[3] == 1.5 && near(w.speeds[1], sqrt(2 * kGravity * 0.5), 1e-4));
  w = (swept){.stop_at = 2};
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_INTERRUPTED && w.next == 2);
  w = (swept){.next = 1};
  o.first = 2;
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_OK && w.members == 3 && w.next == 3 && w.lengths[2] == 1);
  o.last = 1;
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_INVALID_ARGUMENT && has(mbc_error_message(), "last"));
  o.last = 4;
  w = (swept){.next = 1};
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_OUT_OF_RANGE && w.members == 0 && w.next == 1);
  CHECK(has(mbc_error_message(), "there is no member 4: the sweep has 3 members"));
  o.first = 5;
  o.last = 0;
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_OUT_OF_RANGE && has(mbc_error_message(), "5"));
  o.first = 0;
  w = (swept){0};
  o.vary = &vary;
  o.vary_count = 1;
  o.record = record;
  o.record_count = 1;
  o.name = "swing";
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_OK && w.members == 2);
  o.name = "gone";
  CHECK(mbc_sweep_text(kPendulum, "pendulum", &o) == MBC_MODEL_ERROR && has(mbc_error_message(), "gone"));
  CHECK(mbc_sweep_file(NULL, &o) == MBC_INVALID_ARGUMENT && mbc_sweep_text(NULL, "x", NULL) == MBC_INVALID_ARGUMENT);
  o.vary_count = 7;
  o.vary = NULL;
  CHECK(mbc_sweep_text(kPendulum, NULL, &o) == MBC_INVALID_ARGUMENT);
}

/* Passes NULL in place of every object and every array. */
static void nothing(void) {
  mbc_model* m = pendulum();
  mbc_simulation* s = mbc_simulation_new(m, NULL);
  const size_t n = mbc_model_state_size(m);
  double y[32] = {0.4}, value;
  size_t count = 1, index;
  const void* bytes;
  mbc_model_free(NULL);
  mbc_simulation_free(NULL);
  mbc_table_free(NULL);
  CHECK(mbc_model_from_file(NULL, NULL) == NULL && mbc_error_code() == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_from_text(NULL, NULL, NULL) == NULL && has(mbc_error_message(), "the text is NULL"));
  CHECK(mbc_model_copy(NULL) == NULL && mbc_simulation_new(NULL, NULL) == NULL);
  CHECK(mbc_model_from_simulation(NULL) == NULL && mbc_error_code() == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_count(NULL, MBC_INPUTS) == 0 && mbc_model_name(NULL, MBC_INPUTS, 0) == NULL);
  CHECK(mbc_model_text(NULL)[0] == 0 && mbc_model_warnings(NULL)[0] == 0 && mbc_model_message(NULL)[0] == 0);
  CHECK(mbc_model_state_size(NULL) == 0 && mbc_model_index(NULL, 0, "L", &index) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_index(m, MBC_PARAMETERS, NULL, &index) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_index(m, MBC_PARAMETERS, "L", NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_time_span(NULL, NULL, NULL, NULL, NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_time_span(m, NULL, NULL, NULL, NULL) == MBC_OK);
  CHECK(isnan(mbc_time(NULL)) && mbc_state(NULL, y, n) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_simulation_message(NULL)[0] == 0 && mbc_simulation_diagnostics(NULL)[0] == 0);
  CHECK(mbc_simulation_error_index(NULL) == 0);
  CHECK(mbc_state(s, NULL, n) == MBC_INVALID_ARGUMENT && has(mbc_simulation_message(s), "NULL"));
  CHECK(mbc_set_state(s, 0, NULL, n) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_parameter(s, 0, NULL) == MBC_INVALID_ARGUMENT && mbc_parameter(NULL, 0, y) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_input(s, 0, NULL) == MBC_INVALID_ARGUMENT && mbc_output(s, 0, NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_set_parameter(NULL, 0, 1) == MBC_INVALID_ARGUMENT && mbc_set_input(NULL, 0, 1) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_value(s, NULL, y, &count) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_value(s, "L", y, NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_value(s, "L", NULL, &count) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_reset(NULL) == MBC_INVALID_ARGUMENT && mbc_step(NULL, 1) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_run_until(NULL, 1) == MBC_INVALID_ARGUMENT && mbc_run(NULL, NULL, NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_rhs(s, 0, NULL, y, n) == MBC_INVALID_ARGUMENT && mbc_rhs(s, 0, y, NULL, n) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_accelerations(s, 0, NULL, n, y, 3) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_accelerations(s, 0, y, n, NULL, 3) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_rows(s, 0, y, n, NULL) == MBC_INVALID_ARGUMENT && mbc_rhs_function(s, NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_save(s, NULL, &count) == MBC_INVALID_ARGUMENT && mbc_save(s, &bytes, NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_restore(s, NULL, 4) == MBC_INVALID_ARGUMENT && mbc_restore(NULL, "", 0) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_table_rows(NULL) == 0 && mbc_table_columns(NULL) == 0 && mbc_table_values(NULL) == NULL);
  CHECK(mbc_parameter(s, 0, &value) == MBC_OK && value == 0.4); /* The simulation has not changed. */
  mbc_simulation_free(s);
  mbc_model_free(m);
}

/* Passes invalid indices, sizes and numbers. */
static void misfits(void) {
  mbc_model* m = pendulum();
  mbc_simulation* s = mbc_simulation_new(m, NULL);
  const size_t n = mbc_model_state_size(m), none = (size_t)-1;
  double y[32] = {0.4}, dy[32], value = 5;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  size_t k, count = 2, index;
  mbc_rows_at rows = {.size = sizeof rows};
  mbc_jacobian_at jacobian = {.size = sizeof jacobian};
  CHECK(mbc_model_name(m, MBC_OUTPUTS, 1) == NULL && has(mbc_model_message(m), "no such entry"));
  CHECK(mbc_model_unit(m, 77, 0) == NULL && mbc_model_count(m, -1) == 0 && mbc_model_count(m, 77) == 0);
  CHECK(mbc_model_description(m, MBC_COLUMNS, none) == NULL);
  CHECK(mbc_model_index(m, MBC_OUTPUTS, "L", &index) == MBC_NO_SUCH_NAME);
  CHECK(mbc_model_index(m, MBC_PARAMETERS, "l", &index) == MBC_NO_SUCH_NAME && has(mbc_model_message(m), "`l`"));
  CHECK(mbc_model_index(m, 77, "L", &index) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_time_span(m, "gone", NULL, NULL, NULL) == MBC_NO_SUCH_NAME);
  CHECK(mbc_simulation_new(m, "gone") == NULL && mbc_error_code() == MBC_NO_SUCH_NAME);
  CHECK(mbc_parameter(s, 1, &value) == MBC_OUT_OF_RANGE && value == 5);
  CHECK(mbc_set_parameter(s, none, 1) == MBC_OUT_OF_RANGE && mbc_input(s, 1, &value) == MBC_OUT_OF_RANGE);
  CHECK(mbc_set_held(s, "lowest.count", INFINITY) == MBC_NOT_FINITE);
  CHECK(mbc_set_input(s, none, 1) == MBC_OUT_OF_RANGE && mbc_output(s, 1, &value) == MBC_OUT_OF_RANGE);
  CHECK(mbc_state(s, y, n - 1) == MBC_WRONG_SIZE && mbc_state(s, y, 0) == MBC_WRONG_SIZE);
  CHECK(mbc_set_state(s, 0, y, n + 1) == MBC_WRONG_SIZE && mbc_set_state(s, 0, y, 0) == MBC_WRONG_SIZE);
  CHECK(mbc_rhs(s, 0, y, dy, n - 1) == MBC_WRONG_SIZE && mbc_rhs(s, 0, y, dy, 0) == MBC_WRONG_SIZE);
  CHECK(mbc_accelerations(s, 0, y, n - 1, dy, 3) == MBC_WRONG_SIZE);
  CHECK(mbc_accelerations(s, 0, y, n, dy, 4) == MBC_WRONG_SIZE);
  CHECK(mbc_rows(s, 0, y, n - 1, &rows) == MBC_WRONG_SIZE);
  CHECK(mbc_jacobian(s, MBC_OF_RATES, MBC_BY_TIME, 0, y, n - 1, &jacobian) == MBC_WRONG_SIZE);
  CHECK(mbc_jacobian(s, 4, MBC_BY_TIME, 0, y, n, &jacobian) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_value(s, "bob.pos", y, &count) == MBC_WRONG_SIZE && count == 3);
  CHECK(mbc_value(s, "1 +", y, &count) == MBC_INVALID_ARGUMENT);
  for (k = 0; k < 3; ++k) {
    CHECK(mbc_set_parameter(s, 0, bad[k]) == MBC_NOT_FINITE && mbc_set_input(s, 0, bad[k]) == MBC_NOT_FINITE);
    CHECK(mbc_step(s, bad[k]) == MBC_NOT_FINITE && mbc_run_until(s, bad[k]) == MBC_NOT_FINITE);
    CHECK(mbc_set_state(s, bad[k], y, n) == MBC_NOT_FINITE && mbc_rhs(s, bad[k], y, dy, n) == MBC_NOT_FINITE);
    y[1] = bad[k];
    CHECK(mbc_rhs(s, 0, y, dy, n) == MBC_NOT_FINITE && mbc_simulation_error_index(s) == 1);
    CHECK(mbc_set_state(s, 0, y, n) == MBC_NOT_FINITE && mbc_rows(s, 0, y, n, &rows) == MBC_NOT_FINITE);
    y[1] = 0;
  }
  {
    static volatile int32_t stop = 1;
    const double before = mbc_time(s);
    CHECK(mbc_set_stop(s, &stop) == MBC_OK && mbc_set_stop(NULL, &stop) == MBC_INVALID_ARGUMENT);
    CHECK(mbc_run_until(s, before + 0.1) == MBC_INTERRUPTED && mbc_time(s) == before);
    CHECK(mbc_set_stop(s, NULL) == MBC_OK);
  }
  CHECK(mbc_step(s, 0) == MBC_INVALID_ARGUMENT && mbc_step(s, -1) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_run_until(s, -1) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_time(s) == 0 && mbc_parameter(s, 0, &value) == MBC_OK && value == 0.4);
  mbc_simulation_free(s);
  mbc_model_free(m);
}

/* Passes structs of other versions and invalid fields. */
static void structs(void) {
  mbc_model* m = pendulum();
  mbc_simulation* s = mbc_simulation_new(m, NULL);
  struct {
    mbc_run_options known;
    double later;
  } longer;
  mbc_run_options o = {.size = sizeof o};
  mbc_run_result r = {.size = 0};
  mbc_compile_options c = {.size = 3};
  struct {
    size_t size;
    uint64_t steps, rows;
    double guard;
  } shorter = {.size = 3 * sizeof(size_t), .guard = 42};
  mbc_run_result* as_result = (mbc_run_result*)(void*)&shorter;
  double y[2] = {0, 0};
  memset(&longer, 0, sizeof longer);
  longer.known.size = sizeof longer;
  CHECK(mbc_run(s, &longer.known, as_result) == MBC_OK);
  CHECK(shorter.steps == 1001 && shorter.rows == 1001 && shorter.guard == 42 && shorter.size == 3 * sizeof(size_t));
  longer.later = 1;
  CHECK(mbc_run(s, &longer.known, NULL) == MBC_WRONG_SIZE && has(mbc_simulation_message(s), "does not know"));
  CHECK(mbc_run(s, NULL, &r) == MBC_WRONG_SIZE);
  o.size = 0;
  CHECK(mbc_run(s, &o, NULL) == MBC_WRONG_SIZE);
  o.size = (size_t)-1;
  CHECK(mbc_run(s, &o, NULL) == MBC_WRONG_SIZE);
  o = (mbc_run_options){.size = sizeof o, .reserved = 1};
  CHECK(mbc_run(s, &o, NULL) == MBC_INVALID_ARGUMENT);
  o = (mbc_run_options){.size = sizeof o, .has_span = 1, .begin = 1, .end = 0};
  CHECK(mbc_run(s, &o, NULL) == MBC_MODEL_ERROR && mbc_simulation_message(s)[0] != 0);
  o.end = NAN;
  CHECK(mbc_run(s, &o, NULL) == MBC_MODEL_ERROR);
  o = (mbc_run_options){.size = sizeof o, .state = y, .state_count = 2};
  CHECK(mbc_run(s, &o, NULL) == MBC_INVALID_ARGUMENT);
  o.has_span = 1;
  o.end = 1;
  CHECK(mbc_run(s, &o, NULL) == MBC_MODEL_ERROR);
  o.state = NULL;
  CHECK(mbc_run(s, &o, NULL) == MBC_INVALID_ARGUMENT);
  CHECK(mbc_model_from_text(kPendulum, NULL, &c) == NULL && mbc_error_code() == MBC_WRONG_SIZE);
  c = (mbc_compile_options){.size = sizeof c, .engine = 9};
  CHECK(mbc_model_from_text(kPendulum, NULL, &c) == NULL && mbc_error_code() == MBC_INVALID_ARGUMENT);
  c = (mbc_compile_options){.size = sizeof c, .set_count = 2};
  CHECK(mbc_model_from_text(kPendulum, NULL, &c) == NULL && mbc_error_code() == MBC_INVALID_ARGUMENT);
  mbc_simulation_free(s);
  mbc_model_free(m);
}

static void run_case(const char* name, void (*test)(void)) {
  const int before = failed;
  test();
  if (failed == before) {
    ++passed;
  } else {
    ++cases_failed;
    printf("failed: %s\n", name);
  }
}

int main(void) {
  run_case("versions", versions);
  run_case("names", names);
  run_case("written equations", written_equations);
  run_case("equations", equations);
  run_case("steps", steps);
  run_case("runs", runs);
  run_case("loaders", loaders);
  run_case("diagnostics", diagnostics);
  run_case("sweeps", sweeps);
  run_case("nothing", nothing);
  run_case("misfits", misfits);
  run_case("structs", structs);
  printf("c_interface: %d passed, %d failed\n", passed, cases_failed);
  return cases_failed != 0;
}
