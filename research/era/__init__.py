"""The study of ERA: what each of its parts is worth, in tables, a Venn diagram and a sample that people judged."""
