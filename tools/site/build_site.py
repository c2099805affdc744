#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The documents as a site that is read from disk: build_site.py PROGRAM FOLDER.

Every page of docs/, the README and every example; every sample checked and run by PROGRAM, coloured by its language
server, with its pictures and a download. Ends with 1, and says why, where a sample fails or a link is dead.
"""
import html
import json
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import markdown

import links
from colours import Colours
from samples import Runner, Sample, fences, write

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GROUPS = [
    ('Begin', ['index', 'tutorial', 'examples']),
    ('Language', ['language', 'stdlib', 'diagnostics', 'notation']),
    ('Program', ['pictures', 'session', 'compare', 'editors', 'embedding']),
    ('Inside', ['numerics', 'benchmarks', 'architecture', 'adding_a_feature', 'seeds']),
]
NAMES = {'index': 'mbc', 'examples': 'Examples'}


def slug(text, _separator='-'):
    """The anchor of a heading, as the documents write it in their links."""
    return re.sub(r'[^\w\- ]', '', text.strip().lower()).replace(' ', '-')


class Document:
    """A Markdown file: `name` of its page, `path` from the root of the repository."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        with open(os.path.join(ROOT, path), encoding='utf-8') as text:
            self.lines = text.read().split('\n')
        self.title = next(line[2:].strip() for line in self.lines if line.startswith('# '))
        self.blocks = []  # (word, text, sample or None)
        self.samples = []
        self._take_blocks()

    def _take_blocks(self):
        out, done = [], 0
        for first, last, word, indent in fences(self.lines):
            text = '\n'.join(line[indent:] for line in self.lines[first + 1:last]) + '\n'
            sample = None
            if word == 'mbd':
                where = '%s:%d' % (os.path.basename(self.path), first + 1)
                sample = Sample('%s-%d' % (self.name, len(self.samples) + 1), text, where)
                self.samples.append(sample)
            out += self.lines[done:first] + ['', ' ' * indent + '@@block-%d@@' % len(self.blocks), '']
            self.blocks.append((word, text, sample))
            done = last + 1
        self.lines = out + self.lines[done:]
        beside = self._files_beside()
        for sample in self.samples:
            sample.beside = [(name, text) for name, text in beside if '"' + name + '"' in sample.text]

    # "<!-- beside: mast.csv -->" names the file that the next block is.
    def _files_beside(self):
        found, name = [], None
        for line in self.lines:
            begin = re.match(r'<!-- beside: (\S+) -->', line)
            block = re.match(r' *@@block-(\d+)@@', line)
            if begin:
                name = begin.group(1)
            elif block and name:
                found.append((name, self.blocks[int(block.group(1))][1]))
                name = None
        return found

    def html(self, colours):
        text, before = [], ''
        for line in self.lines:
            item = re.match(r'([-*]|\d+\.) ', line)
            if item and before.strip() and not re.match(r'([-*]|\d+\.) |\s', before):
                text.append('')
            text.append(line)
            before = line
        source = re.sub(r'<!--.*?-->', '', '\n'.join(text), flags=re.DOTALL)
        converter = markdown.Markdown(extensions=['tables', 'toc', 'sane_lists'], tab_length=2,
                                      extension_configs={'toc': {'slugify': slug}})
        body = converter.convert(source)
        for k, block in enumerate(self.blocks):
            made = block_html(*block, colours)
            body = body.replace('<p>@@block-%d@@</p>' % k, made).replace('@@block-%d@@' % k, made)
        return body, converter.toc_tokens


def block_html(word, text, sample, colours):
    if sample is not None:
        return sample_html(sample, colours)
    if word == 'session':
        shown = '\n'.join('<b>%s</b>' % html.escape(line) if re.match(r'(mbc|\.\.\.)>', line) else html.escape(line)
                          for line in text.split('\n'))
    else:
        shown = html.escape(text)
    return '<pre class="%s"><code>%s</code></pre>' % (word or 'text', shown)


def sample_html(sample, colours, folder='samples/'):
    file = folder + sample.name + '.mbd'
    bar = '<a href="%s" download>Download %s.mbd</a>' % (file, sample.name)
    bar += '<button class="copy" type="button">Copy</button>'
    if sample.page:
        bar += '<a href="%s%s">Open the motion</a>' % (folder, sample.page)
    pictures = ''.join('<img loading="lazy" src="%s%s" alt="%s of %s">' % (folder, picture, what, sample.name)
                       for picture, what in sample.pictures)
    if pictures:
        pictures = '<div class="drawn">%s</div>' % pictures
    return ('<figure class="sample"><pre class="mbd"><code>%s</code></pre>%s<figcaption>%s</figcaption></figure>' %
            (colours.html(sample.text), pictures, bar))


