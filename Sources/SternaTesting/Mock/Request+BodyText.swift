public import SternaCore

extension Request {
    /// The body as UTF-8 text, for comparisons in tests; nil without a body. Invalid bytes become U+FFFD.
    ///
    ///     #expect(try await mock.requests.last?.bodyText == #"{"name":"Ada"}"#)
    ///
    /// A file is read now. Throws the errors of a ``SternaCore/BodyReader``, and `bodyNotReplayable` for a stream that was read
    /// before.
    public var bodyText: String? {
        get async throws {
            guard let body else { return nil }
            var reader = BodyReader(body)
            var bytes: [UInt8] = []
            while let piece = try await reader.next() { bytes += piece.array }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
