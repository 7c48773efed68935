// The WebSocket to sagbend-view: Foxglove's protocol, subprotocol foxglove.sdk.v1. It subscribes to the channels that the page
// shows, hands on what arrives, and connects again by itself. It knows nothing of the messages' meaning.

export interface Channel {
  id: number;
  topic: string;
  schemaName: string;
  schema: string;
}

export interface ServerInfo {
  sessionId?: string;
  metadata?: Record<string, string>;
}

export interface PlaybackState {
  playing: boolean;
  rate: number;
  time_s: number;
  start_s: number;
  end_s: number;
}

export interface SourceState {
  state: "connected" | "no_data";
  since_ms: number;
  unreadable: number;
  other_protocol?: number; // messages of another version of the protocol, left out
  dropped: number;
  last_error?: string;
}

/** An alarm as sagbend-view keeps it (view/scene/scene.h). Times are simulated. */
export interface Alarm {
  kind: "limit" | "verdict" | "fault" | "controller" | "event" | "late";
  category: "alarm" | "warning" | "caution";
  name: string;
  text: string;
  active: boolean;
  from_s: number;
  to_s: number;
  count: number;
  limit?: number; // in the unit of the protocol, as the values
  first?: number;
  worst?: number;
  worst_s?: number;
}

/** Whether this browser has the operator's seat, and the answer to its newest order. */
export interface OperatorState {
  is_operator: boolean;
  number?: number;
  order?: string;
  is_accepted?: boolean;
  answer?: string;
}

export interface Listener {
  opened(): void;
  closed(): void;
  server(info: ServerInfo): void;
  channel(channel: Channel): void;
  message(topic: string, bytes: Uint8Array): void;
  source(state: SourceState): void;
  playback(state: PlaybackState): void;
  alarms(alarms: Alarm[], leftOut: number): void;
  operator(state: OperatorState): void;
  warning(text: string): void;
}

export interface PlaybackOrder {
  playing?: boolean;
  rate?: number;
  seek_s?: number;
}

const OPCODE_MESSAGE = 1;
const MESSAGE_HEAD = 13; // opcode, subscription, time
const AGAIN_MS = 1000;

export class Connection {
  private socket: WebSocket | undefined;
  private topics = new Map<number, string>(); // by channel, which is also the subscription's id

  constructor(
    private readonly address: string,
    private readonly isWanted: (channel: Channel) => boolean,
    private readonly listener: Listener,
  ) {}

  open(): void {
    const socket = new WebSocket(this.address, ["foxglove.sdk.v1"]);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.listener.opened();
    socket.onmessage = (event) => {
      if (typeof event.data === "string") this.text(event.data);
      else this.binary(event.data as ArrayBuffer);
    };
    socket.onclose = () => {
      this.topics.clear();
      this.listener.closed();
      setTimeout(() => this.open(), AGAIN_MS);
    };
    this.socket = socket;
  }

  order(order: PlaybackOrder): void {
    this.send({ op: "sagbendPlayback", ...order });
  }

  /** An operator's order, in the words of `sagbend ctl`. */
  instruct(words: readonly string[]): void {
    this.send({ op: "sagbendOrder", words });
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private text(data: string): void {
    const message = JSON.parse(data) as { op: string; level?: number; message?: string; channels?: Channel[]; channelIds?: number[]; alarms?: Alarm[]; left_out?: number };
    switch (message.op) {
      case "serverInfo":
        this.listener.server(message as ServerInfo);
        break;
      case "advertise":
        this.advertised(message.channels ?? []);
        break;
      case "unadvertise":
        for (const id of message.channelIds ?? []) this.topics.delete(id);
        break;
      case "status":
        if ((message.level ?? 0) > 0) this.listener.warning(message.message ?? "");
        break;
      case "sagbendSource":
        this.listener.source(message as unknown as SourceState);
        break;
      case "sagbendOperator":
        this.listener.operator(message as unknown as OperatorState);
        break;
      case "sagbendAlarms":
        this.listener.alarms(message.alarms ?? [], message.left_out ?? 0);
        break;
      case "sagbendPlaybackState":
        this.listener.playback(message as unknown as PlaybackState);
        break;
    }
  }

  private advertised(channels: Channel[]): void {
    const chosen = channels.filter(this.isWanted);
    for (const channel of chosen) {
      this.topics.set(channel.id, channel.topic);
      this.listener.channel(channel);
    }
    this.send({ op: "subscribe", subscriptions: chosen.map((channel) => ({ id: channel.id, channelId: channel.id })) });
  }

  private binary(data: ArrayBuffer): void {
    const view = new DataView(data);
    if (data.byteLength < MESSAGE_HEAD || view.getUint8(0) !== OPCODE_MESSAGE) return;
    const topic = this.topics.get(view.getUint32(1, true));
    if (topic) this.listener.message(topic, new Uint8Array(data, MESSAGE_HEAD));
  }
}
