public import HTTPTypes
public import NIOCore

/// The content of a request: a list of segments that are sent one after another.
///
/// Bytes go out as they are, a file's range is sent straight from the file where the connection allows it, and a
/// producer is pulled by demand. A body knows its length when every segment does, and whether it can be sent a second
/// time, which redirects, retries and authentication ask before they repeat a request.
public struct Body: Sendable {
    /// One run of a body.
    public enum Segment: Sendable {
        case bytes(Bytes)
        case file(FileRange)
        case producer(BodyProducer)
    }

    /// The segments in the order in which they are sent.
    public var segments: [Segment]

    /// The media type to send as Content-Type where the request has none (RFC 9110, 8.3).
    public var mediaType: String?

    /// The codings that were applied to the content, sent as Content-Encoding where the request has none (RFC 9110, 8.4).
    public var contentCoding: String?

    /// Makes the fields that follow the content (RFC 9110, 6.5), such as a digest of it; called when all of it is on its way.
    ///
    /// The body is then sent in chunked coding. Fields that say how a message is framed, routed or read are refused (RFC 9110,
    /// 6.5.1). Which fields are to be expected a request's own Trailer field can say.
    public var trailers: (@Sendable () async throws -> HTTPFields)?

    /// The body with fields behind it, as ``trailers`` has them.
    public func withTrailers(_ make: @escaping @Sendable () async throws -> HTTPFields) -> Body {
        var body = self
        body.trailers = make
        return body
    }

    /// Makes a body of segments.
    public init(segments: [Segment], mediaType: String? = nil) {
        self.segments = segments
        self.mediaType = mediaType
    }

    /// The length in bytes, or nil where a producer does not know its own; `Int64.max` for more than can be said, which is
    /// an error when it is sent.
    public var length: Int64? {
        var total: Int64 = 0
        for segment in segments {
            guard let length = segment.length else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(length)
            total = overflow ? .max : sum
        }
        return total
    }

    /// About how long the body is, or nil where a producer has no idea; exact where ``length`` is known.
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
    /// The length in bytes, or nil where it is not known before the end.
    public var length: Int64? {
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
    /// It has no media type unless one is given; `upload(file:)` of a session takes that of the file's name.
    ///
    /// Throws `fileUnreadable` at once where there is no such file, it is a directory, or it may not be read. A file
    /// whose size changes while it is sent fails the request.
    public static func file(_ path: String, mediaType: String? = nil) throws(SternaError) -> Body {
        Body(segments: [.file(try FileRange(wholeFile: path))], mediaType: mediaType)
    }

    /// Chunks of an asynchronous sequence, which can be sent once only.
    ///
    ///     let body = Body.stream(file.map { Bytes(copying: $0) })    // of Data or [UInt8]
    ///
    /// - Parameter length: the exact number of bytes, sent as Content-Length; a sequence that is shorter or longer fails
    ///   the request. Without it the body goes out in chunked coding (RFC 9112, 7.1).
    public static func stream<S: AsyncSequence & Sendable>(
        _ sequence: S, length: Int64? = nil, mediaType: String? = nil
    ) -> Body where S.Element == Bytes {
        Body(segments: [.producer(BodyProducer(once: sequence, length: length))], mediaType: mediaType)
    }
}

extension Body: CustomReflectable {
    /// The length and the media type; content may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["length": length as Any, "mediaType": mediaType as Any], displayStyle: .struct)
    }
}

extension Body.Segment: CustomReflectable {
    /// The length, or the range of a file.
    public var customMirror: Mirror {
        switch self {
        case .file(let range): Mirror(self, children: ["file": range], displayStyle: .struct)
        case .bytes, .producer: Mirror(self, children: ["length": length as Any], displayStyle: .struct)
        }
    }
}
