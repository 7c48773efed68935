"""sagbend verify: the list, every case holds, JSON, the report, usage."""
import shutil

import phone
from harness import *
from pdf import outline_of

CONFIGS = ["--configs", os.path.join(SOURCE, "configs")]

status, out, err = run("verify", "--list")
names = [line.split()[0] for line in out.splitlines()]
check(status == 0 and len(names) >= 20 and len(set(names)) == len(names), "--list", out, err)
for name in ["statics-jlay", "circle-peers", "paper-iii-pid", "free-flight"]:
    check(name in names, f"{name} is not listed", out)

# Two cases by name, with their report as PDF: that of every case would take a fifth of this test's processor time.
folder = path("two")
status, out, err = run("verify", *CONFIGS, "--case", "elastica", "--case", "roll-up", "--report", folder)
check(status == 0 and "2 of 2 cases hold" in out and "FAILED" not in out, "two cases by name", out, err)
check(out.index("elastica:") < out.index("roll-up:"), "not in the order given", out)
outline = outline_of(os.path.join(folder, "report.pdf"))
titles = [re.sub(r" \([\d.]+ s\)$", "", line.split(": ", 1)[1]) for line in out.splitlines() if line.startswith(("elastica:", "roll-up:"))]
check(len(titles) == 2 and all(f"{title} holds" in outline for title in titles), "the outline of the PDF", titles, outline[:8])
check(not os.path.exists(os.path.join(folder, "report.pdf.html")) and not os.path.exists(os.path.join(folder, "report.pdf.txt")), "a rest of the PDF")

for arguments, told in [(["--case", "no-such-case"], "no case 'no-such-case'"), (["--configs", "/nonexistent"], "--configs DIR"),
                        (["--report"], "a value is missing"), (["--attacks", "2.5"], "whole number"), (["--attacks", "-3"], "whole number"), (["a-file"], "unexpected argument"),
                        (["--case", "elastica", "--report", "/dev/null"], "Not a directory")]:
    status, out, err = run("verify", *(arguments if "/nonexistent" in arguments else CONFIGS + arguments))
    check(status == 2 and told in err and err.count("\n") == 1, f"{arguments}: status {status}", out, err)

status, out, err = run("verify", *CONFIGS, "--case", "elastica", "--report", path("one"))
with open(os.path.join(path("one"), "index.html")) as file:
    page = file.read()
check(status == 0 and f"Of the {len(names)} cases of this version {len(names) - 1} were not run" in page and " UTC.</p>" in page,
      "a report of one case says so on its cover, and when it was made", page[:3000])

status, out, err = run("verify", *CONFIGS, "--case", "passivity", "--attacks", "7", "--json")
found = json.loads(out)["cases"][0]
check(status == 0 and found["verdict"] is True and found["run_with"].startswith("7 random cases"), "a number of attacks", out, err)

# every case; every row is judged unless it is marked as shown. On a machine without WeasyPrint all but the PDF is there.
folder, programs = path("report"), path("programs")
os.mkdir(programs)
os.symlink(shutil.which("gnuplot"), os.path.join(programs, "gnuplot"))
os.environ["PATH"], usual = programs, os.environ["PATH"]
status, out, err = run("verify", *CONFIGS, "--json", "--report", folder, timeout=1700)
os.environ["PATH"] = usual
check(status == 0 and "no report.pdf: the program weasyprint is not installed" in err, f"status {status}", err, out[-2000:])
found = json.loads(out, parse_constant=lambda c: sys.exit(f"FAILED: {c} in the JSON"))
check(found["verdict"] is True and [c["name"] for c in found["cases"]] == names, "cases in the JSON", [c["name"] for c in found["cases"]])
for case in found["cases"]:
    judged = [row for row in case["rows"] if row["judged"]]
    check(case["verdict"] is True and judged and case["source"] and case["run_with"] and not case["failure"], "a case", case)
    for row in judged:
        check(row["verdict"] is True and row["error"] <= row["limit"], f"{case['name']}: a row", row)

with open(os.path.join(folder, "index.html")) as file:
    page = file.read()
check("were not run" not in page and "does not hold for it" not in page, "a cover of every case", page[:3000])
for name in names:
    check(f'<h2 id="{name}">' in page, f"{name} is not in the page")
