"""Makes lib/text/width_table.hpp, the display widths of Unicode, from Python's Unicode tables:

    /usr/bin/python3 tests/sources/width_table.py . > lib/text/width_table.hpp

With --check it compares instead, and skips (77) when this Python knows another version of Unicode.
Argument: the project's folder."""

import os
import pathlib
import re
import sys
import unicodedata

# Signs that go around the digits after them, and the soft hyphen: formats that are nevertheless drawn.
DRAWN_FORMATS = {0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
HANGUL_INSIDE_A_SYLLABLE = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))
IDEOGRAPHIC_PLANES = (range(0x20000, 0x2FFFE), range(0x30000, 0x3FFFE))  # wide, assigned or not


def width(code_point):
    """0, 1 or 2; None where nothing is assigned."""
    if any(code_point in part for part in HANGUL_INSIDE_A_SYLLABLE):
        return 0
    if any(code_point in plane for plane in IDEOGRAPHIC_PLANES):
        return 2
    character = chr(code_point)
    category = unicodedata.category(character)
    if category == "Cn":
        return None
    if category in ("Mn", "Me") or (category == "Cf" and code_point not in DRAWN_FORMATS):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def ranges(wanted):
    """The ranges of that width; what is unassigned between two of them joins them."""
    found, joined = [], False
    for code_point in range(0x110000):
        is_width = width(code_point)
        if is_width == wanted and joined:
            found[-1][1] = code_point
        elif is_width == wanted:
            found.append([code_point, code_point])
        if is_width is not None:
            joined = is_width == wanted
    return found


def array(name, wanted):
    lines, line = [], "   "
    for first, last in ranges(wanted):
        cell = f" {{0x{first:X}, 0x{last:X}}},"
        if len(line) + len(cell) > 110:
            lines.append(line)
            line = "   "
        line += cell
    return f"inline constexpr CodePointRange {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def table():
    return f"""// Which code points take no column of a terminal and which take two, by Unicode {unicodedata.unidata_version}.
// Made by tests/sources/width_table.py; do not edit.
#pragma once

namespace attn {{

struct CodePointRange {{
    char32_t first, last;
}};

// clang-format off
// Combining marks, formats, and the vowels and finals inside a Hangul syllable.
{array("zero_width", 0)}
// East Asian wide and full-width, emoji among them.
{array("double_width", 2)}// clang-format on

}}  // namespace attn
"""


def main():
    if sys.argv[-1] != "--check":
        print(table(), end="")
        return 0
    kept = pathlib.Path(sys.argv[1], "lib/text/width_table.hpp").read_text()
    version = re.search(r"Unicode ([\d.]+)\.\n", kept).group(1)
    if version != unicodedata.unidata_version:
        print(f"SKIPPED: the table is of Unicode {version}, this Python knows {unicodedata.unidata_version}")
        return 1 if os.environ.get("ATTN_NO_SKIP") else 77
    print("as generated" if kept == table() else "lib/text/width_table.hpp is not what tests/sources/width_table.py makes")
    return 0 if kept == table() else 1


sys.exit(main())
