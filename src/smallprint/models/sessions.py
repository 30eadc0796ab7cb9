"""Graphs opened for inference, by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def open_session(graph: NDArray[np.uint8]) -> Any:
    """Return an onnxruntime session for a graph, on one thread."""
    import onnxruntime  # takes long to import, and most commands have no need of it

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts are worked on side by side
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph.tobytes(), options, providers=["CPUExecutionProvider"])
