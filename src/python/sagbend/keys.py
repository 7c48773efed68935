"""CURVE keys of a client. This is the only place where keys are set on a socket."""
from dataclasses import dataclass
from typing import Optional

import zmq


@dataclass(frozen=True)
class Keys:
    """Keys for an encrypted connection, each as 40 characters of Z85 (the ZeroMQ encoding of 32 bytes).

    public, secret: the client's own pair; server: the public key of the simulator.
    """

    public: str
    secret: str
    server: str

    def __post_init__(self) -> None:
        for name in ("public", "secret", "server"):
            if len(getattr(self, name)) != 40:
                raise ValueError(f"the {name} key: 40 characters of Z85 expected")  # without the key itself

    def __repr__(self) -> str:
        return f"Keys(public={self.public!r}, secret=..., server={self.server!r})"


def set_keys(socket: "zmq.Socket", keys: Optional[Keys]) -> None:
    """Makes the socket encrypt with these keys; None: no encryption. Call it before connect."""
    if keys is not None:
        socket.curve_publickey = keys.public.encode()
        socket.curve_secretkey = keys.secret.encode()
        socket.curve_serverkey = keys.server.encode()
