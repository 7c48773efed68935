// The alarms of the session, as sagbend-view keeps them, and which of them this browser has acknowledged. States are those of
// IEC 62923-1: active or rectified (its cause has gone), each until acknowledged; a caution needs no acknowledgement.
import type { Alarm } from "../stream/connection.ts";

/** All alarms of one name and category. */
export interface AlarmLine {
  key: string;
  newest: Alarm;
  isActive: boolean;
  isAcknowledged: boolean; // a caution: true
  times: number; // how often its cause began
  worst?: { value: number; time_s: number };
  count: number | undefined; // of events or late steps; undefined: not known at this time of a log
}

const KEY = "sagbend-alarms";
const RANK = { alarm: 2, warning: 1, caution: 0 };

export class Alarms {
  leftOut = 0;
  private all: Alarm[] = [];
  private session = "";
  private upTo: Record<string, number> = {}; // newest acknowledged begin of each key, s

  set(alarms: Alarm[], leftOut: number): void {
    this.all = alarms;
    this.leftOut = leftOut;
  }

  /** Another session: nothing is acknowledged, unless this browser did so before. */
  begin(session: string): void {
    this.session = session;
    this.upTo = {};
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as { session?: string; upTo?: Record<string, number> };
      if (kept.session === session && kept.upTo) this.upTo = kept.upTo;
    } catch {
      // nothing kept, or no storage
    }
  }

  acknowledge(line: AlarmLine): void {
    this.upTo[line.key] = line.newest.from_s;
    try {
      localStorage.setItem(KEY, JSON.stringify({ session: this.session, upTo: this.upTo }));
    } catch {
      // no storage: it holds until the page is closed
    }
  }

  /** At a time of a log; without a time all. Those to be acknowledged first, then the active ones, each the newest first. */
  lines(at_s: number | undefined): AlarmLine[] {
    const lines = new Map<string, AlarmLine>();
    for (const alarm of this.all) {
      if (at_s !== undefined && alarm.from_s > at_s) continue;
      const key = `${alarm.kind} ${alarm.category} ${alarm.name}`;
      const before = lines.get(key);
      const isOver = at_s === undefined || at_s >= alarm.to_s;
      const line: AlarmLine = {
        key, newest: alarm, times: (before?.times ?? 0) + 1,
        isActive: isOver ? alarm.active : true,
        isAcknowledged: alarm.category === "caution" || (this.upTo[key] ?? -Infinity) >= alarm.from_s,
        count: !isOver || (before && before.count === undefined) ? undefined : alarm.count + (before?.count ?? 0),
      };
      const worst = worse(before?.worst, worstOf(alarm, at_s), alarm);
      if (worst) line.worst = worst;
      lines.set(key, line);
    }
    const order = (line: AlarmLine) => (line.isAcknowledged ? 0 : 2) + (line.isActive ? 1 : 0);
    return [...lines.values()].sort((a, b) => order(b) - order(a) || b.newest.from_s - a.newest.from_s);
  }
}

function worstOf(alarm: Alarm, at_s: number | undefined): AlarmLine["worst"] {
  if (alarm.worst === undefined || alarm.worst_s === undefined) return undefined;
  if (at_s === undefined || alarm.worst_s <= at_s) return { value: alarm.worst, time_s: alarm.worst_s };
  return { value: alarm.first ?? alarm.worst, time_s: alarm.from_s };
}

/** Of a limit the larger value; else the newer one. */
function worse(a: AlarmLine["worst"], b: AlarmLine["worst"], { kind }: Alarm): AlarmLine["worst"] {
  if (!a || !b) return b ?? a;
  return kind === "limit" && a.value > b.value ? a : b;
}

/** The alarm that a number was under and that nobody has acknowledged, though its cause has gone: the gravest. */
export function latchedOf(lines: readonly AlarmLine[], name: string): AlarmLine | undefined {
  return lines
    .filter((line) => line.newest.kind === "limit" && line.newest.name === name && !line.isActive && !line.isAcknowledged)
    .sort((a, b) => RANK[b.newest.category] - RANK[a.newest.category])[0];
}
