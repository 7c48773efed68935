"""sagbend verify: the list, every case holds, JSON, the report, usage."""
from harness import *

CONFIGS = ["--configs", os.path.join(SOURCE, "configs")]

status, out, err = run("verify", "--list")
names = [line.split()[0] for line in out.splitlines()]
check(status == 0 and len(names) >= 20 and len(set(names)) == len(names), "--list", out, err)
for name in ["statics-jlay", "circle-peers", "paper-iii-pid", "free-flight"]:
    check(name in names, f"{name} is not listed", out)

status, out, err = run("verify", *CONFIGS, "--case", "elastica", "--case", "roll-up")
check(status == 0 and "2 of 2 cases hold" in out and "FAILED" not in out, "two cases by name", out, err)
check(out.index("elastica:") < out.index("roll-up:"), "not in the order given", out)

for arguments, told in [(["--case", "no-such-case"], "no case 'no-such-case'"), (["--configs", "/nonexistent"], "--configs DIR"),
                        (["--report"], "a value is missing"), (["--attacks", "2.5"], "whole number"), (["--attacks", "-3"], "whole number"), (["a-file"], "unexpected argument"),
                        (["--case", "elastica", "--report", "/dev/null"], "Not a directory")]:
    status, out, err = run("verify", *(arguments if "/nonexistent" in arguments else CONFIGS + arguments))
    check(status == 2 and told in err and err.count("\n") == 1, f"{arguments}: status {status}", out, err)

status, out, err = run("verify", *CONFIGS, "--case", "passivity", "--attacks", "7", "--json")
found = json.loads(out)["cases"][0]
check(status == 0 and found["verdict"] is True and found["run_with"].startswith("7 random cases"), "a number of attacks", out, err)

# every case; every row is judged unless it is marked as shown
folder = path("report")
status, out, err = run("verify", *CONFIGS, "--json", "--report", folder, timeout=1700)
check(status == 0, f"status {status}", err, out[-2000:])
found = json.loads(out, parse_constant=lambda c: sys.exit(f"FAILED: {c} in the JSON"))
check(found["verdict"] is True and [c["name"] for c in found["cases"]] == names, "cases in the JSON", [c["name"] for c in found["cases"]])
for case in found["cases"]:
    judged = [row for row in case["rows"] if row["judged"]]
    check(case["verdict"] is True and judged and case["source"] and case["run_with"] and not case["failure"], "a case", case)
    for row in judged:
        check(row["verdict"] is True and row["error"] <= row["limit"], f"{case['name']}: a row", row)

with open(os.path.join(folder, "index.html")) as file:
    page = file.read()
for name in names:
    check(f'<h2 id="{name}">' in page, f"{name} is not in the page")
check("src=" not in page and "href=\"http" not in page, "the page needs something from outside")
with open(os.path.join(folder, "report.pdf"), "rb") as file:
    check(file.read(5) == b"%PDF-", "the PDF")
pictures = [name for name in os.listdir(folder) if name.endswith(".png")]
check(len(pictures) >= 40 and page.count("<svg") == len(pictures), "plots", len(pictures), page.count("<svg"))
for name in pictures:
    check(os.path.getsize(os.path.join(folder, name)) > 3000, f"{name} is empty")
    check(os.path.exists(os.path.join(folder, name[:-4] + ".svg")), f"no SVG of {name}")
