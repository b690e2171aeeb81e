"""A reader who follows a chapter in PyTorch, in compact modules like the documents', and makes mistakes."""

import json

from oracle import numpy, torch
from program import PROJECT

JOURNEY = torch.tensor(json.loads((PROJECT / "data" / "journey.json").read_text())["embeddings"])

# The mistakes that are possible in each stage.
SCORES = (
    "softmax-wrong-axis softmax-twice no-scaling scaled-by-d-in scaled-by-d-k scaled-by-half "
    "scaled-by-d-k-squared multiplied-by-root-d-k scaled-by-root-tokens queries-keys-swapped log-softmax "
    "values-for-keys keys-reshaped scaled-by-other-number scores-changed-before-softmax softmax-formula "
    "inputs-rounded inputs-normalised inputs-reordered"
).split()
SIMPLE = (
    "softmax-twice softmax-wrong-axis scaled-needlessly divided-by-sum softmax-over-all "
    "sigmoid-instead-of-softmax cosine-similarity features-compared elementwise-product vector-with-itself "
    "distances-for-scores log-softmax scores-changed-before-softmax softmax-formula inputs-rounded "
    "inputs-normalised inputs-reordered"
).split()
LOOPS = "added-up-twice assigned-not-added begun-with-query token-left-out averaged-not-added".split()
USE = (
    "scores-for-weights inputs-for-values keys-for-values weights-transposed scaled-after-softmax "
    "residual-added"
).split()
LAYERS = (
    "other-seed draw-order same-projection seed-not-set-again seed-set-before-each-layer drawn-before "
    "other-generator other-module"
).split()
DRAWN = [*LAYERS, "weights-not-transposed", "rand-instead-of-linear"]
MASK = (
    "mask-flipped mask-excludes-diagonal mask-two-above-diagonal not-masked masked-not-renormalised "
    "masked-with-zero masked-between-softmaxes mask-added finite-mask-leak mask-times-infinity "
    "softmax-of-masked-weights mask-positive-infinity"
).split()
DROPOUT = (
    "dropout-not-rescaled dropout-scaled-by-p dropout-on-unmasked dropout-other-rng dropout-not-reseeded "
    "dropout-other-p dropout-before-softmax dropout-twice dropout-renormalised dropout-drawn-by-rand"
).split()
OF_MODULES = [mistake for mistake in DROPOUT if mistake not in ("dropout-on-unmasked", "dropout-other-rng")]
HEADS = (
    "heads-concatenated-on-tokens heads-averaged heads-summed heads-reversed same-head-twice "
    "heads-interleaved batch-stacked-on-tokens"
).split()
SPLIT_HEADS = (
    "heads-view-without-transpose heads-view-swapped heads-merged-without-transpose other-heads "
    "dropout-left-out softmax-over-heads softmax-over-batch no-out-proj out-proj-without-bias "
    "out-proj-built-first"
).split()
MISTAKES = {
    "simplified": [*SIMPLE, *LOOPS, "scores-for-weights", "weights-transposed"],
    "trainable": [*SCORES, *USE, *LAYERS, "linear-instead-of-rand", "randn-instead-of-rand"]
    + ["rand-transposed", "query-features-compared", "distances-for-scores", "other-initialisation"],
    "linear": [*SCORES, *USE, *DRAWN, *OF_MODULES, "dropout-in-eval", "dropout-elsewhere", "weights-reshaped"]
    + ["scores-of-inputs", "query-features-compared", "distances-for-scores"],
    "causal": [*SCORES, *USE, *DRAWN, *MASK, *DROPOUT]
    + ["scores-of-inputs", "keepdim-missing", "summed-over-columns", "distances-for-scores"],
    "causal-batch": [*SCORES, *USE, *DRAWN, *MASK, *DROPOUT, "dropout-in-eval", "dropout-elsewhere"]
    + ["batch-stacked-on-tokens", "softmax-over-batch"],
    "multi-head-wrapper": [*SCORES, "other-seed", *MASK, *OF_MODULES, "dropout-left-out", *HEADS],
    "multi-head": [*SCORES, "other-seed", "scaled-by-d-out", *MASK, *DROPOUT, *SPLIT_HEADS],
}


EACH_ROW = {"dim": -1, "keepdim": True}