class Site:
    def __init__(self, program, out):
        self.program, self.out = program, out
        self.index = []  # of the search: page, anchor, title, text
        self.files = {}  # copied: path in the repository -> path in the site
        with open(os.path.join(HERE, 'page.html'), encoding='utf-8') as text:
            self.template = text.read()

    def build(self):
        self._clear()
        documents = [Document('index', 'README.md'), Document('examples', 'examples/README.md')]
        documents += [Document(name[:-3], 'docs/' + name) for name in sorted(os.listdir(os.path.join(ROOT, 'docs')))
                      if name.endswith('.md')]
        listed = [name for _, names in GROUPS for name in names]
        missing = sorted(set(d.name for d in documents) ^ set(listed))
        if missing:
            raise SystemExit('site: the navigation (GROUPS) and docs/ differ in ' + ', '.join(missing))
        self.documents = {d.name: d for d in documents}
        self.examples = self._examples()
        self._run_samples()
        colours = Colours(self.program)
        for name in listed:
            self._page(self.documents[name], colours)
        for path, sample in self.examples.items():
            self._example(path, sample, colours)
        colours.close()
        for name in ('style.css', 'site.js'):
            shutil.copy(os.path.join(HERE, name), os.path.join(self.out, name))
        write(os.path.join(self.out, 'search-index.js'), 'const kSections = %s;\n' %
              json.dumps(self.index, ensure_ascii=False, separators=(',', ':')))
        return self._verdict()

    def _clear(self):
        """Only a folder that a site was built in is emptied: its index for the search is written first and last."""
        mark = os.path.join(self.out, 'search-index.js')
        if os.path.isdir(self.out) and os.listdir(self.out) and not os.path.isfile(mark):
            raise SystemExit('site: `%s` holds other things; name a folder that is empty, or new' % self.out)
        shutil.rmtree(self.out, ignore_errors=True)
        write(mark, '')

    # ---- samples

    def _examples(self):
        found = {}
        for base, _, names in sorted(os.walk(os.path.join(ROOT, 'examples'))):
            for name in sorted(names):
                if not name.endswith('.mbd'):
                    continue
                path = os.path.relpath(os.path.join(base, name), ROOT)
                with open(os.path.join(ROOT, path), encoding='utf-8') as text:
                    body = text.read()
                    tables = [table for table in self._tables(base) if '"%s"' % table[0] in body]
                    found[path] = Sample(path[len('examples/'):-4].replace('/', '-'), body, path, tables)
        return found

    @staticmethod
    def _tables(folder):
        out = []
        for name in sorted(os.listdir(folder)):
            if name.endswith('.csv'):
                with open(os.path.join(folder, name), encoding='utf-8') as text:
                    out.append((name, text.read()))
        return out

    def _run_samples(self):
        with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            samples = Runner(self.program, os.path.join(self.out, 'samples'), work)
            examples = Runner(self.program, os.path.join(self.out, 'models'), work)
            for runner, several in ((samples, (s for d in self.documents.values() for s in d.samples)),
                                    (examples, self.examples.values())):
                for sample in several:
                    runner.write(sample)  # before any of them runs: several read one table
            jobs = [pool.submit(samples.run, s, d.name == 'tutorial') for d in self.documents.values() for s in d.samples]
            jobs += [pool.submit(examples.run, s, True) for s in self.examples.values()]
            self.samples = [job.result() for job in jobs]

    # ---- pages

    def _page(self, document, colours):
        body, toc = document.html(colours)
        self._write(document.name + '.html', NAMES.get(document.name, document.title), body, toc,
                    os.path.dirname(document.path))

    def _example(self, path, sample, colours):
        name = os.path.basename(path)[:-4].replace('_', ' ')
        copied = '; <code>mbc examples %s</code> copies it' % os.path.basename(path)[:-4]
        body = '<h1 id="top">%s</h1><p>One of the <a href="examples.html">examples</a>%s.</p>' % (
            name, copied if os.path.dirname(path) == 'examples' else '')
        body += sample_html(sample, colours, 'models/')
        self._write('example-' + sample.name + '.html', name, body, [], 'examples', 'examples')

    def _write(self, file, title, body, toc, folder, current=None):
        current = current or file[:-5]
        body = re.sub(r'(href|src)="([^"]+)"', lambda m: '%s="%s"' % (m.group(1), self._link(m.group(2), folder)), body)
        body = body.replace('<table>', '<div class="table"><table>').replace('</table>', '</table></div>')
        self._sections(file, title, body)
        page = self.template.replace('@@title@@', html.escape(title)).replace('@@navigation@@', navigation(self, current))
        page = page.replace('@@contents@@', contents(toc)).replace('@@next@@', neighbours(self, current))
        write(os.path.join(self.out, file), page.replace('@@body@@', body))

    def _link(self, link, folder):
        if re.match(r'[a-z]+:|#|samples/|models/', link):
            return link
        path, _, anchor = link.partition('#')
        anchor = '#' + anchor if anchor else ''
        if os.path.exists(os.path.join(self.out, path)) or path in ('examples.html',):
            return link
        target = os.path.normpath(os.path.join(folder, path))
        for document in self.documents.values():
            if document.path == target:
                return document.name + '.html' + anchor
        if target in self.examples:
            return 'example-' + self.examples[target].name + '.html' + anchor
        if os.path.isdir(os.path.join(ROOT, target)):
            return self._folder(target)
        if not os.path.isfile(os.path.join(ROOT, target)):
            return link  # and is found dead
        if target not in self.files:
            self.files[target] = 'files/' + target
            os.makedirs(os.path.dirname(os.path.join(self.out, 'files', target)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, target), os.path.join(self.out, 'files', target))
        return self.files[target] + anchor

    # A folder is a list of its files.
    def _folder(self, folder):
        page = 'files/' + folder.replace('/', '-') + '.html'
        rows = ''
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if os.path.isfile(os.path.join(ROOT, folder, name)):
                link = self._link(name, folder)[len('files/'):]
                rows += '<li><a href="%s">%s</a></li>' % (html.escape(link), html.escape(name))
        write(os.path.join(self.out, page), '<!doctype html><html lang="en"><meta charset="utf-8"><title>%s</title>'
              '<h1>%s</h1><ul>%s</ul></html>\n' % (folder, folder, rows))
        return page

    # A section is what lies between two headings.
    def _sections(self, file, title, body):
        parts = re.split(r'(<h[1-4] id="[^"]*">.*?</h[1-4]>)', body, flags=re.DOTALL)
        for heading, text in zip(parts[1::2], parts[2::2]):
            anchor = re.search(r'id="([^"]*)"', heading).group(1)
            self.index.append([file, anchor, title, plain(heading), plain(text)])

    # ---- the end

    def _verdict(self):
        failed = [s for s in self.samples if s.error]
        for s in failed:
            print('site: the sample %s fails:\n%s' % (s.where, s.error), file=sys.stderr)
        wrong, followed = links.dead_links(self.out)
        for line in wrong:
            print('site: ' + line, file=sys.stderr)
        drawn = sum(len(s.pictures) for s in self.samples)
        print('site: %d pages, %d samples run, %d pictures, %d links, %d dead, %d samples failed' %
              (len(self.documents) + len(self.examples), len(self.samples), drawn, followed, len(wrong), len(failed)))
        return 1 if failed or wrong else 0


