/// Runs requests, a number of them at once.
public struct Load: Sendable {
    public typealias Request = @Sendable (_ number: Int) async throws -> Int
    /// Where a caller's requests are made: as it is called, or somewhere else.
    public typealias Place = @Sendable (_ caller: @Sendable () async -> Tally) async -> Tally

    public struct Tally: Sendable {
        var bytes = 0
        var errors = 0
        var firstError: String?
        var lastEnd = 0.0
    }

    let request: Request
    let place: Place

    /// - Parameter request: makes one request and gives the bytes of its body.
    public init(place: @escaping Place = { await $0() }, request: @escaping Request) {
        self.place = place
        self.request = request
    }

    /// Makes `count` requests, `concurrency` at once; first, uncounted, one request of each caller where there are more.
    public func run(count: Int, concurrency: Int, warm: Bool = true) async -> Outcome {
        if warm, count > concurrency { _ = await callers(count: concurrency, concurrency: concurrency) }
        let start = Usage.now()
        let tallies = await callers(count: count, concurrency: concurrency)
        let used = Usage.now() - start
        var outcome = Outcome(requests: count, wall: used.wall, cpu: used.cpu)
        outcome.add(tallies, since: start.wall)
        return outcome
    }

    private func callers(count: Int, concurrency: Int) async -> [Tally] {
        await withTaskGroup(of: Tally.self) { group in
            for caller in 0..<concurrency {
                let share = count / concurrency + (caller < count % concurrency ? 1 : 0)
                group.addTask {
                    await place { await call(share, as: caller) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func call(_ times: Int, as caller: Int) async -> Tally {
        var tally = Tally()
        for _ in 0..<times {
            do {
                tally.bytes += try await request(caller)
            } catch {
                tally.errors += 1
                if tally.firstError == nil { tally.firstError = "\(error)" }
            }
        }
        tally.lastEnd = Usage.clock()
        return tally
    }
}

/// What a load came to; one line of JSON.
public struct Outcome: Sendable {
    public var requests: Int
    public var wall: Double
    public var cpu: Double
    public var bytes = 0
    public var errors = 0
    public var firstError: String?
    /// The second by which 99 of 100 callers had finished, from the start of all.
    public var p99 = 0.0
    /// When the first caller had finished, and the last one.
    public var first = 0.0
    public var last = 0.0
    public var notes: [(name: String, value: Double)] = []

    public init(requests: Int, wall: Double, cpu: Double) {
        self.requests = requests
        self.wall = wall
        self.cpu = cpu
    }

    mutating func add(_ tallies: [Load.Tally], since start: Double) {
        bytes = tallies.reduce(0) { $0 + $1.bytes }
        errors = tallies.reduce(0) { $0 + $1.errors }
        firstError = tallies.lazy.compactMap(\.firstError).first
        let ends = tallies.map(\.lastEnd).sorted()
        guard !ends.isEmpty else { return }
        first = (ends.first ?? start) - start
        last = (ends.last ?? start) - start
        p99 = ends[(ends.count * 99 + 99) / 100 - 1] - start
    }

    public func printLine() {
        var line = "{\"requests\": \(requests), \"bytes\": \(bytes), \"wall\": \(wall), \"cpu\": \(cpu)"
        line += ", \"errors\": \(errors), \"p99\": \(p99), \"first\": \(first), \"last\": \(last)"
        for note in notes { line += ", \"\(note.name)\": \(note.value)" }
        if let firstError {
            let text = firstError.unicodeScalars.map { scalar in
                scalar.value < 32 || scalar == "\"" || scalar == "\\" ? " " : String(scalar)
            }
            line += ", \"error\": \"\(text.joined())\""
        }
        print(line + "}")
    }
}

extension Load {
    /// Opens `count` connections at once by answers that take a few seconds, and tells what each holds when nobody uses it.
    public func idle(count: Int, settle: @Sendable () async -> Void) async -> Outcome {
        _ = await call(1, as: 0)
        let (memory, descriptors) = (Holding.memory(), Holding.descriptors())
        var outcome = await run(count: count, concurrency: count, warm: false)
        await settle()
        let connections = max(1, Holding.descriptors() - descriptors)
        let resident = Holding.memory() - memory
        Holding.trim()
        outcome.notes = [
            ("connections", Double(connections)),
            ("bytes_per_connection", Double(resident) / Double(connections)),
            ("trimmed_bytes_per_connection", Double(Holding.memory() - memory) / Double(connections)),
        ]
        return outcome
    }
}

/// The server answered with something other than 200.
public struct Refused: Error {
    public init() {}
}
