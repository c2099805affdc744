// SPDX-License-Identifier: Apache-2.0
// All shapes of one text. They are made when they are asked for, under a lock, and kept; those of large models as long
// as somebody uses them.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/shape.h"

namespace mbc::api {

class Family {
 public:
  Family(Source source, std::string text, const CompileOptions& options);
  // Of a file that could not be read.
  Family(const std::string& path, const std::string& error);

  // For the first `simulate` block; call it once, before the others.
  [[nodiscard]] std::shared_ptr<const Shape> first();
  // For a block of `shape`, with its inertia rows. `by_host`: names of inputs that a host sets, so that the block gives
  // them no course.
  [[nodiscard]] std::shared_ptr<const Shape> for_block(const Shape& shape, const sema::Simulation& block,
                                                       const std::vector<std::string>& by_host = {});
  // The same bodies, with other equations.
  [[nodiscard]] std::shared_ptr<const Shape> with(const Shape& shape, const Wanted& wanted);
  // Other bodies and equations, and courses of inputs.
  [[nodiscard]] std::shared_ptr<const Shape> with_bodies(const Shape& shape, settings::Representation bodies,
                                                         const Wanted& wanted, const sema::Courses& courses);
  // Whatever its bodies are described by.
  [[nodiscard]] std::shared_ptr<const Shape> in_quaternions(const Shape& shape);

  [[nodiscard]] const CodeOptions& how() const { return how_; }
  [[nodiscard]] NativeCode* native() const { return native_.get(); }

 private:
  std::shared_ptr<Analysis> analysis(settings::Representation bodies, const sema::Courses& courses, bool alike);
  std::shared_ptr<const Shape> shape(const std::shared_ptr<Analysis>& analysis, const Wanted& wanted);

  std::shared_ptr<const Source> source_;
  std::string text_;  // until the first analysis, which then holds it
  CodeOptions how_;
  std::shared_ptr<NativeCode> native_;
  std::mutex mutex_;  // of what follows
  std::vector<std::shared_ptr<Analysis>> analyses_;
  struct Made {
    const Analysis* analysis;
    Wanted wanted;
    std::weak_ptr<const Shape> shape;
    std::shared_ptr<const Shape> kept;  // null for large models
  };
  std::vector<Made> shapes_;
};

// The courses that a block gives inputs, but for those that a host sets.
[[nodiscard]] sema::Courses courses_of(const sema::Simulation& block, const std::vector<std::string>& by_host = {});
// The equations a block asks for.
[[nodiscard]] Wanted wanted_by(const sema::Simulation& block, InertiaRows rows);

}  // namespace mbc::api

namespace mbc {

// What a Model refers to.
struct MBC_HIDDEN Model::State {
  std::shared_ptr<api::Family> family;
  std::shared_ptr<const api::Shape> shape;
  std::string internal_error;  // of mbc; then there is no shape

  [[nodiscard]] bool ok() const { return shape && shape->ok(); }
  [[nodiscard]] const api::Facts& facts() const;  // empty ones where there is nothing
};

}  // namespace mbc
