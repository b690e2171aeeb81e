def slice_backward(grad, shape, axis, start, stop):
    result = np.zeros(shape, dtype=np.float32)
    result[(slice(None),) * axis + (slice(start, stop),)] = grad
    return result
