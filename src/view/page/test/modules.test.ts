// Tests of the page's modules that need no browser: bundled by esbuild and run by node (tests/program/view_modules_test.py).
import { bearing, clock, fixed, scaled, wrapped } from "../draw/units.ts";
import { routeLine } from "../draw/route.ts";
import { hullOf, tubeOf } from "../draw/mesh.ts";
import { troubleOf } from "../panels/controller.ts";
import { stateOf } from "../panels/lay.ts";
import { Alarms, latchedOf } from "../store/alarms.ts";
import { FaultHistory } from "../store/faults.ts";
import { LaidRoute } from "../store/laid.ts";
import { History } from "../store/history.ts";
import { circleName, endOf, hasFailed, isOutlineKnown, loadOf, outlineOf, pipeOf, seabedDown, zoneOf } from "../store/session.ts";
import { Store } from "../store/store.ts";
import type { Alarm } from "../stream/connection.ts";
import type { Headed } from "../stream/headed.ts";
import type { End, Event, Nodes, PipeTruth, Route, Session, Status, Truth } from "../stream/messages.ts";

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [actual, expected].map((one) => JSON.stringify(one, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value)));
  if (a !== b) throw new Error(`${what}: ${a}, expected ${b}`);
}

const header = (session: string, sequence: number, timeS: number, protocol = 1) =>
  ({ header: { protocol, session, sequence: BigInt(sequence), step: BigInt(Math.round(timeS * 100)), timeS } });

function units(): void {
  equal(fixed(-0.04, 1), "0.0", "no minus before zero");
  equal(fixed(-0.06, 1), "-0.1", "a small negative number");
  equal([fixed(undefined, 1), fixed(NaN, 1)], ["–", "–"], "what does not exist");
  equal([scaled(1.25e6, "W"), scaled(830e3, "N"), scaled(-4910, "N"), scaled(0, "N")], ["1.25\u00a0MW", "830\u00a0kN", "-4.91\u00a0kN", "0.00\u00a0N"], "scales");
  equal([bearing(-1e-5), bearing(Math.PI), bearing(2 * Math.PI - 1e-6, 0), bearing(0.1, 0)], ["000.0", "180.0", "000", "006"], "bearings");
  equal([clock(0), clock(61.25), clock(3723.99)], ["0:00:00.0", "0:01:01.2", "1:02:03.9"], "clock");
  equal(Math.round(wrapped(3 * Math.PI) * 1e6), 3141593, "wrapped");
}

