// SPDX-License-Identifier: Apache-2.0
// A page of `mbc view` in a browser without a window: it opens without errors and requests, plays, is picked and steered
// by keys. No part of ./dev test, since it needs a browser and `npm install playwright-core` in a folder of its own:
//
//   node look.mjs PAGE.html [PICTURE.png [WIDTHxHEIGHT [dark]]]
import {createRequire} from 'node:module';
import path from 'node:path';

const {chromium} = createRequire(path.join(process.cwd(), 'x.js'))('playwright-core');
const [page, picture = '', size = '1280x800', scheme = 'light'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-background-networking']
});
const tab = await browser.newPage({viewport: {width, height}, colorScheme: scheme});
const wrong = [];
tab.on('console', m => ['error', 'warning'].includes(m.type()) && wrong.push(m.type() + ': ' + m.text()));
tab.on('pageerror', e => wrong.push(e.stack));
tab.on('request', r => r.url().startsWith('file:') || wrong.push('request of ' + r.url()));

const begin = Date.now();
await tab.goto('file://' + path.resolve(page));
console.log('opened in ' + (Date.now() - begin) + ' ms');
const check = (what, ok) => ok || wrong.push('not so: ' + what);
const state = () => tab.evaluate(() => ({time: page.time, first: page.first, last: page.last, playing: page.playing}));

const still = await state();
await tab.click('#play');
await tab.waitForTimeout(400);
check('play moves on', (await state()).time > still.time);
await tab.keyboard.press('Home');
await tab.locator('#scene').focus();
await tab.keyboard.press('Space');
check('space pauses', !(await state()).playing);
await tab.keyboard.press('End');
check('end is the last frame', (await state()).time === still.last);
await tab.keyboard.press('ArrowLeft');
check('left goes back', (await state()).time < still.last);
await tab.keyboard.press('Home');

const place = await tab.evaluate(() => {
  const k = page.run.scene.parts.findIndex(p => p.kind !== 'place'), d = page.drawing;
  return d && k >= 0 ? d.pixel(d.centreOf(k, d.now)) : null;
});
if (place) {
  await tab.click('#scene', {position: {x: place[0], y: place[1]}, force: true});
  check('a click shows values', await tab.isVisible('#readout'));
  await tab.keyboard.press('Escape');
  check('escape hides them', !await tab.isVisible('#readout'));
}
for (const name of ['Summary', 'Text', 'Curves']) await tab.getByRole('tab', {name}).click();
const cost = await tab.evaluate(() => {
  const from = performance.now(), n = 100;
  for (let k = 0; k < n; ++k) page.seek(page.first + (page.last - page.first) * k / n);
  return (performance.now() - from) / n;
});
console.log('a frame takes ' + cost.toFixed(2) + ' ms of script');
if (picture) await tab.screenshot({path: picture});
await browser.close();
for (const line of wrong) console.error(line);
process.exit(wrong.length ? 1 : 0);
