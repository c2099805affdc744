// SPDX-License-Identifier: Apache-2.0
// Drawing with WebGL: lit surfaces, and lines of a width in pixels. It knows nothing of models.

const kSurfaceVertex = `
attribute vec3 place, normal;
uniform mat4 model, camera;
varying vec3 n, p;
void main() {
  vec3 x = model[0].xyz, y = model[1].xyz, z = model[2].xyz;
  // normals go with the inverse of what stretches the surface
  n = x * (normal.x / max(dot(x, x), 1e-20)) + y * (normal.y / max(dot(y, y), 1e-20)) + z * (normal.z / max(dot(z, z), 1e-20));
  vec4 at = model * vec4(place, 1.0);
  p = at.xyz;
  gl_Position = camera * at;
}`;
const kSurfaceFragment = `
precision highp float;
uniform vec3 eye, sun, up;
uniform vec4 colour;
uniform float parallel, shine;
varying vec3 n, p;
void main() {
  vec3 look = normalize(parallel > 0.5 ? eye : eye - p), m = normalize(n);
  if (dot(m, look) < 0.0) m = -m;
  float sky = 0.5 + 0.5 * dot(m, up), light = max(dot(m, sun), 0.0);
  float edge = pow(1.0 - max(dot(m, look), 0.0), 3.0);
  vec3 lit = colour.rgb * (0.42 + 0.22 * sky + 0.46 * light) - 0.12 * edge;
  lit += shine * pow(max(dot(m, normalize(sun + look)), 0.0), 40.0);
  gl_FragColor = vec4(lit, colour.a);
}`;
// Every segment is two triangles; `side` is -1 or 1, `end` 0 at a and 1 at b.
const kLineVertex = `
attribute vec3 a, b;
attribute vec2 which;
uniform mat4 camera;
uniform vec2 size;
uniform float width;
void main() {
  vec4 p = camera * vec4(a, 1.0), q = camera * vec4(b, 1.0);
  float least = 1e-4;
  if (p.w < least && q.w >= least) p = mix(p, q, (least - p.w) / (q.w - p.w));
  if (q.w < least && p.w >= least) q = mix(q, p, (least - q.w) / (p.w - q.w));
  vec2 d = (q.xy / q.w - p.xy / p.w) * size;
  d = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
  vec4 at = which.y > 0.5 ? q : p;
  at.xy += (vec2(-d.y, d.x) * which.x * width + d * (which.y * 2.0 - 1.0) * width * 0.4) / size * at.w;
  gl_Position = at;
}`;
const kLineFragment = `
precision mediump float;
uniform vec4 colour;
void main() { gl_FragColor = colour; }`;

