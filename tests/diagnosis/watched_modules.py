"""Attention as people write it, and faults in it, for watched.py.

A module is a class A(d_in, d_out, tokens, heads).
A fault replaces text in it: (module, right text, wrong text).
"""

import torch

HEAD = """import math, torch
import torch.nn as nn
import torch.nn.functional as F
"""
LINEAR = """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.d_out, self.h, self.d = d_out, h, d_out // h
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))
    def forward(self, x):
        b, n, _ = x.shape
"""
SINGLE = LINEAR.replace("        self.out_proj = nn.Linear(d_out, d_out)\n", "")
OPEN = SINGLE.replace("        self.register_buffer(\"mask\", torch.triu(torch.ones(n, n), diagonal=1))\n",
        "")
FUSED = LINEAR[: LINEAR.index("        self.W_query")] + """        self.c_attn = nn.Linear(d_in, 3 * d_out)
        self.c_proj = nn.Linear(d_out, d_out)
        self.register_buffer("bias", torch.tril(torch.ones(n, n)).view(1, 1, n, n))
    def forward(self, x):
        B, T, C = x.size()
"""
SPLIT = """        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, n, self.h, self.d).transpose(1, 2)
        queries = queries.view(b, n, self.h, self.d).transpose(1, 2)
        values = values.view(b, n, self.h, self.d).transpose(1, 2)
"""
MODULES = {
    "causal": SINGLE + """        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        context_vec = attn_weights @ values
        return context_vec
""",
    "multi": LINEAR + SPLIT + """        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:n, :n]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, n, self.d_out)
        return self.out_proj(context_vec)
""",
    "nanogpt": FUSED + """        q, k, v = self.c_attn(x).split(self.d_out, dim=2)
        k = k.view(B, T, self.h, C // self.h).transpose(1, 2)
        q = q.view(B, T, self.h, C // self.h).transpose(1, 2)
        v = v.view(B, T, self.h, C // self.h).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)
""",
    "einsum": LINEAR + """        q = self.W_query(x).reshape(b, n, self.h, self.d)
        k = self.W_key(x).reshape(b, n, self.h, self.d)
        v = self.W_value(x).reshape(b, n, self.h, self.d)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        scores = scores / math.sqrt(self.d)
        scores = scores.masked_fill(torch.triu(torch.ones(n, n, dtype=torch.bool), 1), float("-inf"))
        weights = scores.softmax(-1)
        z = torch.einsum("bhqk,bkhd->bqhd", weights, v)
        return self.out_proj(z.reshape(b, n, -1))
""",
    "additive": SINGLE + """        q = self.W_query(x) / self.d_out**0.5
        k = self.W_key(x)
        v = self.W_value(x)
        mask = torch.full((n, n), float("-inf")).triu(1)
        s = q @ k.mT + mask
        e = torch.exp(s - s.max(dim=-1, keepdim=True).values)
        a = e / e.sum(dim=-1, keepdim=True)
        z = a @ v
        return z
""",
    "renormalised": SINGLE + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = q @ k.transpose(-1, -2)
        a = F.softmax(s / math.sqrt(q.size(-1)), dim=-1)
        seen = torch.tril(torch.ones(n, n))
        a = a * seen
        a = a / a.sum(dim=-1, keepdim=True)
        return torch.bmm(a, v)
""",
    "positions": SINGLE + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        i = torch.arange(n)
        future = i[None, :] > i[:, None]
        s = torch.baddbmm(torch.zeros(b, n, n), q, k.transpose(1, 2), alpha=q.shape[-1]**-0.5)
        s = torch.where(future, torch.tensor(-1e9), s)
        p = s.softmax(dim=-1)
        return p.matmul(v)
""",
    "heads_apart": LINEAR + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        heads = []
        for i in range(self.h):
            part = slice(i * self.d, (i + 1) * self.d)
            s = q[..., part] @ k[..., part].transpose(1, 2) / self.d**0.5
            s = s.masked_fill(self.mask.bool(), -torch.inf)
            heads.append(s.softmax(-1) @ v[..., part])
        z = torch.cat(heads, dim=-1)
        return self.out_proj(z)
""",
    "unmasked": SINGLE.replace(
        '        self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))\n',
        "") + """\
        Q = self.W_query(x)
        K = self.W_key(x)
        V = self.W_value(x)
        S = torch.matmul(Q, K.permute(0, 2, 1))
        A = nn.functional.softmax(S / math.sqrt(K.shape[-1]), dim=2)
        return torch.matmul(A, V)
""",
    "v1": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
    def forward(self, x):
        x = x[0]
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        context_vec = attn_weights @ values
        return context_vec
""",
    "v2": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h, qkv_bias=True):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
    def forward(self, x):
        x = x[0]
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        context_vec = attn_weights @ values
        return context_vec
""",
    "dropped": SINGLE.replace("        self.register",
        "        self.dropout = nn.Dropout(0.5)\n        self.register") + """\
        self.train()
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = attn_weights @ values
        return context_vec
""",
    "lecture": """class Head(nn.Module):
    def __init__(self, d_in, d, n):
        super().__init__()
        self.key = nn.Linear(d_in, d, bias=False)
        self.query = nn.Linear(d_in, d, bias=False)
        self.value = nn.Linear(d_in, d, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(n, n)))
    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1]**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        v = self.value(x)
        out = wei @ v
        return out
class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_in, d_out // h, n) for _ in range(h)])
        self.proj = nn.Linear(d_out, d_out)
    def forward(self, x):
        out = torch.cat([head(x) for head in self.heads], dim=-1)
        return self.proj(out)
""",
    "sequence_first": LINEAR.replace("b, n, _", "n, b, _") + """\
        q = self.W_query(x).reshape(n, b * self.h, self.d).transpose(0, 1)
        k = self.W_key(x).reshape(n, b * self.h, self.d).transpose(0, 1)
        v = self.W_value(x).reshape(n, b * self.h, self.d).transpose(0, 1)
        w = torch.bmm(q * self.d**-0.5, k.transpose(1, 2))
        w = w + torch.triu(torch.full((n, n), float("-inf")), diagonal=1)
        p = torch.softmax(w, dim=-1)
        o = torch.bmm(p, v).transpose(0, 1).reshape(n, b, self.d_out)
        return self.out_proj(o)
""",
    "mha_masked": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.attn = nn.MultiheadAttention(d_in, h, batch_first=True)
    def forward(self, x):
        mask = torch.triu(torch.ones(x.shape[1], x.shape[1]), diagonal=1).bool()
        y, w = self.attn(x, x, x, attn_mask=mask)
        return y
""",
    "mha_plain": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.attn = nn.MultiheadAttention(d_in, h, bias=False)
    def forward(self, x):
        return self.attn(x, x, x, need_weights=False)[0]
""",
    "timm": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.h, self.d = h, d_out // h
        self.scale = self.d ** -0.5
        self.qkv = nn.Linear(d_in, d_out * 3, bias=True)
        self.attn_drop = nn.Dropout(0.0)
        self.proj = nn.Linear(d_out, d_out)
    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = attn @ v
        x = x.transpose(1, 2).reshape(B, N, -1)
        return self.proj(x)
""",
    "chunked": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.to_qkv = nn.Linear(d_in, 3 * d_out, bias=False)
    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        dots = torch.matmul(q, k.transpose(-1, -2)) * k.shape[-1] ** -0.5
        attn = dots.softmax(dim=-1)
        return torch.matmul(attn, v)
