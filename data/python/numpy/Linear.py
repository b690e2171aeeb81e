class Linear:
    def __init__(self, generator, d_in, d_out, bias):
        bound = np.float32(1 / d_in**0.5)
        def draw(*size):
            return np.float32((2 * rand(generator, *size).astype(float) - 1) * bound)
        self.weight = draw(d_out, d_in)
        self.bias = draw(d_out) if bias else None
