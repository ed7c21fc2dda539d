import SternaPlatform

/// The size of the tests that take minutes in full: `STERNA_LONG_TESTS=1` runs all of them, and anything else a small version.
enum LongTests {
    static let areOn = ProcessInfo.processInfo.environment["STERNA_LONG_TESTS"] == "1"

    /// The seed of a run: `STERNA_LONG_SEED`, or a random one, which failures state.
    static let seed =
        ProcessInfo.processInfo.environment["STERNA_LONG_SEED"].flatMap { UInt64($0) } ?? .random(in: 1..<1 << 32)

    static func choose<Value>(_ small: Value, inFull full: Value) -> Value { areOn ? full : small }
}

/// The tests that other programs judge by their own clock: `STERNA_QUIET_TESTS=1` runs them, on a machine that does nothing else.
enum QuietTests {
    static let areOn = ProcessInfo.processInfo.environment["STERNA_QUIET_TESTS"] == "1" || LongTests.areOn
}