""",
    "conv1d": """class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.randn(nx, nf) * 0.2)
        self.bias = nn.Parameter(torch.randn(nf))
    def forward(self, x):
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(x.size()[:-1] + (self.nf,))
class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.h, self.split_size = h, d_out
        self.register_buffer("bias", torch.tril(torch.ones((n, n), dtype=torch.bool)).view(1, 1, n, n))
        self.c_attn = Conv1D(3 * d_out, d_in)
        self.c_proj = Conv1D(d_out, d_out)
    def _heads(self, t):
        return t.view(t.size()[:-1] + (self.h, t.size(-1) // self.h)).permute(0, 2, 1, 3)
    def forward(self, x):
        query, key, value = self.c_attn(x).split(self.split_size, dim=2)
        query, key, value = self._heads(query), self._heads(key), self._heads(value)
        attn_weights = torch.matmul(query, key.transpose(-1, -2))
        attn_weights = attn_weights / torch.full([], value.size(-1) ** 0.5)
        n = query.size(-2)
        attn_weights = torch.where(self.bias[:, :, :n, :n], attn_weights, torch.finfo(attn_weights.dtype).min)
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value)
        attn_output = attn_output.permute(0, 2, 1, 3).contiguous()
        attn_output = attn_output.view(attn_output.size()[:-2] + (-1,))
        return self.c_proj(attn_output)
""",
    "ellipsis": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.Wq = nn.Parameter(torch.randn(h, d_in, d_out // h))
        self.Wk = nn.Parameter(torch.randn(h, d_in, d_out // h))
        self.Wv = nn.Parameter(torch.randn(h, d_in, d_out // h))
        self.Wo = nn.Parameter(torch.randn(h, d_out // h, d_out))
    def forward(self, x):
        Q = torch.einsum("bnd,hdk->bhnk", x, self.Wq)
        K = torch.einsum("bnd,hdk->bhnk", x, self.Wk)
        V = torch.einsum("bnd,hdk->bhnk", x, self.Wv)
        S = torch.einsum("...nk,...mk->...nm", Q, K) / Q.shape[-1] ** 0.5
        P = torch.softmax(S, -1)
        O = torch.einsum("...nm,...mk->...nk", P, V)
        return torch.einsum("bhnk,hko->bno", O, self.Wo)
""",
    "numpy_names": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.Wq, self.Wk, self.Wv = (torch.randn(d_in, d_out) for _ in range(3))
    def forward(self, X):
        X = X[0]
        Q = torch.matmul(X, self.Wq)
        K = torch.matmul(X, self.Wk)
        V = torch.matmul(X, self.Wv)
        scores = torch.matmul(Q, K.T)
        scores = scores / torch.sqrt(torch.tensor(K.shape[1]).float())
        scores = scores - torch.max(scores, dim=1, keepdim=True)[0]
        weights = torch.exp(scores) / torch.sum(torch.exp(scores), axis=1, keepdims=True)
        return torch.matmul(weights, V)
""",
    "plain_letters": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d_in, d_out), nn.Linear(d_in, d_out), nn.Linear(d_in, d_out)
    def forward(self, x):
        u, w, z = self.a(x), self.b(x), self.c(x)
        e = (u @ w.mT) / u.size(-1) ** 0.5
        return e.softmax(-1) @ z
""",
    "exp_only": SINGLE + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = q @ k.transpose(1, 2) / math.sqrt(self.d_out)
        s = s.masked_fill(self.mask.bool(), -math.inf)
        e = s.exp()
        return (e @ v) / e.sum(-1, keepdim=True)
""",
    "logsumexp": SINGLE + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = q @ k.transpose(1, 2) / math.sqrt(self.d_out)
        s = s.masked_fill(self.mask.bool(), -math.inf)
        p = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
        return p @ v
""",
    "log_softmax": SINGLE + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = torch.einsum("bid,bjd->bij", q, k) * self.d_out**-0.5
        s = s + torch.log(1 - self.mask)
        p = F.log_softmax(s, dim=-1).exp()
        return p @ v
""",
    "both_scaled": LINEAR + SPLIT + """        scale = self.d ** -0.25
        s = (queries * scale) @ (keys * scale).transpose(-1, -2)
        s = s.masked_fill(self.mask.bool(), torch.finfo(s.dtype).min)
        w = s.softmax(dim=-1)
        y = (w @ values).transpose(1, 2).flatten(2)
        return self.out_proj(y)
""",
    "gpt1": SINGLE + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        w = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(v.size(-1))
        b = 1 - self.mask
        w = w * b + -1e9 * (1 - b)
        w = nn.Softmax(dim=-1)(w)
        return torch.matmul(w, v)
""",
    "row_by_row": SINGLE + """        q, k, v = self.W_query(x)[0], self.W_key(x)[0], self.W_value(x)[0]
        rows = []
        for i in range(n):
            s = torch.stack([torch.dot(q[i], k[j]) for j in range(i + 1)]) / self.d_out**0.5
            p = torch.softmax(s, dim=0)
            rows.append(p @ v[: i + 1])
        return torch.stack(rows)
""",
    "grouped": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.h, self.kv, self.d = h, h // 2, d_out // h
        self.q_proj = nn.Linear(d_in, d_out, bias=False)
        self.k_proj = nn.Linear(d_in, d_out // 2, bias=False)
        self.v_proj = nn.Linear(d_in, d_out // 2, bias=False)
        self.o_proj = nn.Linear(d_out, d_out, bias=False)
    def forward(self, x):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.h, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.kv, self.d).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.kv, self.d).transpose(1, 2)
        k = k.repeat_interleave(2, dim=1)
        v = v.repeat_interleave(2, dim=1)
        s = q @ k.transpose(2, 3) / math.sqrt(self.d)
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
        y = (torch.softmax(s, -1) @ v).transpose(1, 2).reshape(b, n, -1)
        return self.o_proj(y)
""",
    "rotary_halves": """def rotate_half(x):
    return torch.cat((-x[..., x.shape[-1] // 2:], x[..., : x.shape[-1] // 2]), dim=-1)
class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.h, self.kv, self.d = h, h // 2, d_out // h
        self.q_proj = nn.Linear(d_in, d_out, bias=False)
        self.k_proj = nn.Linear(d_in, d_out // 2, bias=False)
        self.v_proj = nn.Linear(d_in, d_out // 2, bias=False)
        self.o_proj = nn.Linear(d_out, d_out, bias=False)
    def forward(self, x):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, -1, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, n, -1, self.d).transpose(1, 2)
        v = self.v_proj(x).view(b, n, -1, self.d).transpose(1, 2)
        inv_freq = 1.0 / (10000 ** (torch.arange(0, self.d, 2).float() / self.d))
        freqs = torch.outer(torch.arange(n).float(), inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        cos, sin = emb.cos(), emb.sin()
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k = k[:, :, None].expand(b, self.kv, 2, n, self.d).reshape(b, self.h, n, self.d)
        v = v[:, :, None].expand(b, self.kv, 2, n, self.d).reshape(b, self.h, n, self.d)
        w = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d)
        w = w + torch.full((n, n), torch.finfo(w.dtype).min).triu(1)[None, None]
        w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)
        y = torch.matmul(w, v).transpose(1, 2).contiguous().reshape(b, n, -1)
        return self.o_proj(y)
""",
    "llama": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.h, self.d = h, d_out // h
        self.wq = nn.Linear(d_in, d_out, bias=False)
        self.wk = nn.Linear(d_in, d_out, bias=False)
        self.wv = nn.Linear(d_in, d_out, bias=False)
        self.wo = nn.Linear(d_out, d_out, bias=False)
    def forward(self, x):
        b, n, _ = x.shape
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq, xk, xv = (t.view(b, n, self.h, self.d) for t in (xq, xk, xv))
        freqs = 1.0 / (10000.0 ** (torch.arange(0, self.d, 2).float() / self.d))
        cis = torch.outer(torch.arange(n).float(), freqs)
        cis = torch.polar(torch.ones_like(cis), cis).view(1, n, 1, self.d // 2)
        xq = torch.view_as_real(torch.view_as_complex(xq.reshape(b, n, self.h, -1, 2)) * cis).flatten(3)
        xk = torch.view_as_real(torch.view_as_complex(xk.reshape(b, n, self.h, -1, 2)) * cis).flatten(3)
        xq, xk, xv = xq.transpose(1, 2), xk.transpose(1, 2), xv.transpose(1, 2)
        scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.d)
        scores = scores + torch.triu(torch.full((n, n), float("-inf")), diagonal=1)
        scores = F.softmax(scores.float(), dim=-1).type_as(xq)
        out = torch.matmul(scores, xv).transpose(1, 2).contiguous().view(b, n, -1)
        return self.wo(out)
""",
    "functional": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.wq, self.wk, self.wv = (nn.Parameter(torch.randn(d_out, d_in)) for _ in range(3))
    def forward(self, x):
        q, k, v = F.linear(x, self.wq), F.linear(x, self.wk), F.linear(x, self.wv)
        w = torch.bmm(q, k.permute(0, 2, 1)).div(q.shape[2] ** 0.5)
        w = torch.tril(w)
        w = w.masked_fill(w == 0, float("-inf"))
        return F.softmax(w, 2).bmm(v)
""",
    "columns": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Parameter(torch.randn(d_out, d_in)) for _ in range(3))
    def forward(self, x):
        X = x[0].T
        Q = self.W_q @ X
        K = self.W_k @ X
        V = self.W_v @ X
        S = K.T @ Q / Q.shape[0] ** 0.5
        A = torch.softmax(S, dim=0)
        return V @ A
""",
    "annotated": """def attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, value), p_attn
class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.d_k, self.h = d_out // h, h
        self.linears = nn.ModuleList([nn.Linear(d_in, d_out) for _ in range(4)])
    def forward(self, x):
        nbatches = x.size(0)
        mask = torch.triu(torch.ones(1, x.size(1), x.size(1)), diagonal=1).type(torch.uint8) == 0
        query, key, value = [lin(t).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
                             for lin, t in zip(self.linears, (x, x, x))]
        y, self.attn = attention(query, key, value, mask=mask.unsqueeze(1))
        y = y.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](y)
""",
    "bert": """class Self(nn.Module):
    def __init__(self, d_in, d_out, h):
        super().__init__()
        self.num_attention_heads, self.attention_head_size, self.all_head_size = h, d_out // h, d_out
        self.query = nn.Linear(d_in, d_out)
        self.key = nn.Linear(d_in, d_out)
        self.value = nn.Linear(d_in, d_out)
    def transpose_for_scores(self, x):
        return x.view(x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)).permute(
            0, 2, 1, 3)
    def forward(self, hidden_states, attention_mask):
        mixed_query_layer = self.query(hidden_states)
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        query_layer = self.transpose_for_scores(mixed_query_layer)
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        attention_scores = attention_scores + attention_mask
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        return context_layer.view(context_layer.size()[:-2] + (self.all_head_size,))
class Output(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(d, d), nn.LayerNorm(d)
    def forward(self, hidden_states, input_tensor):
        return self.LayerNorm(self.dense(hidden_states) + input_tensor)
class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.self, self.output = Self(d_in, d_in, h), Output(d_in)
    def forward(self, x):
        return self.output(self.self(x, torch.zeros(x.size(0), 1, 1, x.size(1))), x)
""",
    "temperature": """class Dot(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
    def forward(self, q, k, v):
        attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
        attn = F.softmax(attn, dim=-1)
        return torch.matmul(attn, v), attn
class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.n_head, self.d_k = h, d_out // h
        self.w_qs = nn.Linear(d_in, d_out, bias=False)
        self.w_ks = nn.Linear(d_in, d_out, bias=False)
        self.w_vs = nn.Linear(d_in, d_out, bias=False)
        self.fc = nn.Linear(d_out, d_in, bias=False)
        self.attention = Dot(temperature=self.d_k ** 0.5)
        self.layer_norm = nn.LayerNorm(d_in)
    def forward(self, q):
        b, n, residual = q.size(0), q.size(1), q
        k = v = q
        q = self.w_qs(q).view(b, n, self.n_head, self.d_k)
        k = self.w_ks(k).view(b, n, self.n_head, self.d_k)
        v = self.w_vs(v).view(b, n, self.n_head, self.d_k)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        q, attn = self.attention(q, k, v)
        q = q.transpose(1, 2).contiguous().view(b, n, -1)
        q = self.fc(q)
        q += residual
        return self.layer_norm(q)
""",
    "blocks": OPEN + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        m = torch.full((b, n, 1), -float("inf"))
        l, o = torch.zeros(b, n, 1), torch.zeros(b, n, self.d_out)
        for j in range(0, n, 2):
            s = q @ k[:, j : j + 2].transpose(1, 2) / self.d_out**0.5
            new = torch.maximum(m, s.max(-1, keepdim=True).values)
            p = torch.exp(s - new)
            o = o * torch.exp(m - new) + p @ v[:, j : j + 2]
            l = l * torch.exp(m - new) + p.sum(-1, keepdim=True)
            m = new
        return o / l
""",
    "double": SINGLE + """        self.double()
        x = x.double()
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = q @ k.mT / k.size(-1) ** 0.5
        s = s.masked_fill(self.mask.bool(), -torch.inf)
        return torch.softmax(s, -1) @ v
""",
    "bfloat": SINGLE + """        self.bfloat16()
        x = x.bfloat16()
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = q @ k.mT / k.size(-1) ** 0.5
        s = s.masked_fill(self.mask.bool(), -torch.inf)
        return torch.softmax(s, -1) @ v
""",
    "weights_left": """class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.queries, self.keys, self.values = (nn.Linear(d_in, d_out) for _ in range(3))
    def forward(self, x):
        kt = self.keys.weight @ x.mT + self.keys.bias[:, None]
        qs = self.queries(x).mul(self.queries.out_features ** -0.5)
        a = torch.softmax(qs @ kt, dim=2)
        out = a @ self.values(x)
        return out
""",
    "block": """class Attention(nn.Module):
    def __init__(self, d, n, h):
        super().__init__()
        self.h = h
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.h, -1).transpose(1, 2) for t in self.qkv(x).split(d, dim=-1))
        s = q @ k.transpose(-2, -1) / (d // self.h) ** 0.5
        s = s.masked_fill(torch.ones(n, n).triu(1) == 1, -torch.inf)
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))
class Block(nn.Module):
    def __init__(self, d, n, h):
        super().__init__()
        self.ln1, self.ln2, self.attn = nn.LayerNorm(d), nn.LayerNorm(d), Attention(d, n, h)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))
class A(nn.Module):
    def __init__(self, d_in, d_out, n, h):
        super().__init__()
        self.blocks = nn.ModuleList([Block(d_in, n, h) for _ in range(2)])
        self.head = nn.Linear(d_in, 10, bias=False)
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)
""",
}
if hasattr(torch.nn.functional, "scaled_dot_product_attention"):
    MODULES["fused"] = LINEAR + SPLIT + """\
        z = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        z = z.transpose(1, 2).reshape(b, n, self.d_out)
        return self.out_proj(z)
"""
    MODULES["sdpa_mask"] = LINEAR + SPLIT + """        seen = torch.ones(n, n, dtype=torch.bool).tril()
        z = F.scaled_dot_product_attention(queries, keys, values, attn_mask=seen)
        z = z.transpose(1, 2).reshape(b, n, self.d_out)
        return self.out_proj(z)
"""
    MODULES["sdpa_plain"] = OPEN + """        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(q, k, v)
"""
# The chapter, from attention without weights to several heads.
PLAIN = """import torch
from torch import nn

inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
query = inputs[1]
attn_scores_2 = torch.zeros(6)
for i in range(6):
    attn_scores_2[i] = torch.dot(inputs[i], query)
attn_weights_2 = torch.softmax(attn_scores_2, dim=0)
context_vec_2 = torch.zeros(3)
for i in range(6):
    context_vec_2 += attn_weights_2[i] * inputs[i]
attn_scores = inputs @ inputs.T
attn_weights = torch.softmax(attn_scores, dim=-1)
all_context_vecs = attn_weights @ inputs

d_in, d_out = 3, 2
torch.manual_seed(123)
W_query, W_key, W_value = (torch.rand(d_in, d_out) for _ in range(3))
query_2 = inputs[1] @ W_query
keys = inputs @ W_key
values = inputs @ W_value
scores_22 = query_2.dot(keys[1])
scores_2 = query_2 @ keys.T
weights_2 = torch.softmax(scores_2 / keys.shape[1] ** 0.5, dim=-1)
context_2 = weights_2 @ values
queries = inputs @ W_query
all_scores = queries @ keys.T
all_weights = torch.softmax(all_scores / keys.shape[-1] ** 0.5, dim=-1)
z = all_weights @ values


class SelfAttention(nn.Module):
    def __init__(self, linear):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            made = nn.Linear(d_in, d_out, bias=False) if linear else nn.Parameter(torch.rand(d_in, d_out))
            setattr(self, name, made)


class SelfAttention_v1(SelfAttention):
    def forward(self, x):
        q1 = x @ self.W_query
        k1 = x @ self.W_key
        v1 = x @ self.W_value
        w1 = torch.softmax(q1 @ k1.T / k1.shape[-1] ** 0.5, dim=-1)
        return w1 @ v1


class SelfAttention_v2(SelfAttention):
    def forward(self, x):
        q2, k2, v2 = self.W_query(x), self.W_key(x), self.W_value(x)
        w2 = torch.softmax(q2 @ k2.T / k2.shape[-1] ** 0.5, dim=-1)
        return w2 @ v2


sa_v1 = SelfAttention_v1(False)
sa_v1(inputs)
sa_v2 = SelfAttention_v2(True)
sa_v2(inputs)
queries = sa_v2.W_query(inputs)
keys = sa_v2.W_key(inputs)
scores = queries @ keys.T
weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
masked_simple = weights * torch.tril(torch.ones(6, 6))
masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keepdim=True)
mask = torch.triu(torch.ones(6, 6), diagonal=1)
masked = scores.masked_fill(mask.bool(), -torch.inf)
attn_weights = torch.softmax(masked / keys.shape[-1] ** 0.5, dim=1)
torch.manual_seed(123)
dropout = nn.Dropout(0.5)
dropped = dropout(attn_weights)
batch = torch.stack((inputs, inputs), dim=0)


class CausalAttention(nn.Module):
    def __init__(self, context_length, drop):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(drop)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        qc, kc, vc = self.W_query(x), self.W_key(x), self.W_value(x)
        sc = qc @ kc.transpose(1, 2)
        sc.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        wc = self.dropout(torch.softmax(sc / kc.shape[-1] ** 0.5, dim=-1))
        return wc @ vc


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = nn.ModuleList([CausalAttention(6, 0.0) for _ in range(heads)])

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_out, num_heads):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out)
        self.W_value = nn.Linear(d_in, d_out)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("mask", torch.triu(torch.ones(6, 6), diagonal=1))

    def forward(self, x):
        b, n, _ = x.shape
        split = b, n, self.num_heads, self.head_dim
        qm = self.W_query(x).view(split).transpose(1, 2)
        km = self.W_key(x).view(split).transpose(1, 2)
        vm = self.W_value(x).view(split).transpose(1, 2)
        sm = qm @ km.transpose(2, 3)
        sm.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        wm = torch.softmax(sm / km.shape[-1] ** 0.5, dim=-1)
        zm = (wm @ vm).transpose(1, 2)
        zm = zm.contiguous().view(b, n, self.d_out)
        return self.out_proj(zm)


