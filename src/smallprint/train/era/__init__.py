"""ERA: more training pairs for the reader, found in unlabelled policies by several retrievers (Parvez, EACL 2023).

Sentences, base models, retrievers, filters, sets, final readers, and the tables of what each is worth: every step is
made once and stands in a folder of its own.
"""

from smallprint.train.era.recipe import train

__all__ = ["train"]
