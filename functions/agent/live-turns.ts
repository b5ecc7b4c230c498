// Turns that run in this process, so that a second request can follow or stop them. Lossy by design.