ca = CausalAttention(6, 0.5)
context_vecs = ca(batch)
wrapper = MultiHeadAttentionWrapper(2)
wrapper(batch)
mha = MultiHeadAttention(4, 2)
mha(batch)
"""
FAULTS = [
    ("causal", "dim=-1)", "dim=1)"),
    ("causal", "dim=-1)", "dim=0)"),
    ("causal", "attn_scores / keys.shape[-1]**0.5", "attn_scores"),
    ("causal", "keys.shape[-1]**0.5", "keys.shape[-1]"),
    ("causal", "keys.shape[-1]**0.5", "n**0.5"),
    ("causal", "keys.shape[-1]**0.5", "x.shape[-1]**0.5"),
    ("causal", "attn_scores / keys.shape[-1]**0.5", "attn_scores * keys.shape[-1]**0.5"),
    ("causal", "queries @ keys.transpose(1, 2)", "keys @ queries.transpose(1, 2)"),
    ("causal", "queries @ keys.transpose(1, 2)", "queries @ queries.transpose(1, 2)"),
    ("causal", "queries @ keys.transpose(1, 2)", "queries @ values.transpose(1, 2)"),
    ("causal", "queries @ keys.transpose(1, 2)", "queries.tanh() @ keys.transpose(1, 2)"),
    ("causal", "queries @ keys.transpose(1, 2)", "(queries @ keys.transpose(1, 2)).abs()"),
    ("causal", "queries @ keys.transpose(1, 2)", "(queries @ keys.transpose(1, 2)).relu()"),
    ("causal", "attn_weights @ values", "attn_weights @ keys"),
    ("causal", "attn_weights @ values", "attn_weights @ queries"),
    ("causal", "attn_weights @ values", "attn_weights.transpose(1, 2) @ values"),
    ("causal", "attn_weights @ values", "attn_weights @ values + values"),
    ("causal", "attn_weights @ values", "attn_weights @ values.flip(1)"),
    ("causal", "attn_weights @ values", "attn_weights @ values.cumsum(1)"),
    ("causal", "-torch.inf", "0.0"),
    ("causal", "-torch.inf", "-1.0"),
    ("causal", "self.mask.bool()[:n, :n]", "~self.mask.bool()[:n, :n]"),
    ("causal", "values = self.W_value(x)", "values = self.W_key(x)"),
    ("causal", "keys = self.W_key(x)", "keys = self.W_query(x)"),
    ("causal", "values = self.W_value(x)", "values = self.W_value(x) * 2"),
    ("causal", "torch.softmax(", "torch.sigmoid(", ", dim=-1", ""),
    ("causal", "diagonal=1", "diagonal=0"),
    ("causal", "diagonal=1", "diagonal=2"),
    ("causal", "torch.triu", "torch.tril"),
    ("multi", "dim=-1)", "dim=1)"),
    ("multi", "dim=-1)", "dim=-2)"),
    ("multi", "attn_scores / keys.shape[-1]**0.5", "attn_scores"),
    ("multi", "keys.shape[-1]**0.5", "self.d_out**0.5"),
    ("multi",
     "queries = queries.view(b, n, self.h, self.d).transpose(1, 2)",
     "queries = queries.view(b, self.h, n, self.d)"),
    ("multi",
     "values = values.view(b, n, self.h, self.d).transpose(1, 2)",
     "values = values.view(b, self.h, n, self.d)"),
    ("multi",
     "keys = keys.view(b, n, self.h, self.d).transpose(1, 2)",
     "keys = keys.reshape(b, n, self.d, self.h).permute(0, 3, 1, 2)"),
    ("multi",
     "context_vec = context_vec.contiguous().view",
     "context_vec = context_vec.transpose(1, 2).contiguous().view"),
    ("multi", "return self.out_proj(context_vec)", "return self.out_proj(self.out_proj(context_vec))"),
    ("multi", "attn_weights @ values", "attn_weights @ keys"),
    ("multi", "queries @ keys.transpose(2, 3)", "keys @ queries.transpose(2, 3)"),
    ("multi", "mask_bool = self.mask.bool()", "mask_bool = self.mask.T.bool()"),
    ("nanogpt", "1.0 / math.sqrt(k.size(-1))", "1.0 / math.sqrt(C)"),
    ("nanogpt", "1.0 / math.sqrt(k.size(-1))", "1.0 / k.size(-1)"),
    ("nanogpt", "== 0", "!= 0"),
    ("nanogpt", 'float("-inf")', "0"),
    ("nanogpt", "F.softmax(att, dim=-1)", "F.softmax(F.softmax(att, dim=-1), dim=-1)"),
    ("nanogpt", "F.softmax(att, dim=-1)", "F.log_softmax(att, dim=-1)"),
    ("nanogpt", "y = att @ v", "y = att @ v + q"),
    ("nanogpt", "y.transpose(1, 2).contiguous()", "y.contiguous()"),
    ("nanogpt", "dim=-1)", "dim=2)"),
    ("einsum", "bqhd,bkhd->bhqk", "bqhd,bkhd->bhkq"),
    ("einsum", "bhqk,bkhd->bqhd", "bhkq,bkhd->bqhd"),
    ("einsum", "math.sqrt(self.d)", "math.sqrt(self.h)"),
    ("einsum", "softmax(-1)", "softmax(1)"),
    ("additive", "self.d_out**0.5", "self.d_out"),
    ("additive", "e.sum(dim=-1, keepdim=True)", "e.sum(dim=-2, keepdim=True)"),
    ("additive", "triu(1)", "triu(0)"),
    ("additive", "e = torch.exp(", "e = torch.exp2("),
    ("renormalised", "a.sum(dim=-1, keepdim=True)", "a.sum(dim=1, keepdim=True)"),
    ("renormalised", "torch.tril(", "torch.triu("),
    ("positions", "> i[:, None]", ">= i[:, None]"),
    ("positions", "> i[:, None]", "< i[:, None]"),
    ("positions", "**-0.5", "**-1"),
]
# (right text, wrong text) of PLAIN; each right text stands there once.
PLAIN_FAULTS = [
    ("attn_weights = torch.softmax(attn_scores, dim=-1)", "attn_weights = torch.softmax(attn_scores, dim=0)"),
    ("attn_scores = inputs @ inputs.T", "attn_scores = inputs @ inputs.flip(0).T"),
    ("all_context_vecs = attn_weights @ inputs", "all_context_vecs = attn_weights.T @ inputs"),
    ("context_2 = weights_2 @ values", "context_2 = weights_2 @ keys"),
    ("scores_2 / keys.shape[1] ** 0.5", "scores_2 / keys.shape[1]"),
    ("keys.T\nall_weights", "values.T\nall_weights"),
    ("all_scores / keys.shape[-1] ** 0.5", "all_scores"),
    ("z = all_weights @ values", "z = all_weights @ queries"),
    ("q1 @ k1.T / k1.shape[-1] ** 0.5", "q1 @ k1.T * k1.shape[-1] ** 0.5"),
    ("return w1 @ v1", "return w1 @ k1"),
    ("k2.shape[-1] ** 0.5, dim=-1", "k2.shape[-1] ** 0.5, dim=0"),
    ("q2 @ k2.T", "q2 @ v2.T"),
    ("mask = torch.triu(torch.ones(6, 6), diagonal=1)", "mask = torch.triu(torch.ones(6, 6), diagonal=0)"),
    ("mask = torch.triu(torch.ones(6, 6), diagonal=1)", "mask = torch.tril(torch.ones(6, 6), diagonal=1)"),
    ("masked / keys.shape[-1] ** 0.5, dim=1", "masked / keys.shape[-1] ** 0.5, dim=0"),
    ("masked / keys.shape[-1] ** 0.5, dim=1", "masked / keys.shape[-1], dim=1"),
    ("scores.masked_fill(mask.bool(), -torch.inf)", "scores.masked_fill(mask.bool(), 0)"),
    ("qc @ kc.transpose(1, 2)", "kc @ qc.transpose(1, 2)"),
    ("kc.shape[-1] ** 0.5, dim=-1", "kc.shape[-1] ** 0.5, dim=1"),
    ("return wc @ vc", "return wc.transpose(1, 2) @ vc"),
    ("sm / km.shape[-1] ** 0.5", "sm / self.d_out ** 0.5"),
    ("km = self.W_key(x).view(split).transpose(1, 2)",
     "km = self.W_key(x).view(b, self.num_heads, n, self.head_dim)"),
    ("zm = zm.contiguous()", "zm = zm.transpose(1, 2).contiguous()"),
    ("(wm @ vm).transpose(1, 2)", "(wm @ km).transpose(1, 2)"),
]
# Scripts without projections, with weights of their own making, with heads apart, and others; each has one
# line with a fault, and the right text behind it.
GIVEN = """import torch
import torch.nn.functional as F
torch.manual_seed(2)
q, k, v = torch.randn(3, 2, 5, 4)
"""
HEADS_APART = """import torch
torch.manual_seed(3)
x = torch.randn(5, 8)
Wq, Wk, Wv = torch.randn(3, 8, 8) / 3
Q, K, V = (x @ Wq).chunk(2, -1), (x @ Wk).chunk(2, -1), (x @ Wv).chunk(2, -1)
hide = torch.full((5, 5), -torch.inf).triu(1)
"""
CROSSED = """import torch
from torch import nn
class CrossAttention(nn.Module):
    def __init__(self, d, memory_d, h):
        super().__init__()
        self.h = h
        self.to_q, self.to_k, self.to_v = nn.Linear(d, d), nn.Linear(memory_d, d), nn.Linear(memory_d, d)
        self.proj = nn.Linear(d, d)
    def forward(self, x, memory):
        split = lambda y: y.unflatten(-1, (self.h, -1)).transpose(1, 2)
        q, k, v = split(self.to_q(x)), split(self.to_k(memory)), split(self.to_v(memory))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.proj((weights @ v).transpose(1, 2).flatten(2))
torch.manual_seed(41)
decoder = CrossAttention(8, 6, 2)
decoder(torch.randn(2, 4, 8), torch.randn(2, 7, 6))
"""
CACHED = """import torch
from torch import nn
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(8, 8) for _ in range(4))
        self.past = None
    def turned(self, x, at):
        angles = (at + torch.arange(x.shape[2]))[:, None] / 10000 ** (torch.arange(2) / 2)
        cos, sin = torch.cat([angles, angles], -1).cos(), torch.cat([angles, angles], -1).sin()
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin
    def forward(self, x):
        q, k, v = (w(x).unflatten(-1, (2, 4)).transpose(1, 2) for w in (self.q, self.k, self.v))
        at = 0 if self.past is None else self.past[0].shape[2]
        q, k = self.turned(q, at), self.turned(k, at)
        if at:
            k = torch.cat([self.past[0], k], 2)
            v = torch.cat([self.past[1], v], 2)
        self.past = k, v
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=at == 0)
        return self.o(y.transpose(1, 2).flatten(2))
torch.manual_seed(42)
decode = A().eval()
with torch.no_grad():
    y = decode(torch.randn(2, 4, 8))
    for _ in range(3):
        y = decode(y[:, -1:])
"""
CACHED_LISTS = """import torch
torch.manual_seed(43)
Wq, Wk, Wv = torch.randn(3, 8, 8) / 3
keys, values, out = [], [], []
for x in torch.randn(6, 8):
    keys.append(x @ Wk)
    values.append(x @ Wv)
    K, V = torch.stack(keys), torch.stack(values)
    w = torch.softmax(K @ (x @ Wq) / 8 ** 0.5, dim=0)
    out.append(w @ V)
