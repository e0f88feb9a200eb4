"""What the Python adapters share: cases, tensors, the protocol, children that may crash."""