const kCorners = [[-1, 0], [1, 0], [-1, 1], [-1, 1], [1, 0], [1, 1]];

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.fit();  // before there is a context: to change the size of its buffers takes longer than to make them
    this.gl = canvas.getContext('webgl', {antialias: true, alpha: true, premultipliedAlpha: true});
    if (!this.gl) throw new Error('this browser has no WebGL');
    this.surfaces = this.program(kSurfaceVertex, kSurfaceFragment, ['place', 'normal'],
                                 ['model', 'camera', 'eye', 'sun', 'up', 'colour', 'parallel', 'shine']);
    this.lines = this.program(kLineVertex, kLineFragment, ['a', 'b', 'which'], ['camera', 'size', 'width', 'colour']);
    this.moving = this.gl.createBuffer();
  }

  // Begins to compile; to ask for anything would wait for the end of it.
  program(vertex, fragment, attributes, uniforms) {
    const gl = this.gl, program = gl.createProgram();
    const shaders = [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]].map(([kind, text]) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      return shader;
    });
    gl.linkProgram(program);
    return {program, shaders, names: {attributes, uniforms}, attributes: {}, uniforms: {}};
  }

  // After all else that needs no programs, before anything is drawn.
  finish() {
    const gl = this.gl;
    for (const {program, shaders, names, attributes, uniforms} of [this.surfaces, this.lines]) {
      if (!gl.getProgramParameter(program, gl.LINK_STATUS))
        throw new Error([...shaders.map(s => gl.getShaderInfoLog(s)), gl.getProgramInfoLog(program)].filter(t => t).join('\n'));
      for (const a of names.attributes) attributes[a] = gl.getAttribLocation(program, a);
      for (const u of names.uniforms) uniforms[u] = gl.getUniformLocation(program, u);
    }
  }

  // ---- things that stay
  mesh({places, normals, triangles}) {
    const gl = this.gl, buffer = (kind, data) => {
      const made = gl.createBuffer();
      gl.bindBuffer(kind, made);
      gl.bufferData(kind, data, gl.STATIC_DRAW);
      return made;
    };
    return {
      places: buffer(gl.ARRAY_BUFFER, new Float32Array(places)),
      normals: buffer(gl.ARRAY_BUFFER, new Float32Array(normals)),
      triangles: buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(triangles)),
      count: triangles.length
    };
  }

  // Segments from a list of pairs of points.
  static segments(pairs) {
    const data = new Float32Array(pairs.length * 48);
    let k = 0;
    for (const [a, b] of pairs)
      for (const [side, end] of kCorners)
        for (const x of [a[0], a[1], a[2], b[0], b[1], b[2], side, end]) data[k++] = x;
    return data;
  }

  lineBuffer(pairs) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, Renderer.segments(pairs), gl.STATIC_DRAW);
    return {buffer, count: pairs.length};
  }

  // ---- a picture: fit, begin, then what is drawn
  // As many pixels as there is room for. Asked once a picture: to say it the browser works out where everything is.
  fit() {
    const {canvas} = this;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.width = canvas.clientWidth;
    this.height = canvas.clientHeight;
    const width = Math.round(this.width * this.ratio), height = Math.round(this.height * this.ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  }

  begin(camera) {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.camera = camera;
    this.using = null;
  }

  use(what) {
    if (this.using === what) return;
    const gl = this.gl, u = what.uniforms, c = this.camera;
    this.using = what;
    gl.useProgram(what.program);
    for (let k = 0; k < 4; ++k) gl.disableVertexAttribArray(k);
    for (const a of Object.values(what.attributes)) gl.enableVertexAttribArray(a);
    gl.uniformMatrix4fv(u.camera, false, c.matrix);
    if (what === this.lines) {
      gl.uniform2f(u.size, this.canvas.width, this.canvas.height);
    } else {
      gl.uniform3fv(u.eye, c.flat ? c.back : c.eye);
      gl.uniform3fv(u.up, c.up);
      gl.uniform3fv(u.sun, unit(add(add(scaled(c.up, 0.9), scaled(c.right, 0.45)), scaled(c.back, 0.75))));
      gl.uniform1f(u.parallel, c.flat ? 1 : 0);
    }
  }

  draw(mesh, model, colour, shine = 0.16) {
    const gl = this.gl, {attributes, uniforms} = this.surfaces;
    this.use(this.surfaces);
    gl.uniformMatrix4fv(uniforms.model, false, model);
    gl.uniform4fv(uniforms.colour, colour);
    gl.uniform1f(uniforms.shine, shine);
    for (const [name, buffer] of [['place', mesh.places], ['normal', mesh.normals]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.vertexAttribPointer(attributes[name], 3, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0);
  }

  drawLines(lines, colour, width, count = lines.count, first = 0) {
    const gl = this.gl, {attributes, uniforms} = this.lines;
    if (count <= 0) return;
    this.use(this.lines);
    gl.uniform4fv(uniforms.colour, colour);
    gl.uniform1f(uniforms.width, width * this.ratio);
    gl.bindBuffer(gl.ARRAY_BUFFER, lines.buffer);
    gl.vertexAttribPointer(attributes.a, 3, gl.FLOAT, false, 32, 0);
    gl.vertexAttribPointer(attributes.b, 3, gl.FLOAT, false, 32, 12);
    gl.vertexAttribPointer(attributes.which, 2, gl.FLOAT, false, 32, 24);
    gl.drawArrays(gl.TRIANGLES, first * 6, count * 6);
  }

  // Lines of this frame only.
  drawPairs(pairs, colour, width) {
    const gl = this.gl;
    if (pairs.length === 0) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.moving);
    gl.bufferData(gl.ARRAY_BUFFER, Renderer.segments(pairs), gl.DYNAMIC_DRAW);
    this.drawLines({buffer: this.moving, count: pairs.length}, colour, width);
  }
}
