def select_backward(grad, shape, index):
    result = np.zeros(shape, dtype=np.float32)
    result[index] = grad
    return result
