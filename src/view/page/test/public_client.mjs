// The public npm client of the Foxglove WebSocket protocol: node public_client.mjs PORT SUBPROTOCOL TOPIC... subscribes to every
// channel that is advertised, decodes each message by nothing but the advertised schema, and prints one JSON object per message until
// it has one of each TOPIC and sees /end.
import { createFileRegistry, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import protocol from "@foxglove/ws-protocol";
import { WebSocket } from "ws";

const [port, subprotocol, ...topics] = process.argv.slice(2);
const missing = new Set(topics);
const { FoxgloveClient } = protocol;
const channels = new Map();
const socket = new WebSocket(`ws://127.0.0.1:${port}/`, [subprotocol]);
const client = new FoxgloveClient({ ws: socket });

function fail(text) {
  console.error(text);
  process.exit(1);
}

client.on("error", (error) => fail(`error: ${error}`));
client.on("close", () => fail("closed"));
client.on("open", () => {
  if (socket.protocol !== subprotocol) fail(`subprotocol ${socket.protocol}`);
});
client.on("serverInfo", (info) => console.log(JSON.stringify({ serverInfo: info })));
client.on("advertise", (list) => {
  for (const channel of list) {
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(channel.schema, "base64")));
    const schema = registry.getMessage(channel.schemaName);
    if (!schema) fail(`${channel.schemaName} is not in its schema`);
    channels.set(client.subscribe(channel.id), { topic: channel.topic, schema, registry });
  }
});
client.on("message", ({ subscriptionId, timestamp, data }) => {
  const { topic, schema, registry } = channels.get(subscriptionId);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const message = fromBinary(schema, bytes);
  toJson(schema, message, { registry });
  const same = Buffer.compare(Buffer.from(toBinary(schema, message)), Buffer.from(bytes)) === 0;
  console.log(JSON.stringify({ topic, time: String(timestamp), same, bytes: Buffer.from(bytes).toString("base64") }));
  missing.delete(topic);
  if (missing.size === 0 && topic === "/end") process.exit(0);
});
