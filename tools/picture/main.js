// SPDX-License-Identifier: Apache-2.0
// The page: time, player, keys, and what ties picture and curves together.

const kIcons = {
  play: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 1l11 7-11 7z"/></svg>',
  pause: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 1h4v14H3zM9 1h4v14H9z"/></svg>'
};
const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 1e4, 1e5, 1e6];
const kKeys = [
  ['space', 'play, pause'], ['← →', 'one frame; with shift, a twentieth'], ['home end', 'first, last frame'], ['+ −', 'faster, slower'],
  ['1 2 3 4', 'views: all, front, side, top'], ['f', 'follow the chosen part, or nothing'], ['t', 'paths'], ['r', 'forces and reactions'], ['n', 'names'],
  [', .', 'the event before, behind'],
  ['drag', 'turn the picture; with shift or two fingers, move it'], ['wheel', 'nearer, farther'], ['click', 'choose a part, read its values'],
  ['escape', 'choose nothing, show all of the curves']
];
const byId = id => document.getElementById(id);

// Of what is said of a model; a sketch may stand below it.
function firstSentence(text) {
  const [, first] = text.match(/^(.*?\.)\s/s) || [null, text];
  return first.split(/\n\s*\n/)[0].replace(/\s+/g, ' ');
}

// When the size of an element changes. An observer also calls once when it begins, but by then all is drawn.
function onResize(element, act) {
  const size = () => element.clientWidth + ' ' + element.clientHeight;
  let before = size();
  new ResizeObserver(() => {
    if (before === size()) return;
    before = size();
    act();
  }).observe(element);
}

class Page {
  constructor(run) {
    this.run = run;
    this.first = run.times[0] || 0;
    this.last = run.times[run.frames - 1] || 0;
    this.time = this.first;
    this.window = null;
    this.playing = false;
    this.charts = [];
    this.header();
    this.panels = new Panels(this);
    this.charts = this.run.plots ? this.askedCharts() : this.chartsToStart();
    this.player();
    this.keys();
    this.picture();
    this.showCharts();
    this.update();
    onResize(byId('view'), () => this.resized());
    onResize(byId('panels'), () => this.drawCharts());
    kDarkScheme.onchange = () => this.resized() || this.charts.forEach(c => c.makeLegend()) || this.drawCharts();
  }

  header() {
    const {run} = this, name = run.file === '-' ? 'model' : run.file.split('/').pop();
    byId('name').textContent = name + (run.simulation ? ' · ' + run.simulation : '');
    byId('what').textContent = firstSentence(run.title || '');
    byId('what').title = run.title || '';
    const errors = run.diagnostics.filter(d => d.severity === 'error'), state = byId('state');
    const frames = run.frames === run.rows ? run.rows + ' frames' : run.frames + ' frames of ' + run.rows + ' rows';
    state.textContent = errors.length ? 'stopped: ' + errors[errors.length - 1].message : frames;
    state.classList.toggle('bad', errors.length > 0);
  }

  // ---- curves
  chartsToStart() {
    const {series} = this.run, of = group => series.filter(s => s.group === group);
    const parts = new Set(this.run.scene.parts.map(p => p.name)), own = of('output').filter(s => !parts.has(s.name.replace(/\.\w+$/, '')));
    const outputs = own.length ? own : of('output');  // what the user wrote, before the coordinates of followers
    const energies = of('energy').length && !of('energy').every(s => s.values.every(v => v === 0)) ? of('energy') : [];
    const charts = this.chartsOf(outputs.slice(0, 12));
    if (!outputs.some(s => s.name.startsWith('energy.'))) charts.push(...this.chartsOf(energies));
    if (charts.length === 0 || outputs.length === 0) charts.push(...this.chartsOf(of('column').slice(0, 3)));
    return [...charts, ...this.chartsOf([...of('residual'), ...of('rank')])];
  }

