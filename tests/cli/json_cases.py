"""JSON texts and what becomes of them, after the shapes of JSONTestSuite (github.com/nst/JSONTestSuite; RFC 8259).

ACCEPTED is JSON, REFUSED is none; on DECIDED the RFC leaves the choice, or lets us be stricter, and each says why we chose.
Who holds the loader against them is json_suite.py.
"""

ARRAYS = [
    b'[]', b'[[]   ]', b'[""]', b'["a"]', b'["a"]\n', b'[false]', b'[null, 1, "1", {}]', b'[null]', b'[1\n]', b' [1]', b'[1,null,null,null,2]',
    b'[2] ', b'[true]', b' [] ', b'\t\r\n [\t1\r,\n2 ] ', b'[[[[[]]]], {}]',
]
NUMBERS = [
    b'[123e65]', b'[0e+1]', b'[0e1]', b'[ 4]', b'[-0.' + b'0' * 70 + b'1]', b'[20e1]', b'[-0]', b'[-123]', b'[-1]', b'[-0.0]', b'[1E22]', b'[1E-2]',
    b'[1E+2]', b'[123e45]', b'[123.456e78]', b'[1e-2]', b'[1e+2]', b'[123]', b'[123.456789]', b'[0]', b'[10]', b'[1.0E0]', b'[0.1]', b'[1e00]', b'[1e-005]',
]
OBJECTS = [
    b'{}', b'{"asd":"sdf"}', b'{"asd":"sdf", "dfg":"fgh"}', b'{"":0}', b'{"foo\\u0000bar": 42}', b'{ "min": -1.0e+28, "max": 1.0e+28 }',
    b'{"x":[{"id": "' + b'x' * 40 + b'"}], "id": "' + b'x' * 40 + b'"}', b'{"a":[]}', '{"title":"旅程"}'.encode(), b'{\n"a": "b"\n}', b'{"a":{"a":{"a":1}}}',
    b'{"A":1,"a":2}',
]
STRINGS = [
    b'["\\u0060\\u012a\\u12AB"]', b'["\\uD801\\udc37"]', b'["\\ud83d\\ude39\\ud83d\\udc8d"]', b'["\\"\\\\\\/\\b\\f\\n\\r\\t"]', b'["\\\\u0000"]', b'["\\""]',
    b'["a/*b*/c/*d//e"]', b'["\\\\a"]', b'["\\\\n"]', b'["\\u0012"]', b'["\\uFFFF"]', b'["asd"]', b'[ "asd"]', b'["\\uDBFF\\uDFFF"]', b'["new\\u00A0line"]',
    '["\U0010ffff"]'.encode(), '["\uffff"]'.encode(), b'["\\u0000"]', b'["\\u002c"]', '["π"]'.encode(), '["\U0001bfff"]'.encode(), b'["asd "]', b'" "',
    b'["\\uD834\\uDd1e"]', b'["\\u0821"]', b'["\\u0123"]', '["\u2028"]'.encode(), '["\u2029"]'.encode(), b'["\\u0061\\u30af\\u30EA\\u30b9"]', b'["new\\u000Aline"]',
    b'["\x7f"]', b'["a\x7fa"]', b'["\\uA66D"]', b'["\\u005C"]', '["⍂㈴⍂"]'.encode(), b'["\\uDBFF\\uDFFE"]', b'["\\uD83F\\uDFFE"]', b'["\\u200B"]', b'["\\u2064"]',
    b'["\\uFDD0"]', b'["\\uFFFE"]', b'["\\u0022"]', '["€𝄞"]'.encode(), '["\u0080\u009f"]'.encode(), '["\ufeff"]'.encode(), '["\u2060\u202e"]'.encode(),
    '["👩\u200d🚀❤\ufe0f"]'.encode(), b'["' + b'a' * 5000 + b'"]',
]
ROOTS = [b'false', b'42', b'-0.1', b'null', b'"asd"', b'true', b'""', b'0', b'\n\n1\n', b'\xef\xbb\xbf{}', b'\xef\xbb\xbf[1]']
ACCEPTED = ARRAYS + NUMBERS + OBJECTS + STRINGS + ROOTS

