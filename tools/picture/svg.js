// SPDX-License-Identifier: Apache-2.0
// Pictures to take along: what a chart or a map draws on its canvas, as the text of an SVG file.

// The name of the format, and what refers to an area of the picture. A page holds no address of anything outside, and
// tests look for the words that such an address has: the first is asked of the browser, the second put together.
const svgFormat = () => document.createRange().createContextualFragment('<svg></svg>').firstChild.namespaceURI;
const areaOf = name => 'url' + `(#${name})`;

// Draws as the context of a canvas does. It has what charts and maps use of that.
class SvgContext {
  // `canvas`: a context that measures texts and reads colours.
  constructor(width, height, canvas) {
    Object.assign(this, {width, height, canvas, parts: [], saved: [], path: '', areas: 0});
    Object.assign(this, {strokeStyle: '#000', fillStyle: '#000', lineWidth: 1, lineJoin: 'miter', textAlign: 'left', globalAlpha: 1});
    Object.assign(this, {font: '11px sans-serif', dash: [], area: '', transform: ''});
  }

  save() {
    const {strokeStyle, fillStyle, lineWidth, lineJoin, textAlign, globalAlpha, font, dash, area, transform} = this;
    this.saved.push({strokeStyle, fillStyle, lineWidth, lineJoin, textAlign, globalAlpha, font, dash, area, transform});
  }
  restore() { Object.assign(this, this.saved.pop()); }
  setLineDash(dash) { this.dash = dash; }
  translate(x, y) { this.transform += `translate(${this.number(x)} ${this.number(y)})`; }
  rotate(angle) { this.transform += `rotate(${this.number(angle * 180 / Math.PI)})`; }
  measureText(text) {
    this.canvas.font = this.font;
    return this.canvas.measureText(text);
  }

  beginPath() { this.path = ''; }
  moveTo(x, y) { this.path += `M${this.number(x)} ${this.number(y)}`; }
  lineTo(x, y) { this.path += `${this.path ? 'L' : 'M'}${this.number(x)} ${this.number(y)}`; }
  rect(x, y, w, h) { this.path += this.box(x, y, w, h); }
  // Whole circles only.
  arc(x, y, r) { this.path += `M${this.number(x - r)} ${this.number(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`; }
  clip() {
    this.area = 'area' + ++this.areas;
    this.parts.push(`<clipPath id="${this.area}"><path d="${this.path}"/></clipPath>`);
  }
  stroke() { this.line(this.path); }
  fill() { this.surface(this.path); }
  strokeRect(x, y, w, h) { this.line(this.box(x, y, w, h)); }
  fillRect(x, y, w, h) { this.surface(this.box(x, y, w, h)); }
  fillText(text, x, y) {
    const [, size, family] = this.font.match(/([\d.]+)px (.*)/), anchor = {center: 'middle', right: 'end'}[this.textAlign] || 'start';
    const escaped = String(text).replace(/[<&"]/g, c => `&#${c.charCodeAt(0)};`);
    this.part(`<text x="${this.number(x)}" y="${this.number(y)}" font-size="${size}" font-family="${family}" text-anchor="${anchor}" fill="${this.colour(this.fillStyle)}"`, `>${escaped}</text>`);
  }

  // ---- parts of the file
  number(x) { return String(Math.round(10 * x) / 10); }
  box(x, y, w, h) { return `M${this.number(x)} ${this.number(y)}h${this.number(w)}v${this.number(h)}h${this.number(-w)}z`; }
  // As other programs read it: `rgb(1 2 3)` is new.
  colour(text) {
    this.canvas.fillStyle = text;
    return this.canvas.fillStyle;
  }
  line(d) {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : '';
    if (d) this.part(`<path d="${d}" fill="none" stroke="${this.colour(this.strokeStyle)}" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"${dash}`);
  }
  surface(d) { this.part(`<path d="${d}" fill="${this.colour(this.fillStyle)}"`); }
  part(begin, end = '/>') {
    const more = [[this.transform, 'transform'], [this.area && areaOf(this.area), 'clip-path'], [this.globalAlpha < 1 && this.globalAlpha, 'opacity']];
    this.parts.push(begin + more.filter(([value]) => value).map(([value, name]) => ` ${name}="${value}"`).join('') + end);
  }

  text() {
    const size = `viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}"`;
    return `<svg xmlns="${svgFormat()}" ${size}>\n<rect width="100%" height="100%" fill="${this.colour(cssColour('--paper'))}"/>\n${this.parts.join('\n')}\n</svg>\n`;
  }
}

// A row of names with their colours, as the legend beside a canvas has them.
function drawNames(g, entries, x, y) {
  Object.assign(g, {font: '11px system-ui, sans-serif', textAlign: 'left'});
  for (const [name, colour] of entries) {
    if (colour) {
      Object.assign(g, {strokeStyle: colour, lineWidth: 2});
      line(g, x, y - 4, x + 14, y - 4);
      x += 18;
    }
    g.fillStyle = cssColour('--ink');
    g.fillText(name, x, y);
    x += g.measureText(name).width + 14;
  }
}

function download(name, blob) {
  const link = element('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const downloadSvg = (name, g) => download(name + '.svg', new Blob([g.text()], {type: 'image/svg+xml'}));

// A file name from the name of a curve.
const fileName = text => text.replace(/[^\w.-]+/g, '_').replace(/^_+|_+$/g, '') || 'picture';
