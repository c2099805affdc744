// SPDX-License-Identifier: Apache-2.0
// The convex hull of points in the plane.
#pragma once
#include <algorithm>
#include <vector>

namespace mbc::tools {

struct Point2 {
  double x = 0, y = 0;
};

// Returns the corners of the convex hull, counterclockwise (Andrew's monotone chain).
inline std::vector<Point2> hull_of(std::vector<Point2> points) {
  std::sort(points.begin(), points.end(), [](Point2 a, Point2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Point2> hull;
  const auto left = [&](const Point2& p) {
    const Point2 a = hull[hull.size() - 2], b = hull.back();
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0;
  };
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = hull.size();
    for (const Point2& p : points) {
      while (hull.size() >= first + 2 && !left(p)) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull.size() < 3 ? points : hull;
}

}  // namespace mbc::tools
