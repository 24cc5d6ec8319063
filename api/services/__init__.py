"""The only code that writes: services take a session and the time, and never open a transaction themselves."""
