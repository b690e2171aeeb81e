def softmax_backward(grad, output):
    return (grad - (grad * output).sum(axis=-1, keepdims=True)) * output
