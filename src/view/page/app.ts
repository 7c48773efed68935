// The page of sagbend-view. Data flow one way: connection, decoder, store, panels. Panels are drawn when what they show has
// changed, at most once for each picture of the screen and ten times a second.
import { el } from "./draw/dom.ts";
import { Connection, type Channel } from "./stream/connection.ts";
import { Decoder } from "./stream/decode.ts";
import type { Headed } from "./stream/headed.ts";
import { arrange } from "./layout.ts";
import { History } from "./store/history.ts";
import { Settings } from "./store/settings.ts";
import { Store, type Kind, type Topic } from "./store/store.ts";
import { alarms } from "./panels/alarms.ts";
import { capability } from "./panels/capability.ts";
import { banner } from "./panels/banner.ts";
import { compass } from "./panels/compass.ts";
import { consequence } from "./panels/consequence.ts";
import { references } from "./panels/references.ts";
import { controller } from "./panels/controller.ts";
import { elevation } from "./panels/elevation.ts";
import { header } from "./panels/header.ts";
import { lay } from "./panels/lay.ts";
import { ledger } from "./panels/ledger.ts";
import { link } from "./panels/link.ts";
import { operate } from "./panels/operate.ts";
import { plan } from "./panels/plan.ts";
import { playback } from "./panels/playback.ts";
import { power } from "./panels/power.ts";
import { range } from "./panels/range.ts";
import { scene } from "./panels/scene.ts";
import { thrusters } from "./panels/thrusters.ts";
import { tiles } from "./panels/tiles.ts";
import { timeline } from "./panels/timeline.ts";
import { timing } from "./panels/timing.ts";
import { trends } from "./panels/trends.ts";
import { verdicts } from "./panels/verdicts.ts";

const PICTURE_MS = 100; // between pictures, at least; on a slow machine as long as the last one took, so that messages are read
const KINDS: Record<string, Topic> = {
  "sagbend.v1.Sensors": "sensors", "sagbend.v1.Truth": "truth", "sagbend.v1.Nodes": "nodes", "sagbend.v1.Ledger": "ledger",
  "sagbend.v1.Timing": "timing", "sagbend.v1.Session": "session", "sagbend.v1.Status": "status", "sagbend.v1.ControllerView": "dp",
  "sagbend.v1.Event": "event", "sagbend.v1.End": "end",
};

let isAsleep = true;
let nextAt = 0;
function wake(): void {
  if (!isAsleep) return;
  isAsleep = false;
  const wait = Math.max(0, nextAt - performance.now());
  setTimeout(() => requestAnimationFrame(draw), wait);
}

const store = new Store(wake);
const settings = new Settings(() => store.touch("settings"));
const decoder = new Decoder();
const topics = new Map<string, Topic>(); // of the store, by the channel's topic

const connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/?sagbend`, (channel) => channel.schemaName in KINDS, {
  opened: () => store.opened(),
  closed: () => store.closed(),
  server: (info) => store.server(info.sessionId ?? "", (info.metadata?.["sagbend"] ?? "unknown") as Kind, info.metadata?.["protocol"]),
  channel: (channel: Channel) => {
    try {
      decoder.learn(channel.topic, channel.schemaName, channel.schema);
      topics.set(channel.topic, KINDS[channel.schemaName] as Topic);
    } catch (error) {
      store.warn(`the schema of ${channel.topic} cannot be read: ${String(error)}`);
    }
  },
  message: (topic, bytes) => {
    const known = topics.get(topic);
    if (!known) return;
    try {
      store.receive(known, decoder.decode(topic, bytes) as Headed);
    } catch {
      store.cannotRead(topic);
    }
  },
  source: (state) => store.setSource(state),
  playback: (state) => store.setPlayback(state),
  alarms: (alarms, leftOut) => store.setAlarms(alarms, leftOut),
  operator: (state) => store.setOperator(state),
  warning: (text) => store.warn(text),
});

const context = { store, settings, history: new History(store) };
const panels = [
  header(context), banner(context), operate(context, (order) => connection.instruct(order)), tiles(context), alarms(context), plan(context), elevation(context), range(context), scene(context), lay(context), compass(context),
  thrusters(context), power(context), controller(context), consequence(context), capability(context), references(context), verdicts(context), trends(context), timing(context), ledger(context), link(context), timeline(context),
  playback(context, (order) => connection.order(order)),
];
const [top, line, orders, row, ...rest] = panels.map((panel) => panel.element);
const player = rest.pop();
const grid = el("main");
arrange(grid, rest);
document.body.append(...[top, line, orders, row, grid, player].filter((element) => element !== undefined));

function draw(): void {
  isAsleep = true;
  const begun = performance.now();
  const changes = store.takeChanges();
  for (const panel of panels) if (panel.needs.some((part) => changes.has(part))) panel.draw();
  const ended = performance.now();
  nextAt = Math.max(begun + PICTURE_MS, ended + (ended - begun));
}

store.touch("link");
store.touch("settings");
connection.open();