# Mistakes that diagnose also tries in pairs; pairs of rarer ones would explain nearly any numbers.
IN_PAIRS = (
    "softmax-wrong-axis no-scaling softmax-twice scaled-by-d-in scaled-by-d-k scaled-by-half "
    "multiplied-by-root-d-k scaled-by-root-tokens scaled-after-softmax mask-flipped mask-excludes-diagonal "
    "not-masked masked-not-renormalised masked-with-zero masked-between-softmaxes mask-added "
    "softmax-of-masked-weights weights-not-transposed rand-instead-of-linear linear-instead-of-rand "
    "seed-set-before-each-layer seed-not-set-again scores-for-weights keys-for-values inputs-for-values "
    "dropout-not-rescaled dropout-scaled-by-p"
).split()


def mkl_mask(shape, p):
    """Returns the mask of PyTorch's builds for Intel's CPUs: MCG31m1, seeded by mt19937 at seed 123."""
    x = int(numpy.random.RandomState(123).randint(0, 2**32, dtype=numpy.uint32)) % (2**31 - 1) or 1
    keep = []
    for _ in range(shape.numel()):
        keep.append(float(x / (2**31 - 1) < 1 - p))
        x = x * 1132489760 % (2**31 - 1)
    return torch.tensor(keep).view(shape)


