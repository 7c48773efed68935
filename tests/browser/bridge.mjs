// Drives Chromium from a test in another language: orders as lines of JSON on stdin, each answered by one line on stdout.
//   {"do": "launch", "program": ..., "arguments": [...]}       a browser with an empty page
//   {"do": "open", "url": ..., "width": 900, "height": 700}    a page; what it logs and requests is kept
//   {"do": "reload"}                                           the same page again, with what the browser has stored for it
//   {"do": "value", "of": "EXPRESSION"}                        of JavaScript in the page
//   {"do": "click", "selector": ...}   {"do": "fill", "selector": ..., "text": ...}   {"do": "picture", "file": ...}
//   {"do": "size", "width": 900, "height": 700}                of the window
//   {"do": "press", "key": "Tab"}
//   {"do": "axe"}                                              violations of WCAG 2.2 AA: [{"id", "impact", "help", "nodes": [...]}]
//   {"do": "memory"}                                           bytes of the page's objects after a collection
//   {"do": "heard"}                                            {"errors": [...], "requests": [...]} so far
// An answer is {"value": ...} or {"error": ...}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

// Without a graphics card a picture costs a tenth of a second of processor: the page gets two of them in a second, until a test sets window.pictureMs.
const SLOW_PICTURES = `{
  window.pictureMs = 500;
  const draw = window.requestAnimationFrame.bind(window);
  let next = 0;
  window.requestAnimationFrame = (act) => {
    const now = performance.now(), at = Math.max(now, next);
    next = at;
    return setTimeout(() => draw((time) => { next = performance.now() + window.pictureMs; act(time); }), at - now);
  };
}`;

let browser;
let page;
let session;
const errors = [];
const requests = [];

const ACTIONS = {
  async launch(order) {
    await browser?.close();
    page = undefined;
    browser = await chromium.launch({ executablePath: order.program, args: order.arguments, timeout: 120000 });
  },
  async open(order) {
    await page?.close(); // hidden pages are drawn, too
    page = await browser.newPage({ viewport: { width: order.width, height: order.height }, reducedMotion: "reduce" });
    await page.addInitScript(SLOW_PICTURES);
    page.setDefaultTimeout(120000);
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => requests.push(request.url()));
    page.on("websocket", (socket) => requests.push(socket.url()));
    session = await page.context().newCDPSession(page);
    await page.goto(order.url);
  },
  async reload() {
    await page.reload();
  },
  value: (order) => page.evaluate(order.of),
  click: (order) => page.click(order.selector),
  fill: (order) => page.fill(order.selector, order.text),
  async picture(order) {
    await page.screenshot({ path: order.file });
  },
  async size(order) {
    await page.setViewportSize({ width: order.width, height: order.height });
  },
  async press(order) {
    await page.keyboard.press(order.key);
  },
  async axe() {
    await page.evaluate(AXE);
    const { violations } = await page.evaluate((tags) => window.axe.run(document, { runOnly: tags, resultTypes: ["violations"] }), RULES);
    return violations.map(({ id, impact, help, nodes }) => ({
      id, impact, help, nodes: nodes.map((node) => `${node.target.join(" ")}: ${[...node.any, ...node.all, ...node.none].map((one) => one.message).join("; ")}`),
    }));
  },
  async memory() {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return usedSize;
  },
  heard: () => ({ errors, requests }),
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const order = JSON.parse(line);
    answer = { value: (await ACTIONS[order.do](order)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await browser?.close();
