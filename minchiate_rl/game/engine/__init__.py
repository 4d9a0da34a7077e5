"""The rules as compiled kernels over a batch of hands; the only place where speed shapes the code."""
