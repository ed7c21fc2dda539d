import NIOCore
import NIOHTTP2
import SternaCore

/// The windows of a stream (RFC 9113, 5.2).
extension HTTP2Stream {
    /// Whether the body is known to be so large that its window matters.
    var hasLargeBody: Bool {
        let least = Int64(WindowTuner.probedBytes)
        return contentCount >= least || head?.contentLength ?? 0 >= least
    }

    /// Checks a WINDOW_UPDATE for a stream that this side has ended (RFC 9113, 6.9 and 6.9.1).
    func windowOpened(by increment: Int) {
        guard increment > 0 else { return fail(Self.noIncrement, .protocolError) }
        guard increment <= Int(Int32.max) - sendWindow else { return fail(Self.windowTooLarge, .flowControlError) }
        sendWindow += increment
    }

    private static let noIncrement = SternaError(
        .malformedResponse, phase: .read, "The server broke HTTP/2: it sent a WINDOW_UPDATE of 0 bytes on a stream.")

    private static let windowTooLarge = SternaError(
        .malformedResponse, phase: .read,
        "The server broke HTTP/2: it raised a stream's window above 2,147,483,647 bytes.")

    /// Notes how much the peer may still send; allows more unless the reader lags behind.
    func windowIsLeft(_ size: Int) {
        receiveWindow.isLeft(size)
        // After the reader has taken the present bytes: only then is it known whether it keeps up.
        connection.deliverLater(self)
    }

    func credit() {
        guard responseHalf == .open, connection.canCredit else { return }
        if let pipe, pipe.pauseIfFull() {
            readIsHeld = true
            if exchange?.call?.isPaused == true { connection.boundPausedBytes() }
            return
        }
        if readIsHeld { readGoesOn() }
        let keepsUp = pipe?.isKeptUpWith == true
        let target = keepsUp ? connection.streamTarget : ReceiveWindow.initial
        let expected = head?.contentLength.map { max(0, $0 - contentCount) }
        guard let more = receiveWindow.credit(upTo: target, expected: expected) else { return }
        connection.allow(more, on: id)
        let now = shard.clock.now
        if keepsUp, let lastCredit, now - lastCredit < WindowTuner.leastCreditInterval {
            connection.tuner.isAskedOften()
        }
        lastCredit = now
    }

    func resumeReading() {
        shard.loop.assertInEventLoop()
        guard readIsHeld else { return }
        readGoesOn()
        credit()
        connection.flushSoon()
    }

    // Resumes reading: from now on the exchange waits for the server again.
    private func readGoesOn() {
        readIsHeld = false
        lastActivity = shard.clock.now
        measureAnew()
        if let exchange { shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.betweenBytes) }
    }
}
