import SternaPlatform

/// A request body sorted into httpbin's members `data`, `files`, `form` and `json`.
struct EchoBody {
    var data = ""
    var files: [ServerHeaders.Field] = []
    var form: [ServerHeaders.Field] = []
    var json = EchoJSON.null

    init(_ bytes: [UInt8], contentType: String?) throws {
        guard !bytes.isEmpty else { return }
        let type = ASCIIText.trimmed(contentType?.split(separator: ";").first ?? "")
        if ASCIIText.equalIgnoringCase(type, "application/x-www-form-urlencoded") {
            form = ASCIIText.formPairs(String(decoding: bytes, as: UTF8.self))
        } else if ASCIIText.equalIgnoringCase(type, "multipart/form-data") {
            guard let boundary = Self.boundary(contentType ?? "") else {
                throw ServerRouteError(status: 400, message: "multipart body without a boundary")
            }
            try readMultipart(bytes, boundary: boundary)
        } else {
            data = Self.shown(bytes, type: type)
            json = EchoJSON(parsing: bytes) ?? .null
        }
    }

    /// Returns text as it is, and other bytes as a `data:` URL.
    static func shown(_ bytes: [UInt8], type: String) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let shownType = type.isEmpty ? "application/octet-stream" : type
        return "data:\(shownType);base64,\(Data(bytes).base64EncodedString())"
    }

    static func boundary(_ contentType: String) -> String? {
        let value = parameter("boundary", of: contentType)
        return value.flatMap { (1...200).contains($0.utf8.count) ? $0 : nil }
    }

    /// Returns a parameter of a field value such as `form-data; name="a"` (RFC 9110 §5.6.6).
    static func parameter(_ name: String, of value: String) -> String? {
        var rest = Array(value.utf8)[...]
        guard let semicolon = rest.firstIndex(of: 0x3B) else { return nil }
        rest = rest[(semicolon + 1)...]
        while !rest.isEmpty {
            let equals = rest.firstIndex(of: 0x3D) ?? rest.endIndex
            let found = ASCIIText.trimmed(String(decoding: rest[..<equals], as: UTF8.self))
            rest = rest[equals...].dropFirst()
            var text: [UInt8] = []
            if rest.first == 0x22 {
                rest = rest.dropFirst()
                while let byte = rest.popFirst(), byte != 0x22 {
                    // Browsers do not escape backslashes of file names, so only an escaped quote or backslash counts as an
                    // escape.
                    if byte == 0x5C, let next = rest.first, next == 0x22 || next == 0x5C {
                        text.append(next)
                        rest = rest.dropFirst()
                    } else {
                        text.append(byte)
                    }
                }
                rest = rest[(rest.firstIndex(of: 0x3B) ?? rest.endIndex)...]
            } else {
                let end = rest.firstIndex(of: 0x3B) ?? rest.endIndex
                text = Array(ASCIIText.trimmed(String(decoding: rest[..<end], as: UTF8.self)).utf8)
                rest = rest[end...]
            }
            rest = rest.dropFirst()
            if ASCIIText.equalIgnoringCase(found, name) { return String(decoding: text, as: UTF8.self) }
        }
        return nil
    }

    // MARK: Multipart (RFC 7578, RFC 2046 §5.1)

    private static let partLimit = 10_000

    private mutating func readMultipart(_ bytes: [UInt8], boundary: String) throws {
        let malformed = ServerRouteError(status: 400, message: "malformed multipart body")
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var position: Int
        if bytes.starts(with: delimiter.dropFirst(2)) {
            position = delimiter.count - 2
        } else if let first = Self.find(delimiter, in: bytes, from: 0) {
            position = first + delimiter.count
        } else {
            throw malformed
        }
        for _ in 0..<Self.partLimit {
            if bytes[position...].starts(with: [0x2D, 0x2D]) { return }
            guard let lineEnd = Self.find([0x0D, 0x0A], in: bytes, from: position),
                let end = Self.find(delimiter, in: bytes, from: lineEnd)
            else { throw malformed }
            try readPart(Array(bytes[lineEnd..<end]), malformed)
            position = end + delimiter.count
        }
        throw ServerRouteError(status: 413, message: "over \(Self.partLimit) parts")
    }

    /// A part begins at the line break before its first header line.
    private mutating func readPart(_ part: [UInt8], _ malformed: ServerRouteError) throws {
        let blank: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard let headEnd = Self.find(blank, in: part, from: 0) else { throw malformed }
        let content = Array(part[(headEnd + 4)...])
        var disposition = ""
        var type = ""
        for line in part[..<headEnd].split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
            guard let colon = line.firstIndex(of: 0x3A) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            let value = ASCIIText.trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self))
            if ASCIIText.equalIgnoringCase(name, "Content-Disposition") { disposition = value }
            if ASCIIText.equalIgnoringCase(name, "Content-Type") { type = value }
        }
        guard let name = Self.parameter("name", of: disposition) else { throw malformed }
        let field = ServerHeaders.Field(name: name, value: Self.shown(content, type: type))
        if Self.parameter("filename", of: disposition) != nil { files.append(field) } else { form.append(field) }
    }

    private static func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = needle.first, start >= 0, start <= bytes.count - needle.count else { return nil }
        let last = bytes.count - needle.count
        var index = start
        while index <= last {
            if bytes[index] == first, bytes[index..<(index + needle.count)].elementsEqual(needle) { return index }
            index += 1
        }
        return nil
    }
}