REFUSED = [
    # arrays
    b'[1 true]', b'[a\xe5]', b'["": 1]', b'[""],', b'[,1]', b'[1,,2]', b'["x",,]', b'["x"]]', b'["",]', b'["x"', b'[x', b'[3[4]]', b'[\xff]', b'[1:2]', b'[,]',
    b'[-]', b'[   , ""]', b'["a",\n4\n,1,', b'[1,]', b'[1,,]', b'["\x0ba"\\f]', b'[*]', b'[""', b'[1,', b'[1,\n1\n,1', b'[{}', b'[1 2]', b'[1;2]', b'[""1]', b'(1)',
    # words
    b'[fals]', b'[nul]', b'[tru]', b'[True]', b'[FALSE]', b'[Null]', b'[None]', b'[undefined]', b'[truefalse]', b'[nulll]', b'abc', '[é]'.encode(), 'å'.encode(),
    'aå'.encode(), b'[1_000]', b'nan', b'<.>', b'[<null>]', b'*',
    # numbers
    b'123\0', b'[++1234]', b'[+1]', b'[+Inf]', b'[-01]', b'[-1.0.]', b'[-2.]', b'[-NaN]', b'[.-1]', b'[.2e-3]', b'[0.1.2]', b'[0.3e+]', b'[0.3e]', b'[0.e1]',
    b'[0E+]', b'[0E]', b'[0e+]', b'[0e]', b'[1.0e+]', b'[1.0e-]', b'[1.0e]', b'[1 000.0]', b'[1eE2]', b'[2.e+3]', b'[2.e-3]', b'[2.e3]', b'[9.e+]', b'[Inf]',
    b'[NaN]', '[１]'.encode(), b'[1+2]', b'[0x1]', b'[0x42]', b'[Infinity]', b'[0e+-1]', b'[-123.123foo]', b'[123\xe5]', b'[1e1\xe5]', b'[0\xe5]', b'[-Infinity]',
    b'[-foo]', b'[- 1]', b'[-012]', b'[-.123]', b'[-1x]', b'[1ea]', b'[1e\xe5]', b'[1.]', b'[.123]', b'[1.2a-3]', b'[1.8011670033376514H-308]', b'[012]',
    b'[00.0]', b'[-00.0]', b'[00e0]', b'[-00e0]', b'[00]', b'[1,5.]', b'[0b1]', b'[0o7]', b'[1f]', b'[1L]', b'[\xe2\x88\x921]', b'[1e5.5]', b'[--1]', b'[1-]',
    # objects
    b'["x", truth]', b'{[: "x"}\n', b'{"x", null}', b'{"x"::"b"}', '{🇨🇭}'.encode(), b'{"a":"a" 123}', b"{key: 'value'}", b'{"\xb9":"0",}', b'{"a" b}',
    b'{:"b"}', b'{"a" "b"}', b'{"a":', b'{"a"', b'{1:1}', b'{9999E9999:1}', b'{null:null,null:null}', b'{"id":0,,,,,}', b"{'a':0}", b'{"id":0,}',
    b'{"a":"b"}/**/', b'{"a":"b"}/**//', b'{"a":"b"}//', b'{"a":"b"}/', b'{"a":"b",,"c":"d"}', b'{a: "b"}', b'{"a":"a', b'{ "foo" : "bar", "a" }', b'{"a":"b"}#',
    b'{"a"=1}', b'{"a":1;"b":2}', b'{"a":1 "b":2}', b'{"a":}', b'{,"a":1}', b'{"a":1,"b"}', b'{true:1}', b'{[]:1}',
    # strings
    b'["\\uD800\\"]', b'["\\uD800\\u"]', b'["\\uD800\\u1"]', b'["\\uD800\\u1x"]', b'["\\\0"]', b'["\\x00"]', b'["\\\\\\"]', b'["\\\t"]', '["\\🌀"]'.encode(), b'["\\"]',
    b'["\\u00A"]', b'["\\uD834\\uDd"]', b'["\\uD800\\uD800\\x"]', b'["\\u\xe5"]', b'["\\a"]', b'["\\uqqqq"]', b'["\\\xe5"]', b'[\\u0020"asd"]', b'[\\n]', b'"',
    b"['single quote']", b'["\\', b'["a\0a"]', b'["new\nline"]', b'["\t"]', b'"\\UA66D"', b'""x', b'["\\012"]', b'["\x1f"]', b'["\x1b[0m"]', b'["\\0"]',
    b'["\\u{61}"]', b'["a\r"]', b'`a`', b'["a" + "b"]',
    # the whole
    b'', b' ', b'\n\n', b'[' * 100_000, b'[\xe2\x81\xa0]', b'\xef\xbb\xbf', b'\xef\xbb\xbf ', b'\xef\xbb\xbf\xef\xbb\xbf[1]', b'[1]\xef\xbb\xbf', b'[1]x', b'[1]]', b'["asd]',
    b'1]', b'{"x": true,', b'[][]', b']', b'}', b'\xef\xbb{}', b'\xe5', b'[', b'[\0]', b'\0[1]', b'[1]\0', b'[1]\0{{{', b'2@', b'{}}', b'{"":',
    b'{"a":/*comment*/"b"}', b'{"a": true} "x"', b"['", b'[,', b'[{"":' * 50_000, b'[{', b'["a', b'["a"', b'{', b'{]', b'{,', b'{[', b'{"a', b"{'a'",
    b'["\\{["\\{["\\{["\\{', b'\xe9', b'{"a":"b"}#{}', b'[\\u000A""]', b'[1', b'[ false, nul', b'[ true, fals', b'[ false, tru', b'{"asd":"asd"', b'\xe2\x81\xa0', b'[\x0c]',
    b'[1]\x0c', b'\x0b[1]', b'\xc2\xa0[1]', b'[1]\xc2\x85', b'[1\xe2\x80\xa8]', b'//c\n[1]', b'[1]--', b'[1] # c', b'1 2', b'[1]\n[2]', b'\x1e[1]\n', b'[1],[2]',
    b'[1]}', b'{"a":[1}]', b'[{]}', b')]}\'\n[1]', b'a=[1]', b'[1];', b'\x1b[31m[1]', b'\x93NUMP', b'PK',
]

