import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization

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

    // MARK: Multipart (RFC 7578)

    private static let partLimit = 10_000

    private mutating func readMultipart(_ bytes: [UInt8], boundary: String) throws {
        let malformed = ServerRouteError(status: 400, message: "malformed multipart body")
        var limits = PartLimits()
        // The body is in memory, so its own length is the limit.
        (limits.header, limits.preamble, limits.parts) = (bytes.count, bytes.count, Self.partLimit)
        guard var parser = MultipartParser(boundary: boundary, limits: limits) else { throw malformed }
        parser.append(ByteBuffer(bytes: bytes))
        var fields = HTTPFields()
        var content: [UInt8] = []
        var isOver = false
        do throws(SternaError) {
            while !isOver {
                switch try parser.next() {
                case .part(let header): (fields, content) = (header, [])
                case .bytes(let more): content += more.readableBytesView
                case .partEnd:
                    guard addPart(fields, content) else { throw SternaError(.malformedResponse, phase: .decode, "") }
                case .end: isOver = true
                case nil: try parser.finish()
                }
            }
        } catch {
            throw error.kind == .limitExceeded
                ? ServerRouteError(status: 413, message: "over \(Self.partLimit) parts, or too many fields") : malformed
        }
    }

    /// Adds a part to the fields or the files. Returns false for one without a name.
    private mutating func addPart(_ fields: HTTPFields, _ content: [UInt8]) -> Bool {
        let disposition = fields[.contentDisposition] ?? ""
        guard let name = Self.parameter("name", of: disposition) else { return false }
        let type = fields[.contentType] ?? ""
        let field = ServerHeaders.Field(name: name, value: Self.shown(content, type: type))
        if Self.parameter("filename", of: disposition) != nil { files.append(field) } else { form.append(field) }
        return true
    }
}
