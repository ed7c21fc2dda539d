/// Waits until a condition holds, and returns whether it did within the limit.
///
/// - Parameter limit: long enough for a busy machine; a test that passes never waits for it.
func eventually(within limit: Duration = .seconds(180), _ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
