"""The report of sagbend trials: its parts, the findings with their evidence, results.json by its schema, junit.xml as other programs read
it, the command that repeats a run, and the PDF where WeasyPrint is installed. Skipped, aloud, is only what needs it."""
import shlex
import shutil
from html import unescape

import phone
from pdf import outline_of
from trials_case import *

KEPT = ["gnss-1/no_output", "gnss-1/bias", "bow_tunnel_1/tripped", "bow_tunnel_1/stuck", "link/loss", "link/cut", "link/clock_jump"]
PARTS = ["1 Summary", "2 Vessel and system", "3 Test matrix", "4 Worst-case failure", "5 Register of findings", "6 Test sheets", "7 All results",
         "8 Not tested", "9 Seeded faults", "10 Reproduction", "11 Signatures"]
PLAN = f"""name: of the report
base: {BASE}
set:
  controller.dp_file: {FOLDER}/weak-dp.yaml
  simulation: {{step_s: 0.1}}
  pipe.elements: 20
{TIMES}conditions: [{{id: S1}}, {{id: S2, set: {{environment.wind: {{speed_mps: 3, direction_deg: 40}}}}}}]
{LIMITS}worst_case: [bow_tunnel_1/tripped]
report: {{number: SB-TR-7, object: 83 m vessel & pipe, owner: Somebody Ltd, roles: [test engineer, class]}}
"""


def elsewhere(*args, **more):
    done = subprocess.run([SAGBEND, *args], capture_output=True, text=True, timeout=600, **more)
    return done.returncode, done.stdout, done.stderr


# A controller that knows one reference of three and looks at no thruster: findings A and B, whatever the shipped one learns.
with open(os.path.join(SOURCE, "configs/osv-83m-dp.yaml")) as file:
    dp = "".join(line for line in file if not re.match(r"  - \{name: gnss-[23]", line))
write("weak-dp.yaml", dp.replace("position_limit_m: 5", "position_limit_m: 1000"))
exclude = excluding(listed_ids(write("all.yaml", PLAN)), KEPT, "'not <b>here</b>'")
plan, folder = write("captain's $(touch injected) & plan.yaml", PLAN + exclude), path("out")  # a name that a shell would read otherwise
status, out, err = run("trials", plan, "--out", folder, "--no-pdf", timeout=600)
check(status == 1 and "report.pdf" not in out + err and not os.path.exists(os.path.join(folder, "report.pdf")), "--no-pdf", status, out, err)

# results.json keeps to its schema.
try:
    import jsonschema
except ImportError:
    sys.exit("FAILED: python3-jsonschema is missing; run tools/deps")
found = results(folder)
schema = json.loads(read(SOURCE, "configs/schema/sagbend-trials-results.schema.json"))
errors = [f"{list(e.path)}: {e.message[:200]}" for e in jsonschema.Draft202012Validator(schema).iter_errors(found)]
check(not errors, "results.json by its schema", *errors[:5])
for damage in ({"verdict": "fine"}, {"category": "D"}, {"metrics": {}}):
    damaged = {**found, "runs": [{**found["runs"][0], **damage}]}
    check(list(jsonschema.Draft202012Validator(schema).iter_errors(damaged)), "the schema accepts anything", damage)
judged = {r["id"]: r for r in found["runs"]}
check(sorted(judged) == sorted(f"{i}@{c}" for i in ["none"] + KEPT for c in ("S1", "S2")), "the runs", sorted(judged))
check(found["object"] == "83 m vessel & pipe" and found["wcfdi"]["declared"] == ["bow_tunnel_1/tripped"], "the object", found["object"])
check(judged["gnss-1/bias@S1"]["events"][0]["fault"] == "bias" and judged["gnss-1/bias@S1"]["events"][0]["bias"] > 0, "events", judged["gnss-1/bias@S1"]["events"])
counts = found["counts"]
check(counts["runs"] == 16 == sum(counts[k] for k in ("passed", "failed", "broken", "not_run", "not_judged")) and
      counts["failed"] == counts["A"] + counts["B"] + counts["C"], "the counts", counts)
named = {r for f in found["findings"] for r in f["runs"]}
check(named == {r["id"] for r in found["runs"] if r["category"]}, "each run with a grade stands in one finding", named)
check(all(judged[r]["finding"] == f["id"] and judged[r]["category"] == f["category"] for f in found["findings"] for r in f["runs"]), "findings", found["findings"])

# junit.xml as another program reads it.
from junitparser import JUnitXml
suites = JUnitXml.fromfile(os.path.join(folder, "junit.xml"))
cases = {c.name: [type(r).__name__ for r in c.result] for s in suites for c in s}
check(sorted(cases) == sorted(judged) and {n for n, r in cases.items() if r} == {n for n, r in judged.items() if r["category"] in ("A", "B")}, "junit.xml", cases)
check((suites.tests, suites.failures, suites.errors) == (16, counts["A"] + counts["B"], 0), "its sums", suites.tests, suites.failures)

