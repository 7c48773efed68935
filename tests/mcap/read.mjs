// Reads a session log with the MCAP authors' readers, sequentially and through its index: every message, count and checksum.
// Each message is decoded with the schema in the file and compared with the output of `sagbend log cat`.
// usage: read.mjs SAGBEND LOG
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import assert from "node:assert/strict";
import { crc32 } from "@foxglove/crc";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { FileHandleReadable } from "@mcap/nodejs";
import { loadDecompressHandlers, protobufFromBinaryDescriptor } from "@mcap/support";

const [sagbend, path] = process.argv.slice(2);
const bytes = readFileSync(path);
const decompressHandlers = await loadDecompressHandlers();

// Sequential reading, which also yields the chunks; every record is checked.
const stream = new McapStreamReader({ includeChunks: true, decompressHandlers, validateCrcs: true });
stream.append(bytes);
const schemas = new Map(), channels = new Map(), kinds = new Map(), streamed = [];
for (let record; (record = stream.nextRecord()); ) {
  kinds.set(record.type, (kinds.get(record.type) ?? 0) + 1);
  if (record.type === "Schema") schemas.set(record.id, record);
  if (record.type === "Channel") channels.set(record.id, record);
  if (record.type === "Chunk") assert.notEqual(record.uncompressedCrc, 0, "a chunk without a checksum");
  if (record.type === "Message") streamed.push(record);
}
assert.ok(stream.done(), "the stream reader did not come to the end");
assert.equal(stream.bytesRemaining(), 0);

// Checksums that those readers do not check: of the data and of the summary.
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const footer = bytes.length - 8 - 20;
const summaryStart = Number(view.getBigUint64(footer, true));
assert.equal(view.getUint32(footer + 16, true), crc32(bytes.subarray(summaryStart, footer + 16)), "checksum of the summary");
const dataEnd = summaryStart - 9 - 4;
assert.equal(bytes[dataEnd], 0x0f, "no data end before the summary");
assert.equal(view.getUint32(dataEnd + 9, true), crc32(bytes.subarray(0, dataEnd)), "checksum of the data");

// Through the index.
const file = await open(path);
const reader = await McapIndexedReader.Initialize({ readable: new FileHandleReadable(file), decompressHandlers });
const indexed = [];
for await (const message of reader.readMessages({ validateCrcs: true })) indexed.push(message);
const s = reader.statistics;
assert.equal(Number(s.messageCount), streamed.length);
assert.equal(s.chunkCount, kinds.get("Chunk"));
assert.equal(reader.chunkIndexes.length, s.chunkCount);
assert.equal(s.channelCount, channels.size);
assert.equal(s.schemaCount, schemas.size);
assert.equal(s.metadataCount, kinds.get("Metadata"));
assert.equal(s.attachmentCount, 0);
for (const [id, count] of s.channelMessageCounts)
  assert.equal(Number(count), streamed.filter((m) => m.channelId === id).length, `count of channel ${id}`);
const times = streamed.map((m) => m.logTime).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
assert.equal(s.messageStartTime, times[0]);
assert.equal(s.messageEndTime, times.at(-1));
for (let i = 1; i < indexed.length; i++) assert.ok(indexed[i - 1].logTime <= indexed[i].logTime, "order by the index");
const identity = (m) => `${m.channelId} ${m.sequence} ${m.logTime} ${m.publishTime} ${crc32(m.data)} ${m.data.length}`;
assert.deepEqual(indexed.map(identity).sort(), streamed.map(identity).sort(), "the index leads to other messages");

let metadata = 0;
for await (const record of reader.readMetadata({ name: "sagbend" })) {
  assert.ok(record.metadata.get("config_text").length > 100 && record.metadata.get("session").length === 16);
  metadata++;
}
assert.equal(metadata, 1);
await file.close();

// Decoded with the embedded schemas only.
const types = new Map();
for (const channel of channels.values()) {
  const schema = schemas.get(channel.schemaId);
  assert.equal(schema.encoding, "protobuf");
  assert.equal(channel.messageEncoding, "protobuf");
  types.set(channel.id, protobufFromBinaryDescriptor(schema.data).lookupType(schema.name));
}

function compare(ours, theirs, where) {
  if (Array.isArray(ours)) {
    assert.equal(ours.length, theirs?.length ?? 0, where);
    ours.forEach((value, i) => compare(value, theirs[i], `${where}[${i}]`));
  } else if (ours !== null && typeof ours === "object") {
    for (const key of Object.keys(ours)) compare(ours[key], theirs[key], `${where}.${key}`);
    for (const key of Object.keys(theirs ?? {}))
      if (!Object.hasOwn(ours, key)) assert.fail(`${where}.${key}: not in what sagbend says`);
  } else if (typeof ours === "number") {
    assert.equal(Number(theirs), ours, where);
  } else if (typeof ours === "string" && /^[0-9a-f]{16}$/.test(ours) && /^[0-9]+$/.test(theirs)) {
    assert.equal(BigInt(theirs).toString(16).padStart(16, "0"), ours, where); // a hash, written in hexadecimal
  } else if (!(theirs instanceof Uint8Array)) {
    assert.equal(theirs, ours, where);
  }
}

const lines = execFileSync(sagbend, ["log", "cat", path], { maxBuffer: 1 << 30, encoding: "utf8" }).trimEnd().split("\n");
assert.equal(lines.length, streamed.length, "sagbend log cat has another number of messages");
streamed.forEach((message, i) => {
  const ours = JSON.parse(lines[i]), type = types.get(message.channelId);
  const theirs = type.toObject(type.decode(message.data), { longs: String, enums: String, defaults: true });
  assert.equal(channels.get(message.channelId).topic, ours.topic);
  assert.ok(Math.abs(Number(message.logTime) * 1e-9 - ours.time_s) < 1e-6, "log time");
  assert.equal(message.logTime, message.publishTime);
  compare(ours.message, prune(theirs, type), `${ours.topic} ${i}`);
});

// Absent submessages become null with the defaults; sagbend omits them.
function prune(object) {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [
        key,
        value && typeof value === "object" && !Array.isArray(value) && !(value instanceof Uint8Array) ? prune(value)
        : Array.isArray(value) ? value.map((v) => (v && typeof v === "object" ? prune(v) : v)) : value,
      ]),
  );
}

console.log(`${path}: ${streamed.length} messages of ${channels.size} topics in ${s.chunkCount} chunks, read twice and decoded`);
