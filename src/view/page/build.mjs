// Builds the page into a folder: node build.mjs FOLDER. tsc checks the types, in a step of its own.
// Writes index.html, app.js, app.css and licences.txt, the licences of all packages of which something is in app.js or app.css;
// of script and style also app.js.gz and app.css.gz. Beside the folder: packages.json, where these packages stand in the lock file.
import { build } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = process.argv[2];
if (!folder) {
  console.error("usage: node build.mjs FOLDER");
  process.exit(2);
}
const openbridge = "node_modules/@oicl/openbridge-webcomponents";

const bundle = await build({
  entryPoints: ["app.ts", "app.css"],
  absWorkingDir: here,
  outdir: folder,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none", // licences.txt has the whole texts
  metafile: true,
  write: false,
  logLevel: "warning",
});
const script = bundle.outputFiles.find((file) => file.path.endsWith("app.js")).text;
const style = bundle.outputFiles.find((file) => file.path.endsWith("app.css")).text;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, text] of [["app.js", script], ["app.css", palettes(script + style) + style]]) {
  writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, name + ".gz"), gzipSync(text, { level: 9 }));
}
writeFileSync(join(folder, "index.html"), readFileSync(join(here, "index.html")));
const packages = packagesOf(Object.keys(bundle.metafile.inputs));
writeFileSync(join(folder, "licences.txt"), licences(packages));
writeFileSync(join(folder, "../packages.json"), JSON.stringify(packages));

// The variables of OpenBridge's style sheet that the page uses, directly or through others, in its palettes day, dusk and
// night. The whole sheet has 680 kB.
function palettes(users) {
  const sheet = readFileSync(join(here, openbridge, "dist/openbridge.css"), "utf8");
  const blocks = [];
  for (const [, selector, body] of sheet.matchAll(/((?:^:root[^{},]*,?\s*|^\.obc-component-size-regular\s*)+)\{((?:[^{}']|'[^']*')*)\}/gm)) {
    if (!/bright/.test(selector)) {
      const variables = [...body.matchAll(/(--[\w-]+):\s*((?:[^;']|'[^']*')*);/g)].map(([, name, value]) => [name, value.replace(/\s+/g, " ")]);
      blocks.push([selector.trim().replace(/\s+/g, ""), variables]);
    }
  }
  const used = new Set();
  const use = (text) => {
    for (const [name] of text.matchAll(/--[a-z][\w-]+/g)) {
      if (!used.has(name)) {
        used.add(name);
        for (const [, variables] of blocks) for (const [other, value] of variables) if (other === name) use(value);
      }
    }
  };
  use(users);
  const kept = ([, variables]) => variables.filter(([name, value]) => used.has(name) && !value.startsWith("url("));
  return blocks.map((block) => `${block[0]}{${kept(block).map((pair) => pair.join(":")).join(";")}}\n`).join("");
}

function packagesOf(inputs) {
  const names = new Set([openbridge]);
  for (const input of inputs) {
    const match = input.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (match) names.add(match[0].replace(/\/$/, ""));
  }
  return [...names].sort();
}

function licences(packages) {
  const texts = packages.map((path) => {
    const about = JSON.parse(readFileSync(join(here, path, "package.json"), "utf8"));
    const files = readdirSync(join(here, path)).filter((name) => /^(licen[cs]e|notice)/i.test(name));
    const text = files.map((name) => readFileSync(join(here, path, name), "utf8").trim()).join("\n\n");
    return `${about.name} ${about.version}\nLicence: ${about.license}\n\n${text || "The package contains no text of its licence. The text of the Apache License, version 2.0, is Sagbend's file LICENSE."}\n`;
  });
  return "The page of sagbend-view contains parts of the packages below.\n\n" + texts.join("\n" + "-".repeat(80) + "\n\n");
}
