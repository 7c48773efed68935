"""Takes a log apart and reassembles it byte by byte, with correct checksums, lengths and index, and optionally with a rebuilt
chain: everything that a forger can do. Written from the MCAP specification and the head of
src/log/log/log.h, with hashlib and libsodium, without code of the program."""
import ctypes
import ctypes.util
import functools
import hashlib
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(sys.argv[1], "proto/python"))
from sagbend.v1 import log_pb2, operator_pb2, session_pb2, telemetry_pb2

MESSAGE_HEAD = struct.Struct("<BQHIQQ")
MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX, ATTACHMENT, ATTACHMENT_INDEX = range(1, 11)
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = 11, 12, 13, 14, 15
KINDS = {described.full_name: getattr(file, name)  # by the name that a log gives its schema
         for file in (log_pb2, operator_pb2, session_pb2, telemetry_pb2) for name, described in file.DESCRIPTOR.message_types_by_name.items()}
zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
libc = ctypes.CDLL(None)
libc.mallopt(-3, 1 << 25), libc.mallopt(-1, 1 << 30)  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD: a freed log's memory serves the next one
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def text(data, at):
    size, = struct.unpack_from("<I", data, at)
    return data[at + 4: at + 4 + size], at + 4 + size


def put_text(value):
    return struct.pack("<I", len(value)) + value


def record(kind, content):
    return struct.pack("<BQ", kind, len(content)) + content


