def dropout(generator, x, p):
    high, low = generator.randint(2**32, size=(x.size, 2), dtype=np.uint64).T
    kept = (high * 2**32 + low) % 2**53 / 2**53 < 1 - p
    return x * (kept.reshape(x.shape) / np.float32(1 - p)) if p < 1 else np.zeros_like(x)
