// What the page knows: the newest message of each topic, bounded histories, the state of connection and source. Only `receive`
// and its neighbours change it; panels read it; it collects which parts have changed, for the next picture.
import type { Alarm, OperatorState, PlaybackState, SourceState } from "../stream/connection.ts";
import { Alarms, type AlarmLine } from "./alarms.ts";
import { FaultHistory } from "./faults.ts";
import { LaidRoute } from "./laid.ts";
import { timeOf, type Headed, type Station } from "../stream/headed.ts";
import type { ControllerView, End, Event, Ledger, Nodes, Sensors, Session, Setpoint, Status, Timing, Truth } from "../stream/messages.ts";
import { GAP_S } from "./history.ts";

/** Topics with a newest message. */
export interface Newest {
  sensors?: Sensors;
  truth?: Truth;
  nodes?: Nodes;
  ledger?: Ledger;
  timing?: Timing;
  session?: Session;
  status?: Status;
  dp?: ControllerView;
  end?: End;
}
export type Topic = keyof Newest | "event";
export type Part = Topic | "history" | "link" | "source" | "playback" | "alarms" | "operator" | "settings";

export type Kind = "live" | "log" | "unknown";
export type Link = "connecting" | "open" | "closed";

export const TOPICS: readonly Topic[] = ["sensors", "truth", "nodes", "ledger", "timing", "session", "status", "dp", "event", "end"];
export const PROTOCOL = 1;
const MAX_EVENTS = 500;
const MAX_TRAIL = 1200;

export class Store {
  newest: Newest = {};
  events: Event[] = [];
  eventCount = 0; // received in this session, also those that are no longer kept
  readonly laid = new LaidRoute();
  isLay = false; // pipe is laid in this session, or can be
  readonly faults = new FaultHistory();
  readonly alarms = new Alarms();
  readonly trail: [number, number][] = []; // north, east
  private trailTime = 0;
  link: Link = "connecting";
  closedAt: number | undefined; // wall clock, ms
  kind: Kind = "unknown";
  source: SourceState | undefined;
  playback: PlaybackState | undefined;
  operator: OperatorState | undefined;
  foreignProtocol: string | undefined; // another version was received
  unreadable = 0; // messages that could not be decoded here
  warning: string | undefined; // newest from the server
  sessions = 0; // sessions seen
  private dpPeriod_s = 1; // between the newest two views of the controller, simulated time
  private movedAt_ms = Date.now();
  private sessionId = "";
  private serverSession = "";
  private readonly changed = new Set<Part>();

  constructor(private readonly wake: () => void) {}

  /** Takes what changed since the last call. */
  takeChanges(): Set<Part> {
    const parts = new Set(this.changed);
    this.changed.clear();
    return parts;
  }

  touch(part: Part): void {
    this.changed.add(part);
    this.wake();
  }

  receive(topic: Topic, message: Headed): void {
    const header = message.header;
    if (header && header.protocol !== PROTOCOL) {
      this.protocolIs(`/${topic}: version ${header.protocol}`);
      return;
    }
    if (header && header.session && header.session !== this.sessionId) this.begin(header.session);
    if (topic === "status" && timeOf(message) !== timeOf(this.newest.status)) this.movedAt_ms = Date.now();
    if (topic === "dp") this.timeView(timeOf(message) - timeOf(this.newest.dp));
    if (topic === "event") this.addEvent(message as Event);
    else (this.newest as Record<string, Headed>)[topic] = message;
    if (topic === "truth") this.addHistory(message as Truth);
    if (topic === "status") this.faults.update(message as Status);
    this.touch(topic);
  }

  /** Name of the present session. */
  session(): string {
    return this.sessionId;
  }

  /** The set-point in force, if there is one. */
  setpoint(): Setpoint | undefined {
    return this.newest.status?.setpoint ?? this.newest.session?.setpoint;
  }

  /** Whether offsets count from the nearest point of a route: an operator's set-point ends that. */
  isOnRoute(): boolean {
    const { truth } = this.newest;
    return !!truth?.route && !Number(truth.target?.order);
  }

  /** From where offsets count: the set-point, or the start; on a route its nearest point, until an operator's set-point. */
  target(): Station | undefined {
    const { session, truth } = this.newest;
    if (truth?.route && this.isOnRoute()) return truth.route;
    return truth?.target ?? this.setpoint() ?? (session && { northM: session.startNorthM, eastM: session.startEastM, headingRad: session.startHeadingRad });
  }

  /** Whether nothing new comes, though the session has not ended as far as the page knows: what is shown is old. */
  isOld(): boolean {
    return this.link !== "open" || (this.kind !== "log" && this.source?.state === "no_data" && !this.newest.end);
  }

  /** Since when the controller has sent no view of itself, though it should have sent three: what it said is old. undefined: it sends. */
  dpSilentSince(): number | undefined {
    const { dp, truth, sensors, status } = this.newest;
    const now = Math.max(timeOf(truth), timeOf(sensors), timeOf(status));
    return dp && now - timeOf(dp) > 3 * this.dpPeriod_s ? timeOf(dp) : undefined;
  }

