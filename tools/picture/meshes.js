// SPDX-License-Identifier: Apache-2.0
// Surfaces of unit size as triangles with normals: what bodies are made of.

// A surface over (u, v) in the unit square; `at` gives place and normal.
function surface(nu, nv, at) {
  const places = [], normals = [], triangles = [];
  for (let i = 0; i <= nu; ++i)
    for (let j = 0; j <= nv; ++j) {
      const [p, n] = at(i / nu, j / nv);
      places.push(...p);
      normals.push(...n);
    }
  for (let i = 0; i < nu; ++i)
    for (let j = 0; j < nv; ++j) {
      const a = i * (nv + 1) + j, b = a + nv + 1;
      triangles.push(a, b, a + 1, a + 1, b, b + 1);
    }
  return {places, normals, triangles};
}

function together(...meshes) {
  const whole = {places: [], normals: [], triangles: []};
  for (const m of meshes) {
    const first = whole.places.length / 3;
    whole.places.push(...m.places);
    whole.normals.push(...m.normals);
    whole.triangles.push(...m.triangles.map(k => k + first));
  }
  return whole;
}

const around = u => [Math.cos(2 * Math.PI * u), Math.sin(2 * Math.PI * u)];

// Half axes 1.
function ballMesh(n = 28) {
  return surface(n, n / 2, (u, v) => {
    const [c, s] = around(u), r = Math.sin(Math.PI * v), p = [r * c, r * s, Math.cos(Math.PI * v)];
    return [p, p];
  });
}

function discMesh(z, n) {
  return surface(n, 1, (u, v) => [[v * around(u)[0], v * around(u)[1], z], [0, 0, Math.sign(z)]]);
}

// Radius 1, from z = -1/2 to 1/2.
function cylinderMesh(n = 64) {
  const side = surface(n, 1, (u, v) => [[...around(u), v - 0.5], [...around(u), 0]]);
  return together(side, discMesh(0.5, n), discMesh(-0.5, n));
}

// Radius and height 1, the mass centre at 0.
function coneMesh(n = 36) {
  const s = Math.SQRT1_2;
  const side = surface(n, 1, (u, v) => {
    const [x, y] = around(u);
    return [[x * (1 - v), y * (1 - v), v - 0.25], [x * s, y * s, s]];
  });
  return together(side, discMesh(-0.25, n));
}

// Radius 1 to the middle of a tube of that radius.
function torusMesh(tube, n = 48) {
  return surface(n, 14, (u, v) => {
    const [x, y] = around(u), [c, s] = around(v);
    return [[x * (1 + tube * c), y * (1 + tube * c), tube * s], [x * c, y * c, s]];
  });
}

// Edges 1.
function boxMesh() {
  const faces = [];
  for (let k = 0; k < 3; ++k)
    for (const side of [-0.5, 0.5])
      faces.push(surface(1, 1, (u, v) => {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[k] = side;
        p[(k + 1) % 3] = u - 0.5;
        p[(k + 2) % 3] = v - 0.5;
        n[k] = Math.sign(side);
        return [p, n];
      }));
  return together(...faces);
}
