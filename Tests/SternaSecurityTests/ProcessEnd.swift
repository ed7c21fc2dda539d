import SternaPlatform

/// Ends the process of an exit test that failed.
func endProcess() -> Never { exit(EXIT_FAILURE) }
