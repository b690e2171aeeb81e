"""A reader who follows a chapter in PyTorch and makes a mistake, or none.

Nothing here comes from our code lines: each mistake is made in a compact module like those of the documents.
"""

from oracle import numpy, torch

JOURNEY = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)

# The mistakes that are possible in each stage.
SCORES = [
    "softmax-wrong-axis",
    "softmax-twice",
    "no-scaling",
    "scaled-by-d-in",
    "scaled-by-d-k",
    "queries-keys-swapped",
]
SIMPLE = [
    "softmax-twice",
    "softmax-wrong-axis",
    "scaled-needlessly",
    "divided-by-sum",
    "softmax-over-all",
    "sigmoid-instead-of-softmax",
    "cosine-similarity",
    "features-compared",
]
USE = ["scores-for-weights", "inputs-for-values", "weights-transposed", "other-seed"]
DRAWN = ["weights-not-transposed", "rand-instead-of-linear", "draw-order"]
MASK = [
    "mask-flipped",
    "mask-excludes-diagonal",
    "not-masked",
    "masked-not-renormalised",
    "masked-with-zero",
    "finite-mask-leak",
    "mask-times-infinity",
]
DROPOUT = [
    "dropout-not-rescaled",
    "dropout-scaled-by-p",
    "dropout-on-unmasked",
    "dropout-other-rng",
    "dropout-not-reseeded",
    "dropout-other-p",
    "dropout-before-softmax",
]
OF_MODULES = [mistake for mistake in DROPOUT if mistake not in ("dropout-on-unmasked", "dropout-other-rng")]
MISTAKES = {
    "simplified": [*SIMPLE, "scores-for-weights", "weights-transposed"],
    "trainable": [*SCORES, *USE, "linear-instead-of-rand", "draw-order"],
    "linear": [*SCORES, *USE, *DRAWN, *OF_MODULES, "dropout-in-eval", "weights-reshaped", "scores-of-inputs"],
    "causal": [
        *SCORES,
        *USE,
        *DRAWN,
        *MASK,
        *DROPOUT,
        "scores-of-inputs",
        "keepdim-missing",
        "summed-over-columns",
    ],
    "causal-batch": [*SCORES, *USE, *DRAWN, *MASK, *DROPOUT, "dropout-in-eval"],
    "multi-head-wrapper": [
        *SCORES,
        "other-seed",
        *MASK,
        *OF_MODULES,
        "heads-concatenated-on-tokens",
        "heads-averaged",
        "heads-reversed",
    ],
    "multi-head": [
        *SCORES,
        "other-seed",
        "scaled-by-d-out",
        *MASK,
        *DROPOUT,
        "heads-view-without-transpose",
        "heads-merged-without-transpose",
        "no-out-proj",
    ],
}


def mkl_mask(shape, p):
    """Returns the mask that PyTorch's builds for Intel's CPUs draw: MCG31m1, seeded with the first draw of
    mt19937 at seed 123.
    """
    x = int(numpy.random.RandomState(123).randint(0, 2**32, dtype=numpy.uint32)) % (2**31 - 1) or 1
    keep = []
    for _ in range(shape.numel()):
        keep.append(float(x / (2**31 - 1) < 1 - p))
        x = x * 1132489760 % (2**31 - 1)
    return torch.tensor(keep).view(shape)


