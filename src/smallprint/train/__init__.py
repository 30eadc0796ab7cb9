"""Recipes: research data in, weights and a model card out; run by `smallprint train`, needs the extra 'train'."""

import os

# Some virtual machines claim AMX and end a process that uses it (illegal instruction). Half precision works without.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# The module and function of each recipe. Students come after the encoder that they learn from, the combiner after all
# that it weighs; what tells documents apart asks is-policy. ERA makes a reader as well, from more pairs than are
# labelled.
RECIPES = {
    "is-policy": ("is_policy", "train"),
    "documents": ("documents", "train"),
    "sector": ("sector", "train"),
    "encoder": ("encoder", "train"),
    "practices-student": ("students", "train_practices"),
    "vagueness-student": ("students", "train_vagueness"),
    "vectors": ("vectors", "train"),
    "finder": ("finder", "train"),
    "reader": ("reader", "train"),
    "era": ("era.final", "train"),
    "card": ("card", "train"),
    "verdicts": ("verdicts", "train"),
    "question-mapper": ("question_mapper", "train"),
    "semvec": ("baselines", "train_semvec"),
    "combiner": ("combiner", "train"),
    "priv2vec": ("vectors", "train_priv2vec"),
    "general-vectors": ("vectors", "train_general"),
}
FOLDED = frozenset({"is-policy", "sector", "encoder", "vagueness-student", "question-mapper", "semvec"})
# Vectors that others are measured against; they are not to be installed.
COMPARED = frozenset({"priv2vec", "general-vectors"})
