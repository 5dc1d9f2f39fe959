"""One module a command, loaded by `cli.program` when it is asked for."""
