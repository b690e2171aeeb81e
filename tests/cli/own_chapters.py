"""Chapters with seeds, weights and inputs of the reader's own, as code with outputs: what is right with them,
and what is a mistake with any numbers.
"""

import pytest

from notebooks import INPUTS, judged
from program import run

RANDS = """torch.manual_seed(SEED)
W_query = torch.nn.Parameter(torch.rand(3, 2), requires_grad=False)
W_key = torch.nn.Parameter(torch.rand(3, 2), requires_grad=False)
W_value = torch.nn.Parameter(torch.rand(3, 2), requires_grad=False)
queries, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value
attn_scores = queries @ keys.T
attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
"""
LAYERS = """import torch.nn as nn
torch.manual_seed(789)
W_query = nn.Linear(3, 2, bias=False)
W_key = nn.Linear(3, 2, bias=False)
W_value = nn.Linear(3, 2, bias=False)
queries, keys, values = W_query(inputs), W_key(inputs), W_value(inputs)
"""
OF_CLONE = """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3986, 0.6014, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2526, 0.3791, 0.3683, 0.0000, 0.0000, 0.0000],
        [0.2265, 0.2839, 0.2794, 0.2103, 0.0000, 0.0000],
        [0.1952, 0.2363, 0.2331, 0.1820, 0.1534, 0.0000],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]])
"""
OF_UNMASKED = """tensor([[-0.0739,  0.0713],
        [-0.0748,  0.0703],
        [-0.0749,  0.0702],
        [-0.0760,  0.0685],
        [-0.0763,  0.0679],
        [-0.0754,  0.0693]], grad_fn=<MmBackward0>)
"""
OF_TWO_NUMBERS = "tensor([0.8734, 1.3310, 1.3904, 0.7854, 0.6820, 1.0065])\n"
OF_DRAWN_INPUTS = """tensor([[ 0.1835, -0.2054],
        [ 0.1840, -0.4153],
        [ 0.1657, -0.2229],
        [-0.0129, -0.1695],
        [ 0.0214, -0.2141],
        [ 0.0567, -0.5051]], grad_fn=<MmBackward0>)
"""
OF_ONE_SEED = """tensor([[-0.1218,  0.4625],
        [-0.2349,  0.0753],
        [-0.2410,  0.0744],
        [-0.1107, -0.0238],
        [-0.2839,  0.0374],
        [-0.0604, -0.0086]], grad_fn=<MmBackward0>)
"""
OF_TURNED_WEIGHTS = """tensor([[0.6310, 0.5732],
        [1.0181, 0.9059],
        [1.0130, 0.9015],
        [0.4834, 0.4451],
        [0.5942, 0.5415],
        [0.5368, 0.4915]])
"""
OF_MERGED = """tensor([[[-0.4519,  0.2216],
         [-0.5889,  0.0122],
         [-0.6313, -0.0576],
         [-0.5685, -0.0832],
         [-0.5541, -0.0964],
         [-0.5311, -0.1077]],

        [[-0.4519,  0.2216],
         [-0.5889,  0.0122],
         [-0.6313, -0.0576],
         [-0.5685, -0.0832],
         [-0.5541, -0.0964],
         [-0.5311, -0.1077]]], grad_fn=<ViewBackward0>)
"""
OF_WIDE_MASK = """tensor([[  -inf,   -inf,   -inf,   -inf,   -inf,   -inf],
        [0.4656,   -inf,   -inf,   -inf,   -inf,   -inf],
        [0.4594, 0.1703,   -inf,   -inf,   -inf,   -inf],
        [0.2642, 0.1024, 0.1036,   -inf,   -inf,   -inf],
        [0.2183, 0.0874, 0.0882, 0.0177,   -inf,   -inf],
        [0.3408, 0.1270, 0.1290, 0.0198, 0.1290,   -inf]],
       grad_fn=<MaskedFillBackward0>)
"""
OF_UPPER = """tensor([[1., 1., 1., 1., 1., 1.],
        [0., 1., 1., 1., 1., 1.],
        [0., 0., 1., 1., 1., 1.],
        [0., 0., 0., 1., 1., 1.],
        [0., 0., 0., 0., 1., 1.],
        [0., 0., 0., 0., 0., 1.]])
"""
OF_UPPER_WEIGHTS = """tensor([[0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
        [0.0000, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
        [0.0000, 0.0000, 0.1662, 0.1498, 0.1664, 0.1480],
        [0.0000, 0.0000, 0.0000, 0.1571, 0.1661, 0.1564],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.1658, 0.1585],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.1529]],
       grad_fn=<MulBackward0>)
"""
OF_RESHAPED = """tensor([[ 0.2293, -0.2093, -0.0644, -0.3041,  0.0350, -0.1834],
        [ 0.3332, -0.2434, -0.1248, -0.4269,  0.0855, -0.1736],
        [ 0.3285, -0.2395, -0.1232, -0.4208,  0.0845, -0.1706],
        [ 0.1862, -0.1305, -0.0725, -0.2371,  0.0509, -0.0886],
        [ 0.1522, -0.1034, -0.0610, -0.1930,  0.0435, -0.0675],
        [ 0.2433, -0.1765, -0.0917, -0.3114,  0.0631, -0.1250]],
       grad_fn=<MmBackward0>)
"""
OF_SEED_789 = """tensor([[ 0.2899,  0.0716,  0.0760, -0.0138,  0.1344, -0.0511],
        [ 0.4656,  0.1723,  0.1751,  0.0259,  0.1771,  0.0085],
        [ 0.4594,  0.1703,  0.1731,  0.0259,  0.1745,  0.0090],
        [ 0.2642,  0.1024,  0.1036,  0.0186,  0.0973,  0.0122],
        [ 0.2183,  0.0874,  0.0882,  0.0177,  0.0786,  0.0144],
        [ 0.3408,  0.1270,  0.1290,  0.0198,  0.1290,  0.0078]],
       grad_fn=<MmBackward0>)
"""
OF_CONTEXT = """tensor([[0.8405, 0.9012],
        [1.0942, 1.0584],
        [1.1586, 1.0943],
        [1.0723, 1.0043],
        [0.9318, 0.8650],
        [0.9955, 0.9217]])
"""
OF_DROPPED = """tensor([[-0.0969,  0.0318],
        [-0.1101,  0.0557],
        [-0.1111,  0.0704],
        [-0.1092,  0.0544],
        [-0.0347,  0.1016],
        [-0.0838,  0.0770]], grad_fn=<MmBackward0>)
"""
OF_QUARTERS = """tensor([[0.1754, 0.1661, 0.1663, 0.1626, 0.1687, 0.1610],
        [0.1793, 0.1666, 0.1667, 0.1606, 0.1668, 0.1599],
        [0.1791, 0.1666, 0.1667, 0.1607, 0.1668, 0.1600],
        [0.1736, 0.1667, 0.1668, 0.1633, 0.1665, 0.1630],
        [0.1723, 0.1668, 0.1668, 0.1639, 0.1664, 0.1638],
        [0.1758, 0.1667, 0.1667, 0.1623, 0.1667, 0.1618]],
       grad_fn=<SoftmaxBackward0>)
"""
OF_WEIGHTS = """tensor([[0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
        [0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
        [0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480],
        [0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]],
       grad_fn=<SoftmaxBackward0>)
"""
OWN_LAYERS = """import torch
import torch.nn as nn
x = torch.tensor([[0.1, 0.9, 0.3], [0.5, 0.2, 0.7], [0.8, 0.6, 0.4], [0.35, 0.15, 0.95]])
torch.manual_seed(7)
W_query = nn.Linear(3, 2, bias=False)
W_key = nn.Linear(3, 2, bias=False)
W_value = nn.Linear(3, 2, bias=False)
q, k, v = W_query(x), W_key(x), W_value(x)
s = q @ k.T
"""
OF_LOGARITHMS = """tensor([[-1.4324, -1.3577, -1.4127, -1.3450],
        [-1.3743, -1.3890, -1.3947, -1.3873],
        [-1.4040, -1.3767, -1.3912, -1.3735],
        [-1.3659, -1.3904, -1.4023, -1.3869]], grad_fn=<LogSoftmaxBackward0>)
tensor([[1.6859, 1.3184],
        [1.6736, 1.3514],
        [1.6769, 1.3375],
        [1.6742, 1.3536]], grad_fn=<MmBackward0>)
"""
OF_UNMASKED_CONTEXT = """tensor([[-0.0739,  0.0713],
        [-0.0748,  0.0703],
        [-0.0749,  0.0702],
        [-0.0760,  0.0685],
        [-0.0763,  0.0679],
        [-0.0754,  0.0693]], grad_fn=<MmBackward0>)
"""
OF_RESIDUAL = """tensor([[-0.1744,  0.0572],
        [-0.2127,  0.1267],
        [-0.2018,  0.1561],
        [-0.1895,  0.0463],
        [ 0.0880,  0.4678],
        [-0.2839, -0.0853]], grad_fn=<AddBackward0>)
"""
OF_TURNED_CAUSAL = """tensor([[1.0000, 0.5517, 0.3800, 0.2758, 0.2175, 0.1935],
        [0.0000, 0.4483, 0.3097, 0.2460, 0.1983, 0.1663],
        [0.0000, 0.0000, 0.3103, 0.2462, 0.1984, 0.1666],
        [0.0000, 0.0000, 0.0000, 0.2319, 0.1888, 0.1542],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.1971, 0.1666],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.1529]],
       grad_fn=<PermuteBackward0>)
"""
OF_TWO_SENTENCES = """tensor([[[-0.4519,  0.2216],
         [-0.5874,  0.0058],
         [-0.6300, -0.0632],
         [-0.5675, -0.0843],
         [-0.5526, -0.0981],
         [-0.5299, -0.1081]],

        [[-0.1827,  0.0140],
         [-0.3463, -0.0134],
         [-0.5226, -0.0428],
         [-0.6159, -0.0826],
         [-0.5962, -0.0915],
         [-0.5316, -0.0889]]], grad_fn=<UnsafeViewBackward0>)
"""
OF_NEW_LAYERS = """tensor([[ 0.3253, -0.5116],
        [ 0.5767, -0.6815],
        [ 0.5727, -0.6695],
        [ 0.3220, -0.3809],
        [ 0.3397, -0.2657],
        [ 0.3812, -0.5213]], grad_fn=<MmBackward0>)
"""
OF_MASKED_RANDS = """tensor([[0.9231,   -inf,   -inf,   -inf,   -inf,   -inf],
        [1.2705, 1.8524,   -inf,   -inf,   -inf,   -inf],
        [1.2544, 1.8284, 1.7877,   -inf,   -inf,   -inf],
        [0.6973, 1.0167, 0.9941, 0.5925,   -inf,   -inf],
        [0.6114, 0.8819, 0.8626, 0.5121, 0.2707,   -inf],
        [0.8995, 1.3165, 1.2871, 0.7682, 0.3937, 1.0996]])
"""
OF_FLIPPED_VALUES = """tensor([[0.0943, 0.3680],
        [0.3172, 0.2501],
        [0.2838, 0.3636],
        [0.1279, 0.3679],
        [0.1259, 0.3445]], grad_fn=<MmBackward0>)
"""
OF_FLIPPED_CONTEXT = """tensor([[[0.2575, 0.4028],
         [0.2639, 0.3928],
         [0.2693, 0.3873],
         [0.2856, 0.3593],
         [0.2943, 0.3897],
         [0.3190, 0.4858]],

        [[0.2575, 0.4028],
         [0.2639, 0.3928],
         [0.2693, 0.3873],
         [0.2856, 0.3593],
         [0.2943, 0.3897],
         [0.3190, 0.4858]]], grad_fn=<FlipBackward0>)
"""
CAUSAL = """mask = torch.triu(torch.ones(len(inputs), len(inputs)), diagonal=1).bool()
masked = (queries @ keys.T).masked_fill(mask, -torch.inf)
attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)
"""
MERGED = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
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
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)
        values = values.view(b, num_tokens, self.num_heads, self.head_dim)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)
        keys = keys.transpose(1, 2)
        queries = queries.transpose(1, 2)
        values = values.transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        return context_vec


