// When faults were active, as far as the page has seen it in Status.
import { timeOf } from "../stream/headed.ts";
import type { Status } from "../stream/messages.ts";

export interface FaultSpan {
  name: string;
  from: number;
  to: number | undefined; // still active
}

const MAX_SPANS = 60;

export class FaultHistory {
  spans: FaultSpan[] = [];
  private time = 0;

  clear(): void {
    this.spans = [];
    this.time = 0;
  }

  /** Takes a status. A time before the last one begins anew: the player of a log went back. */
  update(status: Status): void {
    const now = timeOf(status);
    if (now < this.time) this.clear();
    this.time = now;
    for (const span of this.spans) {
      if (span.to === undefined && !status.fault.some((fault) => fault.name === span.name)) span.to = now;
    }
    for (const fault of status.fault) {
      const isKnown = this.spans.some((span) => span.name === fault.name && span.from === fault.sinceS);
      if (!isKnown && !fault.pending) this.spans.push({ name: fault.name, from: fault.sinceS, to: undefined });
    }
    while (this.spans.length > MAX_SPANS) this.spans.shift();
  }
}