# (text, whether it is accepted, why)
OVERFLOW = "beyond double there is not a number to round to float32; infinity would be invented"
UNDERFLOW = "rounds to 0, as every reader of floats has it"
PRECISION = "rounds to the nearest double, as Python and PyTorch read it"
SURROGATE = "half a pair is no character, and could not be written again as UTF-8"
ENCODING = "JSON is UTF-8 (RFC 8259, 8.1); guessing would show other tokens than were meant"
DUPLICATES = "which of the two is meant cannot be known (RFC 8259, 4: names should be unique)"
DEPTH = "no tensor nests deeper than 4, and no lesson deeper than 3: 32 are plenty"
DECIDED = [
    (b'[123.456e-789]', True, UNDERFLOW), (b'[123e-10000000]', True, UNDERFLOW), (b'[-1e-400]', True, UNDERFLOW), (b'[0e999999]', True, UNDERFLOW),
    (b'[0.4e0066999999999999999999999999999999999999999999999999999999999999999999]', False, OVERFLOW), (b'[-1e+9999]', False, OVERFLOW),
    (b'[1.5e+9999]', False, OVERFLOW), (b'[-123123e100000]', False, OVERFLOW), (b'[123123e100000]', False, OVERFLOW), (b'[1e309]', False, OVERFLOW),
    (b'[' + b'9' * 400 + b']', False, OVERFLOW),
    (b'[-123123123123123123123123123123]', True, PRECISION), (b'[100000000000000000000]', True, PRECISION),
    (b'[-237462374673276894279832749832423479823246327846]', True, PRECISION), (b'[0.' + b'1' * 2000 + b']', True, PRECISION),
    (b'{"\\uDFAA":0}', False, SURROGATE), (b'["\\uDADA"]', False, SURROGATE), (b'["\\uD888\\u1234"]', False, SURROGATE), (b'["\\uD800\\n"]', False, SURROGATE),
    (b'["\\uDd1ea"]', False, SURROGATE), (b'["\\uD800\\uD800\\n"]', False, SURROGATE), (b'["\\ud800"]', False, SURROGATE), (b'["\\ud800abc"]', False, SURROGATE),
    (b'["\\uDd1e\\uD834"]', False, SURROGATE), (b'["\\uDFAA"]', False, SURROGATE),
    ('["é"]'.encode("utf-16"), False, ENCODING), ('["é"]'.encode("utf-16-le"), False, ENCODING), ('["é"]'.encode("utf-16-be"), False, ENCODING),
    (b'\xfe\xff' + '["é"]'.encode("utf-16-be"), False, ENCODING), ('["é"]'.encode("utf-32"), False, ENCODING), ('["é"]'.encode("utf-32-le"), False, ENCODING),
    ('["é"]'.encode("utf-32-be"), False, ENCODING), (b'\0\0\xfe\xff' + '["é"]'.encode("utf-32-be"), False, ENCODING),
    (b'["\xe6\x97\xa5\xd1\x88\xfa"]', False, ENCODING), (b'["\xed\xa0\x80"]', False, ENCODING), (b'["\xff"]', False, ENCODING), (b'["\xe9"]', False, ENCODING),
    (b'["\x81"]', False, ENCODING), (b'["\xf4\xbf\xbf\xbf"]', False, ENCODING), (b'["\xc0\xaf"]', False, ENCODING), (b'["\xfc\x83\xbf\xbf\xbf\xbf"]', False, ENCODING),
    (b'["\xfc\x80\x80\x80\x80\x80"]', False, ENCODING), (b'["\xe0\xff"]', False, ENCODING), (b'["\xe0\x80\xaf"]', False, ENCODING), (b'["\xf0\x80\x80\xaf"]', False, ENCODING),
    (b'["\xe2\x82"]', False, ENCODING), (b'["\xf5\x80\x80\x80"]', False, ENCODING), (b'["\xed\xbf\xbf"]', False, ENCODING),
    (b'{"a":"b","a":"c"}', False, DUPLICATES), (b'{"a":"b","a":"b"}', False, DUPLICATES), (b'{"a":1,"\\u0061":2}', False, DUPLICATES), (b'[{"":0,"":0}]', False, DUPLICATES),
    (b'[' * 500 + b']' * 500, False, DEPTH), (b'[' * 33 + b']' * 33, False, DEPTH), (b'[' * 32 + b']' * 32, True, DEPTH), (b'{"a":' * 33 + b'1' + b'}' * 33, False, DEPTH),
]
