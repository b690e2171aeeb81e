"""Notebooks whose names say steps that their numbers are not, and code that is followed only in part."""

import re

import pytest

from notebooks import DRAWN, INPUTS, SCORES, judged, lines_of
from program import run

EXPONENTIAL = """query = inputs[1]
scores = inputs @ query
print(scores)
def softmax_naive(x):
    return torch.exp(x) / torch.exp(x.sum(dim=0))
attn_weights_2 = softmax_naive(scores)
print(attn_weights_2)
print(attn_weights_2 @ inputs)"""
OF_SUM = """tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
tensor([0.0037, 0.0063, 0.0062, 0.0033, 0.0029, 0.0042])
tensor([0.0117, 0.0173, 0.0151])
"""


def test_a_string_that_is_never_closed(tmp_path):
    """The text ends in it, and its last line is behind the last line of the text."""
    path = tmp_path / "x.txt"
    for text in ('"""\ntensor([0.1])\n', "x = 1\n'''\ntensor([0.1])\n\n"):
        path.write_text(text)
        assert run("diagnose", path).returncode in (1, 2), text


def test_numbers_under_the_name_of_another_step(tmp_path):
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (EXPONENTIAL, OF_SUM)])
    assert verdicts[1] == ["mistake", "other-than-its-name"] and verdicts[2][0] == "follows", text
    assert "return torch.exp(x) / torch.exp(x.sum(dim=0))" in text
    # Under a name that is no step's, or on the way to right weights, they are only computed.
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (EXPONENTIAL.replace("attn_weights_2", "e"), OF_SUM)])
    assert verdicts[1][0] == "by-product", text
    later = EXPONENTIAL.split("\nprint(attn_weights_2 @")[0] + "\nattn_weights_2 /= attn_weights_2.sum()\n"
    later += "print(attn_weights_2)"
    right = "tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])\n"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (later, OF_SUM.rsplit("tensor", 1)[0] + right)])
    assert [one[0] for one in verdicts] == ["right", "by-product", "right"], text


OF_REPEATED = """tensor([[0.1724, 0.1724, 0.1648, 0.1648, 0.1628, 0.1628],
        [0.1644, 0.1644, 0.1421, 0.1421, 0.1935, 0.1935]])
"""
OF_WHOLE = "tensor([0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452])\n"


def test_a_batch_of_rows_that_were_repeated_one_by_one(tmp_path):
    attention = "torch.softmax(batch @ batch.transpose(1, 2), dim=-1)"
    code = "batch = inputs.repeat_interleave(2, dim=0).view(2, 6, 3)\nprint({0}[:, 0])"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code.format(attention), OF_REPEATED)])
    assert verdicts == [["mistake", "batch-mixes-rows"]], text
    assert "right  batch = torch.stack((inputs, inputs), dim=0)" in text
    right = code.replace("repeat_interleave(2, dim=0)", "repeat(2, 1)").format(attention)
    right = right.replace("[:, 0]", "[1, 0]")
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (right, OF_WHOLE)])
    assert verdicts[0][0] in ("right", "settings"), text


OF_COLUMNS = """tensor([[0.2276, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1503, 0.2170, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1508, 0.2161, 0.2745, 0.0000, 0.0000, 0.0000],
        [0.1557, 0.1892, 0.2414, 0.3440, 0.0000, 0.0000],
        [0.1655, 0.1786, 0.2331, 0.3217, 0.6553, 0.0000],
        [0.1502, 0.1992, 0.2511, 0.3343, 0.3447, 1.0000]])
"""


def test_weights_that_are_divided_by_the_sums_of_columns(tmp_path):
    code = "masked = torch.softmax(inputs @ inputs.T, dim=-1).tril()\n"
    code += "print(masked / masked.sum(dim=0, keepdim=True))"
    verdicts, text = judged(tmp_path, [(code, OF_COLUMNS)])
    assert verdicts == [["mistake", "softmax-wrong-axis"]], text


