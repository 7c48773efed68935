"""CURVE keys of a client. This is the only place where keys are read and set on a socket."""
import os
import stat
from dataclasses import dataclass, field
from typing import Dict, List, Optional

import zmq

from .simulator import Path


@dataclass(frozen=True)
class Keys:
    """Keys for an encrypted connection, each as 40 characters of Z85 (the ZeroMQ encoding of 32 bytes).

    public, secret: the client's own pair; server: the public key of the simulator. Keys.read takes them from the files of
    `sagbend keygen --role`.
    """

    public: str
    secret: str = field(repr=False)
    server: str
    name: str = ""

    def __post_init__(self) -> None:
        for name in ("public", "secret", "server"):
            if len(getattr(self, name)) != 40:
                raise ValueError(f"the {name} key: 40 characters of Z85 expected")  # without the key itself

    @classmethod
    def read(cls, key_file: Path, server_key: Path) -> "Keys":
        """key_file: the client's secret file. server_key: the simulator's public key, or the file .pub that contains it. Raises
        ValueError if a file is not one of those, and OSError if it cannot be read."""
        path = os.fspath(key_file)
        if os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ValueError(f"{path}: only its owner may have access (chmod 600)")
        words: Dict[str, str] = {}
        for line in _lines(path):
            if len(line) != 2 or line[0] not in ("role", "name", "public", "secret"):
                raise ValueError(f"{path}: the secret file of a key expected, as sagbend keygen --role writes it")
            words[line[0]] = line[1]
        if len(words) != 4:
            raise ValueError(f"{path}: role, name, public and secret expected")
        return cls(words["public"], words["secret"], _server_key(os.fspath(server_key)), words["name"])


def _lines(path: str) -> List[List[str]]:
    with open(path, encoding="ascii", errors="replace") as file:
        return [line.split() for line in file if line.strip() and not line.startswith("# ")]


def _server_key(text: str) -> str:
    if not os.path.exists(text) and len(text) == 40:
        return text
    lines = _lines(text)
    if len(lines) != 1 or len(lines[0]) != 3 or lines[0][0] != "server":
        raise ValueError(f"{text}: the public key of a server expected, one line 'server NAME KEY'")
    return lines[0][2]


def set_keys(socket: "zmq.Socket", keys: Optional[Keys]) -> None:
    """Makes the socket encrypt with these keys; None: no encryption. Call it before connect."""
    if keys is not None:
        socket.curve_publickey = keys.public.encode()
        socket.curve_secretkey = keys.secret.encode()
        socket.curve_serverkey = keys.server.encode()
