// SPDX-License-Identifier: Apache-2.0
// What the page is: a run, or a sweep with runs in it.
window.page = byId('map') ? new SweepPage(readSweep(byId('data').textContent)) : new Page(readRun(byId('data').textContent));
