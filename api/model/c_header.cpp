// SPDX-License-Identifier: Apache-2.0
#include "api/model/c_header.h"

#include <cctype>

#include "base/numbers.h"
#include "mbc_version.h"

namespace mbc::api {

namespace {

// Returns a text as a C literal; characters that are not plain ASCII become octal codes.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (byte >= 0x20 && byte < 0x7f && c != '?') {  // no trigraphs
      out += c;
    } else {
      for (const int shift : {6, 3, 0})
        out += (shift == 6 ? "\\" : "") + std::string(1, static_cast<char>('0' + (byte >> shift) % 8));
    }
  }
  return out + "\"";
}

// Returns "residual_position" for "residual.position".
std::string identifier(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class Header {
 public:
  Header(const EquationVariant& variant, std::string prefix) : variant_(variant), prefix_(std::move(prefix)) {}

  std::string run() {
    text_ =
        "/* Written by mbc " MBC_VERSION
        ": the equations of motion of a model, for programs in C and C++. Link with the object file\n"
        " * of the same prefix, libmbc_support.a and the mathematics of the C library (-lm).\n"
        " *\n"
        " *   state   y = [q; u; s; w]: coordinates, speeds, states, integrals of work\n"
        " *   params, inputs  in the order of their names; inputs behind the model's are what events change\n"
        " *   mask    one number for each constraint row: 1 takes part, 0 is left out (a dependent one)\n"
        " *   work    room for everything else; results at the places below\n"
        " *   deriv   y'\n"
        " *\n"
        " * The arrays do not overlap. Functions give 0, k > 0 when deriv[k-1] is not finite, or -1 (fast_rhs) where\n"
        " * PREFIX_rhs has to be called; they keep nothing, and any number of threads may call them, each with its "
        "own\n"
        " * state, work and deriv. The thread rounds to nearest. */\n"
        "#ifndef MBC_MODEL_" +
        prefix_ + "_H\n#define MBC_MODEL_" + prefix_ + "_H\n\n#include <stdint.h>\n\n";
    sizes();
    names();
    values();
    functions();
    return text_ + "\n#endif\n";
  }

 private:
  void constant(const std::string& name, std::size_t value) {
    text_ += "  " + prefix_ + "_" + name + " = " + std::to_string(value) + ",\n";
  }

  void sizes() {
    const kernel::Kernel& k = variant_.kernel();
    text_ += "enum { /* entries */\n";
    constant("state_size", k.n_state);
    constant("params_size", k.n_params);
    constant("inputs_size", k.n_inputs);
    constant("mask_size", k.n_mask);
    constant("work_size", k.n_work);
    constant("coordinate_count", variant_.layout().n_coordinates);
    constant("speed_count", variant_.layout().n_speeds);
    constant("output_count", variant_.layout().n_outputs);
    text_ += "};\nenum { /* where results lie in work */\n";
    for (const kernel::Field& f : k.fields)
      if (f.space == kernel::Space::work && f.name.find("guard") == std::string::npos)
        constant("at_" + identifier(f.name), f.offset);
    text_ += "};\n\n";
  }

  void list(const std::string& name, const std::vector<std::string>& texts) {
    text_ += "static const char* const " + prefix_ + "_" + name + "[] = {";
    for (const std::string& t : texts) text_ += literal(t) + ", ";
    text_ += "0};\n";  // C has no empty arrays
  }

  void lists(const std::string& name, const std::vector<Quantity>& of) {
    std::vector<std::string> names, units;
    for (const Quantity& q : of) {
      names.push_back(q.name);
      units.push_back(q.unit);
    }
    list(name + "_names", names);
    list(name + "_units", units);
  }

  static void add(std::vector<Quantity>& to, const problem::Quantities& from) {
    for (std::size_t k = 0; k < from.size(); ++k) to.push_back({from[k].name, from[k].unit, ""});
  }

  // Each list ends with 0.
  void names() {
    const problem::Problem& info = variant_.info();
    std::vector<Quantity> state, params = variant_.facts().parameters, inputs, outputs;
    for (const problem::Quantities* part : {&info.coordinates, &info.speeds, &info.states}) add(state, *part);
    for (std::size_t k = 0; state.size() < variant_.kernel().n_state; ++k)
      state.push_back({k == 0   ? "work of loads"
                       : k == 1 ? "work of constraints"
                                : "work of " + variant_.facts().works[k - 2],
                       "", ""});
    for (const char* gain : {"baumgarte.alpha", "baumgarte.beta"})
      if (params.size() < variant_.kernel().n_params) params.push_back({gain, "", ""});
    add(inputs, info.inputs);
    add(inputs, info.held);
    add(outputs, info.outputs);
    lists("state", state);
    lists("params", params);
    lists("inputs", inputs);
    lists("output", outputs);
  }

  void numbers(const std::string& name, std::vector<double> values, std::size_t size) {
    values.resize(size);
    text_ += "static const double " + prefix_ + "_" + name + "[] = {";
    for (const double v : values) text_ += text::number(v) + ", ";
    text_ += "0};\n";
  }

  // Writes the values as the text has them; soft initial values are not moved.
  void values() {
    const kernel::Kernel& k = variant_.kernel();
    const Facts& facts = variant_.facts();
    const std::vector<double> params = facts.written.parameters({});
    std::vector<double> inputs = facts.written.inputs(params);
    if (const problem::Events& events = variant_.info().events; !events.empty())
      inputs = events.discrete.inputs(std::move(inputs), events.discrete.at_start(params));
    text_ += "\n/* values as they are written, followed by a 0 */\n";
    numbers("params_written", params, k.n_params);
    numbers("inputs_written", inputs, k.n_inputs);
    numbers("state_written", facts.written.initial(params, k.n_state), k.n_state);
  }

  void functions() {
    text_ += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const kernel::Function& f : variant_.kernel().functions)
      text_ += "int32_t " + prefix_ + "_" + f.name +
               "(double t, const double* state, const double* params, const double* inputs, const double* mask,\n"
               "    double* work, double* deriv);\n";
    text_ += "#ifdef __cplusplus\n}\n#endif\n";
  }

  const EquationVariant& variant_;
  const std::string prefix_;
  std::string text_;
};

}  // namespace

std::string c_header(const EquationVariant& variant, const std::string& prefix) {
  return Header(variant, prefix).run();
}

}  // namespace mbc::api
