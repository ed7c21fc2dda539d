import Sterna
import SternaPlatform
import Synchronization

/// Opens a WebSocket, and passes messages on both ways until it is closed.
struct WebSocketJob {
    let job: RequestJob
    let format: WebSocketOutput
    /// Seconds between two pings; 0 for none, nil for the library's.
    let ping: Double?
    let subprotocols: [String]
    let maxMessages: Int?
    /// Whether the end of standard input closes the WebSocket.
    let closesAtEnd: Bool
    let compresses: Bool
    let ignoresInput: Bool
    let isSilent: Bool

    /// How long the server may take to answer the close at the end of standard input.
    private static let closingPatience = Duration.seconds(60)

    /// How long the server may take to answer a close after Ctrl-C or an error; less than a command may take to end.
    private static let patience = Duration.milliseconds(1_500)

    func run() async throws {
        let items = try job.target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        var content = try await job.content(try job.request.headerItems() + items)
        guard content.body == nil, content.file == nil else {
            throw UsageError("The handshake of a WebSocket has no body; messages are the lines of standard input.")
        }
        let url = try RequestJob.url(job.target, content)
        let sender = try await job.sender(for: url, &content, keepsFiles: true)
        let heads = heads
        let log = NetworkLog(removedHeaders: content.removedHeaders) { request in
            heads?.sent(request)
        } redirect: { response in
            heads?.show(response)
        }
        let prepared = try job.prepared(url, content, sender, log: log, collectsMetrics: false)
        try job.routing.checkSocket()
        let start = ContinuousClock.now
        do {
            let socket = try await open(prepared)
            await prepared.session.flushEvents()
            heads?.show(log.lastHead)
            try await exchange(over: socket, since: start)
            sayEnd(of: socket)
        } catch {
            await prepared.session.flushEvents()
            // Also the head of a response that refuses the upgrade.
            heads?.show(log.lastHead)
            if log.hasAnswer { await RequestJob.trySaving(sender.state) }
            guard let error = error as? SternaError else { throw error }
            throw RequestJob.advised(
                error, after: ContinuousClock.now - start, job.connection, job.routing, subject: "WebSocket")
        }
        try await sender.state.save()
    }

    /// Shows the heads of the handshake, with `-v`.
    private var heads: HandshakeHeads? {
        guard job.output.verbose else { return nil }
        let style = job.output.style(isTerminal: Terminal.standardError.isTerminal, savesBody: false)
        return HandshakeHeads(HeadText(style: style), job.connection.transport.http2Mode)
    }

    private func open(_ prepared: PreparedRequest) async throws -> WebSocket {
        var draft = prepared.draft
        // A handshake is retried by its draft's policy alone.
        draft.settings.retry = job.connection.retries.policy(for: .get, fails: job.output.statusCheck.fails)
        return try await prepared.session.webSocket(of: draft) { settings in
            settings.subprotocols = subprotocols
            settings.compresses = compresses
            // The server may still have much to send when the input ends.
            if closesAtEnd { settings.closeTimeout = Self.closingPatience }
            if let ping { settings.pingInterval = ping == 0 ? nil : .seconds(ping) }
        }
    }

    /// Passes messages on until the server or this side has closed the WebSocket. After an error this side closes it.
    private func exchange(over socket: WebSocket, since start: ContinuousClock.Instant) async throws {
        let received = Tally()
        do {
            try await pass(over: socket, until: job.connection.transport.maxTime.map { start + .seconds($0) }, received)
            if socket.closure == nil { try await socket.close() }
        } catch {
            let isInterrupted = Task.isCancelled
            if isInterrupted, !isSilent {
                let count = received.count
                printError("Interrupted after \(count) message\(count == 1 ? "" : "s").")
            }
            await Self.close(socket, isInterrupted ? .normal : .goingAway)
            sayEnd(of: socket)
            throw error
        }
    }

    /// The number of messages received so far.
    private final class Tally: Sendable {
        private let messages = Atomic(0)

        var count: Int { messages.load(ordering: .relaxed) }

        /// Counts a message; returns the number of all.
        func add() -> Int { messages.add(1, ordering: .relaxed).newValue }
    }

    private enum Side { case receiving, sending }

    private func pass(
        over socket: WebSocket, until limit: ContinuousClock.Instant?, _ received: Tally
    ) async throws {
        try await withThrowingTaskGroup(of: Side.self) { group in
            group.addTask {
                try await receive(from: socket, received)
                return .receiving
            }
            if !ignoresInput {
                group.addTask {
                    try await send(to: socket)
                    return .sending
                }
            }
            if let limit {
                group.addTask {
                    try await Task.sleep(until: limit, clock: .continuous)
                    throw SternaError(.timedOut, phase: .read, "The WebSocket was still open.")
                }
            }
            defer { group.cancelAll() }
            while let side = try await group.next() {
                if side == .receiving { return }
            }
        }
    }

    /// Prints messages until the WebSocket is closed, or their number is reached.
    private func receive(from socket: WebSocket, _ received: Tally) async throws {
        for try await message in socket {
            try format.show(message, at: .now, isSilent: isSilent)
            if received.add() == maxMessages { return }
        }
    }

    /// Sends standard input. Returns early if the WebSocket is closed, the reason of which `receive` throws.
    private func send(to socket: WebSocket) async throws {
        var input = WebSocketInput(isBinary: format == .binary)
        while let message = try await input.next() {
            do {
                switch message {
                case .text(let text): try await socket.send(text)
                case .binary(let bytes): try await socket.send(bytes)
                }
            } catch {
                try Task.checkCancellation()
                if !isSilent { printError("Warning: the WebSocket was closed before all of standard input was sent.") }
                return
            }
        }
        guard closesAtEnd else { return }
        do { try await socket.close() } catch { try Task.checkCancellation() }
    }

    /// Closes the WebSocket also if this task is cancelled, which would end the wait for the server's answer.
    private static func close(_ socket: WebSocket, _ code: WebSocket.CloseCode) async {
        await Task.detached {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await socket.close(code) }
                group.addTask { try? await Task.sleep(for: patience) }
                await group.next()
                group.cancelAll()
            }
            socket.cancel()
        }.value
    }

    private func sayEnd(of socket: WebSocket) {
        guard job.output.verbose else { return }
        for line in Self.lastLines(roundTrip: socket.roundTrip, socket.closure) { printError(line) }
    }

    /// Returns the lines of `-v` after the messages.
    static func lastLines(roundTrip: Duration?, _ closure: WebSocket.Closure?) -> [String] {
        var lines: [String] = []
        if let roundTrip { lines.append("* Round trip: \(AttemptLog.seconds(roundTrip))") }
        if let closure {
            let reason = closure.reason.isEmpty ? "" : ", “\(closure.reason)”"
            lines.append(
                "* Closed by \(closure.isByPeer ? "the server" : "tern") with \(closure.code.rawValue)\(reason)")
        }
        return lines
    }
}
