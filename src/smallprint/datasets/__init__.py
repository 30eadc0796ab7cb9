"""The research data as records, one module a data set, and our own splits of it. Only evaluate and train import it."""
