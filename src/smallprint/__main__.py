"""`python -m smallprint` is the `smallprint` command."""

from smallprint.cli.app import main

main()
