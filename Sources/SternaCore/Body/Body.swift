public import HTTPTypes
public import NIOCore

/// The content of a request: a list of segments that are sent one after another.
///
/// Bytes are sent as they are. A file's range is sent straight from the file if the connection allows it. A producer is pulled
/// on demand.
///
/// A body has a length when every segment has one. Redirects, retries and authentication repeat a request only if its body
/// ``isReplayable``.
public struct Body: Sendable {
    /// One run of a body.
    package enum Segment: Sendable {
        case bytes(Bytes)
        case file(FileRange)
        case producer(BodyProducer)
    }

    /// The segments in the order in which they are sent.
    package var segments: [Segment]

    /// The media type to send as Content-Type if the request has none (RFC 9110, 8.3).
    public var mediaType: String?

    /// The codings that were applied to the content, sent as Content-Encoding if the request has none (RFC 9110, 8.4).
    public var contentCoding: String?

    /// Makes the trailer fields (RFC 9110, 6.5), such as a digest of the content; called once all content has been passed on.
    ///
    /// With trailers, a body is sent in chunked coding over HTTP/1.1, and without Content-Length over HTTP/2. Fields for framing,
    /// routing or reading a message are refused (RFC 9110, 6.5.1). The request's Trailer field can announce the fields.
    public var trailers: (@Sendable () async throws -> HTTPFields)?

    /// Returns the body with ``trailers``.
    public func withTrailers(_ make: @escaping @Sendable () async throws -> HTTPFields) -> Body {
        var body = self
        body.trailers = make
        return body
    }

    /// Makes a body of segments.
    package init(segments: [Segment], mediaType: String? = nil) {
        self.segments = segments
        self.mediaType = mediaType
    }

    /// The length in bytes; nil if a producer's length is unknown. `Int64.max` means an overflow, which fails when the body is
    /// sent.
    public var length: Int64? {
        var total: Int64 = 0
        for segment in segments {
            guard let length = segment.length else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(length)
            total = overflow ? .max : sum
        }
        return total
    }

    /// The approximate length of the body, exact if ``length`` is known; nil if a producer has no estimate.
    public var estimatedLength: Int64? {
        var total: Int64 = 0
        for segment in segments {
            let own: Int64?
            if case .producer(let producer) = segment { own = producer.estimatedLength } else { own = segment.length }
            guard let own else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(max(0, own))
            total = overflow ? .max : sum
        }
        return total
    }

    /// Whether the body can be sent again from its start.
    public var isReplayable: Bool {
        segments.allSatisfy { segment in
            if case .producer(let producer) = segment { producer.isReplayable } else { true }
        }
    }
}

extension Body.Segment {
    /// The length in bytes; nil if it is unknown before the end.
    package var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.readableBytes)
        case .file(let range): range.length
        case .producer(let producer): producer.length
        }
    }
}

extension Body {
    /// A body of bytes.
    public static func bytes(_ bytes: Bytes, mediaType: String? = nil) -> Body {
        Body(segments: [.bytes(bytes)], mediaType: mediaType)
    }

    /// A body of bytes.
    public static func bytes(_ bytes: some Sequence<UInt8>, mediaType: String? = nil) -> Body {
        Body(segments: [.bytes(Bytes(bytes: bytes))], mediaType: mediaType)
    }

    /// A text in UTF-8, sent as `text/plain; charset=utf-8` unless another type is given.
    public static func text(_ text: String, mediaType: String = "text/plain; charset=utf-8") -> Body {
        Body(segments: [.bytes(Bytes(string: text))], mediaType: mediaType)
    }

    /// The content of a file, read while it is sent.
    ///
    /// It has no media type unless one is given; a session's `upload(file:)` derives it from the file name.
    ///
    /// Throws `fileUnreadable` at once if the file does not exist, is a directory, or may not be read. The request fails if the
    /// size of a file that is sent as a whole changes meanwhile.
    ///
    /// - Parameter range: the bytes to send, counted from 0; nil, the default, sends the whole file. A range that begins below 0
    ///   throws `fileUnreadable`; the request fails if the file ends before the range does.
    public static func file(
        _ file: some FileReference, range: Range<Int64>? = nil, mediaType: String? = nil
    ) throws(SternaError) -> Body {
        var part = try FileRange(wholeFile: file)
        if let range {
            guard range.lowerBound >= 0 else {
                throw BodyFault.negativeRange(lowerBound: range.lowerBound).error(part.path, phase: .prepare)
            }
            // Not negative, so the length does not overflow.
            part = FileRange(path: part.path, offset: range.lowerBound, length: range.upperBound - range.lowerBound)
        }
        return Body(segments: [.file(part)], mediaType: mediaType)
    }

    /// Makes a body of an asynchronous sequence's chunks, which can be sent only once.
    ///
    ///     let body = Body.stream(lines.map { $0 + "\n" })    // of String, [UInt8], Data or Bytes
    ///
    /// - Parameter length: the exact number of bytes, sent as Content-Length; a sequence that is shorter or longer fails the
    ///   request. Without it the body is sent in chunked coding over HTTP/1.1 (RFC 9112, 7.1), and without Content-Length over
    ///   HTTP/2.
    public static func stream<S: AsyncSequence & Sendable>(
        _ sequence: S, length: Int64? = nil, mediaType: String? = nil
    ) -> Body where S.Element: BodyPiece {
        Body(segments: [.producer(BodyProducer(once: sequence, length: length))], mediaType: mediaType)
    }

    /// Makes a body of readers, which can be sent again: each time it is sent, a new reader starts at the beginning.
    ///
    /// - Parameters:
    ///   - length: the exact number of bytes, as for ``stream(_:length:mediaType:)``.
    ///   - makeReader: returns a reader, a closure that returns the next bytes at each call, and nil at the end.
    public static func stream(
        length: Int64? = nil, mediaType: String? = nil,
        makeReader: @escaping @Sendable () throws -> @Sendable () async throws -> Bytes?
    ) -> Body {
        let producer = BodyProducer(length: length, isReplayable: true, makeReader: makeReader)
        return Body(segments: [.producer(producer)], mediaType: mediaType)
    }
}

extension Body: CustomReflectable {
    /// Shows the length and the media type; the content may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["length": length as Any, "mediaType": mediaType as Any], displayStyle: .struct)
    }
}

extension Body.Segment: CustomReflectable {
    /// Shows the length, or the range of a file.
    package var customMirror: Mirror {
        switch self {
        case .file(let range): Mirror(self, children: ["file": range], displayStyle: .struct)
        case .bytes, .producer: Mirror(self, children: ["length": length as Any], displayStyle: .struct)
        }
    }
}
