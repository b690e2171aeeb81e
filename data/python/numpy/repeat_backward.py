def repeat_backward(grad, shape, repeats, axis):
    result = np.zeros(shape, dtype=np.float32)
    np.add.at(np.moveaxis(result, axis, 0), np.arange(shape[axis]).repeat(repeats), np.moveaxis(grad, axis, 0))
    return result
