#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/images that the program draws: draw_images.py PROGRAM draws them anew.

A picture belongs to a sample of a document, named by the document and its number there, or to an example.
"""
import os
import subprocess
import sys
import tempfile

from samples import fences

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
POSES = ['--stroboscopic', '--width', '560']
CURVES = ['--width', '560', '--height', '260']
# picture, document or example, number of its sample, block that runs, what is drawn
PICTURES = [
    ('poses_pendulum', 'docs/tutorial.md', 1, '', POSES),
    ('phase_pendulum', 'docs/tutorial.md', 3, '', ["phi'", '--against', 'phi in [deg]'] + CURVES),
    ('poses_bar', 'docs/tutorial.md', 4, '', POSES + ['--poses', '8']),
    ('poses_four_bar', 'docs/tutorial.md', 6, '', POSES + ['--poses', '6']),
    ('poses_arm', 'docs/tutorial.md', 7, '', POSES + ['--poses', '4', '--plane', 'xz']),
    ('poses_chain', 'docs/tutorial.md', 9, '', POSES + ['--poses', '7']),
    ('curves_controller', 'docs/tutorial.md', 10, '', CURVES),
    ('curves_ball', 'docs/tutorial.md', 13, '', ['ball.x'] + CURVES),
    ('curves_box', 'docs/tutorial.md', 17, '', ['box.omegax, box.omegay, box.omegaz'] + CURVES),
    ('poses_leg', 'docs/tutorial.md', 18, '', POSES + ['--poses', '9']),
    ('poses_walker', 'examples/walker.mbd', 0, 'walk', POSES),
]

# Of curves every third row is enough, of long runs fewer.
ROWS = {'curves_controller': 25}


def sample(path, number):
    with open(os.path.join(ROOT, path), encoding='utf-8') as text:
        whole = text.read()
    if path.endswith('.mbd'):
        return whole
    lines = whole.split('\n')
    blocks = [(first, last) for first, last, word, _ in fences(lines) if word == 'mbd']
    first, last = blocks[number - 1]
    return '\n'.join(lines[first + 1:last]) + '\n'


def draw(program, name, path, number, block, arguments, folder):
    model, rows, picture = (os.path.join(folder, name + end) for end in ('.mbd', '.csv', '.svg'))
    with open(model, 'w', encoding='utf-8') as out:
        out.write(sample(path, number))
    run = [os.path.abspath(program), 'run', model] + ([block] if block else []) + ['-o', rows, '--quiet', '--interpret']
    run += [] if '--stroboscopic' in arguments else ['--output-every', str(ROWS.get(name, 3))]
    subprocess.run(run, check=True, stdin=subprocess.DEVNULL)
    subprocess.run([os.path.abspath(program), 'plot', rows, *arguments, '-o', picture], check=True)
    with open(picture, encoding='utf-8') as text:
        return text.read()


def stored(name):
    return os.path.join(ROOT, 'docs', 'images', name + '.svg')


def compare(program):
    """The pictures that are not what the program draws."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for picture in PICTURES:
            text = draw(program, *picture, folder)
            there = os.path.exists(stored(picture[0]))
            if not there or open(stored(picture[0]), encoding='utf-8').read() != text:
                wrong.append(picture[0])
    return wrong


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('usage: draw_images.py PROGRAM')
    with tempfile.TemporaryDirectory() as work:
        for entry in PICTURES:
            with open(stored(entry[0]), 'w', encoding='utf-8') as out:
                out.write(draw(sys.argv[1], *entry, work))
