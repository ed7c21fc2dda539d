import NIOCore
import Sterna
import SternaPlatform

/// Standard input as a request's body.
struct StandardInput: Sendable {
    static let number: CInt = 0
    private static let pieceBytes = 64 << 10
    /// The longest body, in bytes, that is sent with its length and can be sent again.
    private static let collectedBytes = 1 << 20

    /// The longest wait for the first byte; nil for no limit.
    var patience: Duration?

    /// Returns the body, or nil if the input is empty or silent for too long.
    func body() async throws -> Body? {
        if let patience {
            guard try await Self.isReadable(within: patience) else {
                printError("tern: nothing came on standard input, so no body is sent; name a METHOD to wait for one.")
                return nil
            }
        } else if try await !Self.isReadable(within: .seconds(10)) {
            printError("tern: waiting for the body on standard input; --ignore-stdin sends none.")
        }
        var start = Bytes()
        while start.readableBytes <= Self.collectedBytes {
            guard var piece = try await Self.read() else {
                return start.isEmpty ? nil : .bytes(start)
            }
            start.writeBuffer(&piece)
        }
        let rest = BodyProducer(length: InputKind.of(Self.number)?.rest, isReplayable: false) {
            { try await Self.read() }
        }
        return Body(segments: [.bytes(start), .producer(rest)])
    }

    /// Returns the whole input, which is empty if it is silent for too long. Throws `fileUnreadable` for a longer one.
    func content(upTo limit: Int64) async throws -> [UInt8] {
        guard let body = try await body() else { return [] }
        let start = Self.start(of: body)
        return body.segments.count > 1 ? try await Self.readRest(after: start, upTo: limit) : start
    }

    private static func start(of body: Body) -> [UInt8] {
        guard case .bytes(let bytes) = body.segments.first else { return [] }
        return Array(bytes.readableBytesView)
    }

    // Not inlined: Swift 6.3.1 crashes where it optimizes both as one function.
    @inline(never)
    private static func readRest(after start: [UInt8], upTo limit: Int64) async throws -> [UInt8] {
        var content = start
        while let piece = try await read() {
            content.append(contentsOf: piece.readableBytesView)
            if content.count > limit { throw tooLong(limit) }
        }
        return content
    }

    private static func tooLong(_ limit: Int64) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .prepare,
            "Standard input is longer than \(ByteSize(limit)); send it unchanged with --data-binary @-.")
    }

    /// Throws `UsageError` if standard input has a body that would not be sent, or is open and still silent after `patience`.
    ///
    /// - Parameter reason: the message of the error.
    static func refuseContent(
        within patience: Duration = .seconds(1),
        because reason: String =
            "Standard input and the command line both give a body; add --ignore-stdin to send that of the command line."
    ) async throws {
        guard let kind = InputKind.of(number) else { return }
        // An empty pipe, such as a service manager leaves, ends at once.
        if kind.rest == nil, try await isReadable(within: patience), try await read() == nil { return }
        throw UsageError(reason)
    }

    private static func read() async throws -> Bytes? {
        while try await !isReadable(within: .seconds(1)) {}
        return try piece(upTo: pieceBytes)
    }

    /// Reads bytes of an input that is readable; nil at its end. Throws `fileUnreadable`.
    static func piece(upTo limit: Int) throws(SternaError) -> Bytes? {
        var bytes = Bytes()
        var failure: CInt = 0
        let count = bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: limit) { raw in
            // The pointer stays within the closure, and `read` fills at most the given length.
            let count = posixRead(number, raw.baseAddress, min(raw.count, limit))
            failure = count < 0 ? errno : 0
            return max(0, count)
        }
        guard failure == 0 else {
            throw SternaError(
                .fileUnreadable, phase: .prepare,
                "Standard input cannot be read: \(String(cString: strerror(failure))).")
        }
        return count > 0 ? bytes : nil
    }

    // Waits in short steps, so that a cancelled task can stop, and other tasks get the thread.
    private static func isReadable(within duration: Duration) async throws -> Bool {
        let end = ContinuousClock.now + duration
        repeat {
            try Task.checkCancellation()
            var wish = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            if poll(&wish, 1, 50) > 0 { return true }
            await Task.yield()
        } while ContinuousClock.now < end
        return false
    }

    private static let posixRead = SternaPlatform.read
}
