// Writes the messages and metadata of a log again with the MCAP authors' writer, and an attachment, without what MCAP leaves to
// the writer: rewrite.mjs LOG OUT VARIANT... writes OUTother-0.mcap of another library and OUTown-0.mcap with our name, and so on.
// A variant lists options of that writer that are switched off, or noCrc.
import { readFileSync, writeFileSync } from "node:fs";
import { McapStreamReader, McapWriter } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";

const [log, out, ...variants] = process.argv.slice(2);
const decompressHandlers = await loadDecompressHandlers();
const bytes = readFileSync(log);

async function write(path, library, off) {
  const parts = [];
  let size = 0n;
  const writable = {
    position: () => size,
    write: async (part) => {
      parts.push(Buffer.from(part));
      size += BigInt(part.length);
    },
  };
  const options = Object.fromEntries(off.filter((name) => name !== "noCrc").map((name) => [name, false]));
  const writer = new McapWriter({ writable, chunkSize: 20000, ...options });
  await writer.start({ profile: "", library });
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(bytes);
  const schemas = new Map(), channels = new Map();
  for (let record; (record = reader.nextRecord()); ) {
    if (record.type === "Schema" && !schemas.has(record.id)) schemas.set(record.id, await writer.registerSchema(record));
    if (record.type === "Channel" && !channels.has(record.id))
      channels.set(record.id, await writer.registerChannel({ ...record, schemaId: schemas.get(record.schemaId) ?? 0 }));
    if (record.type === "Message") await writer.addMessage({ ...record, channelId: channels.get(record.channelId) });
    if (record.type === "Metadata") await writer.addMetadata(record);
  }
  await writer.addAttachment({ name: "photo.jpg", logTime: 1n, createTime: 2n, mediaType: "image/jpeg", data: new Uint8Array(1000) });
  await writer.end();
  const written = Buffer.concat(parts);
  if (off.includes("noCrc")) written.fill(0, written.length - 12, written.length - 8); // of the summary
  writeFileSync(path, written);
}

for (const [i, variant] of variants.entries()) {
  const off = variant.split(",").filter(Boolean);
  await write(`${out}other-${i}.mcap`, "another program", off);
  await write(`${out}own-${i}.mcap`, "sagbend 0.1.0", off);
}
