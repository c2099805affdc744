// SPDX-License-Identifier: Apache-2.0
// pages.mjs PROGRAM SOURCE BROWSER: tests the pages of `mbc view`, `mbc run --report` and `mbc sweep --report` as a
// reader uses them: opened from disk, played, clicked and controlled by keys. They are compared with the rows of the
// same runs.
import { examples, extremes, large, otherPages, runPage } from "./run_page.mjs";
import { sweepPage } from "./sweep_page.mjs";
import { ended, source } from "./support.mjs";

try {
  await runPage();
  await otherPages();
  await large();
  await extremes();
  await sweepPage();
  await examples(source);
  await ended();
} catch (error) {
  await ended(error);
}
