import NIOCore

extension ServerResponse {
    /// The boundary of bodies of several parts, unless another is given.
    static let boundary = "sterna-testing-part"

    /// Returns a body of several parts (RFC 2046, 5.1), each with the header fields and the body of a response.
    ///
    ///     server.route("GET", "/report") { _ in .multipart([.text("two nests"), .bytes(photo, mediaType: "image/jpeg")]) }
    ///
    /// - Parameters:
    ///   - parts: the parts, whose bodies must not contain the boundary. Their statuses and trailer fields do not count, nor do raw
    ///     bodies. Streams are written when it is their turn; the whole is then a stream, too.
    ///   - subtype: the subtype in the media type, such as `byteranges`.
    ///   - boundary: the boundary between the parts.
    public static func multipart(
        _ parts: [ServerResponse], subtype: String = "mixed", boundary: String = "sterna-testing-part",
        status: Int = 200,
        headers: ServerHeaders = [:]
    ) -> ServerResponse {
        let bodies = parts.map(\.body.written)
        let leads = parts.enumerated().map { partLead($0.element.headers, boundary, isFirst: $0.offset == 0) }
        let end = partEnd(boundary, isFirst: parts.isEmpty)
        var all = ServerResponse(
            status: status, headers: ["Content-Type": "multipart/\(subtype); boundary=\"\(boundary)\""])
        all.headers.fields += headers.fields
        if bodies.contains(where: { if case .stream = $0 { true } else { false } }) {
            all.body = .stream(length: nil) { writer in
                for (lead, body) in zip(leads, bodies) {
                    try await writer.write(lead)
                    switch body {
                    case .bytes(let bytes): try await writer.write(bytes)
                    case .stream(_, let write): try await write(writer)
                    case .empty, .content, .raw: break
                    }
                }
                try await writer.write(end)
            }
        } else {
            var bytes: [UInt8] = []
            for (lead, body) in zip(leads, bodies) {
                bytes += lead
                if case .bytes(let more) = body { bytes += more }
            }
            all.body = .bytes(bytes + end)
        }
        return all
    }

    /// Returns the ranges of bytes that a request asks for (RFC 9110, 14): the whole as 200, one range as 206, several as 206 with
    /// `multipart/byteranges`, each as requested and in that order, or 416.
    ///
    ///     server.route("GET", "/film") { request in .ranges(of: film, for: request) }
    ///
    /// A Range field of another unit, an invalid one and one with more than 100 ranges are ignored. So are ranges that overlap and
    /// would be longer than the whole together (RFC 9110, 14.2), and a field whose `If-Range` differs from the `ETag` among the
    /// header fields.
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
        guard ranges.reduce(0, { $0 + $1.count }) <= bytes.count else {
            return .bytes(bytes, mediaType: mediaType, headers: headers)
        }
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
                ServerResponse.bytes(bytes[range], mediaType: mediaType, headers: ["Content-Range": line])
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