"""

# The rows of a fused weight are those of one head after the other; the scores have a bias of positions.
ALIBI = """import torch
from torch import nn
torch.manual_seed(44)
x, fused, out_proj = torch.randn(2, 5, 8), nn.Linear(8, 24), nn.Linear(8, 8)
qkv = fused(x).view(2, 5, 2, 3, 4)
q, k, v = (qkv[..., i, :].transpose(1, 2) for i in range(3))
at = torch.arange(5)
slopes = torch.tensor([0.5, 0.25])[:, None, None]
bias = slopes * (at[None] - at[:, None])
scores = q @ k.mT / 4 ** 0.5 + bias
weights = scores.masked_fill(at[None] > at[:, None], -torch.inf).softmax(-1)
out = out_proj((weights @ v).transpose(1, 2).flatten(2))
"""
PADDED = """import torch
from torch import nn
torch.manual_seed(45)
x, real = torch.randn(2, 5, 8), torch.arange(5) < torch.tensor([[5], [3]])
Wq, Wk, Wv, Wo = (nn.Linear(8, 8) for _ in range(4))
q, k, v = (w(x).view(2, 5, 2, 4).transpose(1, 2) for w in (Wq, Wk, Wv))
seen = torch.ones(5, 5).tril().bool() & real[:, None, None]
scores = q @ k.mT / 4 ** 0.5
scores = torch.where(seen, scores, torch.finfo(torch.float32).min)
out = Wo((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""
BLOCK = """import torch
from torch import nn
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(8, 4, bias=False) for _ in range(3))
    def forward(self, q, k, v):
        q, k, v = self.W_q(q), self.W_k(k), self.W_v(v)
        return (q @ k.mT / 2).softmax(-1) @ v
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.part = nn.LayerNorm(8), Attention()
    def forward(self, x):
        h = self.before(x)
        return self.part(h, h, h)
torch.manual_seed(46)
y = Block()(torch.randn(5, 8))
"""
RESIDUAL = """import torch
from torch import nn
torch.manual_seed(47)
x, before, after, mlp = 2 * torch.randn(5, 8), nn.LayerNorm(8), nn.LayerNorm(8), nn.Linear(8, 8)
Wq, Wk, Wv = (nn.Linear(8, 8) for _ in range(3))
h = before(x)
y = (Wq(h) @ Wk(h).T / 8 ** 0.5).softmax(-1) @ Wv(h)
x = x + y
x = x + mlp(after(x))
"""
RESIDUAL_BLOCK = """import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after, self.mlp = nn.LayerNorm(8), nn.LayerNorm(8), nn.Linear(8, 8)
        self.Wq, self.Wk, self.Wv = (nn.Linear(8, 8) for _ in range(3))
    def part(self, x):
        return (self.Wq(x) @ self.Wk(x).mT / 8 ** 0.5).softmax(-1) @ self.Wv(x)
    def forward(self, x):
        h = self.before(x)
        x = x + self.part(h)
        return x + self.mlp(self.after(x))
torch.manual_seed(51)
y = Block()(2 * torch.randn(5, 8))
"""
ROTARY = """import torch
from torch import nn
torch.manual_seed(48)
x = torch.randn(1, 7, 16)
Wq, Wk, Wv, Wo = (nn.Linear(16, 16) for _ in range(4))
q, k, v = (w(x).view(1, 7, 2, 8).transpose(1, 2) for w in (Wq, Wk, Wv))
places = torch.arange(7).float()
angles = torch.outer(places, 10000 ** (-torch.arange(0, 8, 2) / 8))
wide = torch.cat([angles, angles], -1)
cos, sin = wide.cos(), wide.sin()
def turned(t):
    a, b = t.chunk(2, -1)
    return t * cos + torch.cat([-b, a], -1) * sin
w = (turned(q) @ turned(k).mT / 8 ** 0.5).softmax(-1)
out = Wo((w @ v).transpose(1, 2).flatten(2))
"""


def with_fault(source, right, wrong):
    """Returns a script that has the wrong line, and the right one in a comment."""
    (line,) = (line for line in source.splitlines() if right in line)
    return source.replace(line, f"{line.replace(right, wrong)}  #: {line.strip()}")


# Other kinds of attention, which continue as the stages do: a soft cap, normalised queries and keys, a
# rotation of some features, a learned bias of scores that are not scaled.
OTHERS = """import math, torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(71)
x, qkv, out_proj = torch.randn(2, 7, 24), nn.Linear(24, 72), nn.Linear(24, 24)
q, k, v = (part.view(2, 7, 3, 8).transpose(1, 2) for part in qkv(x).chunk(3, dim=-1))
hide = torch.ones(7, 7).triu(1).bool()
"""
MERGED = """out = out_proj((weights @ v).transpose(1, 2).reshape(2, 7, 24))
"""
CAPPED = OTHERS + """scores = 5 * torch.tanh(q @ k.mT / math.sqrt(8) / 5)
weights = scores.masked_fill(hide, -torch.inf).softmax(-1)
""" + MERGED
NORMED = OTHERS + """gain = nn.Parameter(torch.rand(8) + 0.5)
q = q * torch.rsqrt(q.pow(2).mean(-1, keepdim=True) + 1e-6) * gain
k = k * torch.rsqrt(k.pow(2).mean(-1, keepdim=True) + 1e-6) * gain
scores = q @ k.transpose(-2, -1) / math.sqrt(8)
weights = scores.masked_fill(hide, -torch.inf).softmax(-1)
""" + MERGED
TURNED_PART = OTHERS + """steps = torch.arange(7.0)
angles = torch.outer(steps, 1e4 ** (-torch.arange(0, 4, 2) / 4)).repeat(1, 2)
def turned(t):
    a, rest = t[..., :4], t[..., 4:]
    half = torch.cat([-a[..., 2:], a[..., :2]], -1)
    return torch.cat([a * angles.cos() + half * angles.sin(), rest], -1)
q, k = turned(q), turned(k)
weights = (q @ k.mT / 8 ** 0.5).masked_fill(hide, -torch.inf).softmax(-1)
""" + MERGED
BIASED = OTHERS + """table, at = nn.Embedding(13, 3), torch.arange(7)
scores = q @ k.mT
scores = scores + table(at - at[:, None] + 6).permute(2, 0, 1)
weights = scores.softmax(-1)
""" + MERGED
# Keys and values of fewer heads in one weight with the queries; padding of the other inputs; a cache with
# places.
SHARED = """import torch
torch.manual_seed(72)
x, qkv, Wo = torch.randn(2, 7, 24), torch.randn(24, 40) / 5, torch.randn(24, 24)
q, k, v = (x @ qkv).split([24, 8, 8], dim=-1)
q, k, v = q.view(2, 7, 2, 3, 4), k.view(2, 7, 2, 4), v.view(2, 7, 2, 4)
scores = torch.einsum("btkgd,bskd->bkgts", q, k) / 4 ** 0.5
scores = scores.masked_fill(torch.ones(7, 7).triu(1).bool(), -torch.inf)
out = torch.einsum("bkgts,bskd->btkgd", scores.softmax(-1), v).reshape(2, 7, 24) @ Wo
"""
CROSSED_PADDED = """import torch
torch.manual_seed(73)
x, other = torch.randn(2, 5, 12), torch.randn(2, 8, 20)
W_q, W_k, W_v = torch.randn(12, 12) / 4, torch.randn(20, 12) / 4, torch.randn(20, 12) / 4
q, k, v = (t.unflatten(-1, (3, 4)).transpose(1, 2) for t in (x @ W_q, other @ W_k, other @ W_v))
padding = torch.arange(8) >= torch.tensor([[8], [5]])
weights = torch.softmax(q @ k.mT / 4 ** 0.5 + padding[:, None, None] * -1e9, dim=-1)
out = (weights @ v).transpose(1, 2).flatten(2)
"""
ROW_BY_ROW = """import torch
torch.manual_seed(74)
x, Wq, Wk, Wv = torch.randn(2, 6, 8), torch.randn(8, 8), torch.randn(8, 4), torch.randn(8, 4)
keys, values, rows = torch.zeros(2, 9, 4), torch.zeros(2, 9, 4), []
for t in range(6):
    keys[:, t], values[:, t] = x[:, t] @ Wk, x[:, t] @ Wv
    scores = (x[:, t] @ Wq).view(2, 2, 4) @ keys.mT / 2
    scores = scores.masked_fill(torch.arange(9) > t, -torch.inf)
    rows.append((scores.softmax(-1) @ values).flatten(1))
out = torch.stack(rows, 1)
"""
# Heads of modules of their own; keys and values in a cache; padding by ids; one head with a rotation.
HEADS = """import torch
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 4) for _ in range(3))
    def forward(self, x):
        return nn.functional.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x), is_causal=True)
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head(), Head()])
        self.calls = [lambda x: self.heads[0](x)]
        self.calls += [lambda x: self.heads[1](x)]
    def forward(self, x):
        return torch.cat([call(x) for call in self.calls], -1)
torch.manual_seed(81)
Heads()(torch.randn(2, 5, 8))
"""
CHUNKED = """import torch
torch.manual_seed(82)
Wq, Wk, Wv = torch.randn(3, 6, 6) / 2
def attend(x, past):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    if past:
        k = torch.cat([past[0], k])
        v = torch.vstack([past[1], v])
    hide = torch.ones(len(q), len(k)).triu(1 + len(k) - len(q)).bool()
    w = (q @ k.T / 6 ** 0.5).masked_fill(hide, -torch.inf).softmax(-1)
    return w @ v, (k, v)
past, rows = None, []
for x in torch.randn(7, 6).split(SIZE):
    row, past = attend(x, past)
    rows.append(row)
out = torch.cat(rows)
"""
BY_TOKEN, BY_CHUNK = CHUNKED.replace("SIZE", "1"), CHUNKED.replace("SIZE", "[4, 3]")
BY_IDS = """import torch
from torch import nn
torch.manual_seed(83)
words, q, k, v = nn.Embedding(9, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
ids = torch.tensor([[4, 7, 2, 3, 1, 1], [8, 2, 5, 1, 1, 1]])
x, pads = words(ids), ids == 1
parts = [f(x).view(2, 6, 2, 4).transpose(1, 2).flatten(0, 1) for f in (q, k, v)]
"""
BY_FUSED = BY_IDS + """hide = pads.repeat_interleave(2, 0)[:, None].expand(-1, 6, -1)
out = nn.functional.scaled_dot_product_attention(*parts, attn_mask=~hide)
"""
BY_FILL = BY_IDS + """scores = parts[0] @ parts[1].mT / 2
hide = pads.repeat_interleave(2, 0)
scores = scores.masked_fill(hide[:, None], -torch.inf)
out = scores.softmax(-1) @ parts[2]
"""
ONE_TURNED = """import torch
torch.manual_seed(84)
x, (Wq, Wk, Wv) = torch.randn(2, 6, 8), torch.randn(3, 8, 8) / 3
angles = torch.arange(6)[:, None] / 100 ** (torch.arange(0, 8, 2) / 8)
angles = torch.cat([angles, angles], -1)
def turned(x):
    a, b = x.chunk(2, -1)
    return x * angles.cos() + torch.cat([-b, a], -1) * angles.sin()
q, k, v = turned(x @ Wq), turned(x @ Wk), x @ Wv
scores = (q @ k.mT / 8 ** 0.5).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
out = scores.softmax(-1) @ v
"""
MAPS = """import torch
from torch import nn
torch.manual_seed(85)
maps, x = nn.ModuleList(nn.Linear(8, 8) for _ in range(4)), torch.randn(2, 5, 8)
a = maps[0](x)
b = maps[1](x)
c = maps[2](x)
a, b, c = (one.view(2, 5, 2, 4).transpose(1, 2) for one in (a, b, c))
mixed = torch.softmax(a @ b.mT / 2, -1) @ c
out = maps[3](mixed.transpose(1, 2).flatten(2))
"""
LATER = """import torch
torch.manual_seed(86)
x, (Wq, Wk, Wv) = torch.randn(5, 4), torch.randn(3, 4, 3)
Q, K, V = x @ Wq, x @ Wk, x @ Wv
rows = []
for t in range(5):
    keys, values = K[:t + 1], V[:t + 1]
    rows.append(torch.softmax(keys @ Q[t] / 3 ** 0.5, dim=-1) @ values)
out = torch.stack(rows)
"""
CROSSED_MODULE = """import torch
torch.manual_seed(77)
x, memory = torch.randn(2, 5, 8), torch.randn(2, 7, 8)
out = torch.nn.MultiheadAttention(8, 2, batch_first=True)(x, memory, memory)[0]
"""
# A tuple names keys and values; the queries get their name when they are scaled.
HALF_NAMED = """import torch
torch.manual_seed(60)
x, hidden = torch.randn(2, 5, 6), torch.ones(5, 5).triu(1).bool()
Q, K, V = (torch.nn.Linear(6, 4, bias=False) for _ in range(3))
q, k, v = Q(x), K(x), V(x); q = q / 2
z = torch.softmax((q @ k.mT).masked_fill(hidden, -torch.inf), -1) @ v
"""
BIASED_VALUES = """import torch
torch.manual_seed(61)
x, (Q, K) = torch.randn(5, 4), (torch.nn.Linear(4, 4, bias=False) for _ in range(2))
V = torch.nn.Linear(4, 4)
z = torch.softmax(Q(x) @ K(x).T / 2, -1) @ V(x)
"""
FLAT_ADDMM = """import torch
torch.manual_seed(62)
x, weight, bias = torch.randn(2, 5, 6), torch.randn(6, 12), torch.randn(12)
a, b, c = torch.addmm(bias, x.view(-1, 6), weight).view(2, 5, 12).split(4, dim=-1)
z = torch.nn.functional.scaled_dot_product_attention(a, b, c, is_causal=True)
"""
CROSSED_TOKENS_FIRST = """import torch
torch.manual_seed(63)
x, memory = torch.randn(4, 3, 8), torch.randn(6, 3, 8)
y = x + torch.nn.MultiheadAttention(8, 2)(x, memory, memory)[0]
"""

# Right code on inputs and weights whose numbers are equal to many others, and code whose names say little.
ATTENTION = """import torch
torch.manual_seed(90)
{start}
def attention(x, wq, wk, wv, hide):
    queries, keys, values = x @ wq, x @ wk, x @ wv
    scores = (queries @ keys.T / keys.shape[-1] ** 0.5).masked_fill(hide, -torch.inf)
    return torch.softmax(scores, dim=-1) @ values
hide = torch.ones(len(x), len(x)).triu(1).bool()
context_vec = attention(x, *w, hide)
{end}
"""
SQUARE = "x, w = {}, torch.randn(3, 4, 4)"
LINEARS = """import torch
from torch import nn
torch.manual_seed(91)
x, w = torch.cat([torch.eye(4)[:1], torch.randn(4, 4)]), [nn.Linear(4, 4, bias=False) for _ in range(3)]
queries = w[0](x)
keys = w[1](x)
values = w[2](x)
scores = (queries @ keys.T / 2).masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf)
out = torch.softmax(scores, dim=-1) @ values
"""
TIED = """import torch
from torch import nn
torch.manual_seed(92)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_value = nn.Linear(4, 4), nn.Linear(4, 4)
        self.W_key = self.W_query
    def forward(self, x):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        scores = (queries @ keys.T / 2).masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf)
        return torch.softmax(scores, dim=-1) @ values
Layer()(torch.randn(5, 4))
"""
OWN_NAMES = """import torch
torch.manual_seed(93)
x, w = torch.randn(6, 5), torch.randn(3, 5, 4)
{q} = x @ w[0]
{k} = x @ w[1]
{v} = x @ w[2]
S = ({q} @ {k}.transpose(0, 1)).masked_fill(torch.tril(torch.ones(6, 6)) == 0, float("-inf"))
P = torch.softmax(S / 2, dim=-1)
O = P @ {v}
"""
BEFORE = """import torch
from torch import nn
def rotate_half(x):
    a, b = x[..., :x.shape[-1] // 2], x[..., x.shape[-1] // 2:]
    return torch.cat((-b, a), dim=-1)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj = nn.Linear(16, 16), nn.Linear(16, 8), nn.Linear(16, 8)
    def forward(self, x, cos, sin):
        q, k, v = (p(x).view(2, 5, -1, 4).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        w = q @ k.mT / 2 + torch.full((5, 5), -torch.inf).triu(1)
        return (torch.softmax(w, dim=-1) @ v).transpose(1, 2).reshape(2, 5, -1)
"""
TABLES = """angles = torch.outer(torch.arange(5.0), {base} ** (-torch.arange(0, 4, 2) / 4)).repeat(1, 2)
tables = angles.cos(), angles.sin()
"""
# A joint projection of another width, its parts taken by slices, and an output projection that is not square.
JOINT_SLICES = """import torch
torch.manual_seed(105)
x, both = torch.randn(2, 6, 5), torch.nn.Linear(5, 12)
y = both(x)
q, k, v = y[..., :4], y[..., 4:8], y[..., 8:]
s = (q @ k.mT / 2).masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf)
out = torch.softmax(s, dim=-1) @ v
"""
JOINT_UNBOUND = """import torch
torch.manual_seed(106)
x, both = torch.randn(2, 6, 5), torch.nn.Linear(5, 24)
q, k, v = both(x).view(2, 6, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
s = (q @ k.mT / 2).masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf)
out = (torch.softmax(s, dim=-1) @ v).transpose(1, 2).reshape(2, 6, 8)
"""
WIDE_OUTPUT = """import torch
torch.manual_seed(107)
x, wo = torch.randn(2, 6, 10), torch.randn(4, 3, 10)
q, k, v = (torch.einsum("btc,chd->bhtd", x, torch.randn(10, 4, 3)) for _ in range(3))
s = torch.einsum("bhid,bhjd->bhij", q, k) / 3**0.5
w = torch.softmax(s.masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf), dim=-1)
out = torch.einsum("bhtd,hde->bte", torch.einsum("bhij,bhjd->bhid", w, v), wo)
"""
TWO_BIASES = """import torch
torch.manual_seed(108)
x, places = torch.randn(2, 6, 4), torch.arange(6.0)
q, k, v = (torch.nn.Linear(4, 4)(x) for _ in range(3))
s = q @ k.mT / 2 + places - places[:, None]
w = torch.softmax(s.masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf), dim=-1)
out = w @ v
"""
MEMORY_MASKED = """import torch
torch.manual_seed(109)
x, memory, hide = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.tensor([[False] * 4 + [True]] * 3)
attend = torch.nn.MultiheadAttention(4, 2, batch_first=True)
out = attend(x, memory, memory, attn_mask=hide)[0]
"""
OTHER_STYLES = [
    JOINT_SLICES, JOINT_UNBOUND, WIDE_OUTPUT, TWO_BIASES, MEMORY_MASKED,
    CAPPED, NORMED, TURNED_PART, BIASED, SHARED, CROSSED_PADDED, CROSSED_MODULE, ROW_BY_ROW,
    HALF_NAMED, BIASED_VALUES, FLAT_ADDMM, CROSSED_TOKENS_FIRST, LINEARS, TIED,
    *(ATTENTION.format(start=SQUARE.format(x), end="")
      for x in ("torch.eye(4)", "torch.eye(4) + 0.01", "torch.zeros(5, 4)", "torch.eye(4).repeat(2, 1)")),
    ATTENTION.format(start="x, w = torch.randn(5, 4), torch.eye(4).repeat(3, 1, 1)", end=""),
    ATTENTION.format(start=SQUARE.format("torch.randn(5, 4)"), end="torch.eye(4) @ w[0]"),
    OWN_NAMES.format(q="Q", k="Kk", v="V"), OWN_NAMES.format(q="query", k="key", v="c"),
    OWN_NAMES.format(q="self_q", k="self_k", v="c"), OWN_NAMES.format(q="a", k="key", v="value"),
]  # fmt: skip
# Calls over several lines, whose faults are in a keyword below.
ADDED_LINES = OTHERS + """fill = torch.zeros(7, 7).masked_fill(hide, -1e9)
scores = torch.baddbmm(
    fill.expand(6, 7, 7),
    q.flatten(0, 1), k.flatten(0, 1).mT,
    beta=1.0, alpha=8**-0.5,
)
weights = scores.softmax(-1).view(2, 3, 7, 7)
""" + MERGED
SOFTMAX_LINES = OTHERS + """scores = (q @ k.mT / 8 ** 0.5).masked_fill(hide, -torch.inf)
weights = torch.softmax(
    scores,
    dim=-1,
)
""" + MERGED
# A list of heads, projections without names, heads that split one projection, a mask's rows, inputs that are
# computed, queries and keys that are given and turned, and a weight that says its order.
LISTED = """import torch
from torch import nn
torch.manual_seed(81)
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.ModuleList(nn.Linear(9, 3) for _ in range(3)) for _ in range(3))
    def forward(self, x):
        parts = []
        for head in range(3):
            q = self.q[head](x)
            k = self.k[head](x)
            v = self.v[head](x)
            parts.append((q @ k.T / 3 ** 0.5).softmax(-1) @ v)
        return torch.cat(parts, -1)
heads = Heads()
heads(torch.randn(5, 9))
"""
NUMBERED = """import torch
from torch import nn
torch.manual_seed(82)
linears, x = nn.ModuleList(nn.Linear(12, 12) for _ in range(4)), torch.randn(2, 5, 12)
q = linears[0](x).view(2, 5, 3, 4).transpose(1, 2)
k = linears[1](x).view(2, 5, 3, 4).transpose(1, 2)
v = linears[2](x).view(2, 5, 3, 4).transpose(1, 2)
weights = (q @ k.mT / 2).softmax(-1)
out = linears[3]((weights @ v).transpose(1, 2).reshape(2, 5, 12))
"""
SPLIT_HEADS = """import torch
from torch import nn
torch.manual_seed(83)
first, second, x = nn.Linear(6, 12, bias=False), nn.Linear(6, 12, bias=False), torch.randn(6, 6)
heads = []
for proj in first, second:
    q, k, v = proj(x).chunk(3, -1)
    scores = (q @ k.T / 4 ** 0.5).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
    heads.append(scores.softmax(-1) @ v)
out = torch.cat(heads, -1)
"""
CROSSED_MODULE = """import torch
from torch import nn
torch.manual_seed(84)
part = nn.MultiheadAttention(12, 2, batch_first=True)
x, memory = torch.randn(2, 6, 12), torch.randn(2, 6, 12)
out = part(x, memory, x)  #: -
"""
SLICED = """import torch
from torch import nn
torch.manual_seed(85)
W_q, W_k, W_v, x = nn.Linear(4, 6), nn.Linear(4, 6), nn.Linear(4, 6), torch.randn(1, 7, 4)
hide = torch.ones(9, 9).triu(1).bool()
scores = W_q(x) @ W_k(x).mT
scores = scores.masked_fill(hide[:7, :7], -torch.inf)
out = (scores / 6 ** 0.5).softmax(-1) @ W_v(x)
"""
DOUBLED = """import torch
torch.manual_seed(86)
x = torch.randn(6, 3) * 2
weights = (x @ x.T).softmax(-1)
out = weights @ x
"""
TURNED_PARTS = """import torch
torch.manual_seed(87)
q, k, v = torch.randn(2, 6, 8), torch.randn(2, 6, 8), torch.randn(2, 6, 8)
angles = torch.outer(torch.arange(6.0), 10000.0 ** (-torch.arange(0, 8, 2) / 8))
cos, sin = (torch.cat([part, part], -1) for part in (angles.cos(), angles.sin()))
def turned(x):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin
scores = turned(q) @ turned(k).mT / 8 ** 0.5
out = scores.softmax(-1) @ v
"""
KEYS_FIRST = """import torch
from torch import nn
torch.manual_seed(88)
part = nn.ModuleDict({"kqv": nn.Linear(8, 24, bias=False)})
key, query, value = part["kqv"](torch.randn(5, 8)).chunk(3, -1)
scores = query @ key.mT / 8 ** 0.5
out = scores.softmax(-1) @ value
"""
SCRIPT_FAULTS = [
    # A joint weight has all queries first, and not the heads.
    """import torch
torch.manual_seed(101)
x, w = torch.randn(2, 6, 5), torch.cat([torch.randn(5, 8) for _ in range(3)], dim=1)
y = x @ w
qkv = y.view(2, 6, 2, 3, 4).permute(3, 0, 2, 1, 4)  #: qkv = y.view(2, 6, 3, 2, 4).permute(2, 0, 3, 1, 4)
q, k, v = qkv.unbind(0)
s = (q @ k.mT / 2).masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf)
out = (torch.softmax(s, dim=-1) @ v).transpose(1, 2).reshape(2, 6, 8)
""",
    # Zeros and ones are added.
    """import torch
torch.manual_seed(102)
x, wq, wk, wv = torch.randn(1, 6, 4), torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)
q = x[0] @ wq
k = x[0] @ wk
v = x[0] @ wv
mask = torch.triu(torch.ones(6, 6), diagonal=1)
s = q @ k.T / 3**0.5 + mask  #: s = (q @ k.T / 3**0.5).masked_fill(mask > 0, -torch.inf)
out = torch.softmax(s, dim=-1) @ v
""",
    """import torch
from torch.nn.functional import scaled_dot_product_attention as attend
torch.manual_seed(103)
x, to_q, to_k, to_v = torch.randn(2, 6, 4), *(torch.nn.Linear(4, 4) for _ in range(3))
q, k, v, seen = to_q(x), to_k(x), to_v(x), torch.ones(8, 8).tril()[:6, :6]
out = attend(q, k, v, attn_mask=seen)  #: out = attend(q, k, v, attn_mask=seen.bool())
""",
    # The value of a fill is right.
    """import torch
torch.manual_seed(104)
x, wq, wk, wv = torch.randn(2, 4), torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)
q, k, v = x @ wq, x @ wk, x @ wv
hide, least, later = torch.ones(2, 2).triu(2) > 0, torch.tensor(-torch.inf), torch.ones(2, 2).triu(1) > 0
s = q @ k.T / 3**0.5
s = torch.where(hide, least, s)  #: s = torch.where(later, least, s)
out = torch.softmax(s, dim=-1) @ v
""",
    # The values have another width than the keys, are left out, or a bias is.
    """import torch
torch.manual_seed(94)
x, wq, wk, wv = torch.randn(2, 6, 5), torch.randn(5, 3), torch.randn(5, 3), torch.randn(5, 8)
q, k, v = x @ wq, x @ wk, x @ wv
s = q @ k.transpose(-2, -1)
s = s / v.shape[-1] ** 0.5  #: s = s / k.shape[-1] ** 0.5
w = torch.softmax(s.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf), dim=-1)
out = w @ v
""",
    """import torch
torch.manual_seed(95)
x, w = torch.randn(6, 4), 2 * torch.randn(3, 4, 4)
q, k, v = x @ w[0], x @ w[1], x @ w[2]
omega = (q @ k.T).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
alpha = torch.softmax(omega / 4 ** 0.5, dim=-1)
out = alpha @ x  #: out = alpha @ v
""",
    """import torch
from torch import nn
torch.manual_seed(96)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(3, 4) for _ in range(3))
    def forward(self, x):
        queries = nn.functional.linear(x, self.W_query.weight)  #: queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = (queries @ keys.mT / 2).masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf)
        return torch.softmax(scores, dim=-1) @ values
Layer()(torch.randn(2, 5, 3))
""",
    # All heads are written to the place of the first one.
    """import torch
from torch import nn
torch.manual_seed(100)
x, (lin_q, lin_k, lin_v) = torch.randn(1, 6, 8), (nn.Linear(8, 8) for _ in range(3))
Q, K, V = lin_q(x), lin_k(x), lin_v(x)
out = torch.zeros(1, 6, 8)
for i in range(2):
    sl = slice(4 * i, 4 * i + 4)
    att = Q[..., sl] @ K[..., sl].transpose(-2, -1) / 4 ** 0.5
    att = att.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf).softmax(dim=-1)
    out[..., :4] = att @ V[..., sl]  #: out[..., sl] = att @ V[..., sl]
""",
    # The numbers of a mask are added to the scores.
    """import torch
from torch import nn
torch.manual_seed(97)
x, layer = torch.randn(5, 2, 6), nn.MultiheadAttention(6, 3)
mask = torch.triu(torch.ones(5, 5), diagonal=1)
out, _ = layer(x, x, x, attn_mask=mask)  #: out, _ = layer(x, x, x, attn_mask=mask.bool())
""",
    # A helper splits the heads of what the line projects.
    """import torch
from torch import nn
torch.manual_seed(71)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(12, 12) for _ in range(3))
    def split(self, x):
        return x.view(2, 6, 3, 4).permute(0, 2, 1, 3)
    def forward(self, x):
        query_layer = self.split(self.query(x))
        key_layer = self.split(self.key(x))
        value_layer = self.split(self.key(x))  #: value_layer = self.split(self.value(x))
        weights = (query_layer @ key_layer.mT / 4 ** 0.5).softmax(-1)
        return (weights @ value_layer).permute(0, 2, 1, 3).flatten(2)
Layer()(torch.randn(2, 6, 12))
""",
    # A function that is right for the queries is called for the values on the same line.
    with_fault(ROTARY.replace("w = (turned(q) @ turned(k).mT", "q, k = turned(q), turned(k)\nw = (q @ k.mT"),
               "q, k = turned(q), turned(k)", "q, v = turned(q), turned(v)"),
    # Two calls of a module are both scaled twice: not the lines that call it are wrong.
    """import torch
from torch import nn
torch.manual_seed(72)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(12, 12) for _ in range(3))
    def forward(self, x, memory):
        q, k, v = self.query(x), self.key(memory), self.value(memory)
        return self.attend(q, k, v)
    def attend(self, q, k, v):
        q = q / 12 ** 0.5  #: q = q * 1.0
        return nn.functional.scaled_dot_product_attention(q, k, v)
layer = Layer()
x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
y = layer(x, x)
z = layer(x, memory)
""",
    # Each token sees those before it, without itself.
    """import torch
torch.manual_seed(73)
x, w_q, w_k, w_v = torch.randn(7, 10), *torch.randn(3, 10, 10) / 3
q, k, v = x @ w_q, x @ w_k, x @ w_v
out = torch.zeros_like(v)
for t in range(7):
    keys = k[:t]  #: keys = k[:t + 1]
    values = v[:len(keys)]
    weights = torch.softmax(keys @ q[t] / 10 ** 0.5, dim=0)
    out[t] = weights @ values
""",
    # In the module, True hides a key.
    """import torch
from torch import nn
torch.manual_seed(74)
tokens = torch.tensor([[5, 8, 2, 9, 0, 0], [7, 3, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0]])
x = nn.Embedding(10, 12)(tokens)
layer = nn.MultiheadAttention(12, 3, batch_first=True)
out, _ = layer(x, x, x, key_padding_mask=tokens != 0)  #: -
""",
    """import torch
torch.manual_seed(66)
x, (a, b, c) = torch.randn(2, 5, 8), torch.randn(3, 8, 8) / 2
queries = x @ a
keys = x @ b
values = x @ b  #: values = x @ c
out = (queries @ keys.mT / 8 ** 0.5).softmax(-1) @ values
""",
    with_fault(PADDED, "scores = torch.where(seen, scores, torch.finfo(torch.float32).min)",
               "scores = scores.masked_fill(~seen, -1e-9)"),
    with_fault(ROTARY, "return t * cos + torch.cat([-b, a], -1) * sin",
               "return t * cos[:2, None] + torch.cat([-b, a], -1) * sin[:2, None]"),
    """import torch
import torch.nn.functional as F
torch.manual_seed(64)
x, Wq, Wk, Wv = torch.randn(2, 5, 8), *torch.randn(3, 8, 8) / 2
def attend(q, k, v):
    return (q @ k.mT / 8 ** 0.5).softmax(-1) @ v
q, k, v = x @ Wq, x @ Wk, x @ Wv
out = attend(q, v, k)  #: out = attend(q, k, v)
""",
    """import torch
import torch.nn.functional as F
torch.manual_seed(65)
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(8, 8) for _ in range(3))
    def heads(self, t):
        return t.view(2, 5, 2, 4).transpose(1, 2).contiguous()
    def forward(self, x):
        q = self.heads(self.q(x) * 0.5)  #: q = self.heads(self.q(x))
        z = F.scaled_dot_product_attention(q, self.heads(self.k(x)), self.heads(self.v(x)))
        return z.transpose(1, 2).flatten(2)
Attention()(torch.randn(2, 5, 8))
""",
    """import torch
import torch.nn.functional as F
torch.manual_seed(66)
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(8, 8) for _ in range(3))
    def forward(self, x):
        return F.scaled_dot_product_attention(
            self.q(x), self.k(x), self.v(x),
            dropout_p=0.3,  #: dropout_p=0.0,
            is_causal=True,
        )
Attention().eval()(torch.randn(2, 5, 8))
""",
    with_fault(CAPPED, "softmax(-1)", "softmax(-2)"),
    with_fault(NORMED, "hide, -torch.inf", "~hide, -torch.inf"),
    with_fault(TURNED_PART, "softmax(-1)", "softmax(-2)"),
    with_fault(SHARED, "4 ** 0.5", "24 ** 0.5"),
    with_fault(CROSSED_PADDED, "dim=-1", "dim=-2"),
    with_fault(ALIBI, "at[None] - at[:, None])", "at[:, None] - at[None])"),
    with_fault(ALIBI, "4 ** 0.5", "8 ** 0.5"),
    with_fault(PADDED, "4 ** 0.5", "8 ** 0.5"),
    with_fault(BLOCK, "self.part(h, h, h)", "self.part(h, x, x)"),
    with_fault(RESIDUAL, "x = x + y", "x = h + y"),
    with_fault(RESIDUAL_BLOCK, "x = x + self.part(h)", "x = h + self.part(h)"),
    with_fault(ROTARY, "torch.cat([angles, angles], -1)", "angles.repeat_interleave(2, -1)"),
    with_fault(ROTARY, "torch.arange(7)", "(torch.arange(7) // 2)"),
    # The sum of the kept weights is not used.
    """import torch
torch.manual_seed(52)
x, Wq, Wk, Wv = torch.randn(6, 8), torch.randn(8, 4), torch.randn(8, 4), torch.randn(8, 4)
w = (x @ Wq @ (x @ Wk).T / 2).softmax(-1)
kept = w * torch.ones(6, 6).tril()  #: -
total = kept.sum(-1, keepdim=True)
out = kept @ (x @ Wv)
""",
    with_fault(CACHED, "(at + torch.arange(x.shape[2]))", "torch.arange(x.shape[2])"),
    with_fault(CACHED, "is_causal=at == 0", "is_causal=True"),
    with_fault(CACHED, "[self.past[1], v]", "[v, self.past[1]]"),
    with_fault(CACHED_LISTS, "8 ** 0.5", "8"),
    with_fault(CROSSED, "softmax(-1)", "softmax(-2)"),
    with_fault(CROSSED, "q.shape[-1] ** 0.5", "x.shape[-1] ** 0.5"),
    with_fault(CROSSED, "(weights @ v)", "(weights @ k)"),
    with_fault(CROSSED, "(weights @ v).transpose(1, 2).flatten(2)", "(weights @ v).reshape(x.shape)"),
    GIVEN + """s = q @ k.mT * 4 ** 0.5  #: s = q @ k.mT / 4 ** 0.5
out = torch.softmax(s, -1) @ v
""",
    GIVEN + """hidden = torch.ones(5, 5).bool().triu()  #: hidden = torch.ones(5, 5).bool().triu(1)
s = (q @ k.mT / 2).masked_fill(hidden, -1e9)
out = s.softmax(-1) @ v
""",
    GIVEN + """e = (q @ k.mT / 2).exp().tril()
w = F.normalize(e, p=2, dim=-1)  #: w = F.normalize(e, p=1, dim=-1)
out = w @ v
""",
    GIVEN + """s = q @ k.mT / 2
hide = torch.ones(5, 5).triu(1) > 0
s.masked_fill(hide, -torch.inf)  #: s.masked_fill_(hide, -torch.inf)
out = s.softmax(-1) @ v
""",
    GIVEN + """attend = F.scaled_dot_product_attention
y = attend(q, k, v, is_causal=True, scale=1.0)  #: y = attend(q, k, v, is_causal=True)
""",
    HEADS_APART + """z = [(Q[h] @ K[h].T / 2 + hide).softmax(-1) @ V[h] for h in range(2)]
out = torch.cat(z[::-1], -1)  #: out = torch.cat(z, -1)
""",
    HEADS_APART + """z = []
for h in range(2):
    s = Q[h] @ K[1 - h].T / 2 + hide  #: s = Q[h] @ K[h].T / 2 + hide
    z.append(s.softmax(-1) @ V[h])
out = torch.cat(z, -1)
""",
    """import torch
torch.manual_seed(4)
x = torch.rand(6, 3)
scores = torch.empty(6, 6)
for i in range(6):
    for j in range(6):
        scores[i, j] = torch.dot(x[i], x[j])
e = torch.exp(scores - scores.amax(0, keepdim=True))  #: e = torch.exp(scores - scores.amax(1, keepdim=True))
out = e / e.sum(1, keepdim=True) @ x
""",
    """import torch
torch.manual_seed(5)
x = torch.rand(6, 3)
query = x[2]
rows = []
for token in x:
    row = torch.stack([one.dot(query) for one in x])  #: row = torch.stack([one.dot(token) for one in x])
    rows.append(row)
out = torch.softmax(torch.stack(rows), -1) @ x
""",
    """import torch
torch.manual_seed(6)
W = {name: torch.randn(4, 4) / 2 for name in "qkv"}
x = torch.randn(4, 4)
q, k, v = x @ W["q"], x @ W["k"], x @ W["v"]
s = q @ k  #: s = q @ k.T
out = torch.softmax(s / 2, -1) @ v
""",
    """import torch
torch.manual_seed(7)
fused, x = torch.nn.Linear(6, 18), torch.randn(2, 5, 6)
qkv = fused(x)
k, q, v = qkv.split(6, -1)  #: q, k, v = qkv.split(6, -1)
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    """import torch
import torch.nn.functional as F
class Drop(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(6, 6) for _ in range(3))
    def forward(self, x):
        w = torch.softmax(self.q(x) @ self.k(x).mT / 6 ** 0.5, -1)
        w = F.dropout(w, 0.4)  #: w = F.dropout(w, 0.4, self.training)
        return w @ self.v(x)
torch.manual_seed(8)
Drop().eval()(torch.randn(2, 5, 6))
""",
    """import torch
class CausalAttention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(6, 6) for _ in range(3))
    def forward(self, x):
        s = self.q(x) @ self.k(x).mT / 6 ** 0.5
        w = torch.softmax(s, -1)  #: w = torch.softmax(s + torch.full((5, 5), -torch.inf).triu(1), -1)
        return w @ self.v(x)
torch.manual_seed(9)
CausalAttention()(torch.randn(2, 5, 6))
""",
    """import torch
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(6, 3) for _ in range(3))
    def forward(self, x):
        s = self.q(x) @ self.k(x).mT / 3 ** 0.5
        return s.softmax(-1) @ self.v(x)
torch.manual_seed(10)
heads, x = [Head(), Head()], torch.randn(4, 6)
out = torch.cat([head(x) for head in heads], dim=0)  #: out = torch.cat([head(x) for head in heads], dim=-1)
""",
    """import torch
torch.manual_seed(12)
wq, wkv, x = torch.randn(8, 8) / 2, torch.randn(8, 16) / 2, torch.randn(2, 5, 8)
q = x @ wq * 8 ** -0.5  #: q = x @ wq
k, v = (x @ wkv).tensor_split(2, dim=-1)
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    """import torch
torch.manual_seed(13)
x = torch.randn(1, 6, 8)
wq, wk, wv = (torch.randn(8, 8) / 2 for _ in range(3))
q, k, v = ((x @ w).view(1, 6, 2, 4).transpose(1, 2) for w in (wq, wk, wv))
o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
out = o.permute(0, 2, 3, 1).reshape(1, 6, 8)  #: out = o.transpose(1, 2).reshape(1, 6, 8)
""",
    """import torch
torch.manual_seed(14)
x = torch.randn(2, 5, 6)
Wq, Wk, Wv = (torch.randn(2, 6, 3) / 2 for _ in range(3))
q, k, v = (torch.einsum("bnd,hdk->bhnk", x, W) for W in (Wq, Wk, Wv))
w = (q @ k.mT / 3 ** 0.5).softmax(1)  #: w = (q @ k.mT / 3 ** 0.5).softmax(-1)
out = (w @ v).transpose(1, 2).flatten(2)
""",
    """import torch
class Heads(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj, self.out_proj = torch.nn.Linear(8, 24), torch.nn.Linear(8, 8)
    def forward(self, x):
        q, k, v = (one.view(2, 5, 2, 4).transpose(1, 2) for one in self.in_proj(x).chunk(3, -1))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
        return y.reshape(2, 5, 8)  #: return self.out_proj(y.reshape(2, 5, 8))
torch.manual_seed(15)
Heads()(torch.randn(2, 5, 8))
""",
    HEADS_APART + """z, values = [], torch.cat(V, -1)
for h in range(2):
    value = values[:, :4]  #: value = values[:, 4 * h : 4 * h + 4]
    z.append((Q[h] @ K[h].T / 2 + hide).softmax(-1) @ value)
out = torch.cat(z, -1)
""",
    GIVEN + """w = (q @ k.mT / 2).softmax(-1)
w = w * torch.ones(5, 5).tril()  #: w = w.tril() / w.tril().sum(-1, keepdim=True)
out = w @ v
""",
    GIVEN + """near = torch.arange(5)[:, None] - torch.arange(5)
w = (q @ k.mT / 2).softmax(-1) - 0.3 * near.abs()  #: -
out = w @ v
""",
    GIVEN + """pad = torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]).bool()
hidden = pad[:, :, None] | torch.ones(5, 5).bool().triu(1)  #: -
out = (q @ k.mT / 2).masked_fill(hidden, -1e9).softmax(-1) @ v
""",
    GIVEN + """hide = torch.ones(5, 5).triu(1) * -1e-9  #: hide = torch.ones(5, 5).triu(1) * -1e9
out = (q @ k.mT / 2 + hide).softmax(-1) @ v
""",
    GIVEN + """future = torch.ones(5, 5).bool().triu(1)
mask = future[:5, :5]  #: mask = ~future[:5, :5]
out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
""",
    HEADS_APART + """z, (Qs, Ks, Vs) = [], (torch.cat(one, -1) for one in (Q, K, V))
for h in range(2):
    query = Qs[:, h : h + 4]  #: query = Qs[:, 4 * h : 4 * h + 4]
    key, value = Ks[:, 4 * h : 4 * h + 4], Vs[:, 4 * h : 4 * h + 4]
    z.append((query @ key.T / 2 + hide).softmax(-1) @ value)
out = torch.cat(z, -1)
""",
    """import torch
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(6, 4) for _ in range(3))
        self.register_buffer("mask", torch.ones(9, 9).triu(1).bool())
    def forward(self, x):
        n = x.shape[-2]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        mask = self.mask[:1, :1]  #: mask = self.mask[:n, :n]
        return torch.softmax((q @ k.mT).masked_fill(mask, -torch.inf) / 4 ** 0.5, -1) @ v
torch.manual_seed(16)
Head()(torch.randn(1, 5, 6))
""",
    """import torch
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(6, 4) for _ in range(3))
    def forward(self, x):
        q, v = self.W_query(x), self.W_value(x)
        k = self.W_query(x)  #: k = self.W_key(x)
        return torch.softmax(q @ k.mT / 4 ** 0.5, -1) @ v
torch.manual_seed(17)
heads, x = nn.ModuleList(Head() for _ in range(1)), torch.randn(2, 5, 6)
out = heads[0](x)
""",
    """import torch
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(6, 4) for _ in range(3))
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return torch.softmax(q @ k.mT / 4 ** 0.5, -1) @ v
torch.manual_seed(18)
heads, x = nn.ModuleList(Head() for _ in range(2)), torch.randn(2, 5, 6)
out = torch.cat([heads[0](x) for _ in heads], -1)  #: out = torch.cat([head(x) for head in heads], -1)
""",
    """import torch
torch.manual_seed(19)
x, W_query, W_key, W_value = torch.rand(6, 3), torch.rand(3, 3), torch.rand(3, 3), torch.rand(3, 3)
keys, values, rows = x @ W_key, x @ W_value, []
for i in range(6):
    query = x[i] @ W_query
    score = torch.stack([query.dot(key) for key in keys[: i + 1]])
    weight, row = torch.softmax(score / 3 ** 0.5, 0), torch.zeros(3)
    for j in range(i + 1):
        row = row + weight[j] * x[j]  #: row = row + weight[j] * values[j]
    rows.append(row)
""",
    GIVEN + """i, j = torch.arange(5)[:, None], torch.arange(5)
seen = (j <= i) | (i - j < 3)  #: -
out = (q @ k.mT / 2).masked_fill(~seen, -1e9).softmax(-1) @ v
""",
    """import torch
torch.manual_seed(24)
def heads(x):
    return x.view(2, 6, 2, 4).transpose(1, 2)
def angles(base=10000):
    return torch.outer(torch.arange(6).float(), base ** (-torch.arange(2) / 2))
Wq, Wk, Wv = torch.randn(3, 8, 8) / 3
x, hide = torch.randn(2, 6, 8) * 2, torch.full((6, 6), -torch.inf).triu(1)
def turned(x):
    cos, sin = torch.cat([angles().cos()] * 2, -1), torch.cat([angles().sin()] * 2, -1)
    a, b = x.chunk(2, -1)
    swapped = torch.cat([a, -b], -1)  #: swapped = torch.cat([-b, a], -1)
    return x * cos + swapped * sin
q, k, v = turned(heads(x @ Wq)), turned(heads(x @ Wk)), heads(x @ Wv)
w = (q @ k.mT / 2 + hide).softmax(-1)
out = (w @ v).transpose(1, 2).reshape(2, 6, 8)
""",
    """import torch
torch.manual_seed(24)
def heads(x):
    return x.view(2, 6, 2, 4).transpose(1, 2)
def angles(base=10000):
    return torch.outer(torch.arange(6).float(), base ** (-torch.arange(2) / 2))
Wq, Wk, Wv = torch.randn(3, 8, 8) / 3
x, hide = torch.randn(2, 6, 8) * 2, torch.full((6, 6), -torch.inf).triu(1)
def turned(x):
    cos, sin = torch.cat([angles().cos()] * 2, -1), torch.cat([angles().sin()] * 2, -1)
    a, b = x.chunk(2, -1)
    swapped = torch.cat([-b, a], -1)
    return x * cos + swapped * sin
q, k, v = heads(x @ Wq), heads(x @ Wk), heads(x @ Wv)
q = turned(q)
v = turned(v)  #: k = turned(k)
w = (q @ k.mT / 2 + hide).softmax(-1)
out = (w @ v).transpose(1, 2).reshape(2, 6, 8)
""",
    """import torch
torch.manual_seed(24)
def heads(x):
    return x.view(2, 6, 2, 4).transpose(1, 2)
def angles(base=10000):
    return torch.outer(torch.arange(6).float(), base ** (-torch.arange(2) / 2))
Wq, Wk, Wv = torch.randn(3, 8, 8) / 3
x, hide = torch.randn(2, 6, 8) * 2, torch.full((6, 6), -torch.inf).triu(1)
def turned(x):
    cos, sin = torch.cat([angles().cos()] * 2, -1), torch.cat([angles().sin()] * 2, -1)
    a, b = x.chunk(2, -1)
    swapped = torch.cat([-b, a], -1)
    return x * cos + swapped * sin
q, k, v = turned(heads(x @ Wq)), heads(x @ Wk), heads(x @ Wv)
s = q @ k.mT  #: s = q @ turned(k).mT
w = (s / 2 + hide).softmax(-1)
out = (w @ v).transpose(1, 2).reshape(2, 6, 8)
""",
    """import torch
torch.manual_seed(25)
x, (wq, wk, wv) = torch.randn(3, 5, 6), torch.randn(3, 6, 4) / 2
q, k, v = x @ wq, x @ wk, x @ wv
turned = k.reshape(3, 4, 5)  #: turned = k.transpose(1, 2)
w = (q @ turned / 2).masked_fill(torch.ones(5, 5).triu(1) > 0, -1e9).softmax(-1)
out = w @ v
first = out[0, 0]
""",
    """import torch
torch.manual_seed(26)
fused, x = torch.nn.Linear(6, 18), torch.randn(2, 5, 6)
all = fused(x)
q, v = all[..., :6], all[..., 12:]
k = all[..., 5:11]  #: k = all[..., 6:12]
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    """import torch
torch.manual_seed(27)
class Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (torch.nn.Linear(6, 4) for _ in range(3))
    def forward(self, x):
        e = torch.exp(self.a(x) @ self.b(x).mT / 4 ** 0.5)
        rows = e.sum(1, keepdim=True)  #: rows = e.sum(2, keepdim=True)
        return e / rows @ self.c(x)
Own()(torch.randn(2, 5, 6))
""",
    """import torch
torch.manual_seed(28)
one, two = torch.randn(2, 3, 6, 6) / 2
def attend(q, k, v):
    s = (q @ k.T / 6 ** 0.5).masked_fill(torch.ones(5, 5).triu(1) > 0, -1e9)
    return s.softmax(-1) @ v
x = torch.randn(5, 6)
q, k, v = x @ one[0], x @ one[1], x @ one[2]
h = x + attend(q, k, v)
q = h @ two[0]
k = x @ two[1]  #: k = h @ two[1]
v = h @ two[2]
h = h + attend(q, k, v)
""",
    """import torch
torch.manual_seed(29)
x, (Wq, Wk, Wv) = torch.randn(6, 4), torch.randn(3, 4, 4) / 2
Q, K, V, rows = x @ Wq, x @ Wk, x @ Wv, []
for i in range(6):
    seen = i + 1
    keys = K[:max(i, 1)]  #: keys = K[:seen]
    w = torch.softmax(keys @ Q[i] / 2, 0)
    rows.append(w @ V[:len(w)])
out = torch.stack(rows)
""",
    """import torch
torch.manual_seed(30)
x, (Wq, Wk, Wv) = torch.randn(6, 4), torch.randn(3, 4, 4) / 2
Q, K, V, rows = x @ Wq, x @ Wk, x @ Wv, []
for i in range(6):
    query = Q[0]  #: query = Q[i]
    w = torch.softmax(K[: i + 1] @ query / 2, 0)
    rows.append(w @ V[: i + 1])
out = torch.stack(rows)
""",
    """import torch
torch.manual_seed(31)
x, past = torch.randn(2, 3, 8), torch.randn(2, 2, 4, 8)
Wq, Wk, Wv = torch.randn(3, 8, 8) / 3
q, k, v = x @ Wq, x @ Wk, x @ Wv
keys, values = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
seen = torch.ones(3, 7).tril()  #: -
w = (q @ keys.mT / 8 ** 0.5).masked_fill(seen == 0, -torch.inf).softmax(-1)
out = w @ values
""",
    """import torch
torch.manual_seed(32)
attend = torch.nn.functional.scaled_dot_product_attention
x, past = torch.randn(2, 3, 8), torch.randn(2, 2, 4, 8)
Wq, Wk, Wv = torch.randn(3, 8, 8) / 3
q, k, v = x @ Wq, x @ Wk, x @ Wv
keys, values = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
out = attend(q, keys, values, is_causal=True)  #: -
""",
    """import torch
torch.manual_seed(33)
fused, x = torch.nn.Linear(6, 18, bias=False), torch.randn(2, 5, 6)
fused.weight.data.mul_(2)
q, v, k = fused(x).chunk(3, -1)  #: q, k, v = fused(x).chunk(3, -1)
w = (q @ k.mT / 6 ** 0.5).softmax(-1)
out = w @ v
""",
    with_fault(CACHED, "[self.past[1], v]", "[self.past[0], v]"),
    # Mean in place of a sum, after the products of all pairs.
    """import torch
torch.manual_seed(64)
x, (Wq, Wk, Wv) = torch.randn(2, 5, 6), torch.randn(3, 6, 4) / 2
q, k, v = x @ Wq, x @ Wk, x @ Wv
w = ((q[:, :, None] * k[:, None]).sum(-1) / 2).softmax(-1)
out = (w[..., None] * v[:, None]).mean(2)  #: out = (w[..., None] * v[:, None]).sum(2)
""",
    # One part of a fused projection for keys and values.
    """import torch
torch.manual_seed(65)
fused, x = torch.nn.Linear(6, 18), torch.randn(2, 5, 6)
all = fused(x)
q, k = all[..., :6], all[..., 6:12]
v = all[..., 6:12]  #: v = all[..., 12:]
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    # The heads are merged in a wrong order.
    """import torch
torch.manual_seed(66)
x, (wq, wk, wv) = torch.randn(1, 6, 8), torch.randn(3, 8, 8) / 2
q, k, v = ((x @ w).view(1, 6, 2, 4).transpose(1, 2) for w in (wq, wk, wv))
o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
o = o.permute(0, 2, 3, 1).contiguous()  #: o = o.permute(0, 2, 1, 3).contiguous()
out = o.view(1, 6, 8)
""",
    with_fault(HEADS, "[Head(), Head()]", "[Head()] * 2"),
    with_fault(HEADS, "self.heads[1](x)", "self.heads[0](x)"),
    with_fault(BY_CHUNK, "triu(1 + len(k) - len(q))", "triu(1)"),
    with_fault(BY_CHUNK, "[past[1], v]", "[v, past[1]]"),
    with_fault(BY_TOKEN, "[past[0], k]", "[k, past[0]]"),
    with_fault(CACHED, "(at + torch", "(at // 2 + torch"),
    with_fault(BY_FUSED, "=~hide", "=hide"),
    with_fault(BY_FILL, "(hide[:, None]", "((ids != 1).repeat_interleave(2, 0)[:, None]"),
    with_fault(BY_FILL, "pads.repeat_interleave(2, 0)", "pads.repeat(2, 1)"),
    with_fault(ONE_TURNED, "torch.cat([angles, angles], -1)", "angles.repeat_interleave(2, -1)"),
    with_fault(MAPS, "maps[1](x)", "maps[1](a)"),
    with_fault(MAPS, "out = maps[3]", "out = maps[0]"),
    with_fault(LATER, "K[:t + 1], V[:t + 1]", "K[t:], V[t:]"),
    # The width of the values is another one.
    """import torch
torch.manual_seed(87)
x, Wq, Wk, Wv = torch.randn(2, 5, 6), torch.randn(6, 8) / 2, torch.randn(6, 8) / 2, torch.randn(6, 7)
scores = (x @ Wq) @ (x @ Wk).mT
scores = scores / 8 ** 1/2  #: scores = scores / 8 ** (1/2)
out = scores.softmax(-1) @ (x @ Wv)
""",
    # A view that gives rows of a fused projection features of several tokens.
    """import torch
torch.manual_seed(88)
x, fused = torch.randn(2, 7, 12), torch.nn.Linear(12, 36)
qkv = fused(x).reshape(3, 2, 7, 3, 4)  #: qkv = fused(x).reshape(2, 7, 3, 3, 4).permute(2, 0, 1, 3, 4)
q, k, v = qkv.transpose(2, 3)
out = ((q @ k.mT / 2).softmax(-1) @ v).transpose(1, 2).flatten(2)
""",
    # The axis of the positions is that of the tokens.
    """import torch
from torch import nn
torch.manual_seed(89)
words, places = nn.Embedding(9, 8), nn.Embedding(6, 8)
mix = nn.MultiheadAttention(8, 2)  #: mix = nn.MultiheadAttention(8, 2, batch_first=True)
x = words(torch.randint(0, 9, (3, 6))) + places(torch.arange(6))
y, w = mix(x, x, x)
""",
    with_fault(ADDED_LINES, "beta=1.0", "beta=0.0"),
    with_fault(SOFTMAX_LINES, "    dim=-1,", "    dim=-2,"),
    with_fault(LISTED, "self.v[head](x)", "self.v[0](x)"),
    with_fault(NUMBERED, "linears[1](x)", "linears[0](x)"),
    with_fault(SPLIT_HEADS, "cat(heads, -1)", "cat(heads, 0)"),
    CROSSED_MODULE,
    with_fault(SLICED, "hide[:7, :7]", "hide[:1, :7]"),
    with_fault(DOUBLED, "softmax(-1)", "softmax(0)"),
    with_fault(TURNED_PARTS, "8 ** 0.5", "8"),
    with_fault(KEYS_FIRST, "8 ** 0.5", "24 ** 0.5"),
]
# Right code that departs from the stages in what they do not have.
SCRIPTS = [
    # Weights that a fused call drops.
    """import torch
torch.manual_seed(78)
x = torch.randn(2, 5, 8)
out = torch.nn.MultiheadAttention(8, 2, batch_first=True, dropout=0.5)(x, x, x)[0]
""",
    """import torch
torch.manual_seed(79)
x = torch.randn(2, 5, 8)
q_proj, k_proj, v_proj, out_proj = (torch.nn.Linear(8, 8) for _ in range(4))
q, k, v = (one(x).view(2, 5, 2, 4).transpose(1, 2) for one in (q_proj, k_proj, v_proj))
z = torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=0.5, is_causal=True)
out = out_proj(z.transpose(1, 2).reshape(2, 5, 8))
""",
    # Positions are added to queries and keys alone.
    """import torch
from torch import nn
torch.manual_seed(76)
x, positions = torch.randn(10, 2, 16), torch.randn(10, 1, 16)
attention, norm = nn.MultiheadAttention(16, 4), nn.LayerNorm(16)
q = k = x + positions
out = norm(x + attention(q, k, value=x)[0])
""",
    """import torch
torch.manual_seed(67)
x, Wq, Wk, Wv = torch.randn(6, 4), *torch.randn(3, 4, 8) / 2
last = torch.randn(8, 5)
queries, keys, values = x @ Wq, x @ Wk, x @ Wv
rows = []
for i in range(6):
    scores = queries[i] @ keys[: i + 1].T
    weights = torch.softmax(scores / 8 ** 0.5, dim=-1)
    context = weights @ values[: i + 1]
    rows.append(context @ last)
out = torch.stack(rows)
""",
    # One module runs twice on the same inputs.
    HEADS.replace("[call(x) for call in self.calls], -1", "[self.heads[0](x), self.heads[0](x)]")
    .replace("[Head(), Head()]", "[Head()]"),
    # The padding on the left leaves some tokens without keys.
    PADDED.replace("< torch.tensor([[5], [3]])", ">= torch.tensor([[0], [2]])"),
    # The module of PyTorch is given padding.
    """import torch
torch.manual_seed(49)
x, padding = torch.randn(2, 5, 8), torch.arange(5) >= torch.tensor([[5], [3]])
y, w = torch.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x, key_padding_mask=padding)
""",
    # Each query reads a prefix of the keys, and softmax is made by hand.
    """import torch
torch.manual_seed(50)
x, Wq, Wk, Wv = torch.randn(6, 8), torch.randn(8, 4), torch.randn(8, 4), torch.randn(8, 4)
Q, K, V = x @ Wq, x @ Wk, x @ Wv
rows = []
for t in range(6):
    z = K[:t + 1] @ Q[t] / 2
    e = torch.exp(z - z.max())
    rows.append(e / e.sum() @ V[:t + 1])
out = torch.stack(rows)
""",
    # Queries and keys are normalised.
    """import torch
from torch import nn
torch.manual_seed(40)
x, qkv, gain = torch.randn(2, 5, 8), nn.Linear(8, 24, bias=False), nn.Parameter(torch.full((4,), 0.9))
def normed(t):
    return t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + 1e-6) * gain
q, k, v = (part.view(2, 5, 2, 4).transpose(1, 2) for part in qkv(x).chunk(3, dim=-1))
out = ((normed(q) @ normed(k).mT / 2).softmax(-1) @ v).transpose(1, 2).reshape(2, 5, 8)
""",
    # A temperature, and a learned bias of distances.
    """import torch
from torch import nn
torch.manual_seed(41)
x, bias = torch.randn(5, 6), nn.Parameter(torch.randn(5, 5))
Wq, Wk, Wv = (nn.Linear(6, 4, bias=False) for _ in range(3))
q, k, v = Wq(x), Wk(x), Wv(x)
out = ((q @ k.T / 2) / 0.7).softmax(-1) @ v
other = (q @ k.T / 2 + bias).softmax(-1) @ v
""",
    # One row of the joined heads is read afterwards.
    """import torch
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(6, 3) for _ in range(3))
    def forward(self, x):
        return (self.q(x) @ self.k(x).mT / 3 ** 0.5).softmax(-1) @ self.v(x)
torch.manual_seed(34)
heads, x = [Head(), Head(), Head()], torch.randn(2, 4, 6)
first = torch.cat([head(x) for head in heads], dim=-1)[0]
""",
    GIVEN + """band = torch.ones(5, 5).tril().triu(-2).bool()
out = (q @ k.mT / 2).masked_fill(~band, -1e9).softmax(-1) @ v
""",
    # The rows of a fused projection are in the order of its heads.
    """import torch
torch.manual_seed(20)
qkv, x = torch.nn.Linear(8, 24), torch.randn(2, 5, 8)
parts = qkv(x).view(2, 5, 2, 3, 4)
q, k, v = (parts[..., i, :].transpose(1, 2) for i in range(3))
out = (q @ k.mT / 2 + torch.full((5, 5), -torch.inf).triu(1)).softmax(-1) @ v
""",
    # A cache from elsewhere.
    """import torch
torch.manual_seed(21)
qkv, x, past = torch.nn.Linear(8, 24), torch.randn(2, 3, 8), torch.randn(2, 2, 4, 8)
q, k, v = qkv(x).chunk(3, -1)
k, v = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
hide = torch.ones(3, 7).triu(5).bool()
out = (q @ k.mT / 8 ** 0.5).masked_fill(hide, -torch.inf).softmax(-1) @ v
""",
    CACHED_LISTS.replace("(keys), torch.stack(values)", "(keys)[-3:], torch.stack(values)[-3:]"),
    # The rows of the output's weight are added head by head.
    """import torch
torch.manual_seed(22)
Wq, Wk, Wv, Wo = torch.randn(4, 8, 8) / 3
x, out = torch.randn(5, 8), torch.zeros(5, 8)
for h in range(2):
    own = slice(4 * h, 4 * h + 4)
    q, k, v = x @ Wq[:, own], x @ Wk[:, own], x @ Wv[:, own]
    out += torch.softmax(q @ k.T / 2, -1) @ v @ Wo[own]
""",
    # Weights with an axis for heads, of which the last one has the output before the width.
    """import torch
torch.manual_seed(23)
x, Wk, Wv = torch.randn(2, 5, 8), torch.randn(8, 4) / 3, torch.randn(8, 4) / 3
Wq, Wo = torch.randn(2, 8, 4) / 3, torch.randn(2, 8, 4) / 3
q, k, v = torch.einsum("bnd,hdk->bhnk", x, Wq), x @ Wk, x @ Wv
w = (torch.einsum("bhnk,bmk->bhnm", q, k) / 2).softmax(-1)
out = torch.einsum("bhnv,hdv->bnd", torch.einsum("bhnm,bmv->bhnv", w, v), Wo)
""",
    GIVEN + """ones = torch.ones(5, 5).bool()
seen = ones.tril() & ones.triu(-2)
out = (q @ k.mT / 2).masked_fill(~seen, -1e9).softmax(-1) @ v
""",
    GIVEN + """near = torch.arange(5)[:, None] - torch.arange(5)
s = q @ k.mT / 2 - 0.3 * near.abs()
out = s.softmax(-1) @ v
""",
    GIVEN + """pad = torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]).bool()
hidden = pad[:, None] | torch.ones(5, 5).bool().triu(1)
out = (q @ k.mT / 2).masked_fill(hidden, -1e9).softmax(-1) @ v
""",
    HEADS_APART + """keys, values, rows = torch.empty(0, 8), torch.empty(0, 8), []
for part in x.split([2, 2, 1]):
    past = len(keys)
    keys, values = torch.cat((keys, part @ Wk)), torch.cat((values, part @ Wv))
    s = part @ Wq @ keys.T / 8 ** 0.5
    s = s.masked_fill(torch.ones(s.shape).triu(past + 1).bool(), -torch.inf)
    rows.append(s.softmax(-1) @ values)
out = torch.cat(rows)
""",
    HEADS_APART + """s = x @ Wq @ (x @ Wk).T / 8 ** 0.5 + hide
w = s.softmax(-1)
w = w * (torch.rand(5, 5) > 0.5) / 0.5
out = w @ (x @ Wv)
""",
    """import torch
torch.manual_seed(11)
x = torch.randn(6, 4)
parts = x.new_zeros(6, 4)
for i in range(6):
    scores = torch.tensor([float(x[i] @ x[j]) for j in range(i + 1)])
    for j, weight in enumerate(scores.softmax(0)):
        parts[i] += weight * x[j]
""",
    # Keys and values of a window are padded and unfolded.
    """import torch
torch.manual_seed(60)
x, (Wq, Wk, Wv) = torch.randn(2, 7, 6), torch.randn(3, 6, 4) / 2
pad = torch.nn.functional.pad
q, k, v = x @ Wq, pad(x @ Wk, (0, 0, 2, 0)).unfold(1, 3, 1), pad(x @ Wv, (0, 0, 2, 0)).unfold(1, 3, 1)
s = torch.einsum("bnd,bndw->bnw", q, k) / 2
s = s.masked_fill(torch.arange(7)[:, None] + torch.arange(3) < 2, -torch.inf)
out = torch.einsum("bnw,bndw->bnd", s.softmax(-1), v)
""",
    # Attention without softmax, and with a sigmoid.
    """import torch
torch.manual_seed(61)
x, (Wq, Wk, Wv) = torch.randn(2, 5, 6), torch.randn(3, 6, 4) / 2
q, k, v = torch.nn.functional.elu(x @ Wq) + 1, torch.nn.functional.elu(x @ Wk) + 1, x @ Wv
s = (q @ k.mT).tril()
out = s @ v / s.sum(-1, keepdim=True)
""",
    GIVEN + """s = (q @ k.mT / 2 - 1.6).masked_fill(torch.ones(5, 5).triu(1) > 0, -torch.inf)
out = torch.sigmoid(s) @ v
""",
    # Relative positions as keys, and a gate.
    """import torch
from torch import nn
torch.manual_seed(62)
x, relative, gate = torch.randn(2, 5, 6), nn.Embedding(9, 4), nn.Linear(6, 4)
Wq, Wk, Wv = (nn.Linear(6, 4) for _ in range(3))
q, k, v, i = Wq(x), Wk(x), Wv(x), torch.arange(5)
s = q @ k.mT + torch.einsum("bid,ijd->bij", q, relative(i - i[:, None] + 4))
out = (s / 2).softmax(-1) @ v * torch.sigmoid(gate(x))
""",
    # Windows of tokens that do not see each other; the first two tokens are seen by all.
    """import torch
torch.manual_seed(63)
x, (Wq, Wk, Wv) = torch.randn(2, 6, 8), torch.randn(3, 8, 4) / 2
q, k, v = ((x @ W).view(2, 2, 3, 4) for W in (Wq, Wk, Wv))
out = ((q @ k.transpose(-1, -2) / 2).softmax(-1) @ v).view(2, 6, 4)
""",
    GIVEN + """hidden = torch.ones(5, 5).triu(1)
hidden[:, :2] = 0
out = (q @ k.mT / 2).masked_fill(hidden > 0, -1e9).softmax(-1) @ v
""",
]


class Transformers:
    """Stands for the package: GPT-2 with four layers, as it calls PyTorch."""

    class GPT2Tokenizer:
        @staticmethod
        def from_pretrained(name):
            return lambda text, return_tensors: {"input_ids": torch.tensor([[7, 3, 9, 1, 4]])}

    class GPT2Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            scope = {}
            exec(compile(HEAD + MODULES["conv1d"], "modeling_gpt2.py", "exec"), scope)
            torch.manual_seed(12)
            self.wte = torch.nn.Embedding(10, 32)
            self.h = torch.nn.ModuleList()
            for _ in range(4):
                block = torch.nn.Module()
                block.ln_1, block.ln_2 = torch.nn.LayerNorm(32), torch.nn.LayerNorm(32)
                block.attn, block.mlp = scope["A"](32, 32, 5, 8), torch.nn.Linear(32, 32)
                self.h.append(block)

        @classmethod
        def from_pretrained(cls, name):
            return cls().eval()

        def forward(self, input_ids):
            x = self.wte(input_ids)
            for block in self.h:
                x = x + block.attn(block.ln_1(x))
                x = x + block.mlp(block.ln_2(x))
            return x