/** Answers of the server to the questions that a page asks in turn. */
async function history(): Promise<void> {
  const timers: (() => void)[] = [];
  Object.assign(globalThis, { window: { setTimeout: (act: () => void) => timers.push(act), clearTimeout: () => undefined }, document: { visibilityState: "visible" } });
  const store = new Store(() => undefined);
  store.opened();
  const asked: string[] = [];
  const answers: object[] = [];
  const past = new History(store, (path) => {
    asked.push(path);
    return answers.length ? Promise.resolve(answers.shift()) : Promise.reject(new Error("no answer"));
  });
  const turn = async () => {
    timers.pop()?.();
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  answers.push({ times: [1, 2, 3, 20], values: { a: [1, null, 3, 4], b: [5, 6, 7, 8] } });
  past.choose(["a", "b", "a"]);
  await turn();
  equal(asked, ["history?names=a,b"], "the whole at first, each name once");
  equal(past.last(["a"], 100), [[1, 2, 3, 11.5, 20], [1, null, 3, null, 4]], "no line across a gap");
  equal(past.last(["b", "a"], 1, 3), [[2, 3], [6, 7], [null, 3]], "a window that ends at the moment that is played");
  answers.push({ times: [20.1], values: { a: [9], b: [10] } });
  await turn();
  equal([asked.at(-1), past.times.length, past.column("b").at(-1)], ["history?names=a,b&after=20", 5, 10], "then what has been added");
  await turn(); // fails
  answers.push({ times: [], values: { a: [], b: [] } });
  await turn();
  equal(past.times.length, 5, "an answer that fails, and one with nothing");
  past.restart();
  await turn();
  equal(past.times.length, 0, "another session");
  answers.push({ times: Array.from({ length: 20001 }, (_, i) => i), values: { a: Array(20001).fill(0), b: Array(20001).fill(0) } }, { times: [1, 2], values: { a: [1, 2], b: [1, 2] } });
  await turn();
  await turn();
  equal([asked.at(-1), past.times.length], ["history?names=a,b", 2], "bounded: the whole again");
  answers.push({ times: [1, 2], values: { c0: [1, 2] } }, { times: [1, 2, 3], values: { c8: [1, 2, 3] } });
  past.choose(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"]);
  await turn();
  equal([asked.at(-1), past.times, past.column("c8")], ["history?names=c8", [1, 2], [1, 2]], "more names than a question takes");
  store.server("log", "log", "1");
  answers.push({ times: [1], values: { c0: [1] } }, { times: [1], values: { c8: [1] } });
  past.restart();
  await turn();
  const count = asked.length;
  await turn();
  equal(asked.length, count, "the past of a log is asked for once");
}

function sessions(): void {
  const changes: number[] = [];
  const store = new Store(() => changes.push(1));
  const status = (session: string, time: number) => ({ ...header(session, 1, time), fault: [], verdict: [] }) as unknown as Status;
  const truth = (session: string, time: number) => ({ ...header(session, 1, time), positionNorthM: time, positionEastM: 0 }) as unknown as Truth;
  const event = (session: string, n: number) => ({ ...header(session, n, n), name: "event", text: "" }) as Event;
  store.server("a", "live", "1");
  for (let i = 1; i < 700; i++) store.receive("event", event("one", i));
  store.receive("event", event("one", 699)); // sent again
  equal([store.events.length, store.eventCount], [500, 699], "events are bounded, and counted");
  store.receive("status", status("one", 3));
  store.receive("truth", truth("one", 3));
  store.receive("truth", truth("one", 4));
  equal(store.trail.length, 2, "trail");
  store.receive("truth", truth("two", 0));
  equal([store.events.length, store.trail.length, store.session(), store.newest.status === undefined], [0, 1, "two", true], "another session");
  store.receive("truth", { ...header("two", 9, 1, 2) } as Headed);
  equal([store.foreignProtocol, store.newest.truth?.header?.timeS], ["/truth: version 2", 0], "another protocol is left out, and known");
  equal(changes.length > 0, true, "panels are woken");

  // A new session: the server sends the events again to whoever subscribes again.
  const [begun, waiting] = [event("three", 1), { ...event("three", 2), name: "waiting" }];
  for (const one of [begun, waiting, begun, waiting]) store.receive("event", one);
  equal(store.events.map((one) => one.name), ["event", "waiting"], "events that are sent again");
}

function log(): void {
  const store = new Store(() => undefined);
  const truth = (time: number) => ({ ...header("a", 1, time), positionNorthM: time, positionEastM: 0 }) as unknown as Truth;
  const state = (time_s: number) => store.setPlayback({ playing: true, rate: 1, time_s, start_s: 0, end_s: 100 });
  store.server("a", "log", "1");
  state(20);
  store.receive("dp", header("a", 1, 19));
  store.receive("event", { ...header("a", 7, 18), name: "late", text: "" } as Event);
  for (const time of [18, 19, 20]) store.receive("truth", truth(time));
  state(5); // a seek back
  equal([store.newest.dp, store.newest.truth, store.events.length, store.trail.length], [undefined, undefined, 0, 0], "nothing of a later time stays");
  store.receive("truth", truth(5));
  store.receive("truth", truth(80)); // a seek ahead
  equal(store.trail.length, 1, "a gap, and no trail across it");
}

function targets(): void {
  const store = new Store(() => undefined);
  const session = { ...header("a", 1, 0), startNorthM: 1, startEastM: 2, startHeadingRad: 3, watchCircleM: [5, 10], outline: [], verdict: [] } as unknown as Session;
  store.receive("session", session);
  equal([store.target()?.northM, store.setpoint()], [1, undefined], "without a set-point the start");
  store.receive("truth", { ...header("a", 1, 1), positionNorthM: 0, positionEastM: 0, target: { northM: 7, eastM: 0, headingRad: 0 } } as unknown as Truth);
  equal(store.target()?.northM, 7, "the target of the step");
  equal([circleName(session, 0), circleName(session, 1), circleName({ watchCircleM: [5] } as Session, 0)], ["warning", "alarm", "alarm"], "circles");
  equal([outlineOf(session).length, isOutlineKnown(session)], [5, false], "a plain vessel");
}

function old(): void {
  const store = new Store(() => undefined);
  const source = (state: "connected" | "no_data") => ({ state, since_ms: 1, unreadable: 0, dropped: 0 });
  store.opened();
  store.server("a", "live", "1");
  store.setSource(source("connected"));
  equal(store.isOld(), false, "data come");
  store.setSource(source("no_data"));
  equal(store.isOld(), true, "no data");
  store.receive("end", { ...header("a", 1, 1), why: "stopped" } as Headed);
  equal(store.isOld(), false, "the session has ended");
  store.closed();
  equal(store.isOld(), true, "no connection");
}

function silence(): void {
  const store = new Store(() => undefined);
  const truth = (time_s: number) => store.receive("truth", { ...header("a", Math.ceil(time_s), time_s), positionNorthM: 0, positionEastM: 0 } as unknown as Truth);
  for (const time_s of [10, 12]) store.receive("dp", header("a", time_s, time_s) as Headed);
  truth(18);
  equal(store.dpSilentSince(), undefined, "three periods of two seconds");
  truth(18.5);
  equal([store.dpSilentSince(), troubleOf(store)], [12, "stopped: says nothing since 0:00:12.0"], "more than three");
  store.receive("end", { ...header("a", 20, 20), why: "stopped", result: "failed: 1 of 2 verdicts passed" } as unknown as Headed);
  equal(troubleOf(store), "", "after the end nobody is silent");
  const end = store.newest.end as End;
  equal([endOf(end), hasFailed(end), hasFailed({ ...end, result: "" })], ["ended: stopped; failed: 1 of 2 verdicts passed", true, false], "the end with its result");
}

function seabed(): void {
  const plane = { seabed: { northM: 0, eastM: 0, downM: 100, slopeNorth: 0.1, slopeEast: 0 } } as unknown as Session;
  equal(seabedDown(plane, 10, 5), 101, "a plane");
  const grid = { northM: 0, eastM: 0, spacingNorthM: 10, spacingEastM: 20, northNodes: 2, eastNodes: 2, downM: [100, 120, 200, 220] };
  equal(Math.round((seabedDown({ seabed: { downM: 0, grid } } as unknown as Session, 5, 10) ?? 0) * 1e3), 160e3, "a grid, between its nodes");
  equal(seabedDown({} as Session, 0, 0), undefined, "none");
  const circles = { watchCircleM: [5, 10] } as Session;
  equal([4, 6, 11].map((offset) => zoneOf(circles, offset)), ["inside", "warning", "alarm"], "zones");
  equal([zoneOf({ watchCircleM: [5] } as Session, 6), zoneOf(undefined, 1)], ["alarm", "unknown"], "one circle, and none");
}

function pipe(): void {
  const nodes = {
    ...header("s", 1, 0), northM: [0, 10, 20, 30], eastM: [0, 0, 0, 0], downM: [100, 100, 99, 90], penetrationM: [0.1, 0.1, -0.1, -9],
    effectiveTensionN: [1, 2, 3, 4], curvature1pm: [0, 0.1, 0.3, 0.2],
  } as unknown as Nodes;
  const state = pipeOf({ nodes });
  equal([state?.tensionN, state?.curvature1pm, state?.touchdown?.northM, state?.touchdown?.laybackM], [4, 0.3, 15, 15], "from the nodes");
  equal(pipeOf({ nodes: { ...nodes, penetrationM: [-1, -1, -1, -1] } })?.touchdown, undefined, "without contact");
  equal(pipeOf({}), undefined, "no pipe");
  const truth = { ...header("s", 1, 5), pipe: { hangoffTensionN: 7, maxCurvature1pm: 0.4 } } as unknown as Truth;
  const both = pipeOf({ truth, nodes });
  equal([both?.tensionN, both?.curvature1pm, both?.step, both?.touchdown?.northM], [7, 0.4, 500n, 15], "from Truth, the touchdown point from the nodes");
  equal(pipeOf({ truth: { ...truth, pipe: { hangoffTensionN: 0 } } as unknown as Truth, nodes })?.tensionN, 4, "an older simulator");
}

function laid(): void {
  const route = new LaidRoute();
  const at = (retiredNodes: number) => ({ pipe: { retiredNodes, retiredNorthM: 12 * retiredNodes, retiredEastM: 0, retiredDownM: 300 } }) as unknown as Truth;
  for (const count of [0, 1, 1, 2, 4]) route.update(at(count));
  equal(route.points.map(([north]) => north), [12, 24, 48], "the nodes that retired");
  route.update(at(2));
  equal(route.points.map(([north]) => north), [12, 24], "some have returned");
  route.update({} as Truth);
  equal(route.points, [], "no pipe");
  for (let i = 1; i <= 9000; i++) route.update(at(i));
  equal([route.points.length <= 4000, route.points.at(-1)?.[0]], [true, 108000], "bounded, with its end");
  route.update(at(9));
  equal(route.points.every(([north]) => north <= 108), true, "far back");
}

function tensioner(): void {
  const state = (tensioner: object | undefined, payoutMps: number) => stateOf({ payoutMps, ...(tensioner && { tensioner }) } as unknown as PipeTruth);
  equal([state(undefined, 0), state(undefined, 0.5), state(undefined, -0.5)], [["○ holds", "off"], ["✓ pays out", "normal"], ["✓ takes back", "normal"]], "a programme");
  equal(state({ mode: 1, ordered: 1 }, 0), ["✓ brake engaged", "normal"], "brake");
  equal(state({ mode: 1, ordered: 1 }, 0.3), ["■ brake: the pipe slips at 0.30 m/s", "caution"], "a slipping brake");
  equal(state({ mode: 3, ordered: 3, speedSetMps: 0.5 }, 0.5), ["✓ speed", "normal"], "speed");
  equal(state({ mode: 3, ordered: 3, speedSetMps: 0 }, 0.5)[1], "caution", "slip against the tracks");
  equal(state({ mode: 2, ordered: 2 }, 0.5), ["✓ tension", "normal"], "tension");
  equal(state({ mode: 1, ordered: 3 }, 0), ["▲ brake, though speed is ordered", "alarm"], "another mode than ordered");
}

function loads(): void {
  const nodes = { curvature1pm: [0, 0.1], utilisation: [0.2, -1] } as unknown as Nodes;
  equal([loadOf(nodes, undefined, "curvature").full, loadOf(nodes, undefined, "curvature").limit], [0.1, undefined], "the present maximum");
  equal([loadOf(nodes, undefined, "utilisation").full, loadOf(nodes, undefined, "utilisation").values], [1, [0.2, -1]], "utilisation");
  equal(loadOf({ ...nodes, utilisation: [] }, undefined, "utilisation").name, "curvature", "no code check");
}

function faults(): void {
  const history = new FaultHistory();
  const at = (time: number, names: string[]) =>
    ({ ...header("s", 1, time), fault: names.map((name) => ({ name, sinceS: 1, pending: false })) }) as unknown as Status;
  history.update(at(2, ["a"]));
  history.update(at(3, ["a", "b"]));
  history.update(at(4, ["b"]));
  equal(history.spans, [{ name: "a", from: 1, to: 4 }, { name: "b", from: 1 }], "begin and end");
  history.update(at(1, []));
  equal(history.spans, [], "back in time");
}

function alarms(): void {
  const list = new Alarms();
  const one = (from_s: number, to_s: number, worst: number, rest: Partial<Alarm> = {}): Alarm =>
    ({ kind: "limit", category: "alarm", name: "hangoff_tension_n", text: "", active: false, from_s, to_s, count: 1, limit: 3, first: 3.5, worst, worst_s: to_s - 1, ...rest });
  list.begin("s");
  list.set([one(10, 20, 9), one(15, 16, 1, { name: "tunnel out", kind: "fault", category: "caution", active: true }), one(40, 50, 5)], 0);
  equal(list.lines(9), [], "before the first");
  const during = list.lines(12)[0];
  equal([during?.isActive, during?.worst, during?.times], [true, { value: 3.5, time_s: 10 }, 1], "of a log while the cause is there");
  const [limit, fault] = list.lines(undefined);
  equal([limit?.newest.from_s, limit?.times, limit?.worst?.value, limit?.isActive, limit?.isAcknowledged], [40, 2, 9, false, false], "two times, the worse value");
  equal([fault?.newest.name, fault?.isActive, fault?.isAcknowledged], ["tunnel out", true, true], "a caution needs no acknowledgement");
  equal(latchedOf(list.lines(undefined), "hangoff_tension_n")?.worst?.value, 9, "the tile remembers");
  equal(latchedOf(list.lines(12), "hangoff_tension_n"), undefined, "not while the cause is there");
  if (limit) list.acknowledge(limit);
  equal(latchedOf(list.lines(undefined), "hangoff_tension_n"), undefined, "acknowledged");
  list.set([one(10, 20, 9), one(40, 50, 5), one(90, 95, 4)], 0);
  equal(list.lines(undefined)[0]?.isAcknowledged, false, "it has come again");
}

function route(): void {
  const part = [{ northM: 0, eastM: 0, courseRad: 0, lengthM: 100, curvature1pm: 0 },
                { northM: 100, eastM: 0, courseRad: 0, lengthM: 50 * Math.PI, curvature1pm: 0.01 }];
  const line = routeLine({ part } as unknown as Route);
  equal(line.at(-1)?.map((x) => Math.round(x * 1e6) / 1e6), [200, 100], "a quarter of a circle to starboard");
  equal(line.every(([n, e], i) => !i || Math.hypot(n - (line[i - 1]?.[0] ?? 0), e - (line[i - 1]?.[1] ?? 0)) < 101), true, "no gap");
  equal(routeLine(undefined), [], "no route");
}

function meshes(): void {
  const tube = tubeOf([[0, 0, 0], [0, 1, 0], [1, 2, 0]], [[1, 2, 3], [1, 2, 3], [1, 2, 3]], 0.1, 6);
  equal([tube.points.length, tube.faces.length, tube.points.every(Number.isFinite)], [3 * 6 * 3, 2 * 6 * 6, true], "a tube");
  equal(Math.max(...tube.faces), 17, "its indices");
  equal(hullOf([]).points.length, 0, "no outline, no hull");
}

for (const test of [units, sessions, log, targets, old, silence, seabed, pipe, laid, tensioner, loads, faults, alarms, route, meshes, history]) {
  await test();
  console.log(`${test.name}: as it should be`);
}
