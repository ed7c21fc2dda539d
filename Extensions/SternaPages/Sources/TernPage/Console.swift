import NIOCore
import Sterna
import SternaPages
import SternaPlatform
import Synchronization

/// Lines for people.
enum Console {
    /// Prints a line to standard error.
    static func complain(_ text: String) { write(2, "tern: \(clean(text))\n") }

    /// Prints a line to standard output.
    static func say(_ text: String) { write(1, "\(clean(text))\n") }

    /// Takes control characters out of a text, and changes of direction.
    static func clean(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x0D, 0x09: result += " "
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static let posixWrite = SternaPlatform.write

    /// Writes a text; an error such as a closed pipe is none of the program's.
    static func write(_ descriptor: CInt, _ text: String) { _ = writeAll(Bytes(text: text), to: descriptor) }

    /// Writes all bytes; returns the error's number, or 0.
    static func writeAll(_ bytes: Bytes, to descriptor: CInt) -> CInt {
        // The pointer stays within the closure, which writes at most the bytes available.
        bytes.withUnsafeReadableBytes { raw in
            var rest = raw[...]
            while !rest.isEmpty {
                let count = posixWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }
}

/// The progress on a terminal: one line on standard error, at most ten times a second.
final class ProgressLine: Sendable {
    private struct State {
        var last = ContinuousClock.now
        var isDrawn = false
    }

    private let isEnabled: Bool
    private let state = Mutex(State())

    init(isEnabled: Bool) {
        let isDumb = getenv("TERM").map { String(cString: $0) } == "dumb"
        self.isEnabled = isEnabled && isatty(2) == 1 && !isDumb
    }

    func show(_ progress: PageProgress) {
        guard isEnabled else { return }
        state.withLock { state in
            guard ContinuousClock.now - state.last >= .milliseconds(100) else { return }
            state.last = .now
            state.isDrawn = true
            Console.write(2, "\r\(progress)\u{1B}[K")
        }
    }

    func clear() {
        state.withLock { state in
            if state.isDrawn { Console.write(2, "\r\u{1B}[K") }
            state.isDrawn = false
        }
    }
}
