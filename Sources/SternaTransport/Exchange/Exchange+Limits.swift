import NIOCore
import SternaCore

/// Computes when a request times out, from its current phase.
extension Exchange {
    /// The time of a limit, and its kind.
    struct TimeLimit {
        enum Kind {
            case total, phase, head, throughput
        }

        var at: NIODeadline
        var kind: Kind
    }

    /// Returns when the exchange times out while it waits for a connection. Dials have their own limits.
    ///
    /// - Parameter hasDial: whether a dial is assigned to this exchange.
    func waitingLimit(hasDial: Bool) -> TimeLimit {
        let limit = TimeLimit(at: deadline, kind: .total)
        guard !hasDial, queuedAt != .distantFuture, call?.isPaused != true else { return limit }
        let moment = queuedAt + request.timeouts.amounts.queue
        return moment < limit.at ? TimeLimit(at: moment, kind: .phase) : limit
    }

    /// Returns when the exchange times out on its connection.
    func timeLimit() -> TimeLimit {
        let amounts = request.timeouts.amounts
        var limit = TimeLimit(at: phase == .switched ? .distantFuture : deadline, kind: .total)
        func consider(_ moment: NIODeadline, _ kind: TimeLimit.Kind) {
            if moment < limit.at { limit = TimeLimit(at: moment, kind: kind) }
        }
        guard let codec, call?.isPaused != true else { return limit }
        if let moment = codec.headLimit, !codec.hasHead { consider(moment, .head) }
        if phase == .switched {
            if codec.isStalled { consider(codec.takenAt + amounts.write, .phase) }
            return limit
        }
        guard !codec.isPaused else { return limit }
        switch phase {
        case .writing:
            consider(codec.lastActivity + amounts.write, .phase)
            consider(codec.nextCheck(self), .phase)
        case .waiting:
            consider(codec.lastActivity + amounts.firstByte, .phase)
            if codec.isLeaving { consider(codec.nextCheck(self), .phase) }
        default: consider(codec.lastActivity + amounts.betweenBytes, .phase)
        }
        if let least = request.timeouts.minimumThroughput, phase != .waiting {
            consider(codec.throughputWindow + least.amount, .throughput)
        }
        return limit
    }

    /// Returns whether an expired limit is void, since bytes have moved that were not counted yet.
    func goesOn(beyond limit: TimeLimit, at now: NIODeadline) -> Bool {
        switch limit.kind {
        case .total, .head: return false
        case .phase:
            guard let codec else { return false }
            let amounts = request.timeouts.amounts
            return switch phase {
            case .writing: codec.hasWrittenOn() || now < codec.lastActivity + amounts.write
            case .waiting: codec.hasLeftOn() || now < codec.lastActivity + amounts.firstByte
            case .switched: codec.takesOutput()
            default: false
            }
        case .throughput:
            guard let codec, let least = request.timeouts.minimumThroughput else { return false }
            return codec.isFastEnough(least, at: now)
        }
    }

    /// Returns the error for a request whose own deadline has passed.
    static func deadlinePassed(in phase: SternaError.Phase) -> SternaError {
        SternaError(.timedOut, phase: phase, "The request's deadline has passed.").advised(.laterDeadline)
    }

    /// Returns the error for a limit that has expired.
    func timeoutError(_ limit: TimeLimit) -> SternaError {
        let timeouts = request.timeouts
        switch limit.kind {
        case .total:
            guard call?.hasOwnDeadline != true else { return Self.deadlinePassed(in: errorPhase) }
            return SternaError(
                .timedOut, phase: errorPhase,
                "The request took longer than its total time-out of \(Self.seconds(timeouts.total))."
            ).advised(.raiseTotal)
        case .head:
            return SternaError(
                .timedOut, phase: .read,
                "The server began its response, but did not complete the head within \(Self.seconds(timeouts.firstByte))."
            ).advised(.raiseFirstByte)
        case .throughput:
            let least = timeouts.minimumThroughput ?? .init(bytesPerSecond: 0)
            return SternaError(
                .timedOut, phase: errorPhase,
                "The transfer was slower than \(least.bytesPerSecond) bytes per second for \(Self.seconds(least.window))."
            ).advised(.lowerThroughput)
        case .phase: break
        }
        switch phase {
        case .queued:
            return SternaError(
                .timedOut, phase: .queue,
                "No connection was free for \(Self.seconds(timeouts.queue)): the limit of connections is reached. Raise it, "
                    + "or send fewer requests at once.")
        case .waiting:
            return SternaError(
                .timedOut, phase: .wait,
                "The server did not begin to answer within \(Self.seconds(timeouts.firstByte))."
            ).advised(.raiseFirstByte)
        case .writing, .switched:
            return SternaError(
                .timedOut, phase: .write, "The server accepted no bytes for \(Self.seconds(timeouts.write))."
            ).advised(.raiseWrite)
        case .reading:
            return SternaError(
                .timedOut, phase: .read, "The server sent nothing for \(Self.seconds(timeouts.betweenBytes))."
            ).advised(.raiseBetweenBytes)
        }
    }
}
