def rotate_neighbours(x, cos, sin):
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack((a * cos - b * sin, a * sin + b * cos), axis=-1).reshape(x.shape)
