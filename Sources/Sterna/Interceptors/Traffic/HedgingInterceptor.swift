import SternaCore

/// Sends copies of a request whose response is late, and returns the first usable response.
///
/// Each copy passes the whole chain below in a task of its own, which has ended when `intercept` returns.
struct HedgingInterceptor: Interceptor {
    private typealias Outcome = Result<Response, any Error>

    private enum Event: Sendable {
        /// Another copy is due.
        case due
        case ended(Int, Outcome)
        /// No further copy will be due.
        case over
    }

    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        // A copy of a handshake would open a second stream.
        guard let policy = request.options[HedgingKey.self], policy.rules.limit > 0, request.delivery != .duplex else {
            return try await next(request)
        }
        let watch = HedgeWatch(request, policy, time)
        let now = time.clock.now
        let progress = watch.progress(0, at: now)
        let plan = policy.update(request.url.origin) { origin in
            origin.count(at: now)
            return HedgeRule.plan(request, policy.rules, origin, progress, at: now)
        }
        guard case .hedge = plan else {
            // The request is not hedged, only measured.
            defer { watch.finish(isDecided: false) }
            return try await next(watch.copy(0))
        }
        return try await race(watch, next).get()
    }

    nonisolated(nonsending) private func race(_ watch: HedgeWatch, _ next: Chain) async -> Outcome {
        await withTaskGroup(of: Event.self) { group in
            var race = HedgeRace()
            var outcomes: [Int: Outcome] = [:]
            var winner: Int?
            let first = watch.copy(0)
            group.addTask { await Self.send(first, 0, next) }
            group.addTask { await Self.wait(for: watch) }
            while let event = await group.next() {
                switch event {
                case .over: continue
                case .due:
                    guard winner == nil, watch.mayHedge(race) else { continue }
                    let number = race.addCopy()
                    let copy = watch.copy(number)
                    group.addTask { await Self.send(copy, number, next) }
                    group.addTask { await Self.wait(for: watch) }
                case .ended(let copy, let outcome):
                    outcomes[copy] = outcome
                    guard winner == nil, case .deliver(let number) = race.ended(copy, Self.kind(of: outcome)) else {
                        continue
                    }
                    winner = number
                    watch.finish(isDecided: Self.kind(of: outcome) == .usable)
                    group.cancelAll()
                }
            }
            let result = winner.flatMap { outcomes.removeValue(forKey: $0) }
            for case .success(let response) in outcomes.values { response.body.cancel() }
            return result ?? .failure(SternaError.cancelled(phase: .wait))
        }
    }

    private static func send(_ request: Request, _ number: Int, _ next: Chain) async -> Event {
        do {
            return .ended(number, .success(try await next(request)))
        } catch {
            return .ended(number, .failure(error))
        }
    }

    private static func wait(for watch: HedgeWatch) async -> Event {
        for await _ in watch.due { return .due }
        return .over
    }

    private static func kind(of outcome: Outcome) -> HedgeRace.Outcome {
        guard case .success(let response) = outcome else { return .failed }
        return HedgeRule.isUsable(response.status.code) ? .usable : .failed
    }
}
