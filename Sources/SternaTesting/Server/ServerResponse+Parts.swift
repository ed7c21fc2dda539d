import NIOCore

extension ServerResponse {
    /// The boundary of bodies of several parts, unless another is given.
    static let boundary = "sterna-testing-part"

    /// Returns a body of several parts (RFC 2046, 5.1).
    ///
    ///     server.route("GET", "/report") { _ in
    ///         .multipart([(["Content-Type": "text/plain"], Array("two nests".utf8)), ([:], photo)])
    ///     }
    ///
    /// - Parameters:
    ///   - parts: the header fields and the content of each part, written as they are. The content must not contain the boundary.
    ///   - subtype: the subtype in the media type, such as `byteranges`.
    ///   - boundary: the boundary between the parts.
    public static func multipart(
        _ parts: [(headers: ServerHeaders, body: [UInt8])], subtype: String = "mixed",
        boundary: String = "sterna-testing-part", status: Int = 200, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        var body: [UInt8] = []
        for part in parts { body += partLead(part.headers, boundary, isFirst: body.isEmpty) + part.body }
        body += partEnd(boundary, isFirst: body.isEmpty)
        return .bytes(
            body, mediaType: "multipart/\(subtype); boundary=\"\(boundary)\"", status: status, headers: headers)
    }

    /// Returns the ranges of bytes that a request asks for (RFC 9110, 14): the whole as 200, one range as 206, several as 206 with
    /// `multipart/byteranges`, each as requested and in that order, or 416.
    ///
    ///     server.route("GET", "/film") { request in .ranges(of: film, for: request) }
    ///
    /// A Range field of another unit, an invalid one and one with more than 100 ranges are ignored. So is one whose `If-Range`
    /// differs from the `ETag` among the header fields.
    ///
    /// - Parameters:
    ///   - bytes: the whole representation.
    ///   - request: the request, of which only the header fields count.
    ///   - mediaType: the media type of the bytes.
    public static func ranges(
        of bytes: [UInt8], for request: ServerRequest, mediaType: String = "application/octet-stream",
        headers: ServerHeaders = [:]
    ) -> ServerResponse {
        var headers = headers
        headers["Accept-Ranges"] = "bytes"
        let condition = request.headers["If-Range"]
        guard let asked = request.headers["Range"], condition == nil || condition == headers["ETag"],
            let specs = ByteRangeSpec.list(asked)
        else { return .bytes(bytes, mediaType: mediaType, headers: headers) }
        let ranges = specs.compactMap { $0.resolved(in: bytes.count) }
        let lines = ranges.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\(bytes.count)" }
        switch ranges.count {
        case 0:
            headers["Content-Range"] = "bytes */\(bytes.count)"
            return .message("range not satisfiable", status: 416, headers: headers)
        case 1:
            headers["Content-Range"] = lines[0]
            return .bytes(bytes[ranges[0]], mediaType: mediaType, status: 206, headers: headers)
        default:
            let parts = zip(ranges, lines).map { range, line in
                (headers: ["Content-Type": mediaType, "Content-Range": line] as ServerHeaders, body: Array(bytes[range]))
            }
            return .multipart(parts, subtype: "byteranges", status: 206, headers: headers)
        }
    }

    /// Returns what precedes the content of a part.
    static func partLead(_ headers: ServerHeaders, _ boundary: String, isFirst: Bool) -> [UInt8] {
        let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("\(isFirst ? "" : "\r\n")--\(boundary)\r\n\(lines)\r\n".utf8)
    }

    /// Returns what follows the last part.
    static func partEnd(_ boundary: String, isFirst: Bool) -> [UInt8] {
        Array("\(isFirst ? "" : "\r\n")--\(boundary)--\r\n".utf8)
    }
}

extension ByteRangeSpec {
    /// Returns the ranges of a Range field; nil for an invalid field and for more than 100 ranges.
    static func list(_ text: String) -> [ByteRangeSpec]? {
        let trimmed = ASCIIText.trimmed(text)
        guard trimmed.lowercased().hasPrefix("bytes=") else { return nil }
        // Empty elements of a list are left out (RFC 9110, 5.6.1).
        let elements = trimmed.dropFirst(6).split(separator: ",").map { ASCIIText.trimmed($0) }.filter { !$0.isEmpty }
        guard (1...100).contains(elements.count) else { return nil }
        let specs = elements.compactMap { ByteRangeSpec("bytes=\($0)") }
        return specs.count == elements.count ? specs : nil
    }
}
