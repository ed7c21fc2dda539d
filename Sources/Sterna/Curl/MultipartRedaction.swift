import NIOCore
import SternaCore

/// Hides the content of parts whose names mark it as secret.
struct MultipartRedaction {
    /// The line that begins a part, without the line end in front of it.
    let boundary: [UInt8]

    init(boundary: String) { self.boundary = Array("--\(boundary)".utf8) }

    func shown(_ bytes: Bytes) -> Bytes {
        var rest = bytes.readableBytesView[...]
        var shown = Bytes()
        // The text before the first boundary may end a secret, and without any boundary its meaning is unknown.
        var isSecret = true
        while let line = rest.firstRange(of: boundary) {
            write(rest[..<line.lowerBound], isSecret: isSecret, to: &shown)
            let part = rest[line.lowerBound...]
            let end = part.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? part.endIndex
            shown.writeBytes(part[..<end])
            isSecret = Self.names(in: Array(part[..<end])).contains { Redaction.isSecret($0[...]) }
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

    /// Returns the values of all parameters `name` and `name*`, quoted or not, since servers differ in which one they use.
    private static func names(in header: [UInt8]) -> [String] {
        let mark = Array("name".utf8)
        var names: [String] = []
        for start in header.indices.dropLast(mark.count) {
            guard zip(header[start...], mark).allSatisfy({ $0 | 0x20 == $1 }) else { continue }
            if start > 0, FieldSyntax.isTokenByte(header[start - 1]) { continue }
            var rest = header[(start + mark.count)...]
            let isExtended = rest.first == UInt8(ascii: "*")
            if isExtended { rest = rest.dropFirst() }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            var value: ArraySlice<UInt8>
            if rest.first == UInt8(ascii: "\"") {
                value = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
            } else {
                value = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") }
            }
            if isExtended, let quote = value.lastIndex(of: UInt8(ascii: "'")) { value = value[(quote + 1)...] }
            names.append(String(decoding: value.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self))
        }
        return names
    }
}
