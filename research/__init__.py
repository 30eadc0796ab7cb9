"""Studies beside the product: still runnable, not in the wheel."""
