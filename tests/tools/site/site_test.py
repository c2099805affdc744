# SPDX-License-Identifier: Apache-2.0
"""Tests the site of the documents: every page, every sample, no dead link, and the checks themselves."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.getcwd(), 'tools', 'site'))
import build_site  # noqa: E402
import draw_images  # noqa: E402
import links  # noqa: E402
import samples  # noqa: E402

program, folder = sys.argv[1:3]
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('site: FAILED: ' + what)


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as text:
        return text.read()


site = build_site.Site(program, folder)
check(site.build() == 0, 'the site is built without a failed sample or a dead link')

# Every page of docs/ and every example exists, and all pages begin in the same way.
for name in os.listdir('docs'):
    if name.endswith('.md'):
        page = read(folder, name[:-3] + '.html')
        check(page.count('<h1') == 1 and '@@' not in page, name + ' is a page')
check(len(site.examples) == sum(n.endswith('.mbd') for _, _, names in os.walk('examples') for n in names),
      'every example has a page')

# The samples are those that mbc_unit_docs compiles and runs: the ```mbd blocks that begin a line of docs/*.md and
# README.md.
for document in site.documents.values():
    if document.name == 'examples':
        continue
    where = [s.where for s in document.samples]
    path = 'README.md' if document.name == 'index' else document.path
    lines = read(path).split('\n')
    check(where == ['%s:%d' % (os.path.basename(path), k + 1) for k, line in enumerate(lines) if line == '```mbd'],
          'the samples of ' + path)

# A sample with a run has curves. If something moves in space, it also has poses. All of them can be downloaded
# unchanged.
for s in site.samples:
    place = os.path.join(folder, 'models' if s in site.examples.values() else 'samples')
    check(read(place, s.name + '.mbd') == s.text, s.where + ' can be downloaded')
    check(not s.runs or any(not p.endswith('-poses.svg') for p, _ in s.pictures), s.where + ' has curves')
drawn = [s for s in site.samples if any(p.endswith('-poses.svg') for p, _ in s.pictures)]
check(len(drawn) > 0.8 * sum(s.runs for s in site.samples), 'most samples have a picture of their motion')

# Nothing is loaded from other servers.
for base, _, names in os.walk(folder):
    for name in names:
        if name.endswith(('.html', '.css', '.js')) and os.sep + 'models' not in base and os.sep + 'samples' not in base:
            text = read(base, name)
            check(not re.search(r'(src|@import|url\()[=" (]*https?:', text), name + ' needs no network')

# The colours are those of the language server.
tutorial = read(folder, 'tutorial.html')
check('<span class="t-keyword">particle</span>' in tutorial, 'keywords have their colour')
check('<span class="t-class">Revolute</span>' in tutorial, 'joints have theirs')

# The search finds every heading.
index = read(folder, 'search-index.js')
for document in site.documents.values():
    check('["%s.html","' % document.name in index, 'the search knows ' + document.name)

# The pictures of the documents are small and equal to those that the program draws.
check(draw_images.compare(program) == [], 'docs/images are as tools/site/draw_images.py draws them')
for picture in draw_images.PICTURES:
    check(os.path.getsize('docs/images/%s.svg' % picture[0]) < 30000, picture[0] + ' is small')

# The checks find wrong links.
with tempfile.TemporaryDirectory() as wrong:
    samples.write(os.path.join(wrong, 'a.html'), '<h1 id="x">a</h1><a href="b.html">b</a><a href="#y">y</a><a href="#x">x</a>')
    dead, followed = links.dead_links(wrong)
    check(followed == 3 and len(dead) == 2, 'dead links are found')
    bad = samples.Sample('bad', 'mbd 1\nparticle p(1)\nsimulate { time = 0 .. 1 step 0.1 }\nconstraint q == 1\n', 'here')
    check(samples.Runner(program, wrong, wrong).run(bad).error is not None, 'a wrong sample is found')
    run = subprocess.run([sys.executable, 'tools/site/links.py', wrong], capture_output=True, check=False)
    check(run.returncode == 1, 'links.py says so')

print('site: %d passed, %d failed' % (passed, failed))
sys.exit(1 if failed else 0)
