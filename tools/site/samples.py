# SPDX-License-Identifier: Apache-2.0
"""The models on the site: each is run by the program, and its pictures are drawn from what came out."""
import os
import re
import subprocess


class Sample:
    def __init__(self, name, text, where, beside=()):
        self.name = name          # of its file, without an ending
        self.text = text
        self.where = where        # "language.md:120"
        self.beside = beside      # files it reads: (name, text)
        self.pictures = []        # (file of the site, what it shows)
        self.page = None          # its motion
        self.error = None

    @property
    def runs(self):
        return re.search(r'^\s*simulate\b', self.text, re.MULTILINE) is not None


class Runner:
    """Writes `folder`/NAME.mbd, then NAME.svg, ... and says what of these there is."""

    def __init__(self, program, folder, work):
        self._program = os.path.abspath(program)
        self._folder = folder
        self._work = work

    def _path(self, sample):
        return os.path.join(self._folder, sample.name + '.mbd')

    def write(self, sample):
        write(self._path(sample), sample.text)
        for name, text in sample.beside:
            write(os.path.join(self._folder, name), text)

    def run(self, sample, page=False):
        path = self._path(sample)
        check = self._mbc('check', path)
        if check.returncode != 0:
            sample.error = check.stderr
            return sample
        if sample.runs:
            self._pictures(sample, path, page)
        return sample

    def _pictures(self, sample, path, page):
        rows = os.path.join(self._work, sample.name + '.csv')
        block = re.search(r'^\s*simulate[ \t]+(\w+)', sample.text, re.MULTILINE)
        report = os.path.join(self._folder, sample.name + '.html')
        command = ['run', path] + ([block.group(1)] if block else []) + ['-o', rows, '--quiet']
        ran = self._mbc(*command, *(['--report', report] if page else []))
        if ran.returncode != 0:
            sample.error = ran.stderr
            return
        if page and os.path.exists(report):
            sample.page = sample.name + '.html'
        poses, curves = sample.name + '-poses.svg', sample.name + '.svg'
        size = ['--width', '420', '--height', '300']
        if self._mbc('plot', rows, '--stroboscopic', '-o', os.path.join(self._folder, poses), *size).returncode == 0:
            sample.pictures.append((poses, 'Poses of the motion'))
        if self._mbc('plot', rows, '-o', os.path.join(self._folder, curves), *size).returncode == 0:
            sample.pictures.append((curves, 'Curves over the run'))

    def _mbc(self, *arguments):
        return subprocess.run([self._program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as out:
        out.write(text)


def fences(lines):
    """(first line, last line, word behind the fence, indent) of each fenced block; lines count from 0."""
    begin = None
    for k, line in enumerate(lines):
        found = re.match(r'^( *)```(\S*)', line)
        if not found:
            continue
        if begin is None:
            begin = (k, found.group(2), len(found.group(1)))
        else:
            yield begin[0], k, begin[1], begin[2]
            begin = None
    if begin is not None:
        raise ValueError('a block that begins in line %d has no end' % (begin[0] + 1))
