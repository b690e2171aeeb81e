"""Tensor files made by hand, byte by byte: right ones, and ones that no library would write."""

import json
import struct


def npy(shape, numbers=b"", descr="<f4", column_by_column=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {column_by_column}, 'shape': {shape}, }}\n"
    header = header.encode(errors="surrogateescape")  # a test may put any bytes into it
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + numbers


def safetensors_of(header, data=b""):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def safetensors(tensors, metadata=None):
    """Returns tensors by name: the type, the shape and the bytes of each."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [len(data), len(data) + len(content)],
        }
        data += content
    return safetensors_of(header, data)
