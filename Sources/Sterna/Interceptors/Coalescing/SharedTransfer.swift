import DequeModule
import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A transfer, from the network or the cache, that several identical requests read.
///
/// It has its own call and Swift task, so it outlasts the request that began it, and ends when its last reader leaves. It reads
/// the next piece of the body when a reader waits for it and the slowest reader is less than a window behind. Otherwise the other
/// readers wait, for at most `patience` in total. After that, readers that are a window behind are cut off, and read only the rest
/// of the window.
final class SharedTransfer: Sendable {
    /// The result of a read at a reader's position.
    enum Step: Sendable {
        case wait
        case piece(Bytes)
        case end(HTTPFields?)
        case failed(any Error)
        /// The reader was cut off, and has read all that was left for it; with the number of bytes that it has read.
        case cutOff(Int64)
    }

    /// The outcome for a request.
    enum Outcome: Sendable {
        /// The response, whose body is whole or read from this transfer.
        case shared(Response, isStreamed: Bool)
        /// No response, since it belongs to another request: this one must be sent itself.
        case own
    }

    private struct Reader: Sendable {
        let number: Int
        var position = SharedWindow.Position()
        var waiter: Wait<Void>?
        var failure: SternaError?
        /// The pieces that are left for a reader that was cut off.
        var rest: Deque<Bytes>?
        var mustFetch = false

        var isActive: Bool { failure == nil && rest == nil && !mustFetch }
    }

    /// The readers, in ascending order of their numbers. There is usually one, for which a dictionary would cost more.
    private struct Readers: Sendable {
        var all: [Reader] = []

        subscript(number: Int) -> Reader? {
            get { index(of: number).map { all[$0] } }
            set {
                guard let index = index(of: number) else { return }
                if let newValue { all[index] = newValue } else { all.remove(at: index) }
            }
        }

        mutating func add(_ number: Int) { all.append(Reader(number: number)) }

        mutating func remove(_ number: Int) -> Reader? { index(of: number).map { all.remove(at: $0) } }

        /// Takes the waiter of a reader.
        mutating func takeWaiter(of number: Int) -> Wait<Void>? { index(of: number).flatMap { all[$0].waiter.take() } }

        /// Takes the waiters of all readers.
        mutating func takeWaiters() -> Waiters {
            var waiters = Waiters()
            for index in all.indices { if let waiter = all[index].waiter.take() { waiters.append(waiter) } }
            return waiters
        }

