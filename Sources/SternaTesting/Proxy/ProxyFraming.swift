import NIOCore

/// Finds the end of the body of a forwarded request (RFC 9112, 6.3).
struct ProxyFraming {
    private enum State: Equatable {
        case length(Int)
        case chunkLine
        case chunk(Int)
        case trailers
        case done
        case malformed
    }

    private var state: State
    private var line: [UInt8] = []

    init(_ headers: ServerHeaders) {
        if headers.hasToken("chunked", in: "Transfer-Encoding") {
            state = .chunkLine
        } else if let text = headers["Content-Length"] {
            state = Int(text).map { $0 > 0 ? .length($0) : .done } ?? .malformed
        } else {
            state = .done
        }
    }

    var isDone: Bool { state == .done }
    var isMalformed: Bool { state == .malformed }

    /// Takes the bytes that belong to the body.
    mutating func take(from buffer: inout ByteBuffer) -> ByteBuffer {
        let view = buffer.readableBytesView
        var index = view.startIndex
        while index < view.endIndex {
            switch state {
            case .done, .malformed: return buffer.readSlice(length: index - view.startIndex) ?? ByteBuffer()
            case .length(let left):
                let count = min(left, view.endIndex - index)
                index += count
                state = count == left ? .done : .length(left - count)
            case .chunk(let left):
                let count = min(left, view.endIndex - index)
                index += count
                state = count == left ? .chunkLine : .chunk(left - count)
            case .chunkLine, .trailers:
                line.append(view[index])
                index += 1
                if line.last == 0x0A { endLine() }
            }
        }
        return buffer.readSlice(length: buffer.readableBytes) ?? ByteBuffer()
    }

    private mutating func endLine() {
        let text = ASCIIText.trimmed(String(decoding: line.filter { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self))
        line = []
        if state == .trailers {
            if text.isEmpty { state = .done }
            return
        }
        let digits = text.prefix { $0 != ";" }
        guard let size = Int(ASCIIText.trimmed(digits), radix: 16), size >= 0, size < 1 << 40 else {
            state = .malformed
            return
        }
        // The line end after a chunk's data counts with it.
        state = size == 0 ? .trailers : .chunk(size + 2)
    }
}