EXCHANGED = """torch.manual_seed(123)
W_query, W_key, W_value = (torch.nn.Linear(3, 4, bias=False) for _ in range(3))
queries = W_query(inputs).view(1, 6, 2, 2).transpose(1, 2)
keys = W_key(inputs).view(1, 6, 2, 2).transpose(1, 2)
values = W_value(inputs).view(1, 6, 2, 2).reshape(1, 2, 6, 2)
hidden = torch.triu(torch.ones(6, 6), diagonal=1).bool()
scores = (queries @ keys.transpose(2, 3)).masked_fill(hidden, torch.finfo(torch.float32).min)
weights = torch.softmax(scores / 2**0.5, dim=-1)
context = weights @ values
print(context)
"""
OF_EXCHANGED = """tensor([[[[-0.3132, -0.2272],
          [ 0.0948, -0.0550],
          [ 0.0100,  0.0577],
          [ 0.1740,  0.1658],
          [ 0.1035,  0.1857],
          [ 0.2028,  0.2412]],

         [[-0.0360,  0.1826],
          [ 0.1563,  0.2436],
          [ 0.0440,  0.2890],
          [ 0.1552,  0.2907],
          [ 0.1187,  0.2496],
          [ 0.1618,  0.2643]]]], grad_fn=<UnsafeViewBackward0>)
"""


def test_values_whose_heads_and_tokens_a_view_exchanges(tmp_path):
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (EXCHANGED, OF_EXCHANGED)])
    assert verdicts == [["mistake", "heads-view-without-transpose"]], text
    assert "yours  values = W_value(inputs).view(1, 6, 2, 2).reshape(1, 2, 6, 2)" in text


LAST_LINE_MODULE = """from torch import nn
class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Parameter(torch.rand(3, 2)) for _ in range(3))
    def forward(self, x):
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_weights = torch.softmax(queries @ keys.T / keys.shape[-1]**0.5, dim=-1)
        context_vec = {}
        return context_vec
torch.manual_seed(123)
print(SelfAttention()(inputs))"""
LAST_LINES = [  # the last line, its mistake, and what it gives
    (
        "attn_weights @ values + values",
        "residual-added",
        "[0.4851, 1.6865], [0.7012, 1.8248], [0.6937, 1.8034], [0.5341, 1.3432], [0.4419, 1.1237], "
        "[0.6211, 1.5903]",
    ),
    (
        "attn_weights.tril() @ values",
        "masked-not-renormalised",
        "[0.0288, 0.1367], [0.1173, 0.3594], [0.2021, 0.5744], [0.2198, 0.6144], [0.2363, 0.6513], "
        "[0.2990, 0.8040]",
    ),
    (
        "(attn_weights @ values).round(decimals=2)",
        "other-than-its-name",
        "[0.3000, 0.8100], [0.3100, 0.8200], [0.3100, 0.8200], [0.2900, 0.7900], [0.2900, 0.7900], "
        "[0.3000, 0.8000]",
    ),
    (
        "-(attn_weights @ values)",
        "other-than-its-name",
        "[-0.2996, -0.8053], [-0.3061, -0.8210], [-0.3058, -0.8203], [-0.2948, -0.7939], "
        "[-0.2927, -0.7891], [-0.2990, -0.8040]",
    ),
]


@pytest.mark.parametrize("line, mistake, rows", LAST_LINES)
def test_a_last_line_that_departs_is_blamed_and_not_the_draws(line, mistake, rows, tmp_path):
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (LAST_LINE_MODULE.format(line), f"tensor([{rows}])\n")])
    assert verdicts == [["mistake", mistake]]
    assert f"yours  context_vec = {line}" in text


FLIPPED_ROWS = (
    "[0.3275, 0.9642], [0.1827, 0.3292], [0.2408, 0.6706], [0.4361, 1.1156], [0.4433, 1.1419], "
    "[0.3669, 0.7646]"
)
SWAPPED_COLUMNS = (
    "[0.7646, 0.3669], [1.1419, 0.4433], [1.1156, 0.4361], [0.6706, 0.2408], [0.3292, 0.1827], "
    "[0.9642, 0.3275]"
)


