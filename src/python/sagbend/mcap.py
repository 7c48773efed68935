"""Reads MCAP files as far as they are intact. It knows what Sagbend writes: messages in chunks, zstd or no compression."""
import struct
import zlib
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import zstandard

from .errors import LogError

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END = 1, 2, 3, 4, 5, 6, 12, 15
MAX_CHUNK = 1 << 30  # bytes; what claims more is damaged


class Record(NamedTuple):
    """A message: its topic, the name of its type, its number in the topic, its log time, its bytes."""

    topic: str
    kind: str
    sequence: int
    log_ns: int
    data: bytes


class Reader:
    """Iterates over the messages of a file. Afterwards problems lists what is wrong with it, empty: the file is complete."""

    def __init__(self, path: str) -> None:
        self.problems: List[str] = []
        self._schemas: Dict[int, str] = {}
        self._channels: Dict[int, Tuple[str, str]] = {}
        self._closed = False
        try:
            with open(path, "rb") as file:
                self._data = memoryview(file.read())
        except OSError as error:
            raise LogError(f"{path}: cannot be read: {error.strerror}") from error
        if bytes(self._data[:8]) != MAGIC:
            raise LogError(f"{path}: not an MCAP file")

    def __iter__(self) -> Iterator[Record]:
        at, data = len(MAGIC), self._data
        while not self._closed and at < len(data):
            if at + 9 > len(data) or at + 9 + struct.unpack_from("<Q", data, at + 1)[0] > len(data):
                break
            kind, size = struct.unpack_from("<BQ", data, at)
            if kind == CHUNK:
                plain = self._open_chunk(data[at + 9:at + 9 + size], at)
                if plain is not None:
                    yield from self._messages(plain, at)
            elif kind == DATA_END:
                self._closed = True
                crc, = struct.unpack_from("<I", data, at + 9) if size >= 4 else (0,)
                if crc and crc != zlib.crc32(data[:at]):
                    self.problems.append("the checksum of the file is wrong")
            at += 9 + size
        if not self._closed:
            self.problems.append(f"the file is not closed; its last {len(data) - at} of {len(data)} bytes are no complete record"
                                 if at < len(data) else "the file is not closed")
        else:
            self._check_summary()

    def _check_summary(self) -> None:
        """The summary follows the data and ends with a footer, its checksum, and the magic bytes."""
        data, footer = self._data, len(self._data) - len(MAGIC) - 29
        if bytes(data[-len(MAGIC):]) != MAGIC or footer < 0 or data[footer] != FOOTER:
            self.problems.append(f"the file ends in its summary, at byte {len(data)}; its data are whole")
            return
        start, _, crc = struct.unpack_from("<QQI", data, footer + 9)
        if start and crc and zlib.crc32(data[start:footer + 25]) != crc:
            self.problems.append("the checksum of the summary is wrong; the data are whole")

    def _open_chunk(self, content: memoryview, at: int) -> Optional[memoryview]:
        """The chunk's records, None if it is damaged."""
        try:
            _, _, size, crc = struct.unpack_from("<QQQI", content)
            method, after = _text(content, 28)
            stored, = struct.unpack_from("<Q", content, after)
            plain = bytes(content[after + 8:after + 8 + stored])
            if size > MAX_CHUNK or len(plain) != stored:
                raise ValueError("its lengths are wrong")
            if method == "zstd":
                plain = zstandard.ZstdDecompressor().decompress(plain, max_output_size=size)
            elif method:
                raise ValueError(f"its compression '{method}' is unknown")
            if len(plain) != size or (crc and zlib.crc32(plain) != crc):
                raise ValueError("its checksum is wrong")
            return memoryview(plain)
        except (struct.error, ValueError, zstandard.ZstdError) as error:
            self.problems.append(f"the chunk at byte {at} is left out: {error}")
            return None

    def _messages(self, plain: memoryview, at: int) -> Iterator[Record]:
        here = 0
        try:
            while here < len(plain):
                kind, size = struct.unpack_from("<BQ", plain, here)
                content, here = plain[here + 9:here + 9 + size], here + 9 + size
                if len(content) != size:
                    raise ValueError("a record is longer than the chunk")
                if kind == SCHEMA:
                    self._schemas[struct.unpack_from("<H", content)[0]] = _text(content, 2)[0]
                elif kind == CHANNEL:
                    number, schema = struct.unpack_from("<HH", content)
                    self._channels[number] = (_text(content, 4)[0], self._schemas.get(schema, ""))
                elif kind == MESSAGE:
                    number, sequence, log_ns = struct.unpack_from("<HIQ", content)
                    if number not in self._channels:
                        raise ValueError(f"channel {number} is not defined")
                    yield Record(*self._channels[number], sequence, log_ns, bytes(content[22:]))
        except (struct.error, ValueError) as error:
            self.problems.append(f"the chunk at byte {at} is read in part: {error}")


def _text(data: memoryview, at: int) -> Tuple[str, int]:
    size, = struct.unpack_from("<I", data, at)
    if at + 4 + size > len(data):
        raise ValueError("a text is longer than its record")
    return bytes(data[at + 4:at + 4 + size]).decode("utf-8", "replace"), at + 4 + size
