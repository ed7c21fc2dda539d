// Nothing to call: see TestWidth.c.
