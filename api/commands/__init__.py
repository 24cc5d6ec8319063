"""The subcommands of `macao`, one module each, imported only when called."""