def chunk_middles(data):
    """The place of a byte in the middle of each chunk of a file."""
    places, at = [], 8
    while at < len(data) - 8:
        kind, size = struct.unpack_from("<BQ", data, at)
        if kind == CHUNK:
            places.append(at + 9 + size // 2)
        at += 9 + size
    return places


def digest(*parts):
    return hashlib.blake2b(b"".join(parts), digest_size=32).digest()


def sized(value):
    return struct.pack("<Q", len(value)) + value


# The logs of a test have most of their messages in common.
@functools.lru_cache(maxsize=None)
def digest_of_channel(topic, schema, data):
    return digest(*(sized(part) for part in (topic.encode(), b"protobuf", schema.encode(), b"protobuf", data)))


@functools.lru_cache(maxsize=None)
def digest_of_message(channel, sequence, log_ns, publish_ns, data):
    return digest(channel, struct.pack("<QQQ", sequence, log_ns, publish_ns), data)


class Message:
    def __init__(self, topic, schema, sequence, log_ns, publish_ns, data):
        self.topic, self.schema, self.sequence, self.log_ns, self.publish_ns, self.data = topic, schema, sequence, log_ns, publish_ns, data

    def copy(self):
        return Message(self.topic, self.schema, self.sequence, self.log_ns, self.publish_ns, self.data)

    def get(self):
        return KINDS[self.schema].FromString(self.data)

    def set(self, message):
        self.data = message.SerializeToString(deterministic=True)


class Key:
    def __init__(self, path=None):
        seed = os.urandom(32) if path is None else bytes.fromhex(open(path).read().split()[1])
        self.public, self.secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
        sodium.crypto_sign_ed25519_seed_keypair(self.public, self.secret, seed)

    def sign(self, data):
        signature = ctypes.create_string_buffer(64)
        sodium.crypto_sign_ed25519_detached(signature, None, data, ctypes.c_ulonglong(len(data)), self.secret)
        return signature.raw


class Parts:
    """What a file will contain, in order; its size and checksum so far."""

    def __init__(self):
        self.parts, self.size, self.crc = [], 0, 0

    def put(self, *parts):
        for part in parts:
            self.size, self.crc = self.size + len(part), zlib.crc32(part, self.crc)
        self.parts += parts


class Log:
    """header: content of the header record; chunks: lists of messages; before[i]: other records before chunk i, the last list
    after them all: (kind, content); topics: of each (schema name, schema data)."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == MAGIC
        self.chunks, self.before, self.topics, self.extra_topics = [], [[]], {}, {}
        at, schemas, channels = 8, {}, {}
        while True:
            kind, size = struct.unpack_from("<BQ", data, at)
            content, at = data[at + 9: at + 9 + size], at + 9 + size
            if kind == HEADER:
                self.header = content
            elif kind in (METADATA, ATTACHMENT):
                self.before[-1].append((kind, content))
            elif kind == CHUNK:
                self._take_chunk(content, schemas, channels)
            elif kind == DATA_END:
                return

    def copy(self):
        """A log with messages of its own, to be altered."""
        log = object.__new__(Log)
        log.header, log.topics, log.extra_topics = self.header, dict(self.topics), dict(self.extra_topics)
        log.chunks, log.before = [[m.copy() for m in chunk] for chunk in self.chunks], [list(others) for others in self.before]
        return log

    def _take_chunk(self, content, schemas, channels):
        plain_size, = struct.unpack_from("<Q", content, 16)
        method, at = text(content, 28)
        plain = content[at + 8:]
        if method == b"zstd":
            room = ctypes.create_string_buffer(plain_size)
            assert zstd.ZSTD_decompress(room, plain_size, plain, len(plain)) == plain_size
            plain = room.raw
        messages, at = [], 0
        while at < len(plain):
            kind, size = struct.unpack_from("<BQ", plain, at)
            c, at = plain[at + 9: at + 9 + size], at + 9 + size
            if kind == SCHEMA:
                name, p = text(c, 2)
                encoding, p = text(c, p)
                schemas[struct.unpack_from("<H", c)[0]] = (name.decode(), text(c, p)[0])
            elif kind == CHANNEL:
                number, schema = struct.unpack_from("<HH", c)
                channels[number] = text(c, 4)[0].decode()
                self.topics[channels[number]] = schemas[schema]
            else:
                channel, sequence, log_ns, publish_ns = struct.unpack_from("<HIQQ", c)
                messages.append(Message(channels[channel], self.topics[channels[channel]][0], sequence, log_ns, publish_ns, c[22:]))
        self.chunks.append(messages)
        self.before.append([])

    # --- content ---
    def messages(self, topic):
        return [m for chunk in self.chunks for m in chunk if m.topic == topic]

    def drop(self, unwanted):
        """Removes messages."""
        for chunk in self.chunks:
            chunk[:] = [m for m in chunk if not unwanted(m)]

    def renumber(self):
        """Renumbers all topics, in message and header."""
        counts = {}
        for chunk in self.chunks:
            for m in chunk:
                counts[m.topic] = m.sequence = counts.get(m.topic, 0) + 1
                if "header" not in KINDS[m.schema].DESCRIPTOR.fields_by_name:
                    continue
                content = m.get()
                if content.header.sequence != m.sequence:
                    content.header.sequence = m.sequence
                    m.set(content)

    # --- the chain ---
    def strip(self):
        self.drop(lambda m: m.topic == "/chain")

    def channel_digest(self, topic):
        return digest_of_channel(topic, *self.topics[topic])

    def rebuild(self, key=None, schema=None):
        """Builds a chain like the program, with a link at the end of each chunk."""
        session, now, records = self.messages("/session")[0].get().session, digest(b"sagbend log chain 1"), 0
        if "/chain" not in self.topics:
            self.topics["/chain"] = schema
        self.strip()
        pending = [digest(bytes([HEADER]), self.header)]
        channel = {topic: self.channel_digest(topic) for topic in {m.topic for chunk in self.chunks for m in chunk}}
        for i, chunk in enumerate(self.chunks):
            pending += [digest(bytes([kind]), content) for kind, content in self.before[i]]
            pending += [digest_of_message(channel[m.topic], m.sequence, m.log_ns, m.publish_ns, m.data) for m in chunk]
            link = log_pb2.ChainLink(session=session, first=records, before=now)
            links = []
            for r in pending:
                now = digest(now, r)
                links.append(now[:4])
            link.links = b"".join(links)
            link.digest, records = now, records + len(pending)
            if key:
                link.public_key = key.public.raw
                link.signature = key.sign(b"".join([b"sagbend log link 1\0", sized(session.encode()), struct.pack("<Q", link.first),
                                                    link.before, sized(link.links), link.digest]))
            last = max(m.log_ns for c in self.chunks[: i + 1] for m in c)
            m = Message("/chain", "sagbend.v1.ChainLink", i + 1, last, last, link.SerializeToString(deterministic=True))
            now, records = digest(now, digest(self.channel_digest("/chain"), struct.pack("<QQQ", i + 1, last, last), m.data)), records + 1
            chunk.append(m)
            pending = []

    # --- writing ---
    def write(self, path, closed=True):
        out, ids, defined = Parts(), {}, []
        counts, chunk_index, metadata_index, attachment_index, times = {}, [], [], [], []
        out.put(MAGIC, record(HEADER, self.header))

        def others(list_):
            for kind, content in list_:
                if kind == METADATA:
                    metadata_index.append(record(METADATA_INDEX, struct.pack("<QQ", out.size, len(content) + 9) + put_text(text(content, 0)[0])))
                if kind == ATTACHMENT:  # its times, its names, then the length of its data
                    name, at = text(content, 16)
                    kind_of_data, at = text(content, at)
                    attachment_index.append(record(ATTACHMENT_INDEX, struct.pack("<QQ", out.size, len(content) + 9) + content[:16]
                                                   + content[at:at + 8] + put_text(name) + put_text(kind_of_data)))
                out.put(record(kind, content))

        def definition(topic):
            ids[topic] = len(ids) + 1
            schema, data = self.topics.get(topic) or self.extra_topics[topic]
            schema_record = record(SCHEMA, struct.pack("<H", ids[topic]) + put_text(schema.encode()) + put_text(b"protobuf") + put_text(data))
            channel = record(CHANNEL, struct.pack("<HH", ids[topic], ids[topic]) + put_text(topic.encode()) + put_text(b"protobuf") + struct.pack("<I", 0))
            defined.append((schema_record, channel))
            return schema_record + channel

        for i, chunk in enumerate(self.chunks):
            others(self.before[i])
            if not chunk:
                continue
            parts, size, index = [], 0, {}
            for m in chunk:
                if m.topic not in ids:
                    parts.append(definition(m.topic))
                    size += len(parts[-1])
                number = ids[m.topic]
                index.setdefault(number, []).extend((m.log_ns, size))
                counts[number] = counts.get(number, 0) + 1
                parts += MESSAGE_HEAD.pack(MESSAGE, 22 + len(m.data), number, m.sequence, m.log_ns, m.publish_ns), m.data
                size += MESSAGE_HEAD.size + len(m.data)
            plain = b"".join(parts)
            span = min(m.log_ns for m in chunk), max(m.log_ns for m in chunk)
            times += span
            at = out.size
            head = struct.pack("<QQQI", *span, len(plain), zlib.crc32(plain)) + put_text(b"") + struct.pack("<Q", len(plain))
            out.put(struct.pack("<BQ", CHUNK, len(head) + len(plain)) + head, plain)
            length, offsets = out.size - at, b""
            for number, entries in sorted(index.items()):
                offsets += struct.pack("<HQ", number, out.size)
                array = struct.pack(f"<{len(entries)}Q", *entries)
                out.put(record(MESSAGE_INDEX, struct.pack("<HI", number, len(array)) + array))
            chunk_index.append(record(CHUNK_INDEX, struct.pack("<QQQQ", *span, at, length) + struct.pack("<I", len(offsets)) + offsets
                                      + struct.pack("<Q", out.size - at - length) + put_text(b"") + struct.pack("<QQ", len(plain), len(plain))))
        others(self.before[-1])
        if closed:
            out.put(record(DATA_END, struct.pack("<I", out.crc)))
            for topic in self.extra_topics:
                definition(topic)
            summary_at, summary = out.size, b"".join(s for s, _ in defined) + b"".join(c for _, c in defined)
            table = b"".join(struct.pack("<HQ", *c) for c in sorted(counts.items()))
            summary += record(STATISTICS, struct.pack("<QHIIIIQQ", sum(counts.values()), len(defined), len(defined), len(attachment_index), len(metadata_index),
                                                      len(chunk_index), min(times), max(times)) + struct.pack("<I", len(table)) + table)
            summary += b"".join(chunk_index) + b"".join(attachment_index) + b"".join(metadata_index)
            footer = struct.pack("<BQQQ", FOOTER, 20, summary_at, 0)
            out.put(summary, footer, struct.pack("<I", zlib.crc32(footer, zlib.crc32(summary))), MAGIC)
        with open(path, "wb") as file:
            file.writelines(out.parts)
