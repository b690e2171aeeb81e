class CausalAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = torch.nn.Dropout(dropout)
        later = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", later.bool())
    def forward(self, x):
        tokens = x.shape[1]
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        scores = scores.masked_fill(self.mask[:tokens, :tokens], -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return self.dropout(weights) @ values
