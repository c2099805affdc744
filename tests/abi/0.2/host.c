/* SPDX-License-Identifier: Apache-2.0 */
/* A host of version 0.2: compiled against the header of that version beside it, run with the library of today. It
 * touches every struct and every kind of call, and prints numbers that a closed form gives, or names. */
#include <mbc/mbc_c.h>
#include <stdio.h>
#include <string.h>

static const char* const kText =
    "mbd 1\nuse \"weight.mbd\"\nparam g = 10\nparticle p(weight(1)) at (0, 0, 8)\nparticle q(1) at (1, 0, 0)\n"
    "gravity (0, 0, -g)\ninput push = 0\nforce wind on p: (push, 0, 0)\nconstraint rod: q.x == 1\n"
    "output height = p.z\nstate low_seen = 0\nwhen low: p.z < 6 { low_seen = 1 }\n"
    "simulate fall { time = 0 .. 1 step 0.125; integrator = rk4 }\n";

static const char* const kSwept =
    "mbd 1\nparam g = 10\nparticle p(1) at (0, 0, 8)\ngravity (0, 0, -g)\n"
    "simulate fall { time = 0 .. 1 step 0.125; integrator = rk4 }\n";

static const char* load(void* user, const char* file) {
  ++*(int*)user;
  return strcmp(file, "weight.mbd") == 0 ? "mbd 1\ndef weight(x) = 2*x\n" : NULL;
}

static int32_t on_row(void* user, double time, const double* values, size_t value_count, const double* y, size_t n) {
  (void)time, (void)values, (void)value_count, (void)y, (void)n;
  ++*(int*)user;
  return 0;
}

static void on_begin(void* user, const mbc_sweep_info* info) {
  (void)user;
  printf("sweep of %d members over %s\n", (int)info->members, info->varied_names[0]);
}

static int32_t on_member(void* user, const mbc_sweep_member* member) {
  (void)user;
  printf("member %d: %g gives %g\n", (int)member->number, member->varied[0], member->recorded[0]);
  return 0;
}

static void say(const char* what, mbc_code code) {
  printf("%s: %s\n", what, code == MBC_OK ? "ok" : mbc_code_name(code));
}

static void look(mbc_simulation* s, size_t n) {
  double y[32], dy[32], a[8], value[3];
  size_t count = 3;
  mbc_rows_at rows = {sizeof rows};
  mbc_plain_rhs f = {sizeof f};
  say("state", mbc_state(s, y, n));
  say("rhs", mbc_rhs(s, 0, y, dy, n));
  say("accelerations", mbc_accelerations(s, 0, y, n, a, 6));
  say("value", mbc_value(s, "p.pos", value, &count));
  say("rows", mbc_rows(s, 0, y, n, &rows));
  say("function", mbc_rhs_function(s, &f));
  printf("p.z'' = %g, p.z = %g, %d row of rank %d\n", a[2], value[2], (int)rows.rows, (int)rows.rank);
  printf("called: %d\n", (int)f.call(f.context, 0, y, dy));
}

static void run(mbc_simulation* s, mbc_model* model) {
  int rows = 0;
  mbc_table* table = mbc_table_new();
  mbc_run_options how = {sizeof how};
  mbc_run_result result = {sizeof result};
  how.table = table;
  how.on_row = on_row;
  how.user = &rows;
  say("run", mbc_run(s, &how, &result));
  printf("%d rows, %d columns, %d event, p.z = %g\n", rows, (int)mbc_table_columns(table), (int)result.events,
         mbc_table_values(table)[(mbc_table_rows(table) - 1) * mbc_table_columns(table) + 3]);
  how.until_event = "low";
  say("reset", mbc_reset(s));
  say("run until", mbc_run(s, &how, &result));
  printf("ended at %g\n", result.reached);
  mbc_table_free(table);
  (void)model;
}

static void save(mbc_simulation* s) {
  const void* bytes = NULL;
  size_t count = 0;
  char kept[1 << 16];
  double before = 0, after = 0;
  say("reset", mbc_reset(s));
  say("step", mbc_step(s, 0.125));
  say("save", mbc_save(s, &bytes, &count));
  if (count > sizeof kept) return;
  memcpy(kept, bytes, count);
  say("run until", mbc_run_until(s, 0.5));
  mbc_output(s, 0, &before);
  say("restore", mbc_restore(s, kept, count));
  say("run until", mbc_run_until(s, 0.5));
  mbc_output(s, 0, &after);
  printf("the same: %d\n", before == after);
}

int main(void) {
  int loaded = 0;
  const char* vary = "g = 10 .. 20 count 2";
  const char* record = "min_over(p.z)";
  mbc_compile_options compile = {sizeof compile};
  mbc_compile_options swept = {sizeof swept};
  mbc_sweep_options sweep = {sizeof sweep};
  double g = 0;
  size_t index = 0;
  compile.loader = load;
  compile.user = &loaded;
  printf("interface %s\n", mbc_interface() >= MBC_INTERFACE ? "is there" : "is older");
  printf("no model: %d\n", mbc_model_from_text("mbd 1\nlet a = b\n", NULL, NULL) == NULL);
  mbc_model* model = mbc_model_from_text(kText, "host", &compile);
  if (model == NULL) return puts(mbc_error_message()), 1;
  printf("loaded %d, %d coordinates, output %s\n", loaded, (int)mbc_model_count(model, MBC_COORDINATES),
         mbc_model_name(model, MBC_OUTPUTS, 0));
  say("index", mbc_model_index(model, MBC_PARAMETERS, "g", &index));
  say("no index", mbc_model_index(model, MBC_PARAMETERS, "h", &index));
  mbc_simulation* s = mbc_simulation_new(model, "fall");
  if (s == NULL) return puts(mbc_error_message()), 1;
  look(s, mbc_model_state_size(model));
  run(s, model);
  save(s);
  say("set", mbc_set_parameter(s, 0, 20));
  say("get", mbc_parameter(s, 0, &g));
  say("input", mbc_set_input(s, 0, 1));
  printf("g = %g\n", g);
  swept.size = sizeof swept;
  swept.engine = MBC_ENGINE_INTERPRETER;
  sweep.compile = &swept;
  sweep.vary = &vary;
  sweep.vary_count = 1;
  sweep.record = &record;
  sweep.record_count = 1;
  sweep.on_begin = on_begin;
  sweep.on_member = on_member;
  say("sweep", mbc_sweep_text(kSwept, "host", &sweep));

  mbc_simulation_free(s);
  mbc_model_free(model);
  return 0;
}
