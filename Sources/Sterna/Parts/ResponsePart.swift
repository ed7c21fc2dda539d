public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// A part of a response: of a multipart body, or a piece of a file at a position.
public struct ResponsePart: Sendable {
    /// The part's own header fields. The values are the server's; names and file names in them are not decoded.
    public let headers: HTTPFields

    /// The part's content, streamed. It can be read once, until the next part is requested; a later read throws `invalidRequest`.
    /// Content that is not read is skipped. ``SternaCore/ResponseBody/cancel()`` ends this part only.
    public let body: ResponseBody

    /// The position of the content in the whole file, of the part's Content-Range (RFC 9110, 14.4); nil if there is none.
    ///
    /// Parts of ``Session/ranges(_:of:)`` have it, with the exception of a whole file whose length the server does not say.
    public let range: Range<Int64>?

    /// The length of the whole file, if the server says it.
    public let completeLength: Int64?

    /// The media type of the content; nil without a valid one. Parts of `multipart/mixed` and forms are then `text/plain`.
    public var mediaType: MediaType? { headers[.contentType].flatMap { MediaType($0) } }
}

extension ResponsePart: CustomReflectable {
    /// Shows the header fields without credentials; the content may hold secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "headers": Headers(headers), "body": body, "range": range as Any,
                "completeLength": completeLength as Any,
            ], displayStyle: .struct)
    }
}
