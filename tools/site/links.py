# SPDX-License-Identifier: Apache-2.0
"""Every link, picture and script of a folder of pages leads somewhere in it; links to the network are listed only."""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ('href', 'src') and value is not None:
                self.links.append(value)
            if name == 'id' or (name == 'name' and tag == 'a'):
                if value in self.anchors:
                    self.links.append('#twice: ' + str(value))
                self.anchors.add(value)


def dead_links(folder):
    """What is wrong, one line a link; and how many links were followed."""
    pages = {}
    for base, _, names in os.walk(folder):
        for name in names:
            if name.endswith('.html'):
                path = os.path.normpath(os.path.join(base, name))
                pages[path] = _Page()
                with open(path, encoding='utf-8') as text:
                    pages[path].feed(text.read())
    wrong, followed = [], 0
    for path, page in sorted(pages.items()):
        for link in page.links:
            if link.startswith(('http:', 'https:', 'data:')):
                continue
            followed += 1
            file, anchor = urldefrag(link)
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(file))) if file else path
            outside = not (target + os.sep).startswith(os.path.normpath(folder) + os.sep)
            if outside or not os.path.isfile(target):
                wrong.append('%s: %s leads nowhere' % (path, link))
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                wrong.append('%s: %s: there is no such place' % (path, link))
    return wrong, followed


if __name__ == '__main__':
    found, count = dead_links(sys.argv[1])
    print('\n'.join(found + ['%d links, %d dead' % (count, len(found))]))
    sys.exit(1 if found else 0)
