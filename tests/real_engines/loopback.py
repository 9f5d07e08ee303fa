"""A network that is this machine alone: what the CLIs under test may reach."""

import ctypes
import fcntl
import os
import socket
import struct

_NEW_USERS, _NEW_NETWORK = 0x10000000, 0x40000000  # CLONE_NEWUSER, CLONE_NEWNET
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP


def enter() -> str:
    """Move this process, and all it starts from now on, into a network that holds only `lo`; why not, or ''.

    Root may do so at once; others need a user namespace, which some machines forbid. Call it before any thread starts.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    me = os.getuid(), os.getgid()
    if libc.unshare(_NEW_NETWORK):
        if libc.unshare(_NEW_USERS | _NEW_NETWORK):
            return os.strerror(ctypes.get_errno())
        _stay(*me)
    _raise_loopback()
    return ""


def _stay(user: int, group: int) -> None:
    """Keep being the same user inside the new namespace."""
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as table:
            table.write(line)


def _raise_loopback() -> None:
    """Bring `lo` up without `ip`, which small machines lack."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = fcntl.ioctl(handle, _GET_FLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", request)[1]
        fcntl.ioctl(handle, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
