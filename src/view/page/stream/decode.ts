// Messages from bytes, by the schema that the server advertises with the channel: no code is generated, and a field that the
// page does not know costs nothing.
import { createFileRegistry, fromBinary, type DescMessage } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

export class Decoder {
  private readonly kinds = new Map<string, DescMessage>(); // by topic

  /** Takes the schema of a channel; throws if it cannot be read. */
  learn(topic: string, schemaName: string, schema: string): void {
    const files = fromBinary(FileDescriptorSetSchema, Uint8Array.from(atob(schema), (c) => c.charCodeAt(0)));
    const kind = createFileRegistry(files).getMessage(schemaName);
    if (!kind) throw new Error(`the schema of ${topic} does not contain ${schemaName}`);
    this.kinds.set(topic, kind);
  }

  /** A message of the topic; undefined if its schema is not known. Throws if the bytes are not such a message. */
  decode(topic: string, bytes: Uint8Array): unknown {
    const kind = this.kinds.get(topic);
    return kind && fromBinary(kind, bytes);
  }
}
