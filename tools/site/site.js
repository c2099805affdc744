// SPDX-License-Identifier: Apache-2.0
// Light and dark, the list of pages on a phone, copying, and the search: all words of the question, anywhere in a section.
'use strict';

const root = document.documentElement;
const stored = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
const dark = matchMedia('(prefers-color-scheme: dark)');
const showTheme = () => root.dataset.theme = stored() || (dark.matches ? 'dark' : 'light');
showTheme();
dark.onchange = showTheme;
document.getElementById('theme').onclick = () => {
  const other = root.dataset.theme === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('theme', other); } catch { /* private windows keep nothing */ }
  root.dataset.theme = other;
};

const menu = document.getElementById('menu'), pages = document.getElementById('navigation');
menu.onclick = () => menu.setAttribute('aria-expanded', String(pages.classList.toggle('open')));

for (const button of document.querySelectorAll('.copy'))
  button.onclick = async () => {
    const text = button.closest('.sample').querySelector('code').textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // pages from disk may not
      const area = Object.assign(document.createElement('textarea'), {value: text});
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    button.textContent = 'Copied';
    setTimeout(() => button.textContent = 'Copy', 1500);
  };

// ---- search
const field = document.querySelector('#search input'), list = document.querySelector('#search ol');
let found = [], chosen = -1;

function score(section, words) {
  const [, , page, title, text] = section, low = (title + '\n' + text).toLowerCase(), head = title.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const at = low.indexOf(word);
    if (at < 0) return 0;
    sum += 1 + (head.includes(word) ? 20 : 0) + (head === word ? 30 : 0) + Math.min(8, low.split(word).length - 1);
    if (page.toLowerCase().includes(word)) sum += 4;
  }
  return sum;
}

function excerpt(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words.find(w => text.toLowerCase().includes(w)) || words[0]) - 50);
  const piece = (at > 0 ? '… ' : '') + text.slice(at, at + 170), line = document.createElement('small');
  let rest = piece;
  while (rest) {
    const places = words.map(w => [rest.toLowerCase().indexOf(w), w]).filter(([k]) => k >= 0).sort((a, b) => a[0] - b[0]);
    if (!places.length) break;
    const [k, w] = places[0];
    line.append(rest.slice(0, k), Object.assign(document.createElement('mark'), {textContent: rest.slice(k, k + w.length)}));
    rest = rest.slice(k + w.length);
  }
  line.append(rest);
  return line;
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(w => w);
  found = words.length ? kSections.map(s => [score(s, words), s]).filter(([n]) => n > 0) : [];
  found = found.sort((a, b) => b[0] - a[0]).slice(0, 12).map(([, s]) => s);
  chosen = -1;
  list.replaceChildren(...found.map(([file, anchor, page, title, text]) => {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = file + '#' + anchor;
    link.append(title === page ? title : title + ' — ' + page, excerpt(text, words));
    link.onclick = () => list.hidden = true;
    item.append(link);
    return item;
  }));
  if (words.length && !found.length) list.append(Object.assign(document.createElement('li'), {textContent: 'Nothing has all of these words.'}));
  list.hidden = !words.length;
}

field.oninput = search;
field.onkeydown = e => {
  const links = [...list.querySelectorAll('a')];
  if (e.key === 'Escape') list.hidden = true;
  if (e.key === 'Enter' && links.length) links[Math.max(0, chosen)].click();
  const step = {ArrowDown: 1, ArrowUp: -1}[e.key];
  if (!step || !links.length) return;
  e.preventDefault();
  chosen = (chosen + step + links.length) % links.length;
  links.forEach((l, k) => l.classList.toggle('chosen', k === chosen));
  links[chosen].scrollIntoView({block: 'nearest'});
};
addEventListener('keydown', e => {
  if (e.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
  e.preventDefault();
  field.focus();
});
addEventListener('click', e => {
  if (!e.target.closest('#search')) list.hidden = true;
});
