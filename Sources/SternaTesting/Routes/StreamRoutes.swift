import NIOCore

extension BuiltInRoutes {
    /// The maximum length of a generated body, in bytes.
    static let bytesLimit = 1 << 40

    static let streams: [ServerRoute] = [
        now(["GET"], "/1k") { _ in .bytes(oneKilobyte) },
        now(["GET"], "/bytes/{n}") { request in
            let count = try number("n", of: request, in: 0...bytesLimit)
            let block = PatternBlock(seed: try seed(of: request), count: min(count, PatternBlock.period))
            if count <= PatternBlock.period { return .bytes(block.bytes) }
            return stream(length: count, block: block, pieceSize: 256 << 10, declared: true)
        },
        now(["GET"], "/stream-bytes/{n}") { request in
            let count = try number("n", of: request, in: 0...bytesLimit)
            let size = try number(query: "chunk_size", of: request, default: 10 << 10, in: 1...(1 << 20))
            let block = PatternBlock(seed: try seed(of: request), count: min(count, PatternBlock.period))
            return stream(length: count, block: block, pieceSize: size, declared: false)
        },
        now(["GET"], "/stream/{n}") { request in
            let count = try number("n", of: request, in: 0...10_000_000)
            let members = described(request)
            return ServerResponse(
                headers: ["Content-Type": "application/json"],
                body: .stream(length: nil) { writer in
                    for line in 0..<count {
                        try await writer.write(
                            EchoJSON.object([("id", .int(line))] + members).text() + "\n")
                    }
                })
        },
        now(["GET"], "/drip") { request in
            let duration = try seconds(request.query("duration"), default: 2, atMost: 60)
            let delay = try seconds(request.query("delay"), default: 0, atMost: 60)
            let count = try number(query: "numbytes", of: request, default: 10, in: 0...(10 << 20))
            let code = try number(query: "code", of: request, default: 200, in: 200...599)
            return drip(count: count, over: duration, after: delay, code: code)
        },
        now(["GET"], "/trailers") { _ in
            ServerResponse(
                headers: ["Content-Type": "text/plain; charset=utf-8", "Trailer": "X-Checksum, X-Count"],
                body: .stream(length: nil) { writer in
                    try await writer.write("body with ")
                    try await writer.write("trailers\n")
                }, trailers: ["X-Checksum": "8d5f", "X-Count": "2"])
        },
        now(["GET"], "/range/{n}") { try range($0) },
    ]

    private static let oneKilobyte = Array(repeating: Array("0123456789abcdef".utf8), count: 64).flatMap { $0 }

    private static func seed(of request: ServerRequest) throws -> UInt64 {
        guard let text = request.query("seed") else { return .random(in: 0...UInt64.max) }
        guard let seed = Int64(text) else { throw badRequest("seed must be an integer") }
        return UInt64(bitPattern: seed)
    }

    private static func stream(length: Int, block: PatternBlock, pieceSize: Int, declared: Bool) -> ServerResponse {
        ServerResponse(
            headers: ["Content-Type": "application/octet-stream"],
            body: .stream(length: declared ? length : nil) { writer in
                let source = ByteBuffer(bytes: block.doubled(for: pieceSize))
                var sent = 0
                while sent < length {
                    let count = min(pieceSize, length - sent)
                    let start = sent % max(1, block.bytes.count)
                    try await writer.write(source.getSlice(at: start, length: count) ?? ByteBuffer())
                    sent += count
                }
            })
    }

    private static func drip(count: Int, over duration: Double, after delay: Double, code: Int) -> ServerResponse {
        ServerResponse(
            status: code, headers: ["Content-Type": "application/octet-stream"],
            body: .stream(length: count) { writer in
                try await Task.sleep(for: .seconds(delay))
                let pieces = max(1, min(count, 10_000))
                var sent = 0
                for piece in 1...pieces {
                    let end = count * piece / pieces
                    try await writer.write(Array(repeating: 0x2A, count: end - sent))
                    sent = end
                    if piece < pieces { try await Task.sleep(for: .seconds(duration / Double(pieces))) }
                }
            })
    }

    // MARK: Ranges (RFC 9110 §14)

    private static func range(_ request: ServerRequest) throws -> ServerResponse {
        let count = try number("n", of: request, in: 0...bytesLimit)
        let etag = "\"range\(count)\""
        var headers: ServerHeaders = [
            "Content-Type": "application/octet-stream", "ETag": etag, "Accept-Ranges": "bytes",
        ]
        var part = 0..<count
        var status = 200
        let condition = request.headers["If-Range"]
        if let asked = request.headers["Range"], condition == nil || condition == etag,
            let found = ByteRangeSpec(asked)
        {
            guard let resolved = found.resolved(in: count) else {
                headers["Content-Range"] = "bytes */\(count)"
                return .message("range not satisfiable", status: 416, headers: headers.without("Content-Type"))
            }
            part = resolved
            status = 206
            headers["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)"
        }
        return ServerResponse(
            status: status, headers: headers,
            body: .stream(length: part.count) { [part] writer in
                let alphabet = ByteBuffer(bytes: (0..<65_562).map { UInt8(0x61 + $0 % 26) })
                var position = part.lowerBound
                while position < part.upperBound {
                    let size = min(65_536, part.upperBound - position)
                    try await writer.write(alphabet.getSlice(at: position % 26, length: size) ?? ByteBuffer())
                    position += size
                }
            })
    }
}

extension ServerHeaders {
    func without(_ name: String) -> ServerHeaders {
        var copy = self
        copy[name] = nil
        return copy
    }
}

/// A requested single byte range; several at once are ignored, as RFC 9110 §14.2 allows.
struct ByteRangeSpec {
    private let first: Int?
    private let last: Int?

    init?(_ text: String) {
        let trimmed = ASCIIText.trimmed(text)
        guard trimmed.lowercased().hasPrefix("bytes="), !trimmed.contains(",") else { return nil }
        let ends = trimmed.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let texts = ends.map { ASCIIText.trimmed($0) }
        guard texts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
        first = Int(texts[0])
        last = Int(texts[1])
        if first == nil && last == nil { return nil }
        if (first == nil) != texts[0].isEmpty || (last == nil) != texts[1].isEmpty { return nil }
        if let first, let last, last < first { return nil }
    }

    func resolved(in count: Int) -> Range<Int>? {
        guard let first else {
            guard let last, last > 0, count > 0 else { return nil }
            return max(0, count - last)..<count
        }
        guard first < count else { return nil }
        return first..<(min(last ?? count - 1, count - 1) + 1)
    }
}

/// Bytes derived from a seed, repeated with a period of the prime 65 521, so that misplaced pieces of a body are detected.
struct PatternBlock: Sendable {
    static let period = 65_521

    let bytes: [UInt8]

    init(seed: UInt64, count: Int) {
        var state = seed
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var word: UInt64 = 0
        for index in 0..<max(0, count) {
            if index & 7 == 0 { word = Self.next(&state) }
            bytes.append(UInt8(truncatingIfNeeded: word))
            word >>= 8
        }
        self.bytes = bytes
    }

    /// Returns the block repeated so often that a piece of that size can begin anywhere within its first period.
    func doubled(for pieceSize: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        var out = bytes
        while out.count < bytes.count + pieceSize { out += bytes }
        return out
    }

    /// SplitMix64.
    private static func next(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
