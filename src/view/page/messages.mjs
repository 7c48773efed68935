// Writes stream/messages.ts, the types of Sagbend's messages as stream/decode.ts gives them: node messages.mjs DESCRIPTORS...
// A message that is absent is undefined, a 64-bit number is a bigint, an enumeration is a number. Names of messages are those of
// proto/sagbend/v1, names of fields likewise, in camel case. The units are those of the protocol.
import { ScalarType, createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const WIDE = new Set([ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64]);

function plain({ scalar, message }) {
  if (message) return message.name;
  if (WIDE.has(scalar)) return "bigint";
  return { [ScalarType.STRING]: "string", [ScalarType.BOOL]: "boolean", [ScalarType.BYTES]: "Uint8Array" }[scalar] ?? "number";
}

function member(one) {
  if (one.kind === "oneof") {
    const given = one.fields.map((field) => `{ case: "${field.localName}"; value: ${plain(field)} } | `);
    return `  ${one.localName}: ${given.join("")}{ case: undefined; value?: undefined };`;
  }
  if (one.fieldKind === "map") throw new Error(`${one}: maps are not known here`);
  if (one.fieldKind === "list") return `  ${one.localName}: ${plain(one)}[];`;
  return `  ${one.localName}${one.message ? "?" : ""}: ${plain(one)};`;
}

const types = new Map();
for (const path of process.argv.slice(2))
  for (const file of createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(path))).files)
    for (const message of file.messages)
      types.set(message.name, `export interface ${message.name} {\n${message.members.map(member).join("\n")}\n}\n`);
writeFileSync(fileURLToPath(new URL("stream/messages.ts", import.meta.url)), "// Written by messages.mjs.\n" + [...types.values()].join(""));