torch.manual_seed(123)
context_vecs = MultiHeadAttention(3, 2, 6, 0.0, num_heads=2)(torch.stack((inputs, inputs)))
print(context_vecs)"""


def test_weights_of_the_chapter_before_with_a_mask(tmp_path):
    code = RANDS.replace("SEED", "123")
    code += "masked = attn_scores.clone()\nmasked[torch.ones(6, 6).triu(1) == 1] = -torch.inf\n"
    code += "attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\nprint(attn_weights)"
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_CLONE)])[0] == [["settings"]]


def test_a_mask_that_a_right_output_does_without_is_told(tmp_path):
    code = LAYERS + "attn_scores = queries @ keys.T\n"
    mask = "masked = attn_scores.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), -torch.inf)\n"
    used = "attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"
    shown = "context_vec = torch.softmax(attn_scores / 2**0.5, -1) @ values\nprint(context_vec)"
    for makes_mask, is_told in ((mask, True), ("", False)):
        own = code + makes_mask + (used if makes_mask else "") + shown
        verdicts, text = judged(tmp_path, [(INPUTS, ""), (own, OF_UNMASKED)])
        assert verdicts == [["right"]]
        assert ("right without a mask, although cell 2" in " ".join(text.split())) == is_told, text


def test_inputs_with_two_other_numbers_are_the_readers_own(tmp_path):
    own = INPUTS.replace("0.43", "0.31").replace("0.87", "0.77")
    code = "query = inputs[1]\nattn_scores_2 = inputs @ query\nprint(attn_scores_2)"
    assert judged(tmp_path, [(own, ""), (code, OF_TWO_NUMBERS)])[0] == [["settings"]]


def test_projections_of_drawn_inputs_are_no_steps(tmp_path):
    code = f"import torch\ntorch.manual_seed(1888)\ninputs = torch.rand(6, 3)\n{LAYERS}print(keys)"
    verdicts, text = judged(tmp_path, [(code, OF_DRAWN_INPUTS)])
    assert verdicts[0][0] != "mistake", text


def test_one_seed_for_all_layers_is_a_mistake_with_any_seed(tmp_path):
    code = LAYERS.replace("torch.manual_seed(789)\n", "")
    code = "\n".join(
        f"torch.manual_seed(1661)\n{line}" if "Linear" in line else line for line in code.splitlines()
    )
    verdicts, _ = judged(tmp_path, [(INPUTS, ""), (f"{code}\nprint(keys)", OF_ONE_SEED)])
    assert verdicts == [["mistake", "seed-set-before-each-layer"]]


def test_turned_weights_are_a_mistake_with_any_seed(tmp_path):
    code = RANDS.replace("SEED", "1661") + "context_vec = attn_weights.T @ values\nprint(context_vec)"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, OF_TURNED_WEIGHTS)])
    assert verdicts == [["mistake", "weights-transposed"]] and "attn_weights @ values" in text


def test_merged_heads_that_a_module_returns_without_its_projection(tmp_path):
    code = "import torch.nn as nn\n" + MERGED
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_MERGED)])[0] == [["mistake", "no-out-proj"]]


def test_a_module_that_returns_the_tokens_in_another_order(tmp_path):
    returned = "        return context_vec\n"
    code = MERGED.replace(returned, "        return self.out_proj(context_vec).flip(1)\n")
    cells = [(INPUTS, ""), ("import torch.nn as nn\n" + code, OF_FLIPPED_CONTEXT)]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts == [["mistake", "other-than-its-name"]] and "yours  return self.out_proj" in text


def test_the_line_that_makes_a_wrong_mask_is_shown_once(tmp_path):
    code = LAYERS + "mask = torch.triu(torch.ones(6, 6), diagonal=0)\n"
    code += "masked = (queries @ keys.T).masked_fill(mask.bool(), -torch.inf)\nprint(masked)"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, OF_WIDE_MASK)])
    assert verdicts == [["mistake", "mask-excludes-diagonal"]]
    assert "yours  mask = torch.triu(torch.ones(6, 6), diagonal=0)" in text
    weights = "attn_weights = torch.softmax(queries @ keys.T / keys.shape[-1]**0.5, dim=-1)\n"
    first = f"{LAYERS}{weights}mask_simple = torch.triu(torch.ones(6, 6))\nprint(mask_simple)"
    then = "masked_simple = attn_weights * mask_simple\nprint(masked_simple)"
    verdicts, _ = judged(tmp_path, [(INPUTS, ""), (first, OF_UPPER), (then, OF_UPPER_WEIGHTS)])
    assert verdicts == [["mistake", "mask-flipped"], ["follows", "mask-flipped"]]


def test_the_right_line_has_the_axes_of_the_code(tmp_path):
    code = LAYERS + "attn_scores = queries @ keys.reshape(2, 6)\nprint(attn_scores)"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, OF_RESHAPED)])
    assert verdicts == [["mistake", "keys-reshaped"]] and "queries @ keys.T" in text


def test_the_bias_of_a_layer_without_one_is_none(tmp_path):
    code = LAYERS.replace("W_query(inputs),", "nn.functional.linear(inputs, W_query.weight, W_query.bias),")
    code += "mask = torch.triu(torch.ones(6, 6), diagonal=1)\n"
    code += "masked = (queries @ keys.T).masked_fill(mask.bool(), -torch.inf)\n"
    code += "attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\ntorch.manual_seed(123)\n"
    code += "attn_weights = nn.functional.dropout(attn_weights, p=0.1)\n"
    code += "context_vec = attn_weights @ values\nprint(context_vec)"
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_DROPPED)])[0] == [["settings"]]


def test_of_equal_numbers_the_sentence_is_that_of_the_code(tmp_path):
    line = "attn_weights = torch.softmax(queries @ keys.T / keys.shape[-1]{}, dim=-1)\nprint(attn_weights)"
    for power, mistake in (("**2", "scaled-by-d-k-squared"), (" * 0.5", "scaled-by-half")):
        verdicts, text = judged(tmp_path, [(INPUTS, ""), (LAYERS + line.format(power), OF_QUARTERS)])
        assert verdicts == [["mistake", mistake]], text


def test_the_output_of_another_variable_is_not_right(tmp_path):
    code = LAYERS + "attn_weights = torch.softmax(queries @ keys.T / keys.shape[-1]**0.5, dim=-1)\n"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (f"{code}print(keys)", OF_WEIGHTS)])
    assert verdicts == [["unknown"]] and "the code beside these numbers gives others" in text
    assert judged(tmp_path, [(INPUTS, ""), (f"{code}print(attn_weights)", OF_WEIGHTS)])[0] == [["right"]]


def test_a_mistake_is_shown_where_it_is_made(tmp_path):
    line = "w = torch.log_softmax(s / k.shape[-1]**0.5, dim=-1)"
    verdicts, text = judged(tmp_path, [(f"{OWN_LAYERS}{line}\nprint(w)\nprint(w @ v)", OF_LOGARITHMS)])
    assert verdicts == [["mistake", "log-softmax"], ["follows", "log-softmax"]] and f"yours  {line}" in text


MASKED_FILL = "attn_scores.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), -torch.inf)\n"


@pytest.mark.parametrize("assigned, right", [
    ("", "attn_scores.masked_fill_(torch.triu(torch.ones(6, 6), diagonal=1).bool(), -torch.inf)"),
    ("masked = ", "attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)"),
])  # fmt: skip
def test_a_mask_without_effect(tmp_path, assigned, right):
    code = f"{LAYERS}attn_scores = queries @ keys.T\n{assigned}{MASKED_FILL}"
    code += "attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)\n"
    shown = "context_vec = attn_weights @ values\nprint(context_vec)"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code + shown, OF_UNMASKED_CONTEXT)])
    yours = right.replace("fill_", "fill") if not assigned else right.replace("masked", "attn_scores")
    assert verdicts == [["mistake", "not-masked"]] and f"yours  {yours}" in text and f"right  {right}" in text
    short = code.replace("attn_scores", "s").replace("masked", "m").replace("m_fill", "masked_fill")
    text = judged(tmp_path, [(INPUTS, ""), (short + shown, OF_UNMASKED_CONTEXT)])[1]
    assert not assigned or "right  attn_weights = torch.softmax(m / keys" in text, text
    # Both ways are compared: the masked scores are used, too.
    both = f"{code}z = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n{shown}"
    if assigned:
        assert judged(tmp_path, [(INPUTS, ""), (both, OF_UNMASKED_CONTEXT)])[0] == [["right"]]


def test_usual_names_of_steps_say_what_they_are(tmp_path):
    code = f"{LAYERS}{CAUSAL}context = attn_weights @ values + values\nprint(context)"
    verdicts, _ = judged(tmp_path, [(INPUTS, ""), (code, OF_RESIDUAL)])
    assert verdicts == [["mistake", "residual-added"]]


def test_numbers_in_another_order_are_no_step(tmp_path):
    code = f"{LAYERS}{CAUSAL}weights = attn_weights.T\nprint(weights)"
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_TURNED_CAUSAL)])[0] == [["by-product"]]
    code = f"{LAYERS}scores = keys @ queries.T\nprint(scores.T)"
    rows = OF_SEED_789.replace("Mm", "Permute")
    assert judged(tmp_path, [(INPUTS, ""), (code, rows)])[0] == [["right"]]
    own = """import torch