class Reader:
    """Computes a stage with one mistake, or with two joined by a +. `run` returns tensors by step."""

    # p: seed, other_seed, d_in, d_out, heads, batch, dropout, other_dropout, drops (whether modules have
    # dropout), variant (a number that chooses a form of the mistake); bias and dropout_seed are optional.
    def __init__(self, stage, p, mistake):
        self.stage, self.p, self.mistakes = stage, p, mistake.split("+")
        self.steps = {}
        self.parts = []  # right tensors besides the steps

    def makes(self, *mistakes):
        return any(mistake in self.mistakes for mistake in mistakes)

    def form(self, wrong, right):
        """Returns the value of the mistake that is made, or the right one."""
        return next((wrong[mistake] for mistake in self.mistakes if mistake in wrong), right)

    def layer(self):
        d_in, d_out = self.p["d_in"], self.p["d_out"]
        is_double = self.makes("other-generator")
        uses_rand = (self.stage == "trainable") != self.makes(
            "rand-instead-of-linear", "linear-instead-of-rand"
        )
        if self.makes("seed-set-before-each-layer"):
            torch.manual_seed(self.p["seed"])
        if uses_rand:
            draw = torch.randn if self.makes("randn-instead-of-rand") else torch.rand
            if is_double:
                draw = self.choose(lambda *size: torch.rand(*size, dtype=torch.float64), self.numpy.rand)
            if self.makes("other-initialisation"):
                draw = self.choose(torch.ones, lambda *size: torch.rand(*size) * 2 - 1, self.numpy.randn)
            weight = draw(d_out, d_in).T if self.makes("rand-transposed") else draw(d_in, d_out)
            weight = torch.as_tensor(weight).float()
            return lambda x: x @ weight
        dtype, bias = torch.float64 if is_double else None, self.p.get("bias", False)
        linear = torch.nn.Linear(d_in, d_out, bias, dtype=dtype).float()
        if self.makes("weights-not-transposed"):
            return lambda x: x @ linear.weight
        if self.makes("weights-reshaped"):
            return lambda x: x @ linear.weight.reshape(d_in, d_out)
        return linear

    def layers(self):
        return [self.layer() for _ in range(3)]

    def projections(self, x):
        layers = self.layers()
        if self.makes("draw-order"):
            layers[:2] = layers[1::-1]
        if self.makes("same-projection"):
            layers[1] = layers[0]
        if self.makes("other-module"):
            torch.manual_seed(self.p["other_seed"])
            place = self.p["variant"] % 3
            layers[place] = self.layers()[place]
        query, self.keys, value = (layer(x) for layer in layers)
        return query, value if self.makes("values-for-keys") else self.keys, value

    def scores(self, q, k):
        if self.makes("queries-keys-swapped"):
            q, k = k, q
        turned = k.transpose(-2, -1)
        products = {"keys-reshaped": q @ k.reshape(turned.shape), "distances-for-scores": torch.cdist(q, k)}
        scores = self.form(products, q @ turned)
        if self.makes("dropout-before-softmax"):
            torch.manual_seed(123)
            scores = torch.nn.functional.dropout(scores, self.p["dropout"])
        return scores

    def scaled(self, scores, d_k):
        divisors = {
            "scaled-by-other-number": d_k**0.5 * self.choose(2, 0.5, 10, 0.1),
            "scaled-by-half": 2 * d_k,
            "scaled-by-d-k-squared": d_k**2,
            "multiplied-by-root-d-k": d_k**-0.5,
            "scaled-by-root-tokens": scores.shape[-1] ** 0.5,
            "no-scaling": 1,
            "scaled-by-d-in": self.p["d_in"] ** 0.5,
            "scaled-by-d-out": self.p["d_out"] ** 0.5,
            "scaled-by-d-k": d_k,
        }
        return scores / self.form(divisors, d_k**0.5)

    def softmax(self, scores):
        if self.makes("scaled-needlessly"):
            scores = scores / self.p["d_in"] ** 0.5
        hidden = scores.isneginf()
        if self.makes("scores-changed-before-softmax"):
            scores = self.choose(-scores, scores.relu(), scores.abs(), scores.exp(), scores**2)
            scores = scores.masked_fill(hidden, -torch.inf)
        right = scores.softmax(dim=-1)
        exps, power, shifted = scores.exp(), 2**scores, (scores - scores.amax(**EACH_ROW)).exp()
        visible = scores.masked_fill(hidden, 0)
        if self.makes("keepdim-missing"):  # needs a square matrix
            return self.choose(right, exps / exps.sum(dim=-1), shifted / shifted.sum(dim=-1))
        wrong = {
            "log-softmax": scores.log_softmax(dim=-1),
            "softmax-formula": self.choose(
                exps / exps.amax(**EACH_ROW),
                power / power.sum(**EACH_ROW),
                visible / torch.linalg.norm(visible, **EACH_ROW),
                exps,
            ),
            "divided-by-sum": scores / scores.sum(**EACH_ROW),
            "softmax-over-all": exps / exps.sum(),
            "sigmoid-instead-of-softmax": scores.sigmoid(),
            "softmax-twice": right.softmax(dim=-1),
            "softmax-wrong-axis": scores.softmax(dim=-2),
            "softmax-over-heads": scores.softmax(dim=1),
            "softmax-over-batch": scores.softmax(dim=0),
        }
        return self.form(wrong, right)

    def weights(self, scores, d_k):
        if self.makes("scaled-after-softmax"):
            return self.scaled(self.softmax(scores), d_k)
        return self.softmax(self.scaled(scores, d_k))

    def mask(self, n):
        edge = self.form({"mask-excludes-diagonal": 0, "mask-two-above-diagonal": 2}, 1)
        upper = torch.triu(torch.ones(n, n), diagonal=edge)
        return torch.tril(torch.ones(n, n)) if self.makes("mask-flipped") else upper

    def masked(self, scores):
        mask = self.mask(scores.shape[-1])
        fill = self.form({"finite-mask-leak": -1e2, "mask-positive-infinity": torch.inf}, -torch.inf)
        wrong = {
            "not-masked": scores,
            "masked-with-zero": scores * torch.ones(mask.shape).tril(),
            "mask-added": scores + mask,
            "mask-times-infinity": scores + mask * -torch.inf,
        }
        return self.form(wrong, scores.masked_fill(mask.bool(), fill))

    def causal_weights(self, scores, d_k):
        full = self.weights(scores, d_k)
        kept, masked = full.tril(), self.masked(full)
        wrong = {
            "masked-not-renormalised": kept,
            "masked-between-softmaxes": self.choose(self.softmax(masked), self.weights(masked, d_k)),
            "softmax-of-masked-weights": kept.softmax(dim=-1),
        }
        return self.form(wrong, self.weights(self.masked(scores), d_k))

    def dropped(self, weights, seeds=True):
        p = self.p["other_dropout" if self.makes("dropout-other-p") else "dropout"]
        if self.makes("dropout-before-softmax"):
            return weights
        if seeds and (not self.makes("dropout-not-reseeded") or self.stage == "causal"):
            torch.manual_seed(self.p.get("dropout_seed", 123))
        if self.makes("dropout-not-reseeded") and self.stage == "causal":
            torch.nn.functional.dropout(torch.ones(weights.shape), p)  # the document's earlier example
        if self.makes("dropout-not-rescaled", "dropout-scaled-by-p"):
            keep = torch.empty(weights.shape).bernoulli_(1 - p)
            return weights * keep / (p if self.makes("dropout-scaled-by-p") else 1)
        if self.makes("dropout-drawn-by-rand"):
            drawn = torch.rand(weights.shape)
            return weights * self.choose(drawn > p, drawn < 1 - p) / (1 - p)
        if self.makes("dropout-other-rng"):
            return weights * mkl_mask(weights.shape, p) / (1 - p)
        if self.makes("dropout-twice"):
            weights = torch.nn.functional.dropout(weights, p)
        dropped = torch.nn.functional.dropout(weights, p)
        return dropped / dropped.sum(**EACH_ROW) if self.makes("dropout-renormalised") else dropped

    def used(self, weights, scores, d_k, prefix="", seeds=True):
        """Returns the weights that a module uses next."""
        if not self.p["drops"] or self.makes("dropout-in-eval", "dropout-left-out", "dropout-elsewhere"):
            return weights
        if self.makes("dropout-on-unmasked"):
            weights = self.weights(scores, d_k)
        dropped = self.steps[f"{prefix}attn_weights_dropped"] = self.dropped(weights, seeds)
        return dropped

    def context(self, weights, values, scores, x):
        if self.makes("dropout-in-eval"):
            torch.manual_seed(123)
            weights = torch.nn.functional.dropout(weights, 0.5)
        if self.makes("dropout-elsewhere"):
            torch.manual_seed(123)
            drop = torch.nn.Dropout(self.p["dropout"])
            return drop(weights @ values) if self.p["variant"] % 2 else weights @ drop(values)
        if self.makes("scores-for-weights"):
            return scores @ values
        if self.makes("weights-transposed"):
            weights = weights.transpose(-2, -1)
        if self.makes("keys-for-values"):
            values = self.keys
        context = weights @ (x if self.makes("inputs-for-values") else values)
        return context + values if self.makes("residual-added") else context

    def attend(self, q, k, prefix="", seeds=True):
        """Returns the scores, the weights, and the weights that a module uses next."""
        scores = self.scores(q, k)
        weights = self.causal_weights(scores, k.shape[-1])
        return scores, weights, self.used(weights, scores, k.shape[-1], prefix, seeds)

    def choose(self, *forms):
        return forms[self.p["variant"] % len(forms)]

    def run(self, x):
        torch.manual_seed(self.p["other_seed"] if self.makes("other-seed") else self.p["seed"])
        if self.makes("seed-not-set-again"):
            self.layers()  # those of an earlier module
        if self.makes("drawn-before"):
            torch.rand(self.choose(1, 3, 10))
        self.numpy = numpy.random.RandomState(self.p["seed"])
        if self.makes("inputs-rounded"):
            x = torch.round(x, decimals=1)
        if self.makes("inputs-normalised"):
            x = self.choose(torch.nn.LayerNorm(x.shape[-1])(x), (x - x.mean(dim=0)) / x.std(dim=0))
        if self.makes("inputs-reordered"):
            x = self.choose(x.flip(0), x[[0, 2, 1, *range(3, len(x))]])
        getattr(self, self.stage.replace("-", "_"))(x)
        return {name: value.detach() for name, value in self.steps.items()}

    def simplified(self, x):
        y = x / x.norm(**EACH_ROW) if self.makes("cosine-similarity") else x
        products = {
            "features-compared": y.T @ y,
            "elementwise-product": y * y,
            "vector-with-itself": (y * y).sum(**EACH_ROW).expand(len(y), len(y)),
        }
        scores = self.form(products, self.scores(y, y))
        weights = self.softmax(scores)
        self.steps.update(attn_scores=scores, attn_weights=weights)
        if scores.shape == (len(x), len(x)):
            self.steps.update(all_context_vecs=self.context(weights, x, scores, x))
            rows = weights[1][:, None] * x
            others = x.clone()
            begun = others[1]
            for i, other in enumerate(others):
                begun += weights[1, i] * other
            wrong = {
                "added-up-twice": 2 * rows.sum(dim=0),
                "begun-with-query": begun,
                "token-left-out": self.choose(rows[:-1], rows[1:]).sum(dim=0),
                "averaged-not-added": rows.mean(dim=0),
                "assigned-not-added": rows[-1],
            }
            self.steps.update(context_vec_2=self.form(wrong, rows.sum(dim=0)))

    def trainable(self, x):
        q, k, v = self.projections(x)
        if self.makes("query-features-compared"):
            self.steps.update(attn_scores=q.T @ k)
            return
        scores = self.scores(x, x) if self.makes("scores-of-inputs") else self.scores(q, k)
        weights = self.weights(scores, k.shape[-1])
        used = self.used(weights, scores, k.shape[-1]) if self.stage == "linear" else weights
        context = self.context(used, v, scores, x)
        self.steps.update(
            queries=q, keys=k, values=v, attn_scores=scores, attn_weights=weights, context_vec=context
        )

    linear = trainable

    def causal(self, x):
        self.trainable(x)
        scores, v = self.steps["attn_scores"], self.steps["values"]
        weights = self.causal_weights(scores, v.shape[-1])
        full = self.steps["attn_weights"]
        kept = torch.tril(full)
        sums = kept.sum(
            dim=0 if self.makes("summed-over-columns") else -1,
            keepdim=not self.makes("keepdim-missing") or self.p["variant"] % 3 > 0,
        )
        softened = self.makes("softmax-of-masked-weights")
        self.steps.update(masked_simple_norm=torch.softmax(kept, dim=-1) if softened else kept / sums)
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

    def batch(self, x):
        return torch.stack([x] * self.p["batch"], dim=1 if self.makes("batch-stacked-on-tokens") else 0)

    def causal_batch(self, x):
        batch = self.batch(x)
        q, k, v = self.projections(batch)
        scores, weights, used = self.attend(q, k)
        context = self.context(used, v, scores, batch)
        self.steps.update(queries=q, keys=k, values=v, attn_scores=scores, masked=self.masked(scores))
        self.steps.update(attn_weights=weights, context_vec=context)

    def multi_head_wrapper(self, x):
        batch = self.batch(x)
        layers = [self.layers() for _ in range(self.p["heads"])]
        for h, (query, key, value) in enumerate(layers, 1):
            q, k, v = query(batch), key(batch), value(batch)
            _, weights, used = self.attend(q, k, f"head_{h}_", seeds=h == 1)
            self.steps[f"head_{h}_attn_weights"], self.steps[f"head_{h}"] = weights, used @ v
            self.parts += [q, k, v]
        heads = [self.steps[f"head_{h + 1}"] for h in range(len(layers))]
        heads = self.form({"heads-reversed": heads[::-1], "same-head-twice": heads[:1] * len(heads)}, heads)
        total = torch.stack(heads).sum(dim=0)
        wrong = {
            "heads-concatenated-on-tokens": torch.cat(heads, dim=1),
            "heads-averaged": total / len(heads),
            "heads-summed": total,
            "heads-interleaved": torch.stack(heads, dim=-1).flatten(-2),
        }
        self.steps["context_vec"] = self.form(wrong, torch.cat(heads, dim=-1))

    def multi_head(self, x):
        batch = self.batch(x)
        b, n, _ = batch.shape
        d_out = self.p["d_out"]
        heads = 1 if self.makes("other-heads") else self.p["heads"]
        out_proj = torch.nn.Linear(d_out, d_out) if self.makes("out-proj-built-first") else None
        layers = self.layers()
        out_proj = out_proj or torch.nn.Linear(d_out, d_out)
        if self.makes("out-proj-without-bias"):
            out_proj.bias.zero_()

        def split(y):
            wrong = {
                "heads-view-without-transpose": y.view(b, heads, n, -1),
                "heads-view-swapped": y.view(b, n, -1, heads).transpose(1, 2),
            }
            return self.form(wrong, y.view(b, n, heads, -1).transpose(1, 2))

        q, k, v = (split(layer(batch)) for layer in layers)
        scores, weights, used = self.attend(q, k)
        contexts = used @ v
        merged = contexts if self.makes("heads-merged-without-transpose") else contexts.transpose(1, 2)
        merged = merged.reshape(b, n, d_out)
        self.parts.append((weights @ v).transpose(1, 2).reshape(b, n, d_out))  # the step heads_stacked
        context = merged if self.makes("no-out-proj") else out_proj(merged)
        self.steps.update(queries_heads=q, attn_scores=scores, masked=self.masked(scores))
        self.steps.update(
            attn_weights=weights, context_heads=contexts, context_merged=merged, context_vec=context
        )