# The report: its parts in order, what stands on the cover, each finding, sheets with four plots.
html = read(folder, "report.html")
check('class="page"' not in html.split('id="part-2"')[1], "a part begins where the one before it ends")
check([re.sub("<.*?>", "", h) for h in re.findall(r"<h2.*?</h2>", html)] == PARTS, "the parts", re.findall(r"<h2.*?</h2>", html))
for shown in ("SB-TR-7", "83 m vessel &amp; pipe", "Somebody Ltd", "<td>class</td>", "not &lt;b&gt;here&lt;/b&gt;"):
    check(shown in html, "the report has", shown)
check("<script" not in html and "nan" not in re.sub(r"[a-z]{4,}", "", html.lower()) and "inf " not in html, "words of programs in the report",
      re.findall(r".{40}\bnan\b.{20}", html))
single, common = html.split('id="part-3"')[1].split("<h2")[0].split("Common causes, hidden failures")  # one heading
check(all(f">{m}<" in single and f">{m}<" not in common for m in ("loss", "clock_jump", "stuck")) and ">cut<" in common and ">cut<" not in single,
      "single failures stand above the common causes", single[-300:], common[-300:])
sheets = html.split("<h3>All other tests")[0].split('<div class="sheet"')[1:]
wanted = {f["id"] for f in found["findings"] if f["category"] in "AB"}
check(wanted == set(re.findall(r'<h3><span class="tag g[AB]">([AB]-\d+)<', html)), "a sheet of each finding A and B", wanted)
check(len(sheets) == len(wanted) + 2 - sum("bow_tunnel_1/tripped" in s.split("</h3>")[0] and "tag gB" in s.split("</h3>")[0] for s in sheets),
      "and of the declared failures", len(sheets))
check(all(s.count("<svg") == 4 and s.count('stroke="#6a6a6a"') == 4 for s in sheets), "four plots a sheet", [s.count("<svg") for s in sheets])
# A plot has a grid of round numbers on both axes, their quantities with units, and a name at each line.
for plot in (p for s in sheets for p in s.split("<svg")[1:]):
    said = re.findall(r"<text[^>]*>([^<]*)</text>", plot.split("</svg>")[0])
    at = [float(x) for x in re.findall(r'text-anchor="middle">(\d+)</text>', plot)]
    up = [float(x) for x in re.findall(r'text-anchor="end">(-?[\d.]+)</text>', plot)]
    steps = {float(f"{b - a:.6g}") for a, b in zip(up, up[1:])}
    check("time, s" in said and any(re.fullmatch(r"[a-z ]+, (m|deg|k?N|M?N|k?W|MW|m/s)", t) for t in said) and {"this run", "no failure"} <= set(said),
          "the axes have quantities and units, the lines names", said)
    check(len(up) >= 3 and len(steps) == 1 and re.fullmatch(r"[125]0*\.?|0\.0*[125]", f"{steps.pop():f}".rstrip("0").rstrip(".")) and {60.0, 120.0} <= set(at),
          "round numbers on both axes", up, at)
over = next(s for s in sheets if ">A-" in s.split("</h3>")[0] and "gnss-1/bias" in s.split("</h3>")[0])
check(">limit 10<" in over and ">circle 5<" in over, "a limit has its name and its number")
for chart in html.split('id="part-4"')[1].split("<h2")[0].split("<svg")[1:]:
    said, up = re.findall(r"<text[^>]*>([^<]*)</text>", chart), [float(x) for x in re.findall(r'text-anchor="end">([\d.]+)</text>', chart)]
    check("position error, m" in said and len(up) >= 3 and len({round(b - a, 6) for a, b in zip(up, up[1:])}) == 1, "the axis of the worst case", said)
# Each sheet says what was done, expected and observed, and has the line of a witness with its result.
for sheet in sheets:
    heads, shown = re.findall(r"<th[^>]*>([^<]*)</th>", sheet), sheet.split("</h3>")[0].split(">")
    check(heads == ["Criterion", "Expected", "Observed", "Result"] and "<b>Method.</b> Condition S" in sheet, "method, expected and observed", heads)
    signed = sheet.split('class="witness"')[1]
    check(all(f"<td>{w}</td>" in signed for w in ("Tested by", "Witnessed by", "Date", "Remarks")) and
          re.search(r'class="tag g[A-Z]">([^<]+)', signed).group(1) == re.search(r'class="tag g[A-Z]">([^<]+)', sheet).group(1), "a line for the witness", signed)
# Every judged run without a sheet stands in short form, with its hash; equipment is named once; the days are those of the runs.
short = html.split("in short form</h3>")[1].split("</table>")[0]
named = {i for i, r in judged.items() if r["verdict"] in ("passed", "failed") and not i.startswith("none@")}
for row in short.split("<tr>")[2:]:
    run_id, marked = re.search(r"<b>([^<]+)</b>", row).group(1), re.findall(r"<b>FAILS</b> \(([ABC])\)", row)
    said = re.search(r'class="tag g[A-Z]">([^<]+)', row).group(1)
    check(sorted(marked) == sorted(c["category"] for c in judged[run_id]["criteria"] if c["result"] == "fail") and
          said == (judged[run_id]["finding"] or judged[run_id]["verdict"]) and row.rstrip().endswith("<td></td></tr>"),
          "a short sheet says what the run is, each failure with its own grade, and has room for initials", row)
