// SPDX-License-Identifier: Apache-2.0
// Vectors, quaternions (w, x, y, z) and matrices (16 numbers, column by column, as WebGL takes them).
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => scaled(a, 1 / (norm(a) || 1));
const normalTo = a => unit(cross(a, Math.abs(a[0]) < 0.8 * norm(a) ? [1, 0, 0] : [0, 1, 0]));

function turned(q, v) {
  const [w, x, y, z] = q;
  const a = 2 * (y * v[2] - z * v[1]), b = 2 * (z * v[0] - x * v[2]), c = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a];
}

// First b, then a.
function product(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
  ];
}

// Columns x, y, z times their sizes, then the place.
function placed(at, turn, size) {
  const x = scaled(turned(turn, [1, 0, 0]), size[0]), y = scaled(turned(turn, [0, 1, 0]), size[1]);
  const z = scaled(turned(turn, [0, 0, 1]), size[2]);
  return [...x, 0, ...y, 0, ...z, 0, ...at, 1];
}

// A thing along z (from -1/2 to 1/2) stretched from a to b.
function between(a, b, radius) {
  const d = sub(b, a), length = norm(d), z = length > 0 ? scaled(d, 1 / length) : [0, 0, 1];
  const x = normalTo(z), y = cross(z, x);
  return [...scaled(x, radius), 0, ...scaled(y, radius), 0, ...d, 0, ...scaled(add(a, b), 0.5), 1];
}

// A cone with its base about a and its point at b.
function tapered(a, b, radius) {
  const m = between(a, b, radius), d = sub(b, a), centre = add(a, scaled(d, 0.25));
  return [...m.slice(0, 12), ...centre, 1];
}

function multiplied(a, b) {
  const m = new Array(16);
  for (let j = 0; j < 4; ++j)
    for (let i = 0; i < 4; ++i)
      m[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
  return m;
}

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
}

function parallel(half, aspect, near, far) {
  return [1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1];
}
