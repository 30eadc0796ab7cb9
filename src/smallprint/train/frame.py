"""What recipes share: weights with the card that says how they were made, folds by group, predictions out of fold.

A record's fields are columns with a row an item. A column is an array, a sparse matrix, a list, or a dict of columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.model_selection import GroupKFold

from smallprint.models import store

Facts = Mapping[str, Any]
Record = TypeVar("Record")
Rows = NDArray[np.intp]


def write_model(
    model: str, where: Path, arrays: dict[str, NDArray[Any]], facts: Facts, rows: Iterable[Facts] = ()
) -> dict[str, Any]:
    """Save a model's weights, then its card and out-of-fold predictions; return the card."""
    store.save(model, arrays, where)
    return write_card(model, where, facts, rows)


def write_card(model: str, where: Path, facts: Facts, rows: Iterable[Facts] = ()) -> dict[str, Any]:
    """Write the card of saved weights as JSON, and `rows`, if any, as its out-of-fold predictions; return the card."""
    made = datetime.now(tz=UTC).date().isoformat()
    size = (where / f"{model}.npz").stat().st_size
    card = {"model": model, "version": store.version(model, where), "made": made, **facts, "bytes": size}
    (where / f"{model}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    if rows:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (where / f"{model}.out-of-fold.jsonl").write_text("".join(lines), encoding="utf-8")
    return card


def at(record: Record, rows: Any) -> Record:
    """Return a record with some of its rows; a mask will do where no column is a list."""
    names = [field.name for field in fields(record)]  # type: ignore[arg-type]  # a dataclass
    return type(record)(*(_column_at(getattr(record, name), rows) for name in names))


def _column_at(column: Any, rows: Any) -> Any:
    if isinstance(column, dict):
        return {name: _column_at(part, rows) for name, part in column.items()}
    return [column[row] for row in rows.tolist()] if isinstance(column, list) else column[rows]


def split(groups: Sequence[Any] | NDArray[Any], folds: int, seed: int | None = None) -> list[tuple[Rows, Rows]]:
    """Return the rows of each fold, seen and unseen; no group is in both. Without a seed groups are not shuffled."""
    dealt = GroupKFold(min(folds, len(set(groups))), shuffle=seed is not None, random_state=seed)
    return list(dealt.split(groups, groups=groups))


def out_of_fold(
    folds: Sequence[tuple[Rows, Rows]], predict: Callable[[Rows, Rows], NDArray[Any]], *shape: int
) -> NDArray[np.float64]:
    """Return of each row what was predicted by what had seen the other folds alone; `shape` is that of the whole."""
    predictions = np.zeros(shape)
    for seen, unseen in folds:
        predictions[unseen] = predict(seen, unseen)
    return predictions


def sparse(vectors: Sequence[tuple[NDArray[Any], NDArray[Any]]], columns: int, kind: Any = np.float32) -> Any:
    """Put sparse vectors, each its places and its values, into a matrix, a row each."""
    ends = np.cumsum([0, *(len(places) for places, _ in vectors)])
    places, values = (np.concatenate(parts) for parts in zip(*vectors, strict=True))
    return csr_matrix((values.astype(kind), places, ends), shape=(len(vectors), columns))
