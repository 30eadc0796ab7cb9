"""An index on storage that cannot be written to, mirrored by links: tantivy makes a lock file even to read."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

META, MANAGED = "meta.json", ".managed.json"


class Mirror:
    """A temporary folder that stands for an index's own; it goes when nobody refers to it any more."""

    def __init__(self, folder: Path) -> None:
        self._source = folder
        self._own = tempfile.TemporaryDirectory(prefix="smallprint-index-", ignore_cleanup_errors=True)
        self.folder = Path(self._own.name)
        self.refresh()

    def refresh(self) -> None:
        """Link what is new, then take over the newest commit, which names the files it needs."""
        for file in self._source.iterdir():
            link = self.folder / file.name
            if file.suffix != ".lock" and file.name not in {META, MANAGED} and not link.is_symlink():
                link.symlink_to(file.absolute())
        for name in (MANAGED, META):
            if (self._source / name).is_file():
                shutil.copyfile(self._source / name, self.folder / f"{name}.part")
                (self.folder / f"{name}.part").replace(self.folder / name)
