"""The documentation site (tools/site): each page, each link of a page leads to a file and a place that are there, nothing is fetched from a
network, the search index finds what it should. A broken link ends tools/site with 1. Skipped, aloud, where Sphinx, MyST or Furo is missing."""
import html.parser
import importlib.util
import shutil
import urllib.parse

from harness import *

missing = [name for name in ("sphinx", "myst_parser", "furo") if not importlib.util.find_spec(name)]
if missing:
    print(f"SKIPPED: no {', '.join(missing)}: tools/deps site installs them")
    sys.exit(SKIPPED)


class Page(html.parser.HTMLParser):
    def __init__(self, name):
        super().__init__()
        self.links, self.places, self.fetched = [], set(), []
        with open(name, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.places |= {of[key] for key in ("id", "name") if of.get(key)}
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        if tag in ("img", "script", "link", "iframe"):
            self.fetched += [of[key] for key in ("src", "href") if of.get(key) and of.get("rel") != "canonical"]


def site(out, root=SOURCE):
    done = subprocess.run([os.path.join(root, "tools/site"), "--out", out], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


out = path("site")
status, said = site(out)
check(status == 0 and f"file://{out}/index.html" in said, "tools/site", status, said)
pages = {os.path.relpath(os.path.join(folder, name), out): Page(os.path.join(folder, name))
         for folder, _, names in os.walk(out) for name in names if name.endswith(".html")}
wanted = {"docs/" + n[:-3] + ".html" for n in os.listdir(os.path.join(SOURCE, "docs")) if n.endswith(".md")} | {"README.html", "deploy/README.html"}
check(wanted <= set(pages), "pages of the site", wanted - set(pages))
links, broken = 0, []
for name, page in pages.items():
    for link in page.links + page.fetched:
        where = urllib.parse.urlsplit(link)
        if where.scheme in ("http", "https", "mailto", "data"):
            check(link not in page.fetched or where.scheme == "data", f"{name} fetches from a network", link)
            continue
        links += 1
        target = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(where.path))) if where.path else name
        there = os.path.exists(os.path.join(out, target))
        place = urllib.parse.unquote(where.fragment)
        if not there or (place and target in pages and place not in pages[target].places):
            broken.append(f"{name}: {link}")
check(links > 5000 and not broken, "links of the site", links, len(broken), *broken[:40])
with open(os.path.join(out, "searchindex.js"), encoding="utf-8") as file:
    index = file.read()
check(index.startswith("Search.setIndex(") and all(word in index for word in ("tension", "lockstep", "stinger")), "the search index", index[:200])

# A link that leads nowhere, and a page that the index does not list.
copy = path("copy")
OTHERS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "deploy/README.md")
for name in ("docs", "tools/site", *OTHERS, "CMakeLists.txt"):
    target = os.path.join(copy, name)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(os.path.join(SOURCE, name)):
        shutil.copytree(os.path.join(SOURCE, name), target, ignore=lambda folder, names: [n for n in names if n.endswith(".md") and n not in ("index.md", "model.md")])
    else:
        shutil.copy(os.path.join(SOURCE, name), target)
for name in (*OTHERS, *("docs/" + n for n in os.listdir(os.path.join(SOURCE, "docs")) if n.endswith(".md") and n not in ("index.md", "model.md"))):
    with open(os.path.join(copy, name), "w") as file:
        file.write("# " + name[:-3] + "\n")
with open(os.path.join(copy, "docs/model.md"), "a") as file:
    file.write("\nSee [nowhere](model.md#nowhere-at-all).\n")
status, said = site(path("broken"), copy)
check(status == 1 and "nowhere-at-all" in said, "a broken link", status, said[-2000:])
with open(os.path.join(copy, "docs/lonely.md"), "w") as file:
    file.write("# Lonely\n")
status, said = site(path("lonely"), copy)
check(status == 1 and "docs/lonely.md" in said, "a page that the index does not list", status, said[-2000:])