check(page.count("<dt>Method</dt>") == page.count("<dt>Expected: the reference</dt>") == len(names) and "<td>witnessed by</td>" in page,
      "each case has method and expected result, and the page a line for the witness")
check(not re.search(r"^<title>plot\d", page, re.M), "a plot has its own title")
check(not [name for name in os.listdir(folder) if name.startswith("report.pdf")], "a rest of the PDF")
narrow = phone.measure(os.path.join(folder, "index.html"))
check(narrow["width"] <= phone.WIDTH and not narrow["wide"] and min(narrow["pictures"]) > 250, "the page on a phone", narrow)
check("src=" not in page and "href=\"http" not in page, "the page needs something from outside")
with open(os.path.join(folder, "plots.gp")) as file:
    script = file.read()
labels = set(re.findall(r"^set [xy]label '(.*)'$", script, re.M))
check(len(labels) > 40 and not labels & {"", "m", "N", "kN", "kN m", "J", "s", "rad", "m/s", "rad/s", "1/km", "x", "y", "z"} and
      not [t for t in labels if re.search(r"\((s|m|N|MPa|kN m)\)$", t)], "an axis has its quantity, then its unit", sorted(labels))
plots = len(re.findall(r"^plot ", script, re.M))
check(script.count("\nunset key\n") > 0.8 * plots, "names stand beside their curves, a legend only where these are too close",
      script.count("\nunset key\n"), plots)


# No name covers a curve or another name, by the SVG as gnuplot has drawn it: a letter of DejaVu Sans has 7 pixels of 13.
def data_of(svg):
    """Places of the curves, at most 3 pixels apart."""
    for group in re.findall(r'<g id="plot\d+_\d+_plot_\d+" ?>(.*?)(?=<g id=|\Z)', svg, re.S):
        for path in re.findall(r"<path[^>]* d='([^']*)'", group):
            last, order = None, "M"
            for letter, x, y in re.findall(r"([ML]?)\s*(-?[\d.]+),(-?[\d.]+)", path):
                here, order = (float(x), float(y)), letter or order
                steps = 1 + int(max(abs(here[0] - last[0]), abs(here[1] - last[1])) / 3) if order == "L" and last else 1
                for k in range(1, steps + 1):
                    yield tuple(a + (b - a) * k / steps for a, b in zip(last or here, here))
                last, order = here, "L"
        for x, y in re.findall(r"<use [^>]*transform='translate\((-?[\d.]+),(-?[\d.]+)\)", group):
            yield float(x), float(y)


def names_of(svg):
    """The boxes of the names: what is written in the colour of a curve."""
    for x, y, end, text in re.findall(r'translate\(([\d.]+),([\d.]+)\)"[^>]*fill="rgb\((?!0,0,0)[^"]*"[^>]*text-anchor="(\w+)">\s*<text>(.*?)</text>', svg, re.S):
        text = re.sub(r"&\w+;", "x", text)
        left = float(x) - {"start": 0, "middle": 0.5, "end": 1}[end] * 7 * len(text)
        yield text, left, left + 7 * len(text), float(y) - 10, float(y) + 2


checked = 0
for name in sorted(n for n in os.listdir(folder) if n.endswith(".svg")):
    with open(os.path.join(folder, name)) as file:
        svg = file.read()
    boxes, data = list(names_of(svg)), list(data_of(svg))
    checked += len(boxes)
    for k, (text, left, right, top, bottom) in enumerate(boxes):
        check(not any(left < x < right and top < y < bottom for x, y in data), f"{name}: '{text}' covers a curve")
        check(not any(left < r and l < right and top < b and t < bottom for _, l, r, t, b in boxes[:k]), f"{name}: '{text}' covers another name")
check(checked > 300, "names", checked)
pictures = [name for name in os.listdir(folder) if name.endswith(".png")]
check(len(pictures) >= 40 and page.count("<svg") == len(pictures), "plots", len(pictures), page.count("<svg"))
for name in pictures:
    check(os.path.getsize(os.path.join(folder, name)) > 3000, f"{name} is empty")
    check(os.path.exists(os.path.join(folder, name[:-4] + ".svg")), f"no SVG of {name}")
