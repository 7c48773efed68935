"""The modules of the page that need no browser (src/view/page/test), bundled by the esbuild that builds the page."""
from browser import *

require_page()
WORK = os.path.join(BUILD, "view_page/work")
built = subprocess.run(["node", "node_modules/esbuild/bin/esbuild", "test/modules.test.ts", "--bundle", "--platform=node",
                        "--format=esm", "--log-level=warning", "--outfile=" + path("modules.mjs")],
                       cwd=WORK, capture_output=True, text=True, timeout=PATIENCE_S)
check(built.returncode == 0, "esbuild", built.stdout, built.stderr)
code, out, err = run(path("modules.mjs"), program="node")
check(code == 0, "a module of the page", out, err)
print(out)
