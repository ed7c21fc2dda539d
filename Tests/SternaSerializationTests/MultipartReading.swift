import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// What a multipart parser makes of bytes.
struct MultipartReading: Hashable, CustomStringConvertible {
    struct Part: Hashable {
        var fields: [String] = []
        var body: [UInt8] = []
        var isComplete = false
    }

    var parts: [Part] = []
    var isEnded = false
    var error: SternaError.Kind?

    init() {}

    init(_ parts: [([String], String)], isEnded: Bool = true) {
        self.parts = parts.map { Part(fields: $0.0, body: Array($0.1.utf8), isComplete: true) }
        self.isEnded = isEnded
    }

    /// Reads pieces; those after an error are not appended.
    init(_ pieces: some Sequence<some Sequence<UInt8>>, by parser: MultipartParser) {
        var parser = parser
        do {
            for piece in pieces {
                parser.append(Bytes(bytes: piece))
                try take(&parser)
            }
            try parser.finish()
            try take(&parser)
        } catch let failure as SternaError {
            error = failure.kind
        } catch {
            self.error = .interceptorFailed
        }
    }

    private mutating func take(_ parser: inout MultipartParser) throws {
        while let event = try parser.next() {
            switch event {
            case .part(let fields): parts.append(Part(fields: fields.map { "\($0.name.rawName): \($0.value)" }))
            case .bytes(let bytes): if !parts.isEmpty { parts[parts.count - 1].body += bytes.readableBytesView }
            case .partEnd: if !parts.isEmpty { parts[parts.count - 1].isComplete = true }
            case .end: isEnded = true
            }
        }
    }

    var description: String {
        let shown = parts.map { part in
            "\(part.fields) \(String(decoding: part.body, as: UTF8.self).debugDescription)\(part.isComplete ? "" : " …")"
        }
        return "\(shown)\(isEnded ? "" : " without an end")\(error.map { " \($0)" } ?? "")"
    }
}
