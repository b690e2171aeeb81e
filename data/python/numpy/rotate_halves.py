def rotate_halves(x, cos, sin):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate((a * cos - b * sin, a * sin + b * cos), axis=-1)