@pytest.mark.parametrize("change, rows", [(".flip(0)", FLIPPED_ROWS), ("[:, [1, 0]]", SWAPPED_COLUMNS)])
def test_rearranged_keys_are_not_keys(change, rows, tmp_path):
    code = f"{DRAWN}W_query = torch.rand(3, 2)\nkeys = (inputs @ torch.rand(3, 2)){change}\nkeys"
    verdicts, _ = judged(tmp_path, [(INPUTS, ""), (code, f"tensor([{rows}])\n")])
    assert verdicts == [["mistake", "other-than-its-name"]]


VALUES_RETURNED = (
    "[0.1855, 0.8812], [0.3951, 1.0037], [0.3879, 0.9831], "
    "[0.2393, 0.5493], [0.1492, 0.3346], [0.3221, 0.7863]"
)


def test_a_module_that_returns_the_values(tmp_path):
    code = LAST_LINE_MODULE.format("values")
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, f"tensor([{VALUES_RETURNED}])\n")])
    assert verdicts == [["mistake", "other-than-its-name"]]
    assert "yours  SelfAttention()(inputs)" in text


LINEAR_LAYERS = """from torch import nn
torch.manual_seed(789)
W_query, W_key, W_value = (nn.Linear(3, 2, bias=False) for _ in range(3))
q, k, v = W_query(inputs), W_key(inputs), W_value(inputs)
"""
PRODUCTS = (
    "[0.2077, 0.0822], [-0.0271, 0.1993], [-0.0152, 0.1883], "
    "[-0.0531, 0.0717], [0.0893, -0.0108], [-0.1497, 0.1574]"
)
POSITIVE = (
    "[0.0739, 0.0713], [0.0748, 0.0703], [0.0749, 0.0702], "
    "[0.0760, 0.0685], [0.0763, 0.0679], [0.0754, 0.0693]"
)
WITH_VALUES = (
    "[-0.1611, 0.0999], [-0.1885, 0.1469], [-0.1767, 0.1630], "
    "[-0.1672, 0.0658], [0.0632, 0.4259], [-0.2839, -0.0853]"
)
WEIGHTED = "torch.softmax(q @ k.T / 2**0.5, dim=-1) @ v"
CHANGED_STEPS = [  # the line, the code below it, the mistake, and what is shown
    ("attn_scores = q * k", "attn_scores", "other-than-its-name", PRODUCTS),
    (f"context_vec = ({WEIGHTED}).abs()", "context_vec", "other-than-its-name", POSITIVE),
    (
        f"return {WEIGHTED} + v",
        "attention(q, k, v)",
        "residual-added",
        WITH_VALUES,
    ),
]


@pytest.mark.parametrize("line, shown, mistake, rows", CHANGED_STEPS)
def test_a_result_that_is_not_the_step_of_its_name(line, shown, mistake, rows, tmp_path):
    before = "def attention(q, k, v):\n    " if line.startswith("return") else ""
    code = f"{LINEAR_LAYERS}{before}{line}\n{shown}"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, f"tensor([{rows}])\n")])
    assert verdicts == [["mistake", mistake]]
    assert f"yours  {line} " in text


def test_a_line_that_assigns_a_negative_call_is_code(tmp_path):
    negative = re.sub(r"(\d+\.)", r"-\1", SCORES)
    (line,) = lines_of(tmp_path, f"{INPUTS}\nx = -(inputs @ inputs.T)\nprint(x)\n{negative}")
    assert "  x  " in line


