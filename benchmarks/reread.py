"""Read stored pages again after a change of the cleaner: what stays, what leads on, and what is told as a change.

python benchmarks/reread.py [DATA]     the sample; with the research data, 1,000 real pages as well
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from smallprint import sample
from smallprint.settings import Settings
from tests.pipeline.rereads import measure, real_pages

SETTINGS = Settings(workers=1)


def main() -> None:
    """Print the figures as a table."""
    libraries = {"sample": sample.pages()}
    if len(sys.argv) > 1:
        libraries["real pages"] = real_pages(Path(sys.argv[1]), SETTINGS)
    for name, pages in libraries.items():
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(Path(folder), pages, SETTINGS)
        print(name)
        for what, value in asdict(figures).items():
            print(f"  {what.replace('_', ' '):<30}{value:>8,}")
        print(f"  {'share of texts altered':<30}{figures.altered_share:>8.1%}")


if __name__ == "__main__":
    main()
