import NIOCore
public import SternaCore
public import SternaSerialization

/// The lines of a response, as they arrive.
///
///     try await api.withResponse(to: .get("log")) { response in
///         for try await line in response.lines { print(line) }
///     }
extension Response {
    /// The body's lines, without their ends (LF or CRLF), as UTF-8 with invalid bytes replaced. A line of more than 1 MiB throws
    /// `limitExceeded`. The sequence can be read as often as the body. To store it, declare the property as
    /// `any AsyncSequence<String, any Error> & Sendable`.
    public var lines: some AsyncSequence<String, any Error> & Sendable { lines(upTo: 1 << 20) }

    /// The body's lines.
    ///
    /// - Parameter limit: the maximum length of a line in bytes; a longer one throws `limitExceeded`, and the rest of the body is
    ///   cancelled.
    public func lines(upTo limit: Int) -> some AsyncSequence<String, any Error> & Sendable {
        ResponseLines(body: body, limit: max(0, limit))
    }

    /// The values of the body's lines, each of them JSON (JSON Lines, ndjson), whatever the media type; blank lines are skipped.
    ///
    ///     for try await entry in response.decode(lines: Entry.self) { print(entry.id) }
    ///
    /// Throws `decodingFailed` for a line that does not decode, and `limitExceeded` for one above the limit; both cancel the rest
    /// of the body.
    ///
    /// - Parameters:
    ///   - decoding: how values are read; by default by the session's ``SessionSettings/decoding``.
    ///   - limit: the maximum length of a line in bytes; 1 MiB by default.
    public func decode<Value: Decodable & Sendable>(
        lines type: Value.Type = Value.self, decoding: DecodingSettings? = nil, upTo limit: Int = 1 << 20
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        let decoding = decoding ?? self.decoding ?? DecodingSettings()
        return DecodedLines<Value>(response: self, limit: max(0, limit), decoding: decoding)
    }
}

/// The body of a response as lines; it can be read as often as the body.
struct ResponseLines: AsyncSequence, Sendable {
    typealias Element = String
    let body: ResponseBody
    let limit: Int

    func makeAsyncIterator() -> Iterator { Iterator(body, limit: limit) }

    /// Reads the body line by line.
    struct Iterator: AsyncIteratorProtocol {
        private let body: ResponseBody
        private var reader: LineReader<ResponseBody.AsyncIterator>

        init(_ body: ResponseBody, limit: Int) {
            self.body = body
            reader = LineReader(body.makeAsyncIterator(), limit: limit)
        }

        /// Returns the next line; nil at the end. Throws the errors of reading the body, and `limitExceeded` for a line that is
        /// too long.
        mutating func next() async throws -> String? {
            try await nextLine().map { String(decoding: $0.readableBytesView, as: UTF8.self) }
        }

        mutating func nextLine() async throws -> Bytes? {
            do {
                return try await reader.next()
            } catch {
                body.cancel()
                throw error
            }
        }
    }
}

/// The lines of a response as values from JSON.
struct DecodedLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    typealias Element = Value
    let response: Response
    let limit: Int
    let decoding: DecodingSettings

    func makeAsyncIterator() -> Iterator {
        Iterator(
            response: response, lines: ResponseLines.Iterator(response.body, limit: limit),
            serializer: DecodableResponseSerializer<Value>(decoding: decoding))
    }

    /// Reads the body value by value.
    struct Iterator: AsyncIteratorProtocol {
        let response: Response
        var lines: ResponseLines.Iterator
        let serializer: DecodableResponseSerializer<Value>

        /// Returns the next value; nil at the end. Throws the errors of reading the body, and `decodingFailed` for a line that
        /// does not fit.
        mutating func next() async throws -> Value? {
            while let line = try await lines.nextLine() {
                guard !line.isBlank else { continue }
                do {
                    return try serializer.value(of: response, body: line)
                } catch {
                    response.body.cancel()
                    throw SternaError.wrap(error, as: .decodingFailed, phase: .decode, "\(error)")
                }
            }
            return nil
        }
    }
}
