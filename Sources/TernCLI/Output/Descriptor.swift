import NIOCore
import Sterna
import SternaPlatform

/// An output, by its file descriptor. Writing blocks until all bytes are written.
struct Descriptor: Sendable {
    var number: CInt
    var name: String

    static let standardOutput = Descriptor(number: 1, name: "standard output")
    static let standardError = Descriptor(number: 2, name: "standard error")

    /// Writes all bytes; throws `OutputError`.
    func write(_ bytes: Bytes) throws(OutputError) {
        var failure: CInt?
        // The pointer stays within the closure, which writes at most the bytes available.
        bytes.withUnsafeReadableBytes { raw in
            var rest = raw[...]
            while failure == nil, !rest.isEmpty {
                failure = writeSome(&rest)
            }
        }
        if let failure { throw OutputError(name: name, code: failure) }
    }

    /// Writes a text; throws `OutputError`.
    func write(_ text: String) throws(OutputError) { try write(Bytes(text: text)) }

    /// Writes a line, ignoring errors such as a closed pipe.
    func print(_ line: String) {
        try? write(line + "\n")
    }

    private static let posixWrite = SternaPlatform.write

    private func writeSome(_ rest: inout Slice<UnsafeRawBufferPointer>) -> CInt? {
        let count = Self.posixWrite(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
            rest = rest.dropFirst(count)
            return nil
        }
        switch errno {
        case EINTR: return nil
        case EAGAIN:
            // The descriptor is shared with a process that made it non-blocking.
            var wish = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            poll(&wish, 1, 1_000)
            return nil
        default: return errno
        }
    }
}

/// A failure to write output.
struct OutputError: Error, Hashable, CustomStringConvertible {
    var name: String
    var code: CInt

    /// Whether the reader has closed the pipe, which is no error of the program.
    var isBrokenPipe: Bool { code == EPIPE }

    var description: String { "\(name) cannot be written: \(String(cString: strerror(code)))." }
}
