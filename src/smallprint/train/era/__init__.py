"""ERA: more training pairs for the reader, found in unlabelled policies by several retrievers (Parvez, EACL 2023).

Sentences, base models, retrievers, filters, their union, the final reader: every step is made once and stands in a
folder of its own. The study of what each is worth is in `research/era`.
"""