ROW_SET = (
    "[0.3669, 2.8705], [0.4433, 3.8355], [0.4361, 3.9072], "
    "[0.2408, 1.7481], [0.1827, 4.1003], [0.3275, 1.2091]"
)
YIELDED = (
    "[1.8369, 2.2346], [2.5233, 3.2219], [2.4961, 3.1756], "
    "[1.3708, 1.8006], [1.3027, 1.4492], [1.7275, 2.3642]"
)
TRIED = (
    "[2.3669, 2.7646], [2.4433, 3.1419], [2.4361, 3.1156], "
    "[2.2408, 2.6706], [2.1827, 2.3292], [2.3275, 2.9642]"
)
TRAINED = (
    "[-0.7931, -0.0452], [-0.9246, -0.6522], [-0.9179, -0.6405], "
    "[-0.4736, -0.4361], [-0.5402, -0.2489], [-0.5733, -0.5690]"
)
OF_OTHER_DRAWS = (
    "[0.1855, 0.8812], [0.3951, 1.0037], [0.3879, 0.9831], "
    "[0.2393, 0.5493], [0.1492, 0.3346], [0.3221, 0.7863]"
)
TRAINING = """from torch import nn
torch.manual_seed(123)
model = nn.Linear(3, 2, bias=False)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(inputs).sum().backward()
    optimizer.step()
model(inputs)"""
FORK = """with torch.random.fork_rng():
    other = torch.rand(3, 2)
keys = inputs @ torch.rand(3, 2)
keys"""
TRY = "try:\n    keys = inputs @ W_key.T\nexcept RuntimeError:\n    keys = inputs @ W_key + 2\nkeys"
NOT_FOLLOWED = [  # code that changes tensors in ways that are not followed, and what it shows
    ("row = W_key[0]\nrow[1] = 5\nkeys = inputs @ W_key\nkeys", ROW_SET),
    ("def g():\n    yield W_key + 1\nkeys = inputs @ next(g())\nkeys", YIELDED),
    (TRY, TRIED),
    (FORK, OF_OTHER_DRAWS),  # the numbers of the values
    (TRAINING, TRAINED),
]


@pytest.mark.parametrize("code, rows", NOT_FOLLOWED)
def test_code_that_is_not_followed_contradicts_no_output(code, rows, tmp_path):
    drawn = f"{DRAWN}W_query = torch.rand(3, 2)\nW_key = torch.rand(3, 2)\n"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (drawn + code, f"tensor([{rows}])\n")])
    assert verdicts == [["unknown"]] and "gives others" not in text


def test_the_row_sums_of_weights_without_their_code(tmp_path):
    code = 'print("All row sums:", attn_weights.sum(dim=-1))'
    sums = "tensor([1.0000, 1.0000, 1.0000, 1.0000, 1.0000, 1.0000])\n"
    assert judged(tmp_path, [(code, "All row sums: " + sums)])[0] == [["by-product"]]
    assert judged(tmp_path, [(code, "All row sums: " + sums.replace("1.0000, ", "0.9000, ", 1))])[0] == [
        ["unknown"]
    ]


MASKED_AND_DROPPED = """attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)
print(attn_weights)
tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5517, 0.4483, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3800, 0.3097, 0.3103, 0.0000, 0.0000, 0.0000],
        [0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000],
        [0.2175, 0.1983, 0.1984, 0.1888, 0.1971, 0.0000],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]],
       grad_fn=<SoftmaxBackward0>)

torch.manual_seed(123)
print(torch.nn.Dropout(0.5)(attn_weights))
tensor([[2.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.7599, 0.6194, 0.6206, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.4921, 0.4925, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.3966, 0.0000, 0.3775, 0.0000, 0.0000],
        [0.0000, 0.3327, 0.3331, 0.3084, 0.3331, 0.0000]],
       grad_fn=<MulBackward0>)
"""


def test_weights_and_their_dropout_without_the_cells_before(tmp_path):
    first, second = lines_of(tmp_path, MASKED_AND_DROPPED)
    assert "right, " in first
    assert "right, step 18 of causal: attn_weights_dropped" in second


OF_ONES = (
    "[1.3338, 1.6553], [1.9438, 2.2653], [1.9238, 2.2453], "
    "[0.9938, 1.3153], [0.9838, 1.3053], [1.2638, 1.5853]"
)
PLUS_ONE = (
    "[1.3669, 1.7646], [1.4433, 2.1419], [1.4361, 2.1156], "
    "[1.2408, 1.6706], [1.1827, 1.3292], [1.3275, 1.9642]"
)
INNOCENT = [  # code with a mistake that is in no line about drawn weights or variables, and what it shows
    (
        "l = torch.nn.Linear(3, 2)\nl.apply(lambda m: torch.nn.init.ones_(m.weight))\nkeys = l(inputs)",
        OF_ONES,
    ),
    ("class A:\n    def __call__(self, x):\n        return x @ W_key + 1\nkeys = A()(inputs)", PLUS_ONE),
]