inputs = torch.tensor([[0.2, 0.7, -0.1, 0.4], [0.9, 0.1, 0.3, -0.6], [0.5, 0.5, 0.8, 0.2],
                       [-0.3, 0.6, 0.1, 0.9], [0.4, -0.2, 0.7, 0.35]])
"""
    layers = LAYERS.replace("789", "11").replace("(3, 2", "(4, 2")
    code = f"{own}{layers}{CAUSAL}context_vec = attn_weights @ values.flip(0)\nprint(context_vec)"
    assert judged(tmp_path, [(code, OF_FLIPPED_VALUES)])[0] == [["mistake", "other-than-its-name"]]


def test_a_batch_of_two_sentences(tmp_path):
    other = "[[.1, .2, .3], [.4, .5, .6], [.7, .8, .9], [.9, .8, .7], [.6, .5, .4], [.3, .2, .1]]"
    batch = f"batch = torch.stack((inputs, torch.tensor({other})))"
    code = LAYERS.replace("789", "123").replace("(inputs)", "(batch)") + CAUSAL.replace("len(inputs)", "6")
    code = code.replace("keys.T", "keys.transpose(1, 2)") + "context_vec = attn_weights @ values\n"
    cells = [(INPUTS, ""), (batch, ""), (f"{code}print(context_vec)", OF_TWO_SENTENCES)]
    verdicts, _ = judged(tmp_path, cells)
    assert verdicts == [["settings"]]


def test_layers_that_are_made_again_without_a_seed(tmp_path):
    again = "\n".join(line for line in LAYERS.splitlines() if "Linear" in line)
    code = f"{LAYERS}{again}\nqueries = W_query(inputs)\nprint(queries)"
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_NEW_LAYERS)])[0] == [["mistake", "seed-not-set-again"]]


def test_weights_that_the_code_draws_otherwise(tmp_path):
    code = RANDS.replace("SEED", "123") + "square = torch.nn.Transformer.generate_square_subsequent_mask(6)\n"
    code += "S = attn_scores.masked_fill(square.bool(), -torch.inf)\nprint(S)"
    assert judged(tmp_path, [(INPUTS, ""), (code, OF_MASKED_RANDS)])[0][0][0] == "settings"


def test_labels_of_several_words_name_steps():
    labelled = f"Attention scores: {OF_WEIGHTS}\nContext vectors: {OF_UNMASKED_CONTEXT}"
    answer = run("diagnose", "-", stdin=labelled).stdout
    assert "line 1, Attention scores, shape (6, 6): a different step" in answer, answer
    assert "line 9, Context vectors, shape (6, 2): right" in answer, answer
    ones = ", ".join(6 * ["1.0000"])
    sums = run("diagnose", "-", stdin=f"{OF_WEIGHTS}tensor([{ones}])\n").stdout
    assert "the mask is missing" not in sums, sums
    drawn = "tensor([[0.2961, 0.5166],\n        [0.2517, 0.6886],\n        [0.0740, 0.8665]])\n"
    answer = run("diagnose", "-", stdin=f"weights:\n{drawn}").stdout  # of a layer, not of attention
    assert "not weights" not in answer, answer


@pytest.mark.parametrize("code, rows, answer", [
    (LAYERS.replace("789", "790") + "\nattn_scores = queries @ keys.T\nattn_scores", OF_SEED_789,
     "attn_scores  a mistake: other-seed"),
    (RANDS.replace("SEED", "332") + "\nmask = torch.triu(torch.ones(6, 6), diagonal=1)\n"
     "masked = attn_scores.masked_fill(mask.bool(), -torch.inf)\n"
     "attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n\n"
     "context_vec = attn_weights @ values\ncontext_vec", OF_CONTEXT, "context_vec  right with your settings"),
])  # fmt: skip
def test_a_variable_that_ends_a_pasted_cell_is_shown(code, rows, answer):
    assert answer in run("diagnose", "-", stdin=f"{INPUTS}\n{code}\n{rows}").stdout
