import NIOCore
import SternaCore

/// Hides the content of parts whose names say that it is a secret.
struct MultipartRedaction {
    /// The line that begins a part, without the line end in front of it.
    let boundary: [UInt8]

    init(boundary: String) { self.boundary = Array("--\(boundary)".utf8) }

    /// - Parameter isFirst: whether the bytes begin the body; else what comes before the first line may end a secret.
    func shown(_ bytes: Bytes, isFirst: Bool) -> Bytes {
        var rest = bytes.readableBytesView[...]
        var shown = Bytes()
        var isSecret = !isFirst
        while let line = rest.firstRange(of: boundary) {
            write(rest[..<line.lowerBound], isSecret: isSecret, to: &shown)
            let part = rest[line.lowerBound...]
            let end = part.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? part.endIndex
            shown.writeBytes(part[..<end])
            isSecret = name(in: String(decoding: part[..<end], as: UTF8.self)).map { Redaction.isSecret($0) } ?? false
            rest = part[end...]
        }
        write(rest, isSecret: isSecret, to: &shown)
        return shown
    }

    private func write(_ content: ByteBufferView, isSecret: Bool, to shown: inout Bytes) {
        let lineEnd = Array("\r\n".utf8)
        let hasEnd = content.suffix(2).elementsEqual(lineEnd)
        guard isSecret, content.count > (hasEnd ? 2 : 0) else {
            shown.writeBytes(content)
            return
        }
        shown.writeString(Redaction.mark)
        if hasEnd { shown.writeBytes(lineEnd) }
    }

    private func name(in header: String) -> Substring? {
        header.firstRange(of: "name=\"").map { header[$0.upperBound...].prefix { $0 != "\"" } }
    }
}