@pytest.mark.parametrize("code, rows", INNOCENT)
def test_lines_about_other_tensors_are_not_blamed(code, rows, tmp_path):
    drawn = f"{DRAWN}W_query = torch.rand(3, 2)\nW_key = torch.rand(3, 2)\n"
    verdicts, _ = judged(tmp_path, [(INPUTS, ""), (f"{drawn}{code}\nkeys", f"tensor([{rows}])\n")])
    assert verdicts == [["mistake", "other-than-its-name"]]


OF_BFLOAT16 = (
    "[0.3672, 0.7656], [0.4434, 1.1406], [0.4355, 1.1172], "
    "[0.2402, 0.6680], [0.1826, 0.3301], [0.3262, 0.9648]"
)


def test_keys_of_bfloat16_are_right_up_to_rounding(tmp_path):
    drawn = f"{DRAWN}W_query = torch.rand(3, 2)\nW_key = torch.rand(3, 2)\n"
    code = f"{drawn}keys = (inputs.bfloat16() @ W_key.bfloat16()).float()\nkeys"
    _, text = judged(tmp_path, [(INPUTS, ""), (code, f"tensor([{OF_BFLOAT16}])\n")])
    assert "keys  right up to rounding (bfloat16), step 9 of trainable: keys" in text


MASKED_RANDS = """W_query = torch.nn.Parameter(torch.rand(3, 2), requires_grad=False)
W_key = torch.nn.Parameter(torch.rand(3, 2), requires_grad=False)
attn_scores = (inputs @ W_query) @ (inputs @ W_key).T
mask = torch.tril(torch.ones(6, 6))
masked = attn_scores.masked_fill(mask == 0, float('-inf'))
masked
"""
OF_MASKED_RANDS = """tensor([[0.6296,   -inf,   -inf,   -inf,   -inf,   -inf],
        [1.2001, 2.4854,   -inf,   -inf,   -inf,   -inf],
        [1.1952, 2.4776, 2.4600,   -inf,   -inf,   -inf],
        [0.6680, 1.3632, 1.3541, 0.7761,   -inf,   -inf],
        [0.7698, 1.6383, 1.6254, 0.9436, 0.9361,   -inf],
        [0.7586, 1.5292, 1.5196, 0.8676, 0.9187, 1.0145]])
"""
DROPPING = """from torch import nn
class MHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))
    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)
batch = torch.stack((x, x), dim=0)
torch.manual_seed(123)
mha = MHA(3, 4, 6, 0.5, num_heads=2)
y = mha(batch)
y
"""
OF_DROPPING = """tensor([[[-0.2112,  0.2505, -0.1223, -0.2722],
         [-0.1085,  0.5129, -0.0988, -0.3970],
         [-0.1405,  0.3482, -0.0932, -0.2842],
         [ 0.1236,  0.1979, -0.0672, -0.4902],
         [ 0.0062,  0.3143, -0.0697, -0.3839],
         [ 0.0280,  0.2651, -0.0669, -0.3814]],

        [[-0.2112,  0.2505, -0.1223, -0.2722],
         [-0.0764,  0.3350, -0.0674, -0.2750],
         [ 0.1301,  0.2293, -0.0713, -0.5227],
         [-0.1112,  0.2900, -0.0744, -0.2449],
         [-0.0136,  0.3212, -0.0751, -0.3796],
         [-0.0398,  0.3244, -0.0719, -0.3358]]], grad_fn=<ViewBackward0>)
"""
KEYS_DROPPING = """x = torch.tensor([[0.1, 0.5, 0.3], [0.7, 0.2, 0.9], [0.4, 0.8, 0.6]])
class Head(torch.nn.Module):
    def __init__(self, d_in, d_out, n, p):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=False)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=False)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=False)
        self.dropout = torch.nn.Dropout(p)
        self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))
    def forward(self, x):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool(), -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ keys
torch.manual_seed(123)
batch = torch.stack((x, x))
ca = Head(3, 2, 3, 0.5)
context_vecs = ca(batch)
context_vecs
"""
OF_KEYS_DROPPING = """tensor([[[-0.7618, -0.0314],
         [-1.1291,  0.3552],
         [-0.7609,  0.0334]],

        [[ 0.0000,  0.0000],
         [ 0.0000,  0.0000],
         [-0.4804,  0.2253]]], grad_fn=<UnsafeViewBackward0>)
"""