class Reader:
    """Computes a stage with one mistake, or with two joined by a +: `run(x)` returns the tensors by the names
    of the program's steps.

    p: seed, other_seed, d_in, d_out, heads, batch, dropout, other_dropout, drops (whether modules have
    dropout).
    """

    def __init__(self, stage, p, mistake):
        self.stage, self.p, self.mistakes = stage, p, mistake.split("+")
        self.steps = {}

    def makes(self, *mistakes):
        return any(mistake in self.mistakes for mistake in mistakes)

    def layer(self):
        d_in, d_out = self.p["d_in"], self.p["d_out"]
        uses_rand = (self.stage == "trainable") != self.makes(
            "rand-instead-of-linear", "linear-instead-of-rand"
        )
        if uses_rand:
            weight = torch.nn.Parameter(torch.rand(d_in, d_out))
            return lambda x: x @ weight
        linear = torch.nn.Linear(d_in, d_out, bias=False)
        if self.makes("weights-not-transposed"):
            return lambda x: x @ linear.weight
        if self.makes("weights-reshaped"):
            return lambda x: x @ linear.weight.reshape(d_in, d_out)
        return linear

    def projections(self, x):
        if self.makes("draw-order"):
            key, query = self.layer(), self.layer()
        else:
            query, key = self.layer(), self.layer()
        value = self.layer()
        return query(x), key(x), value(x)

    def scores(self, q, k):
        if self.makes("queries-keys-swapped"):
            q, k = k, q
        scores = q @ k.transpose(-2, -1)
        if self.makes("dropout-before-softmax"):
            torch.manual_seed(123)
            scores = torch.nn.functional.dropout(scores, self.p["dropout"])
        return scores

    def scaled(self, scores, d_k):
        d = {
            "no-scaling": 1,
            "scaled-by-d-in": self.p["d_in"] ** 0.5,
            "scaled-by-d-out": self.p["d_out"] ** 0.5,
            "scaled-by-d-k": d_k,
        }
        return scores / next((d[mistake] for mistake in self.mistakes if mistake in d), d_k**0.5)

    def softmax(self, scores):
        if self.makes("scaled-needlessly"):
            scores = scores / self.p["d_in"] ** 0.5
        if self.makes("divided-by-sum"):
            return scores / scores.sum(dim=-1, keepdim=True)
        if self.makes("softmax-over-all"):
            return scores.exp() / scores.exp().sum()
        if self.makes("sigmoid-instead-of-softmax"):
            return torch.sigmoid(scores)
        if self.makes("softmax-twice"):
            return torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
        return torch.softmax(scores, dim=scores.dim() - 2 if self.makes("softmax-wrong-axis") else -1)

    def mask(self, n):
        upper = torch.triu(torch.ones(n, n), diagonal=0 if self.makes("mask-excludes-diagonal") else 1)
        return torch.tril(torch.ones(n, n)) if self.makes("mask-flipped") else upper

    def masked(self, scores):
        n = scores.shape[-1]
        if self.makes("not-masked"):
            return scores
        if self.makes("masked-with-zero"):
            return scores * torch.tril(torch.ones(n, n))
        if self.makes("mask-times-infinity"):
            return scores + self.mask(n) * -torch.inf
        return scores.masked_fill(self.mask(n).bool(), -1e2 if self.makes("finite-mask-leak") else -torch.inf)

    def causal_weights(self, scores, d_k):
        if self.makes("masked-not-renormalised"):
            n = scores.shape[-1]
            return self.softmax(self.scaled(scores, d_k)) * torch.tril(torch.ones(n, n))
        return self.softmax(self.scaled(self.masked(scores), d_k))

    def dropped(self, weights, seeds=True):
        p = self.p["other_dropout"] if self.makes("dropout-other-p") else self.p["dropout"]
        if self.makes("dropout-before-softmax"):
            return weights
        if seeds and (not self.makes("dropout-not-reseeded") or self.stage == "causal"):
            torch.manual_seed(123)
        if self.makes("dropout-not-reseeded") and self.stage == "causal":
            torch.nn.functional.dropout(torch.ones(weights.shape), p)  # the document's earlier example
        if self.makes("dropout-not-rescaled", "dropout-scaled-by-p"):
            keep = torch.empty(weights.shape).bernoulli_(1 - p)
            return weights * keep / (p if self.makes("dropout-scaled-by-p") else 1)
        if self.makes("dropout-other-rng"):
            return weights * mkl_mask(weights.shape, p) / (1 - p)
        return torch.nn.functional.dropout(weights, p)

    def used(self, weights, scores, d_k, prefix="", seeds=True):
        """Returns the weights that a module uses next."""
        if not self.p["drops"] or self.makes("dropout-in-eval"):
            return weights
        if self.makes("dropout-on-unmasked"):
            weights = self.softmax(self.scaled(scores, d_k))
        self.steps[prefix + "attn_weights_dropped"] = self.dropped(weights, seeds)
        return self.steps[prefix + "attn_weights_dropped"]

    def context(self, weights, values, scores, x):
        if self.makes("dropout-in-eval"):
            torch.manual_seed(123)
            weights = torch.nn.functional.dropout(weights, 0.5)
        if self.makes("scores-for-weights"):
            return scores @ values
        if self.makes("weights-transposed"):
            weights = weights.transpose(-2, -1)
        return weights @ (x if self.makes("inputs-for-values") else values)

    def run(self, x):
        torch.manual_seed(self.p["other_seed"] if self.makes("other-seed") else self.p["seed"])
        getattr(self, self.stage.replace("-", "_"))(x)
        return {name: value.detach() for name, value in self.steps.items()}

    def simplified(self, x):
        y = x / x.norm(dim=-1, keepdim=True) if self.makes("cosine-similarity") else x
        scores = y.T @ y if self.makes("features-compared") else y @ y.T
        weights = self.softmax(scores)
        self.steps.update(attn_scores=scores, attn_weights=weights)
        if len(scores) == len(x):
            self.steps.update(all_context_vecs=self.context(weights, x, scores, x))

    def trainable(self, x):
        q, k, v = self.projections(x)
        scores = self.scores(x, x) if self.makes("scores-of-inputs") else self.scores(q, k)
        weights = self.softmax(self.scaled(scores, k.shape[-1]))
        used = self.used(weights, scores, k.shape[-1]) if self.stage == "linear" else weights
        self.steps.update(
            {
                "queries": q,
                "keys": k,
                "values": v,
                "attn_scores": scores,
                "attn_weights": weights,
                "context_vec": self.context(used, v, scores, x),
            }
        )

    linear = trainable

    def causal(self, x):
        self.trainable(x)
        scores, v = self.steps["attn_scores"], self.steps["values"]
        weights = self.causal_weights(scores, v.shape[-1])
        full = self.steps["attn_weights"]
        kept = full * torch.tril(torch.ones(len(x), len(x)))
        sums = kept.sum(
            dim=0 if self.makes("summed-over-columns") else -1, keepdim=not self.makes("keepdim-missing")
        )
        self.steps.update(masked_simple_norm=kept / sums)
        dropped = self.dropped(full if self.makes("dropout-on-unmasked") else weights)
        self.steps.update(
            mask=self.mask(len(x)),
            mask_simple=torch.tril(torch.ones(len(x), len(x))),
            masked_simple=kept,
            masked=self.masked(scores),
            attn_weights_causal=weights,
            attn_weights_dropped=dropped,
            context_vec=self.context(weights, v, scores, x),
            context_vec_dropped=self.context(dropped, v, scores, x),
        )

    def causal_batch(self, x):
        batch = torch.stack([x] * self.p["batch"])
        q, k, v = self.projections(batch)
        scores = self.scores(q, k)
        weights = self.causal_weights(scores, k.shape[-1])
        used = self.used(weights, scores, k.shape[-1])
        self.steps.update(
            {
                "queries": q,
                "keys": k,
                "values": v,
                "attn_scores": scores,
                "masked": self.masked(scores),
                "attn_weights": weights,
                "context_vec": self.context(used, v, scores, batch),
            }
        )

    def multi_head_wrapper(self, x):
        batch = torch.stack([x] * self.p["batch"])
        layers = [
            [torch.nn.Linear(self.p["d_in"], self.p["d_out"], bias=False) for _ in range(3)]
            for _ in range(self.p["heads"])
        ]
        for h, (query, key, value) in enumerate(layers, 1):
            q, k, v = query(batch), key(batch), value(batch)
            scores = self.scores(q, k)
            weights = self.causal_weights(scores, k.shape[-1])
            used = self.used(weights, scores, k.shape[-1], f"head_{h}_", seeds=h == 1)
            self.steps[f"head_{h}_attn_weights"], self.steps[f"head_{h}"] = weights, used @ v
        heads = [self.steps[f"head_{h + 1}"] for h in range(len(layers))]
        heads = heads[::-1] if self.makes("heads-reversed") else heads
        joined = torch.cat(heads, dim=1 if self.makes("heads-concatenated-on-tokens") else -1)
        self.steps["context_vec"] = torch.stack(heads).mean(dim=0) if self.makes("heads-averaged") else joined

    def multi_head(self, x):
        batch = torch.stack([x] * self.p["batch"])
        b, n, _ = batch.shape
        d_in, d_out, heads = self.p["d_in"], self.p["d_out"], self.p["heads"]
        layers = [torch.nn.Linear(d_in, d_out, bias=False) for _ in range(3)]
        out_proj = torch.nn.Linear(d_out, d_out)

        def split(y):
            if self.makes("heads-view-without-transpose"):
                return y.view(b, heads, n, d_out // heads)
            return y.view(b, n, heads, d_out // heads).transpose(1, 2)

        q, k, v = (split(layer(batch)) for layer in layers)
        scores = self.scores(q, k)
        weights = self.causal_weights(scores, d_out // heads)
        contexts = self.used(weights, scores, d_out // heads) @ v
        merged = contexts if self.makes("heads-merged-without-transpose") else contexts.transpose(1, 2)
        merged = merged.contiguous().view(b, n, d_out)
        self.steps.update(
            {
                "queries_heads": q,
                "attn_scores": scores,
                "masked": self.masked(scores),
                "attn_weights": weights,
                "context_heads": contexts,
                "context_merged": merged,
                "context_vec": merged if self.makes("no-out-proj") else out_proj(merged),
            }
        )