  // What the model asks for (`plot` of its `simulate` block), then energies and residual where they are not among it.
  askedCharts() {
    const {series, plots} = this.run, of = group => series.filter(s => s.group === group);
    const column = c => {
      const s = series.find(s => s.name === c.name);
      return s && c.factor !== undefined ? {...s, unit: c.unit, values: s.values.map(v => v * c.factor)} : s;
    };
    const charts = plots.flatMap(
        plot => this.chartsOf(plot.curves.map(column).filter(s => s), {together: true, over: plot.over ? column(plot.over) : null}));
    const asked = new Set(plots.flatMap(p => p.curves.map(c => c.name)));
    if (!of('energy').some(s => asked.has(s.name)) && !of('energy').every(s => s.values.every(v => v === 0)))
      charts.push(...this.chartsOf(of('energy')));
    return [...charts, ...this.chartsOf([...of('residual'), ...of('rank')])];
  }

  // One chart for each unit, and no more than eight curves in it. `together`: what the model names together is.
  chartsOf(series, {together = false, over = null} = {}) {
    const groups = new Map(), lists = [];
    for (const s of series) {
      // without units one cannot say what belongs together but by the name: components of one vector do
      const stem = s.unit ? '' : s.name.replace(/\.(x|y|z)$/, '');
      const key = together ? s.unit : s.group === 'energy' || s.group === 'residual' ? s.group : s.unit + ' ' + stem;
      if (!groups.has(key) || groups.get(key).length >= 8) lists.push(groups.set(key, []).get(key));
      groups.get(key).push(s);
    }
    return lists.map(list => new Chart(this, list, over));
  }

  addCharts(series) {
    this.charts = [...this.chartsOf(series), ...this.charts];
    this.showCharts();
  }

  showCharts() {
    this.panels.charts.replaceChildren(...this.charts.map(c => c.element));
    this.drawCharts();
  }

  removeChart(chart) {
    this.charts = this.charts.filter(c => c !== chart);
    chart.element.remove();
  }

  drawCharts() {
    const sizes = this.charts.map(c => c.size());
    this.charts.forEach((c, k) => c.draw(sizes[k]));
  }

  // ---- time
  player() {
    byId('play').onclick = () => this.toggle();
    const seek = byId('seek');
    seek.oninput = () => this.seek(this.first + Number(seek.value) * (this.last - this.first));
    const speed = byId('speed');
    for (const s of kSpeeds) speed.append(new Option('× ' + (s >= 1e4 ? s.toExponential().replace('e+', 'e') : s), s));
    const span = this.last - this.first, wanted = span >= 2 && span <= 40 ? 1 : span / 10;
    this.speed = kSpeeds.reduce((a, b) => Math.abs(Math.log(b / (wanted || 1))) < Math.abs(Math.log(a / (wanted || 1))) ? b : a);
    speed.value = this.speed;
    speed.onchange = () => this.speed = Number(speed.value);
    this.showPlaying();
    this.marks();
  }

  toggle() {
    this.playing = !this.playing && this.last > this.first;
    if (this.playing && this.time >= this.last) this.time = this.first;
    this.before = null;
    this.showPlaying();
    if (this.playing) requestAnimationFrame(now => this.tick(now));
  }

  showPlaying() {
    const play = byId('play'), what = this.playing ? 'Pause' : 'Play';
    play.innerHTML = this.playing ? kIcons.pause : kIcons.play;
    play.setAttribute('aria-label', what);
    play.title = what + ' (space)';
  }

  tick(now) {
    if (!this.playing) return;
    if (this.before !== null) this.time += (now - this.before) / 1000 * this.speed;
    this.before = now;
    if (this.time >= this.last) {
      this.time = this.last;
      this.playing = false;
      this.showPlaying();
    }
    this.update();
    if (this.playing) requestAnimationFrame(next => this.tick(next));
  }

  seek(time) {
    this.time = Math.min(this.last, Math.max(this.first, time));
    this.before = null;
    this.update();
  }

