// SPDX-License-Identifier: Apache-2.0
// All variants of one text. They are made on demand under a lock. Those of small models are kept; those of large models
// live as long as they are used.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/model/equation_variant.h"

namespace mbc::api {

class Family {
 public:
  Family(Source source, std::string text, const CompileOptions& options);
  // Makes the family of a file that could not be read.
  Family(const std::string& path, const std::string& error);

  // Returns the variant of the first `simulate` block. It must be called once, before the other functions.
  [[nodiscard]] std::shared_ptr<const EquationVariant> first();
  // Returns the variant for a block of `variant`, with its inertia rows. `by_host` has the names of inputs that a host
  // sets, for which the block's signals do not count.
  [[nodiscard]] std::shared_ptr<const EquationVariant> for_block(const EquationVariant& variant,
                                                                 const sema::Simulation& block,
                                                                 const std::vector<std::string>& by_host = {});
  // Returns the variant with the same bodies and other equations.
  [[nodiscard]] std::shared_ptr<const EquationVariant> with(const EquationVariant& variant, const Wanted& wanted);
  // Returns the variant with other bodies, equations and input signals.
  [[nodiscard]] std::shared_ptr<const EquationVariant> with_bodies(const EquationVariant& variant,
                                                                   settings::Representation bodies,
                                                                   const Wanted& wanted,
                                                                   const sema::InputSignals& signals);
  // Returns the variant with all bodies in quaternions.
  [[nodiscard]] std::shared_ptr<const EquationVariant> in_quaternions(const EquationVariant& variant);

  [[nodiscard]] const CodeOptions& how() const { return how_; }
  [[nodiscard]] NativeCode* native() const { return native_.get(); }

 private:
  std::shared_ptr<AnalysedText> analysis(settings::Representation bodies, const sema::InputSignals& signals,
                                         bool alike);
  std::shared_ptr<const EquationVariant> variant(const std::shared_ptr<AnalysedText>& analysis, const Wanted& wanted);

  std::shared_ptr<const Source> source_;
  std::string text_;  // kept until the first analysis, which then has the text
  CodeOptions how_;
  std::shared_ptr<NativeCode> native_;
  std::mutex mutex_;  // of what follows
  std::vector<std::shared_ptr<AnalysedText>> analyses_;
  struct Made {
    const AnalysedText* analysis;
    Wanted wanted;
    std::weak_ptr<const EquationVariant> variant;
    std::shared_ptr<const EquationVariant> kept;  // null for large models
  };
  std::vector<Made> variants_;
};

// Returns the input signals of a block, without those of inputs that a host sets.
[[nodiscard]] sema::InputSignals signals_of(const sema::Simulation& block,
                                            const std::vector<std::string>& by_host = {});
// Returns the equations that a block selects.
[[nodiscard]] Wanted wanted_by(const sema::Simulation& block, InertiaRows rows);

}  // namespace mbc::api

namespace mbc {

// The state behind a Model.
struct MBC_HIDDEN Model::State {
  std::shared_ptr<api::Family> family;
  std::shared_ptr<const api::EquationVariant> variant;
  std::string internal_error;  // a failed check of mbc; there is no variant then

  [[nodiscard]] bool ok() const { return variant && variant->ok(); }
  [[nodiscard]] const api::Facts& facts() const;  // empty if there is no variant
};

}  // namespace mbc
