@testable import SternaTestSupport

extension PeerConnection {
    /// Reads the client's preface and its SETTINGS, and sends SETTINGS and the acknowledgement in one write.
    ///
    /// - Parameters:
    ///   - settings: The values of the peer's SETTINGS.
    ///   - acknowledges: Whether the client's SETTINGS are acknowledged, these and those that come later.
    func handshake(settings: [(UInt16, UInt32)] = [], acknowledges: Bool = true) async throws {
        try await receivePreface()
        let first = try await wait("the client's SETTINGS") { state in
            let first = state.next { _ in true }
            if first != nil { state.acksSettings = acknowledges }
            return first
        }
        guard first.kind == .settings, !first.isAck, first.stream == 0 else {
            throw error(.unexpected, "the client began with \(first)")
        }
        try await send([.settings(settings)] + (acknowledges ? [.settingsAck] : []))
    }

    /// Waits for the 24 bytes that a client begins with (RFC 9113 §3.4).
    func receivePreface() async throws {
        try await wait("the client's preface") { state in
            if state.hasWrongPreface {
                throw error(.unexpected, "no preface: \(state.received.prefix(64))", state)
            }
            return state.hasPreface ? () : nil
        }
    }

    // MARK: Frames

    /// The next frame that is no acknowledgement of SETTINGS, no WINDOW_UPDATE and no PING; these can be taken by
    /// their kind.
    func receive() async throws -> WireFrame {
        try await receive("a frame") { !Self.isHousekeeping($0) }
    }

    /// The next frame as ``receive()`` returns it; `nil` if the client closed before.
    func receiveOrClosed() async throws -> WireFrame? {
        try await receiveOrClosed("a frame") { !Self.isHousekeeping($0) }
    }

    /// The first frame of a kind, and of a stream if one is given, that was not taken; the others stay.
    func receive(_ kind: WireFrame.Kind, stream: UInt32? = nil) async throws -> WireFrame {
        try await receive(Self.name(kind, stream)) { Self.fits($0, kind, stream) }
    }

    /// The frame as ``receive(_:stream:)`` returns it; `nil` if the client closed before.
    func receiveOrClosed(_ kind: WireFrame.Kind, stream: UInt32? = nil) async throws -> WireFrame? {
        try await receiveOrClosed(Self.name(kind, stream)) { Self.fits($0, kind, stream) }
    }

    /// The first matching frame that was not taken; the others stay.
    ///
    /// - Parameter what: The name of the frame in errors.
    func receive(_ what: String, where fits: (WireFrame) -> Bool) async throws -> WireFrame {
        try await wait(what) { $0.next(fits) }
    }

    /// The frame as ``receive(_:where:)`` returns it; `nil` if the client closed before.
    func receiveOrClosed(_ what: String, where fits: (WireFrame) -> Bool) async throws -> WireFrame? {
        try await wait(what) { state -> WireFrame?? in
            if let frame = state.next(fits) { return .some(frame) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// Sends a PING and waits for its acknowledgement: the client's frames in reaction to all earlier ones are in the log
    /// then.
    func roundTrip() async throws {
        let payload = withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) }
        try await send(.ping(payload))
        _ = try await receive("the acknowledgement of PING") { $0.kind == .ping && $0.isAck && $0.payload == payload }
    }

    // MARK: Requests

    /// The next request that was not taken.
    ///
    /// - Throws: ``PeerError``; of kind `noFurtherRequest` if the client closed, with which a script may end.
    func request() async throws -> PeerRequest {
        if let request = try await requestOrClosed() { return request }
        throw error(.noFurtherRequest, "closed while the script waited for a request")
    }

    /// The next request that was not taken; `nil` if the client closed before.
    func requestOrClosed() async throws -> PeerRequest? {
        try await wait("a request") { state -> PeerRequest?? in
            if let request = state.nextRequest() { return .some(request) }
            if let failure = state.failure { throw error(.unexpected, failure, state) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// Responds to requests one after the other until the client closes.
    func serve(_ answer: (PeerRequest) async throws -> Void) async throws {
        while let request = try await requestOrClosed() { try await answer(request) }
    }

    /// The content of a request until its end, without padding.
    ///
    /// - Parameter creditsWindows: Whether WINDOW_UPDATE for the connection and the stream is sent for each frame.
    func body(of stream: UInt32, creditsWindows: Bool = true) async throws -> [UInt8] {
        try await body(of: stream, atLeast: .max, creditsWindows: creditsWindows)
    }

    /// The content of a request as it arrives: whole frames up to a number of bytes, or fewer at its end.
    func body(of stream: UInt32, atLeast count: Int, creditsWindows: Bool = true) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let frame = try await data(of: stream) {
            bytes += frame.content
            let length = UInt32(frame.payload.count)
            if creditsWindows, length > 0 {
                let stream: [WireFrame] = frame.endsStream ? [] : [.windowUpdate(stream, length)]
                // A client that has closed needs no credit, and its bytes have arrived.
                try? await send([.windowUpdate(0, length)] + stream)
            }
            if frame.endsStream { break }
        }
        return bytes
    }

    /// The trailers of a request; waits for its end. `nil` if it has none.
    func trailers(of stream: UInt32) async throws -> [(String, String)]? {
        try await wait("the end of stream \(stream)") { state -> [(String, String)]?? in
            if let failure = state.failure { throw error(.unexpected, failure, state) }
            return state.ended.contains(stream) ? .some(state.trailers[stream]) : nil
        }
    }

    /// The next DATA of a stream; `nil` if it has ended.
    private func data(of stream: UInt32) async throws -> WireFrame? {
        try await wait("DATA of stream \(stream)") { state -> WireFrame?? in
            if let frame = state.next({ Self.fits($0, .data, stream) }) { return .some(frame) }
            if state.ended.contains(stream) { return .some(nil) }
            if let code = state.resets[stream] {
                throw error(.unexpected, "stream \(stream) was reset with \(code) within its body", state)
            }
            return nil
        }
    }

    /// An error for code that holds the state, which cannot lock it again for the log.
    private func error(_ kind: PeerError.Kind, _ message: String, _ state: PeerState) -> PeerError {
        PeerError(kind, "connection \(number): \(message)", log: state.log)
    }

    private static func isHousekeeping(_ frame: WireFrame) -> Bool {
        frame.kind == .windowUpdate || frame.kind == .ping || frame.kind == .settings && frame.isAck
    }

    private static func fits(_ frame: WireFrame, _ kind: WireFrame.Kind, _ stream: UInt32?) -> Bool {
        frame.kind == kind && (stream == nil || frame.stream == stream)
    }

    private static func name(_ kind: WireFrame.Kind, _ stream: UInt32?) -> String {
        "\(kind)" + (stream.map { " of stream \($0)" } ?? "")
    }
}
