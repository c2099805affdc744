// SPDX-License-Identifier: Apache-2.0
// All variants of one text. They are made when they are asked for, under a lock, and kept; those of large models as
// long as somebody uses them.
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
  // A file that could not be read.
  Family(const std::string& path, const std::string& error);

  // The variant of the first `simulate` block; it is called once, before the other functions.
  [[nodiscard]] std::shared_ptr<const EquationVariant> first();
  // For a block of `variant`, with its inertia rows. `by_host`: names of inputs that a host sets, so that the block
  // gives them no signal.
  [[nodiscard]] std::shared_ptr<const EquationVariant> for_block(const EquationVariant& variant,
                                                                 const sema::Simulation& block,
                                                                 const std::vector<std::string>& by_host = {});
  // The same bodies with other equations.
  [[nodiscard]] std::shared_ptr<const EquationVariant> with(const EquationVariant& variant, const Wanted& wanted);
  // Other bodies and equations, and input signals.
  [[nodiscard]] std::shared_ptr<const EquationVariant> with_bodies(const EquationVariant& variant,
                                                                   settings::Representation bodies,
                                                                   const Wanted& wanted,
                                                                   const sema::InputSignals& signals);
  // The same model with all bodies in quaternions.
  [[nodiscard]] std::shared_ptr<const EquationVariant> in_quaternions(const EquationVariant& variant);

  [[nodiscard]] const CodeOptions& how() const { return how_; }
  [[nodiscard]] NativeCode* native() const { return native_.get(); }

 private:
  std::shared_ptr<AnalysedText> analysis(settings::Representation bodies, const sema::InputSignals& signals,
                                         bool alike);
  std::shared_ptr<const EquationVariant> variant(const std::shared_ptr<AnalysedText>& analysis, const Wanted& wanted);

  std::shared_ptr<const Source> source_;
  std::string text_;  // until the first analysis, which then holds it
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

// The input signals of a block, without those of inputs that a host sets.
[[nodiscard]] sema::InputSignals signals_of(const sema::Simulation& block,
                                            const std::vector<std::string>& by_host = {});
// The equations that a block asks for.
[[nodiscard]] Wanted wanted_by(const sema::Simulation& block, InertiaRows rows);

}  // namespace mbc::api

namespace mbc {

// The state behind a Model.
struct MBC_HIDDEN Model::State {
  std::shared_ptr<api::Family> family;
  std::shared_ptr<const api::EquationVariant> variant;
  std::string internal_error;  // of mbc; then there is no variant

  [[nodiscard]] bool ok() const { return variant && variant->ok(); }
  [[nodiscard]] const api::Facts& facts() const;  // empty ones where there is nothing
};

}  // namespace mbc
