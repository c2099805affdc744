// SPDX-License-Identifier: Apache-2.0
// Makes values and checks them against their place. Every mistake is reported once: a wrong value becomes an invalid
// one, which later checks accept in silence.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/expressions/data_files.h"
#include "compiler/sema/model.h"
#include "compiler/sema/names.h"
#include "compiler/sema/observed.h"
#include "compiler/sema/scope.h"

namespace mbc::sema {

// Limits growth that the length of the text does not bound: sums, functions that call functions twice, derivatives of
// derivatives.
class Growth {
 public:
  // Counts `more` terms or calls and `differentiated` operations. An excess is reported once; from then on every call
  // returns true, so that the elaboration ends.
  bool too_large(const Model& model, Sink& sink, const std::string& what, Span span, std::size_t more,
                 std::size_t differentiated);

 private:
  std::size_t expanded_ = 0;        // terms of sums and calls of functions so far
  std::size_t differentiated_ = 0;  // operations that were differentiated by primes so far
};

// The data that the parts of the evaluator share.
struct EvaluationContext {
  Model& model;
  Sink& sink;
  DataFiles& files;
  // `space` is not known because its statement is wrong; vectors of any length are then accepted in silence.
  bool any_length = false;
  // Inside `test` blocks and records of sweeps, where initial(e), final(e), min_over(e), max_over(e) and `residuals`
  // have a meaning.
  bool inside_test = false;
  Growth growth{};
  bool angle_written = false;    // in the current expression so far
  Observed* observed = nullptr;  // receives every value; may be null
};

class Evaluator;

class ValueChecks {
 public:
  ValueChecks(EvaluationContext& context, Evaluator& evaluator)
      : context_(context), model_(context.model), sink_(context.sink), evaluator_(evaluator) {}

  [[nodiscard]] static Value invalid(Span span);
  [[nodiscard]] static Value scalar(NodeId node, Dimension dimension, Level level, Span span);
  // Returns a scalar or a vector, by the number of nodes.
  [[nodiscard]] static Value components(const std::vector<NodeId>& nodes, Dimension dimension, Level level, Span span);
  // Returns a value computed from another one: it has no name, and is no label of a machine.
  [[nodiscard]] static Value computed(Value from, Span span);
  // Returns a number, or the value of a node, that is known during elaboration (no parameter in it).
  [[nodiscard]] std::optional<double> number(const Value& v) const;
  [[nodiscard]] std::optional<double> known_value(NodeId node) const;
  [[nodiscard]] bool is_time(const Value& v) const;           // `t` itself
  [[nodiscard]] bool is_fixed(const Value& v) const;          // depends only on numbers and parameters
  [[nodiscard]] bool moves_with_model(const Value& v) const;  // depends on more than those and the time

  // These report a value that does not fit, and return false. `what` names the place: "the mass of `p`". In a model
  // without units dimensions are not checked.
  bool expect_scalar(const Value& v, const std::string& what);
  bool expect_vector(const Value& v, const std::string& what);
  // `help` is the hint for a dimension that is neither the wanted one nor none.
  bool expect_dimension(const Value& v, const Dimension& wanted, const std::string& what, const std::string& help = "");
  // The value must not depend on time or on the motion; `help` is the hint for one that does.
  bool expect_constant(const Value& v, const std::string& what, const char* help = nullptr);
  // The value has to consist of numbers, or be a truth, to have columns.
  bool expect_shown(const Value& v);
  bool expect_direction(const Value& v, const std::string& what);
  bool expect_rotation(const Value& v, const std::string& what);
  bool same_dimension(const Value& a, const Value& b, Span op, const char* verb);

  // These report mistakes that occur in many places.
  Diagnostic& not_known(const Value& v, const std::string& what);
  Diagnostic& mismatch(const char* verb, const Value& a, const Value& b, Span op);
  // Adds a hint on the parts to use instead of something that is no value itself.
  static Diagnostic& hint_parts(Diagnostic& d, const Value& v);

 protected:
  bool too_large(const std::string& what, Span span, std::size_t more, std::size_t differentiated = 0) {
    return context_.growth.too_large(model_, sink_, what, span, more, differentiated);
  }

  EvaluationContext& context_;
  Model& model_;
  Sink& sink_;
  Evaluator& evaluator_;  // for inner expressions
};

inline Level higher(Level a, Level b) { return a < b ? b : a; }

}  // namespace mbc::sema
