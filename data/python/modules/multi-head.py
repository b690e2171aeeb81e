class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.sizes = num_heads, d_out // num_heads
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = torch.nn.Linear(d_out, d_out)
        self.dropout = torch.nn.Dropout(dropout)
        later = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", later.bool())
    def split(self, x):
        return x.view(*x.shape[:2], *self.sizes).transpose(1, 2)
    def forward(self, x):
        tokens = x.shape[1]
        queries, keys, values = (self.split(W(x)) for W in (self.W_query, self.W_key, self.W_value))
        scores = queries @ keys.transpose(2, 3)
        scores = scores.masked_fill(self.mask[:tokens, :tokens], -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        context = self.dropout(weights) @ values
        return self.out_proj(context.transpose(1, 2).flatten(2))
