import SternaPlatform

/// A check of a behaviour, run on the main actor beside GTK.
@MainActor struct Check {
    let name: String
    let body: @MainActor (Findings) async throws -> Void

    init(_ name: String, _ body: @escaping @MainActor (Findings) async throws -> Void) {
        (self.name, self.body) = (name, body)
    }
}

/// What a check has found wrong.
@MainActor final class Findings {
    private(set) var faults: [String] = []

    func expect(_ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line) {
        if !condition { faults.append("line \(line): \(what())") }
    }

    func expect<Value: Equatable>(_ found: Value, is expected: Value, line: Int = #line) {
        expect(found == expected, "\(found), not \(expected)", line: line)
    }

    func fault(_ what: String, line: Int = #line) { faults.append("line \(line): \(what)") }

    /// Waits until a condition holds, for ten seconds.
    func waits(
        for what: @autoclosure () -> String, line: Int = #line, _ condition: @MainActor () async -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while !(await condition()) {
            guard ContinuousClock.now < end else { return fault("waited in vain for \(what())", line: line) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// Runs checks one after another, and prints a line for each.
@MainActor enum Checks {
    /// Returns the number of checks that failed.
    static func run(_ checks: [Check], only pattern: String?) async -> Int {
        var failed = 0
        let chosen = checks.filter { check in pattern.map { check.name.contains($0) } ?? true }
        print("1..\(chosen.count)")
        for (number, check) in chosen.enumerated() {
            let begin = ContinuousClock.now
            let watchdog = Watchdog(check.name)
            let findings = Findings()
            do { try await check.body(findings) } catch { findings.fault("threw \(error)") }
            watchdog.end()
            let time = (ContinuousClock.now - begin) / .milliseconds(1)
            print("\(findings.faults.isEmpty ? "ok" : "not ok") \(number + 1) - \(check.name) # \(Int(time)) ms")
            for fault in findings.faults.prefix(10) { print("    \(fault)") }
            if !findings.faults.isEmpty { failed += 1 }
            fflush(nil)
        }
        return failed
    }
}

/// Ends the program if a check hangs: the main actor may be what does not go on.
private final class Watchdog: Sendable {
    private let timer: Task<Void, Never>

    init(_ name: String) {
        timer = Task.detached {
            guard (try? await Task.sleep(for: .seconds(60))) != nil else { return }
            print("not ok - \(name) hangs")
            fflush(nil)
            exit(1)
        }
    }

    func end() { timer.cancel() }
}
