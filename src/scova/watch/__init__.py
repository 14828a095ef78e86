"""File changes as debounced batches. Events are hints: what they name is looked at again by whoever takes the batch."""
