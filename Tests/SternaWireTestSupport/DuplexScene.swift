import HTTPTypes
import NIOCore
import SternaCore
import SternaTransport
import Synchronization

@testable import SternaTestSupport

/// Helpers for the tests of exchanges that switch protocols.
enum DuplexScene {
    /// A request that asks for a protocol, by an engine's transport.
    static func request(_ url: String, to name: String = "echo", total: Duration = Wire.patience) throws -> Request {
        var request = Request(.get, try HTTPURL(url))
        request.headers[.upgrade] = name
        request.headers[.connection] = "Upgrade"
        request.delivery = .duplex
        request.timeouts.total = total
        return request
    }

    /// Reads until a number of bytes have arrived, or the peer ends.
    static func text(_ stream: any DuplexStream, count: Int) async throws -> String {
        var all = Bytes()
        while all.readableBytes < count, let piece = try await stream.next() { all.writeImmutableBuffer(piece) }
        return String(buffer: all)
    }

    /// Puts bytes in pieces as fast as the peer takes them.
    static func send(_ count: Int, by stream: any DuplexStream, piece: Int = 16 << 10) async throws {
        var left = count
        while left > 0 {
            if !stream.hasRoom { try await stream.room() }
            stream.put(Bytes(repeating: 0x78, count: min(left, piece)))
            left -= piece
        }
    }
}

/// A handler that keeps what arrives.
final class DuplexRecorder: DuplexHandler {
    private struct State {
        var bytes = Bytes()
        var isPausing = false
        var ends: [SternaError?] = []
    }

    private let state = Mutex(State())

    var text: String { state.withLock { String(buffer: $0.bytes) } }
    var count: Int { state.withLock { $0.bytes.readableBytes } }

    /// The ends so far: nil for an orderly one.
    var ends: [SternaError?] { state.withLock { $0.ends.map { $0 } } }

    /// Whether each call asks for a pause.
    var isPausing: Bool {
        get { state.withLock { $0.isPausing } }
        set { state.withLock { $0.isPausing = newValue } }
    }

    func received(_ bytes: Bytes) -> Bool {
        state.withLock { state in
            state.bytes.writeImmutableBuffer(bytes)
            return !state.isPausing
        }
    }

    func ended(_ error: SternaError?) { state.withLock { $0.ends.append(error) } }
}

/// A handler that sends back what arrives.
final class DuplexEcho: DuplexHandler {
    private let stream: any DuplexStream
    private let state = Mutex((count: 0, isRunning: false, wasReentered: false, hasEnded: false))

    init(_ stream: any DuplexStream) { self.stream = stream }

    var count: Int { state.withLock { $0.count } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether a call came while another one ran.
    var wasReentered: Bool { state.withLock { $0.wasReentered } }

    func received(_ bytes: Bytes) -> Bool {
        state.withLock { state in
            state.count += bytes.readableBytes
            if state.isRunning { state.wasReentered = true }
            state.isRunning = true
        }
        stream.put(bytes)
        state.withLock { $0.isRunning = false }
        return true
    }

    func ended(_ error: SternaError?) {
        state.withLock { state in
            if state.isRunning { state.wasReentered = true }
            state.hasEnded = true
        }
    }
}