def plain(text):
    text = re.sub(r'<figcaption>.*?</figcaption>', ' ', text, flags=re.DOTALL)
    return re.sub(r'\s+', ' ', html.unescape(re.sub(r'<[^>]+>', '', text))).strip()


def navigation(site, current):
    out = ''
    for group, names in GROUPS:
        out += '<h2>%s</h2><ul>' % group
        for name in names:
            here = ' aria-current="page"' if name == current else ''
            out += '<li><a href="%s.html"%s>%s</a></li>' % (name, here, NAMES.get(name, site.documents[name].title))
        out += '</ul>'
    return out


def contents(toc):
    rows = [t for top in toc for t in top['children']]
    if len(rows) < 3:
        return ''
    return '<h2>On this page</h2><ul>%s</ul>' % ''.join(
        '<li><a href="#%s">%s</a></li>' % (t['id'], t['name']) for t in rows)


def neighbours(site, current):
    names = [name for _, list_of in GROUPS for name in list_of]
    if current not in names:
        return ''
    k, out = names.index(current), ''
    for other, word in ((k - 1, '← '), (k + 1, '→ ')):
        if 0 <= other < len(names):
            name = names[other]
            out += '<a href="%s.html">%s%s</a>' % (name, word, NAMES.get(name, site.documents[name].title))
    return out


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: build_site.py PROGRAM FOLDER')
    sys.exit(Site(sys.argv[1], sys.argv[2]).build())