with_sheet = {re.sub("<.*?>", "", s.split("</h3>")[0]).split()[-1] for s in sheets}
check(set(re.findall(r"<td><b>([^<]+)</b>", short)) == named - with_sheet and all(judged[i]["state_hash"] in short for i in named - with_sheet) and
      named - with_sheet, "tests in short form", named - with_sheet, short[:300])
for row in re.findall(r"<tr><td>.*?</tr>", html.split('id="part-8"')[1].split("<h2")[0], re.S):
    whole = re.findall(r"(?:>|, )([\w-]+) \(\d+\)", row)
    check(len(whole) == len(set(whole)) and not set(whole) & {n.split("/")[0] for n in re.findall(r"[\w-]+/[\w-]+", row)}, "equipment is named once", row)
cover = html.split("<h2")[0]
check(f"<b>{counts['passed']}</b>runs passed<br><small>{counts['failed']} failed</small>" in cover and
      f"<b>{counts['runs']}</b>runs: without and with each of {len(KEPT)} failures, in 2 conditions" in cover, "the tiles add up", cover[-4000:])
# Each mark of an alarm has its text: ten are named.
for sheet in sheets:
    named = {int(n) for n in re.findall(r"(?:^|; )(\d+): [\d.]+ s, ", sheet.split("<b>Alarms.</b> ")[1].split("</p>")[0])}
    marked = {int(n) for n in re.findall(r'font-size="7.5"[^>]*>(\d+)</text>', sheet)}
    check(named >= {n for n in marked if n <= 10} and max(named, default=0) <= 10, "a mark without its alarm", marked, named)
check("<td>sagbend-dp " in html, "the build of the controller under test")
check("Basis" not in html and "no rule of a class society was checked" in cover, "the basis", cover[-1500:])
for point in range(1, 17):
    os.utime(os.path.join(folder, f"points/{point:06d}/point.json"), (1e9 + 86400 * (point > 8), 1e9 + 86400 * (point > 8)))
run("trials", plan, "--collect", folder, "--no-pdf", timeout=600)
check(re.search(r"Runs made</th><td>(8|9) September 2001 to (9|10) September 2001<", read(folder, "report.html")), "the days of the runs",
      re.findall(r"Runs made.{80}", read(folder, "report.html")))

targets, links = set(re.findall(r'id="([^"]+)"', html)), set(re.findall(r'href="#([^"]+)"', html))
check(links <= targets, "links that lead nowhere", links - targets)

# On a phone nothing reaches beyond the screen; only a table of many columns is scrolled by itself, and a plot is as wide as the screen.
check(phone.CHROMIUM, "chromium-headless-shell is not installed (tools/deps installs it)")
narrow = phone.measure(os.path.join(folder, "report.html"))
check(narrow["width"] <= phone.WIDTH and not narrow["wide"] and narrow["tables"] > 10, "the report on a phone", narrow)
check(len(narrow["pictures"]) >= 4 * len(sheets) and min(narrow["pictures"]) > 250, "the plots on a phone", narrow)

# The command of a sheet, in a shell, repeats its run, bit for bit, in a folder of its own; so do those of the report and of junit.xml.
repeated = next(r for r in found["runs"] if r["category"] in ("A", "B") and r["id"] in with_sheet)
words = shlex.split(repeated["command"])
check(words[:3] == ["sagbend", "trials", plan] and words[-1] == repeated["id"], "the command", words)
for name, text in (("report.html", html), ("junit.xml", read(folder, "junit.xml"))):
    check(repeated["command"] in unescape(text), f"the command in {name}", repeated["command"])
done = subprocess.run(repeated["command"], shell=True, cwd=FOLDER, capture_output=True, text=True, timeout=600,
                      env={**os.environ, "PATH": BUILD + ":" + os.environ["PATH"]})
check(not os.path.exists(path("injected")), "a shell has run a part of the plan's name", done)
again = read(path("again"), f"points/{repeated['point']:06d}/summary.json")
check(json.loads(again)["state_hash"] == repeated["state_hash"], "the command repeats the run", done, repeated["state_hash"])

# The PDF. A folder without the program says how to get it.
empty = path("empty")
os.mkdir(empty)
status, out, err = elsewhere("trials", plan, "--collect", folder, env={**os.environ, "PATH": empty})
check(status == 1 and "weasyprint is not installed" in err and "report.pdf" not in out, "a notice without weasyprint", status, out, err)
if not shutil.which("weasyprint"):
    print("SKIPPED: report.pdf, because weasyprint is not installed (tools/deps weasyprint)")
    sys.exit(SKIPPED)
status, out, err = run("trials", plan, "--collect", folder, timeout=600)
outline = outline_of(os.path.join(folder, "report.pdf"))
check(all(p in outline for p in PARTS), "the PDF has an outline", outline)
check(status == 1 and f"{folder}/report.pdf" in out, "report.pdf", status, out, err)
check(sorted(n for n in os.listdir(folder) if n.startswith("report")) == ["report.html", "report.pdf"], "nothing is left beside it", os.listdir(folder))