def test_a_step_that_the_chapter_computes_from_other_weights(tmp_path):
    code = "torch.manual_seed(789)\n" + MASKED_RANDS
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_MASKED_RANDS)])[0] == [["settings"]]


def test_heads_with_dropout_by_one_seed(tmp_path):
    code = DROPPING.replace("(x, x)", "(inputs, inputs)")
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_DROPPING)])[0] == [["settings"]]


def test_dropped_weights_that_multiply_the_keys(tmp_path):
    verdicts, _ = judged(tmp_path, [("import torch\n" + KEYS_DROPPING, OF_KEYS_DROPPING)])
    assert verdicts == [["mistake", "keys-for-values"]]


OWN_CHAPTER = """import torch
x = torch.tensor([[0.1, 0.5, 0.3], [0.7, 0.2, 0.9], [0.4, 0.8, 0.6]])
torch.manual_seed(123)
Wq = torch.nn.Linear(3, 2, bias=False)
Wk = torch.nn.Linear(3, 2, bias=False)
q, k = Wq(x), Wk(x)
attn_scores = q @ k.T
attn_weights = torch.softmax(attn_scores / 2**0.5, dim=-1)
mask_simple = torch.tril(torch.ones(3, 3))
"""


@pytest.mark.parametrize("line, rows", [
    ("masked_simple = attn_weights + mask_simple",
     "[1.3311, 0.3309, 0.3381], [1.2964, 1.3644, 0.3392], [1.3213, 1.3364, 1.3423]"),
    ("attn_scores_2 = x @ x[1]\nattn_weights_2_tmp = attn_scores_2 / attn_scores_2.max()",
     "0.3284, 1.0000, 0.7313"),
])  # fmt: skip
def test_other_numbers_under_the_name_of_a_step_with_inputs_of_ones_own(line, rows, tmp_path):
    code = f"{OWN_CHAPTER}{line}\n{line.split()[-5 if 'tmp' in line else 0]}"
    verdicts, _ = judged(tmp_path, [(code, f"tensor([{rows}])\n")])
    assert verdicts == [["mistake", "other-than-its-name"]]


OF_NO_KEEPDIM = """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.9673, 0.6014, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.9693, 0.5994, 0.3683, 0.0000, 0.0000, 0.0000],
        [1.0257, 0.5298, 0.3297, 0.2103, 0.0000, 0.0000],
        [1.0381, 0.5179, 0.3231, 0.2137, 0.1534, 0.0000],
        [1.0042, 0.5557, 0.3442, 0.2021, 0.1320, 0.1794]],
       grad_fn=<DivBackward0>)
"""


def test_row_sums_without_keepdim_of_weights_that_no_document_draws(tmp_path):
    code = """torch.manual_seed(123)
W_query = torch.nn.Parameter(torch.rand(3, 2))
W_key = torch.nn.Parameter(torch.rand(3, 2))
queries, keys = inputs @ W_query, inputs @ W_key
attn_weights = torch.softmax(queries @ keys.T / keys.shape[-1]**0.5, dim=-1)
masked_simple = attn_weights * torch.tril(torch.ones(6, 6))
masked_simple_norm = masked_simple / masked_simple.sum(dim=-1)
print(masked_simple_norm)"""
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_NO_KEEPDIM)])[0] == [["mistake", "keepdim-missing"]]


def test_a_part_of_the_line_of_the_step_that_a_name_says(tmp_path):
    code = "attn_scores_2 = inputs @ inputs[1]\ndef softmax_naive(x):\n    return torch.exp(x)\n"
    code += "attn_weights_2_naive = softmax_naive(attn_scores_2)\nprint(attn_weights_2_naive)"
    exponentials = "tensor([2.5971, 4.4593, 4.3728, 2.3243, 2.0279, 2.9639])\n"
    verdicts, _ = judged(tmp_path, [(INPUTS, ""), (code, exponentials)])
    assert verdicts == [["mistake", "other-than-its-name"]]