  /** How long simulated time has stood, by the wall clock, as Status tells it. */
  standsFor_s(): number {
    return (Date.now() - this.movedAt_ms) / 1000;
  }

  private timeView(period_s: number): void {
    if (period_s > 0) this.dpPeriod_s = Math.min(10, Math.max(0.5, period_s));
  }

  opened(): void {
    this.link = "open";
    this.closedAt = undefined;
    this.touch("link");
  }

  closed(): void {
    if (this.link !== "closed") this.closedAt = Date.now();
    this.operator = undefined;
    this.link = "closed";
    this.touch("link");
  }

  server(sessionId: string, kind: Kind, protocol: string | undefined): void {
    if (this.serverSession && sessionId !== this.serverSession) this.forget();
    this.serverSession = sessionId;
    this.kind = kind;
    this.events = []; // the server sends them again
    this.eventCount = 0;
    this.foreignProtocol = undefined;
    if (protocol !== undefined && protocol !== String(PROTOCOL)) this.protocolIs(`sagbend-view: version ${protocol}`);
    this.touch("link");
  }

  protocolIs(version: string): void {
    this.foreignProtocol = version;
    this.touch("link");
  }

  setSource(state: SourceState): void {
    const before = this.source?.other_protocol ?? 0;
    const isForeign = (state.other_protocol ?? 0) > before;
    if (isForeign) this.foreignProtocol = state.last_error ?? "another version";
    else if (state.state === "connected") this.foreignProtocol = undefined;
    this.source = state;
    this.touch("source");
  }

  setOperator(state: OperatorState): void {
    this.operator = state;
    this.touch("operator");
  }

  setPlayback(state: PlaybackState): void {
    if (this.playback && state.time_s < this.playback.time_s) this.goBackTo(state.time_s);
    this.playback = state;
    this.touch("playback");
  }

  setAlarms(alarms: Alarm[], leftOut: number): void {
    this.alarms.set(alarms, leftOut);
    this.touch("alarms");
  }

  /** The alarms so far; of a log those up to the time of the player. */
  alarmLines(): AlarmLine[] {
    return this.alarms.lines(this.kind === "log" ? this.playback?.time_s ?? 0 : undefined);
  }

  acknowledge(line: AlarmLine): void {
    this.alarms.acknowledge(line);
    this.touch("alarms");
  }

  warn(text: string): void {
    this.warning = text;
    this.touch("link");
  }

  cannotRead(topic: string): void {
    this.unreadable += 1;
    this.warning = `a message of ${topic} could not be decoded`;
    this.touch("source");
  }

  /** Another session: everything of the previous one goes. */
  private begin(session: string): void {
    this.sessionId = session;
    this.sessions += 1;
    this.alarms.begin(session);
    this.forget();
  }

  private forget(): void {
    this.newest = {};
    this.events = [];
    this.eventCount = 0;
    this.trail.length = 0;
    this.faults.clear();
    this.laid.clear();
    this.isLay = false;
    for (const part of [...TOPICS, "link", "source", "alarms"] as Part[]) this.changed.add(part);
    this.wake();
  }

  /** The player of a log went back: what is of a later time has not been yet. */
  private goBackTo(time_s: number): void {
    for (const topic of TOPICS) {
      if (topic !== "event" && timeOf(this.newest[topic]) > time_s) delete this.newest[topic];
      this.changed.add(topic);
    }
    this.dropEventsAfter(time_s);
    this.trail.length = 0;
  }

  private addEvent(event: Event): void {
    const last = this.events.at(-1);
    if (this.kind === "log" && last && timeOf(event) < timeOf(last)) this.dropEventsAfter(timeOf(event));
    if (this.events.some((other) => isSame(other, event))) return; // sent again
    this.events.push(event);
    this.eventCount += 1;
    if (this.events.length > MAX_EVENTS) this.events.shift();
  }

  private dropEventsAfter(time_s: number): void {
    this.events = this.events.filter((event) => timeOf(event) <= time_s);
    this.eventCount = this.events.length;
  }

  private addHistory(truth: Truth): void {
    const time_s = timeOf(truth);
    if (time_s < this.trailTime || time_s > this.trailTime + GAP_S) this.trail.length = 0;
    this.trailTime = time_s;
    const [north, east] = [truth.positionNorthM, truth.positionEastM];
    this.laid.update(truth);
    this.isLay ||= isLayOf(truth);
    const [lastNorth, lastEast] = this.trail.at(-1) ?? [NaN, NaN];
    if (Math.hypot(north - lastNorth, east - lastEast) < 0.1) return;
    this.trail.push([north, east]);
    if (this.trail.length > MAX_TRAIL) this.trail.shift();
  }
}

function isLayOf({ pipe }: Truth): boolean {
  return !!pipe && (!!pipe.tensioner || !!pipe.stinger || pipe.paidOutM !== 0 || pipe.payoutMps !== 0);
}

function isSame(a: Event, b: Event): boolean {
  return a.header?.sequence === b.header?.sequence && a.header?.step === b.header?.step && a.name === b.name && a.text === b.text;
}