  update() {
    const {run} = this, [frame, fraction] = frameAt(run, this.time), span = this.last - this.first;
    if (this.drawing) this.drawing.draw(frame, fraction);  // before anything is written, which would have to be laid out for it
    byId('seek').value = span > 0 ? (this.time - this.first) / span : 0;
    const decimals = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(span || 1))));
    byId('time').textContent = withUnit(this.time.toFixed(decimals), run.time_unit);
    byId('seek').setAttribute('aria-valuetext', byId('time').textContent);
    if (this.drawing) {
      this.placeNames();
      this.readout();
    }
    for (const c of this.charts) c.cursor();
  }

  // ---- events
  marks() {
    const span = this.last - this.first || 1;
    byId('marks').firstElementChild.setAttribute('d', this.run.events.map(e => 'M' + ((e.time - this.first) / span).toFixed(5) + ' 0v1').join(''));
  }

  toEvent(step) {
    const {events} = this.run, little = 1e-9 * (this.last - this.first);
    const beyond = events.filter(e => step > 0 ? e.time > this.time + little : e.time < this.time - little);
    if (beyond.length) this.seek(beyond[step > 0 ? 0 : beyond.length - 1].time);
  }

  frames(step) {
    const [frame, fraction] = frameAt(this.run, this.time), at = Math.round(frame + fraction) + step;
    this.seek(this.run.times[Math.min(this.run.frames - 1, Math.max(0, at))]);
  }

  faster(step) {
    const k = kSpeeds.indexOf(this.speed) + step;
    this.speed = kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, k))];
    byId('speed').value = this.speed;
  }

  // ---- picture
  picture() {
    const {run} = this, nothing = text => {  // the curves get the whole width
      byId('nothing').textContent = text;
      byId('nothing').hidden = false;
      byId('tools').hidden = byId('scene').hidden = true;
      document.querySelector('main').classList.add('alone');
    };
    if (run.no_picture || run.scene.parts.length === 0) return nothing(run.no_picture || 'nothing in this model has a place');
    try {
      this.drawing = new SceneDrawing(run, byId('scene'));
    } catch (problem) {
      return nothing('no picture: ' + problem.message);
    }
    for (const [name, title, key] of [['default', 'All', '1'], ['front', 'Front', '2'], ['side', 'Side', '3'], ['top', 'Top', '4']]) {
      if (this.drawing.flat && name !== 'default') continue;
      byId('views').append(element('button', {textContent: title, title: title + ' (' + key + ')', onclick: () => this.view(name)}));
    }
    const follow = byId('follow');
    follow.append(new Option('no follow', -1));
    run.scene.parts.forEach((p, k) => p.name && k < 500 && follow.append(new Option('follow ' + p.name, k)));
    follow.onchange = () => this.followPart(Number(follow.value));
    byId('traces').onclick = () => this.paths();
    byId('names').onclick = () => this.names();
    byId('snapshot').onclick = () => this.snapshot();
    byId('traces').setAttribute('aria-pressed', String(this.drawing.showPaths));
    byId('arrows').hidden = !(this.drawing.perForce > 0);
    byId('arrows').onclick = () => this.arrows();
    byId('arrows').setAttribute('aria-pressed', String(this.drawing.showArrows));
    if (run.scene.parts.length <= 8) this.names();
    const {gridStep, perForce} = this.drawing, units = run.scene.units;
    byId('scale').textContent = 'grid: ' + withUnit(shown(gridStep), units ? 'm' : '') +
        (perForce > 0 ? ', as an arrow ' + withUnit(shown(gridStep / perForce, 3), units ? 'N' : '') : '');
    this.pointers(byId('scene'));
  }

  // What is drawn by the graphics card has pixels only; `mbc plot --stroboscopic` makes SVG of poses.
  snapshot() {
    this.update();
    byId('scene').toBlob(blob => download(fileName(byId('name').textContent) + '.png', blob));
  }

  resized() {
    if (this.drawing) this.update();
  }

  view(name) {
    this.drawing.setView(name);
    this.update();
  }

  followPart(part) {
    this.drawing.follow = part;
    this.drawing.offset = null;
    byId('follow').value = part;
    this.update();
  }

  paths() {
    this.drawing.showPaths = !this.drawing.showPaths;
    byId('traces').setAttribute('aria-pressed', String(this.drawing.showPaths));
    this.update();
  }

  arrows() {
    if (!(this.drawing.perForce > 0)) return;
    this.drawing.showArrows = !this.drawing.showArrows;
    byId('arrows').setAttribute('aria-pressed', String(this.drawing.showArrows));
    this.update();
  }

  names() {
    this.named = !this.named;
    byId('names').setAttribute('aria-pressed', String(this.named));
    const room = byId('labels');
    room.replaceChildren();
    this.labels = this.named ? this.run.scene.parts.map((p, k) => {
      if (!p.name || k >= 200) return null;
      const label = element('span', {textContent: p.name});
      room.append(label);
      return label;
    }) : [];
    if (this.drawing.now) this.placeNames();
  }

  // Names that would cover others that are there already are left out.
  placeNames() {
    const taken = [], {drawing} = this;
    (this.labels || []).forEach((label, k) => {
      if (!label) return;
      const [x, y] = drawing.pixel(drawing.centreOf(k, drawing.now)), w = label.textContent.length * 7 + 8;
      const box = [x + 8, y - 20, x + 8 + w, y - 4], inside = x > 0 && y > 0 && x < drawing.renderer.width && y < drawing.renderer.height;
      const free = inside && !taken.some(b => b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3]);
      label.hidden = !free && k !== drawing.chosen;
      if (label.hidden) return;
      taken.push(box);
      label.classList.toggle('chosen', k === drawing.chosen);
      label.style.transform = `translate(${Math.round(box[0])}px, ${Math.round(box[1])}px)`;
    });
  }

  choose(part) {
    this.drawing.chosen = part;
    this.readout(true);
    this.update();
  }

  // The values of the part that was chosen, with how finely the page holds them.
  readout(anew = false) {
    const box = byId('readout'), k = this.drawing.chosen, {run} = this;
    box.hidden = k < 0;
    if (k < 0) return;
    const part = run.scene.parts[k], pose = this.drawing.now[k], unitOfLength = run.scene.units ? 'm' : '';
    const axes = ['x', 'y', 'z'].slice(0, run.scene.space), rows = axes.map((a, i) => [a, withUnit(shown(pose.at[i]), unitOfLength)]);
    if (part.kind === 'body' && run.scene.space === 3) rows.push(['turn', pose.turn.map(v => shown(v, 3)).join(' ')]);
    if (part.kind === 'body' && run.scene.space === 2)
      rows.push(['angle', shown(2 * Math.atan2(pose.turn[3], pose.turn[0]) * 180 / Math.PI, 4) + '°']);
    if (part.kind !== 'place') rows.push(['mass', withUnit(shown(part.mass), run.scene.units ? 'kg' : '')]);
    const [frame, fraction] = frameAt(run, this.time);
    run.scene.arrows.forEach((a, i) => {
      if (a.at.part !== k || rows.length > 11) return;
      const size = norm(arrowOf(run, i, frame, fraction));
      rows.push([a.kind + ' ' + a.name, Number.isNaN(size) ? '–' : withUnit(shown(size, 4), run.scene.units ? 'N' : '')]);
    });
    if (!anew && box.dataset.part === String(k)) {
      box.querySelectorAll('td + td').forEach((cell, i) => cell.textContent = rows[i][1]);
      return;
    }
    box.dataset.part = k;
    const table = element('table', {}, ...rows.map(r => element('tr', {}, ...r.map(t => element('td', {textContent: t})))));
    const steps = axes.map((a, i) => run.poses[kPose * k + i].step), finest = Math.max(...steps);
    const notes = [part.description, finest > 0 ? 'places to ' + withUnit(shown(finest, 2), unitOfLength) : ''];
    if (part.shape) notes.push(part.shape.known ? 'shape: ' + part.shape.function : 'shape: a uniform body of the same inertia' + (part.shape.drawn < 1 ? ', drawn smaller' : ''));
    const plot = element('button', {textContent: 'Curves', onclick: () => {
      const loads = this.run.series.filter(s => s.group === 'load' && s.name.endsWith(' on ' + part.name)).slice(0, 4);
      this.addCharts([...this.run.series.filter(s => s.name.startsWith(part.name + '.')).slice(0, 6), ...loads]);
      this.panels.open(0);
    }});
    box.replaceChildren(element('h2', {textContent: part.kind + ' ' + part.name}), table,
                        ...notes.filter(t => t).map(t => element('p', {textContent: t})), plot);
  }

  // ---- mouse, fingers, keys
  pointers(canvas) {
    const down = new Map();
    let moved = 0, apart = 0;
    const spread = () => {
      const [a, b] = [...down.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    canvas.onpointerdown = e => {
      canvas.setPointerCapture(e.pointerId);
      down.set(e.pointerId, {x: e.clientX, y: e.clientY});
      if (down.size === 1) moved = 0;
      if (down.size === 2) apart = spread();
    };
    canvas.onpointermove = e => {
      const p = down.get(e.pointerId);
      if (!p) return;
      const dx = e.clientX - p.x, dy = e.clientY - p.y;
      moved += Math.abs(dx) + Math.abs(dy);
      Object.assign(p, {x: e.clientX, y: e.clientY});
      if (down.size === 2) {
        const now = spread();
        this.drawing.zoom(apart / Math.max(now, 1));
        apart = now;
        this.drawing.pan(dx / 2, dy / 2);
      } else if (e.shiftKey || e.buttons === 2 || e.buttons === 4) {
        this.drawing.pan(dx, dy);
      } else {
        this.drawing.orbit(dx, dy);
      }
      this.update();
    };
    const up = e => {
      down.delete(e.pointerId);
      const box = canvas.getBoundingClientRect();
      if (e.type === 'pointerup' && moved < 5) this.choose(this.drawing.partAt(e.clientX - box.left, e.clientY - box.top));
    };
    canvas.onpointerup = up;
    canvas.onpointercancel = up;
    canvas.oncontextmenu = e => e.preventDefault();
    canvas.addEventListener('wheel', e => {
      e.preventDefault();
      this.drawing.zoom(Math.exp(Math.sign(e.deltaY) * Math.min(0.25, Math.abs(e.deltaY) / 400)));
      this.update();
    }, {passive: false});
  }

  keys() {
    byId('keys').append(element('h2', {textContent: 'Keys'}),
                        element('table', {}, ...kKeys.map(([k, t]) => element('tr', {}, element('td', {}, ...k.split(' ').map(w => element('kbd', {textContent: w}))),
                                                                             element('td', {textContent: t})))));
    byId('keys').onclick = () => byId('keys').close();
    byId('help').onclick = () => byId('keys').showModal();
    const picture = {
      1: () => this.view('default'), 2: () => this.view('front'), 3: () => this.view('side'), 4: () => this.view('top'),
      f: () => this.followPart(this.drawing.follow >= 0 ? -1 : this.drawing.chosen), t: () => this.paths(), r: () => this.arrows(), n: () => this.names()
    };
    const always = {
      ' ': () => this.toggle(), ArrowLeft: () => this.frames(-1), ArrowRight: () => this.frames(1), Home: () => this.seek(this.first),
      End: () => this.seek(this.last), '+': () => this.faster(1), '-': () => this.faster(-1), '?': () => byId('keys').showModal(),
      ',': () => this.toEvent(-1), '.': () => this.toEvent(1),
      Escape: () => {
        this.window = null;
        this.drawCharts();
        if (this.drawing) this.choose(-1);
      }
    };
    document.addEventListener('keydown', e => {
      if (e.ctrlKey || e.metaKey || e.altKey || ['INPUT', 'SELECT', 'TEXTAREA'].includes(e.target.tagName) && e.target.id !== 'seek') return;
      if (e.target.tagName === 'BUTTON' && e.key === ' ') return;
      if (byId('keys').open) return;
      const many = e.shiftKey && {ArrowLeft: -1, ArrowRight: 1}[e.key];
      const action = many ? () => this.seek(this.time + many * (this.last - this.first) / 20) : always[e.key] || (this.drawing && picture[e.key]);
      if (!action) return;
      e.preventDefault();
      action();
    });
  }
}
