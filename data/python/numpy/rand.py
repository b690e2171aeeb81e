def rand(generator, *size):
    return np.float32(generator.randint(2**32, size=size, dtype=np.uint32) % 2**24 / 2**24)
