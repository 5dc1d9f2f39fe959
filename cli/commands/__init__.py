"""One module a command, loaded by `cli.main` when it is asked for."""