        func index(of number: Int) -> Int? {
            var (low, high) = (0, all.count)
            while low < high {
                let middle = (low + high) / 2
                if all[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < all.count && all[low].number == number ? low : nil
        }
    }

    /// The waits that a change ends. The first is stored without an array, since there is usually one reader.
    private struct Waiters: Sendable {
        private var first: Wait<Void>?
        private var others: [Wait<Void>] = []

        init(_ first: Wait<Void>? = nil) { self.first = first }

        mutating func append(_ waiter: Wait<Void>) {
            if first == nil { first = waiter } else { others.append(waiter) }
        }

        func end() {
            first?.end()
            for waiter in others { waiter.end() }
        }
    }

    private struct State: Sendable {
        var readers = Readers()
        var lastNumber = 0
        var isOpen = true
        var head: Response?
        var window: SharedWindow
        var result: Result<HTTPFields?, any Error>?
        /// The transfer's wait for a reader that needs the next piece; ended with false if no reader is left.
        var pump: Wait<Bool>?
        var task: Task<Void, Never>?
        var isStopped = false
        /// The time for which readers may still wait for slower ones.
        var patience: TimeAmount
        var blockedSince: NIODeadline?
        var blocks = 0
        var timer: ClockTimer?
    }

    let key: CoalescingKey
    let origin: Origin
    let call: Call
    let joinedCalls: (any JoinedCalls)?
    private let time: LoopClock
    private let transfers: SharedTransfers
    private let state: Mutex<State>

    init(_ request: Request, _ key: CoalescingKey, _ call: Call, _ plan: CoalescingPlan) {
        (self.key, origin, self.call) = (key, request.url.origin, call)
        (time, transfers) = (plan.time, plan.transfers)
        joinedCalls = plan.makeJoinedCalls()
        state = Mutex(State(window: SharedWindow(limit: plan.limits.window), patience: plan.limits.patience))
    }

    // MARK: Readers

    var readerCount: Int { state.withLock { $0.readers.all.count } }

    /// Adds a reader, and returns its number; nil if the response's head has arrived.
    func join() -> Int? {
        state.withLock { state in
            guard state.isOpen, !state.isStopped else { return nil }
            state.lastNumber += 1
            state.readers.add(state.lastNumber)
            return state.lastNumber
        }
    }

    /// Returns the outcome for a request; nil until the head arrives.
    func outcome(for number: Int) throws -> Outcome? {
        try state.withLock { state in
            guard let index = state.readers.index(of: number) else { throw SternaError.cancelled(phase: .wait) }
            if let failure = state.readers.all[index].failure { throw failure }
            if state.readers.all[index].mustFetch { return .own }
            if let head = state.head { return .shared(head, isStreamed: head.body.whole == nil) }
            if case .failure(let error)? = state.result { throw error }
            return nil
        }
    }

    /// Takes the next step at the position of a reader.
    func take(_ number: Int) -> Step {
        let (step, effects) = state.withLock { state -> (Step, Effects) in
            guard var reader = state.readers[number] else {
                return (.failed(SternaError.cancelled(phase: .read)), Effects())
            }
            if let failure = reader.failure { return (.failed(failure), Effects()) }
            guard reader.waiter == nil else { return (.failed(Self.concurrentRead), Effects()) }
            if let piece = reader.rest?.popFirst() {
                reader.position.bytes += Int64(piece.readableBytes)
                state.readers[number] = reader
                return (.piece(piece), Effects())
            }
            if reader.rest != nil { return (.cutOff(reader.position.bytes), Effects()) }
            if let piece = state.window.take(at: &reader.position) {
                state.readers[number] = reader
                return (.piece(piece), weigh(&state))
            }
            switch state.result {
            case .success(let trailers): return (.end(trailers), Effects())
            case .failure(let error): return (.failed(error), Effects())
            case nil: return (.wait, Effects())
            }
        }
        perform(effects)
        return step
    }

    /// Waits for a change that concerns a reader, or for the cancellation of the Swift task.
    nonisolated(nonsending) func wait(_ number: Int) async {
        let wait = Wait<Void>()
        let effects = state.withLock { state -> Effects? in
            guard state.result == nil, let index = state.readers.index(of: number),
                state.readers.all[index].isActive, state.readers.all[index].waiter == nil,
                state.head == nil || state.readers.all[index].position.piece == state.window.end
            else { return nil }
            state.readers.all[index].waiter = wait
            return weigh(&state)
        }
        guard let effects else { return }
        perform(effects)
        try? await wait.value(onCancel: { state.withLock { $0.readers.takeWaiter(of: number) }?.end() })
    }

    /// Ends a reader with an error, which its reads throw from now on.
    func end(_ number: Int, _ error: SternaError) {
        change { state in
            guard let reader = state.readers[number], reader.failure == nil else { return Waiters() }
            state.readers[number]?.failure = error
            return Waiters(state.readers.takeWaiter(of: number))
        }
    }

    /// Removes a reader.
    func leave(_ number: Int) {
        change { state in Waiters(state.readers.remove(number)?.waiter) }
    }

    /// Changes the state, and performs the effects of the change. The closure returns the waiters to wake.
    private func change(_ change: (inout State) -> Waiters) {
        let (woken, effects, stopped) = state.withLock { state in
            let woken = change(&state)
            let effects = weigh(&state)
            guard !state.isStopped, state.result == nil, !state.readers.all.contains(where: \.isActive) else {
                return (woken, effects, nil as Task<Void, Never>??)
            }
            (state.isStopped, state.isOpen) = (true, false)
            return (woken, effects, .some(state.task))
        }
        woken.end()
        perform(effects)
        guard let stopped else { return }
        transfers.remove(self)
        call.cancel()
        stopped?.cancel()
    }

    // MARK: The transfer

    /// Sends the request.
    func start(_ request: Request, _ next: Chain) {
        let task: Task<Void, Never>
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // The task begins on this thread, which saves a change of threads.
            task = Task.immediate { await run(request, next) }
        } else {
            task = Task { await run(request, next) }
        }
        let isStopped = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    private func run(_ request: Request, _ next: Chain) async {
        defer { call.releaseLease() }
        do {
            let response = try await next(request)
            transfers.remove(self)
            guard let body = answered(response, to: request) else { return }
            do {
                while await isWanted() {
                    guard let piece = try await body.next() else { return finish(.success(body.trailers)) }
                    change { state in
                        state.window.append(piece)
                        return state.readers.takeWaiters()
                    }
                }
                body.cancel()
            } catch {
                body.cancel()
                finish(.failure(error))
            }
        } catch {
            transfers.remove(self)
            finish(.failure(error))
        }
    }

    private func finish(_ result: Result<HTTPFields?, any Error>) {
        change { state in
            state.isOpen = false
            state.result = result
            return state.readers.takeWaiters()
        }
    }

    /// Passes the response to the readers, or to one of them if it cannot be shared; returns the body to read.
    private func answered(_ response: Response, to request: Request) -> ClaimedBody? {
        let refusal = CoalescingRule.refusal(
            status: response.status.code, response.section, asksForRange: request.headers.contains(.range))
        let isStreamed = response.body.whole == nil
        var isUnwanted = false
        change { state in
            state.isOpen = false
            isUnwanted = state.isStopped
            guard !isUnwanted else { return Waiters() }
            if refusal != nil {
                // The reader that has waited longest takes the response.
                for reader in state.readers.all.filter(\.isActive).dropFirst() {
                    state.readers[reader.number]?.mustFetch = true
                }
            }
            state.head = response
            if isStreamed {
                state.window = SharedWindow(limit: state.window.limit, length: response.body.length)
            } else {
                state.result = .success(response.body.trailers)
            }
            return state.readers.takeWaiters()
        }
        if isUnwanted { response.body.cancel() }
        return isUnwanted || !isStreamed ? nil : ClaimedBody(response.body)
    }

    /// Waits until a reader needs the next piece; returns false if no reader is left.
    private func isWanted() async -> Bool {
        let wait = Wait<Bool>()
        perform(
            state.withLock { state in
                state.pump = wait
                return weigh(&state)
            })
        // The wait ignores cancellation, since the last reader to leave ends it.
        return (try? await wait.valueIgnoringCancellation()) ?? false
    }

    // MARK: The window

    /// The effects of a change, performed without the lock.
    private struct Effects: Sendable {
        var pump: Wait<Bool>?
        var isWanted = false
        var cancelled: ClockTimer?
        /// The time to wait for slow readers, and the number of this wait.
        var wait: (TimeAmount, Int)?
        var woken = Waiters()
    }

    private func perform(_ effects: Effects) {
        effects.cancelled?.cancel()
        effects.woken.end()
        effects.pump?.end(.success(effects.isWanted))
        guard let (delay, number) = effects.wait else { return }
        let timer = time.clock.schedule(in: delay, on: time.loop) { self.ring(number) }
        let isOver = state.withLock { state in
            guard state.blockedSince != nil, state.blocks == number else { return true }
            state.timer = timer
            return false
        }
        if isOver { timer.cancel() }
    }

    /// Decides whether the transfer continues to read, waits for slow readers, or cuts them off.
    private func weigh(_ state: inout State) -> Effects {
        // Nothing is read before the head arrives, or if the body came with it.
        if state.pump == nil, state.window.isEmpty { return Effects() }
        var effects = Effects()
        let active = state.readers.all.filter(\.isActive)
        if state.head != nil, let lowest = active.map(\.position).min(by: { $0.bytes < $1.bytes }) {
            state.window.trim(to: lowest)
            let isAwaited = active.contains { $0.waiter != nil && $0.position.piece == state.window.end }
            let demand = state.pump == nil ? .rest : state.window.demand(lowest: lowest, isAwaited: isAwaited)
            if demand == .blocked {
                if state.blockedSince != nil { return effects }
                if state.patience > .zero {
                    state.blockedSince = time.clock.now
                    state.blocks += 1
                    effects.wait = (state.patience, state.blocks)
                    return effects
                }
                cutOff(&state, &effects)
            }
            endBlock(&state, &effects)
            guard demand != .rest else { return effects }
            (effects.pump, effects.isWanted) = (state.pump.take(), true)
        } else if active.isEmpty {
            endBlock(&state, &effects)
            effects.pump = state.pump.take()
        }
        return effects
    }

    private func endBlock(_ state: inout State, _ effects: inout Effects) {
        guard let since = state.blockedSince.take() else { return }
        state.patience = max(.zero, state.patience - (time.clock.now - since))
        effects.cancelled = state.timer.take()
    }

    /// Cuts off the readers that are a window behind, so that the others continue.
    private func cutOff(_ state: inout State, _ effects: inout Effects) {
        for reader in state.readers.all where reader.isActive && state.window.isBehind(reader.position) {
            state.readers[reader.number]?.rest = Deque(state.window.rest(from: reader.position))
            if let waiter = state.readers.takeWaiter(of: reader.number) { effects.woken.append(waiter) }
        }
        let positions = state.readers.all.filter(\.isActive).map(\.position)
        if let lowest = positions.min(by: { $0.bytes < $1.bytes }) { state.window.trim(to: lowest) }
    }

    /// Called at the end of a wait for slow readers.
    private func ring(_ number: Int) {
        let effects = state.withLock { state -> Effects in
            guard state.blockedSince != nil, state.blocks == number else { return Effects() }
            (state.blockedSince, state.timer, state.patience) = (nil, nil, .zero)
            return weigh(&state)
        }
        perform(effects)
    }

    private static var concurrentRead: SternaError {
        SternaError(.invalidRequest, phase: .read, "Another task is reading the body; a streamed body has one reader.")
    }
}
