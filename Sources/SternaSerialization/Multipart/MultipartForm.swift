import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaPlatform

/// A form of several parts (RFC 7578), put together by appending: text, data, files, streams.
///
///     var form = MultipartForm()
///     form.append("A view of the sea", name: "caption")
///     form.append(file: imageURL, name: "image")
///     let reply = try await api.post("photos", body: form.body())
///
/// A part that cannot be sent, as a file that is not there, is an error of ``body()``: before anything is sent. Files are
/// read when the body is sent, straight from the disk where the connection allows it; nothing is copied to memory but what
/// was there before.
public struct MultipartForm: Sendable {
    /// How the names of parts and files are written where they are more than plain text.
    public enum NameStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// As browsers do: `"` is `%22`, a line end `%0D%0A` (HTML, 4.10.21.8). Backslashes are `%5C` where servers would take
        /// one for an escape, as at the end of a name. The default.
        case whatwg
        /// As AFNetworking does: as they are. A line end is an error, and so is a backslash at the end.
        case raw
        /// As browsers do, and names of files outside ASCII once more as `filename*` (RFC 8187). RFC 7578, 4.2, forbids it
        /// and some servers refuse it; others know no better.
        case extended
    }

    /// The line between the parts, of 1 to 70 characters (RFC 2046, 5.1.1); it may be set at any time.
    public var boundary: String {
        didSet { boundaryIsGiven = true }
    }

    /// Fields that go in front of the parts, written when the form is finished: by the ``encoder``, ``nameStyle`` and
    /// ``encoding`` of then.
    public var parameters: Parameters?

    /// The character set of names and text; UTF-8 by default.
    public var encoding: TextEncoding

    /// How names are written.
    public var nameStyle: NameStyle

    /// Whether text parts, and the form itself, name the character set in their media type; no by default.
    public var namesCharset: Bool

    /// How parameters become names and text. In the verbs of a session it begins with the encoder of the request's
    /// serializer.
    public var encoder: QueryEncoder {
        didSet { encoderIsGiven = true }
    }

    // A random one is in no content.
    private var boundaryIsGiven: Bool
    private var encoderIsGiven: Bool
    private var parts: [Part] = []

    /// A part without the line before it.
    fileprivate struct Part: Sendable {
        let name: String
        // The header, and content that is short.
        var lead: Bytes
        // Where the content begins in it.
        var contentStart = 0
        var content: [Body.Segment] = []
    }

    /// The number of parts, those of ``parameters`` not counted.
    public var count: Int { parts.count }

    /// The first thing that was wrong with a part.
    private var failure: SternaError?

    /// Text and data up to this length is copied; longer data stays where it is.
    private static let copiedBytes = 16 << 10

    /// Makes a form without parts.
    ///
    /// - Parameters:
    ///   - boundary: the line between the parts, of 1 to 70 characters (RFC 2046, 5.1.1); a random one by default. Text and
    ///     data that hold a given one are errors; files and streams are not looked through.
    ///   - encoding: the character set of names and text.
    ///   - nameStyle: how names are written.
    ///   - namesCharset: whether media types name the character set.
    ///   - encoder: how parameters become names and text; nil for the default, or for that of the session that sends it.
    public init(
        boundary: String? = nil, encoding: TextEncoding = .utf8, nameStyle: NameStyle = .whatwg,
        namesCharset: Bool = false, encoder: QueryEncoder? = nil
    ) {
        self.boundary = boundary ?? Boundary.random()
        boundaryIsGiven = boundary != nil
        encoderIsGiven = encoder != nil
        self.encoding = encoding
        self.nameStyle = nameStyle
        self.namesCharset = namesCharset
        self.encoder = encoder ?? QueryEncoder()
    }

    /// Whether there are no parts, and no ``parameters``.
    public var isEmpty: Bool { parts.isEmpty && parameters?.isEmpty != false }

    // MARK: Parts

    /// Appends a text as a field.
    public mutating func append(_ text: some StringProtocol, name: String) {
        guard let bytes = disposition.encode(String(text)) else {
            return fail(.notInCharset("the value of “\(name)”"))
        }
        add(name: name, fileName: nil, mediaType: namesCharset ? "text/plain; charset=\(encoding.ofQueries.name)" : nil)
        {
            $0.writeBytes(bytes)
        }
    }

    /// Appends a number, a date or another plain value as a field, by the rules of ``encoder``; null is an empty field.
    @_disfavoredOverload
    public mutating func append(_ value: some ParameterConvertible, name: String) {
        append(Parameters(pairs: [(name, value.parameterValue)]))
    }

    /// Appends parameters as fields, with the names that a query would have; data as it is, null as an empty field.
    public mutating func append(_ parameters: Parameters) {
        do {
            var walker = FieldWalker(encoder: encoder, sink: PartFields())
            try walker.walk(parameters)
            for (name, content) in walker.sink.fields {
                switch content {
                case .text(let text): append(text, name: name)
                case .data(let data): append(data, name: name)
                }
            }
        } catch {
            fail(
                SternaError(
                    .encodingFailed, phase: .prepare, "The parameters cannot be encoded: \(error)", underlying: error))
        }
    }

    /// Appends data, as a file where it has a file's name.
    ///
    /// - Parameter mediaType: by default that of the file's name, and none without one.
    public mutating func append(
        _ data: Data, name: String, fileName: String? = nil, mediaType: String? = nil
    ) {
        append(Bytes(copying: data), name: name, fileName: fileName, mediaType: mediaType)
    }

    /// Appends bytes, as a file where they have a file's name.
    ///
    /// - Parameter mediaType: by default that of the file's name, and none without one.
    public mutating func append(_ bytes: Bytes, name: String, fileName: String? = nil, mediaType: String? = nil) {
        let type = mediaType ?? fileName.map(MediaType.ofFile)
        if bytes.readableBytes <= Self.copiedBytes {
            add(name: name, fileName: fileName, mediaType: type) { $0.writeImmutableBuffer(bytes) }
        } else {
            add(name: name, fileName: fileName, mediaType: type) { _ in }
            add([.bytes(bytes)])
        }
    }

    /// Appends a file of a path.
    ///
    /// - Parameters:
    ///   - fileName: the name that the server is told; by default the last part of the path.
    ///   - mediaType: by default that of the file's name.
    public mutating func append(
        file path: String, name: String, fileName: String? = nil, mediaType: String? = nil
    ) {
        do throws(SternaError) {
            let range = try FileRange(wholeFile: path)
            let fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
            add(name: name, fileName: fileName, mediaType: mediaType ?? MediaType.ofFile(named: fileName)) { _ in }
            add([.file(range)])
        } catch {
            fail(error)
        }
    }

    /// Appends a file of a file URL; see ``append(file:name:fileName:mediaType:)-(String,_,_,_)``.
    public mutating func append(file url: URL, name: String, fileName: String? = nil, mediaType: String? = nil) {
        guard url.isFileURL else { return fail(.notAFileURL(scheme: url.scheme ?? "")) }
        append(file: url.path, name: name, fileName: fileName, mediaType: mediaType)
    }

    /// Appends what an asynchronous sequence delivers; the body can then be sent once only.
    ///
    /// - Parameter length: the exact number of bytes. Without it the whole body goes out in chunked coding.
    public mutating func append<S: AsyncSequence & Sendable>(
        stream: S, length: Int64? = nil, name: String, fileName: String? = nil, mediaType: String? = nil
    ) where S.Element == Bytes {
        append(.stream(stream, length: length, mediaType: mediaType), name: name, fileName: fileName)
    }

    /// Appends a body as a part; it is replayable, and has a length, where the body has.
    ///
    /// A compressed one is an error, as a part cannot say so (RFC 7578, 4.8): compress the whole form.
    public mutating func append(_ body: Body, name: String, fileName: String? = nil) {
        if let coding = body.contentCoding {
            let detail =
                "Part \(count + 1) of the form is coded in \(FieldSyntax.printable(coding)), which no server learns; "
                + "compress the whole form instead."
            return fail(SternaError(.encodingFailed, phase: .prepare, detail))
        }
        add(name: name, fileName: fileName, mediaType: body.mediaType ?? fileName.map(MediaType.ofFile)) { _ in }
        add(body.segments)
    }

    /// Appends a part with header fields of the caller's own, Content-Disposition among them.
    public mutating func append(headers: Headers, body: Body) {
        do throws(SternaError) {
            var fields = HTTPFields()
            try headers.merge(into: &fields)
            add(fields[.contentDisposition] ?? "") { part in
                for field in fields { part.writeString("\(field.name.rawName): \(field.value)\r\n") }
            }
            add(body.segments)
        } catch {
            fail(error)
        }
    }

    // MARK: The body

    /// The media type with the boundary.
    public var mediaType: String {
        "multipart/form-data; " + (namesCharset ? "charset=\(encoding.ofQueries.name); " : "")
            + Boundary.parameter(boundary)
    }

    /// The form as a body; nil where it has no parts, as there is nothing to send then.
    ///
    /// Throws for the first part that cannot be sent: `fileUnreadable`, `encodingFailed` or `invalidHeader`, with a
    /// ``BodyFault`` as the cause where it is of the part itself.
    public func body() throws(SternaError) -> Body? {
        try body(fallback: nil)
    }

    /// Whether parameters are still to be written by the encoder of a session.
    package var needsEncoder: Bool { !encoderIsGiven && parameters?.isEmpty == false }

    /// The form as a body; parameters are written by the fallback where the caller has given no encoder.
    package func body(fallback: QueryEncoder?) throws(SternaError) -> Body? {
        guard let parameters, !parameters.isEmpty else { return try assembled() }
        var front = self
        front.parts = []
        front.failure = nil
        front.parameters = nil
        if !encoderIsGiven, let fallback { front.encoder = fallback }
        front.append(parameters)
        if front.failure == nil {
            front.parts += parts
            front.failure = failure
        }
        return try front.assembled()
    }

    private func assembled() throws(SternaError) -> Body? {
        guard Boundary.isValid(boundary) else { throw Self.error(.invalidBoundary, part: 1) }
        var segments: [Body.Segment] = []
        // What goes in front of the next large piece, put together so that small parts make one segment.
        var pending = Bytes()
        for (index, part) in parts.enumerated() {
            if boundaryIsGiven, part.holds(boundary) {
                throw Self.error(.boundaryInside(part.name), part: index + 1)
            }
            if index > 0 { pending.writeStaticString("\r\n") }
            pending.writeStaticString("--")
            pending.writeString(boundary)
            pending.writeStaticString("\r\n")
            pending.writeImmutableBuffer(part.lead)
            guard !part.content.isEmpty else { continue }
            segments.append(.bytes(pending))
            segments += part.content
            pending = Bytes()
        }
        if let failure { throw failure }
        guard !parts.isEmpty else { return nil }
        pending.writeString("\r\n--\(boundary)--\r\n")
        return Body(segments: segments + [.bytes(pending)], mediaType: mediaType)
    }

    // MARK: How

    private var disposition: ContentDisposition {
        ContentDisposition(encoding: encoding.ofQueries, unencodable: encoder.unencodable, style: nameStyle)
    }

    private mutating func add(
        name: String, fileName: String?, mediaType: String?, _ content: (inout Bytes) -> Void
    ) {
        guard failure == nil else { return }
        do throws(BodyFault) {
            let disposition = try disposition.value(name: name, fileName: fileName)
            if let mediaType, !FieldSyntax.isValue(mediaType) {
                throw .controlCharacter(in: "the media type of “\(name)”")
            }
            add(name) { part in
                part.writeStaticString("Content-Disposition: ")
                part.writeBytes(disposition)
                if let mediaType { part.writeString("\r\nContent-Type: \(mediaType)") }
                part.writeStaticString("\r\n")
            }
        } catch {
            return fail(error)
        }
        content(&parts[parts.count - 1].lead)
    }

    private mutating func add(_ name: String, _ header: (inout Bytes) -> Void) {
        guard failure == nil else { return }
        var part = Part(name: name, lead: Bytes())
        header(&part.lead)
        part.lead.writeStaticString("\r\n")
        part.contentStart = part.lead.readableBytes
        parts.append(part)
    }

    private mutating func add(_ content: [Body.Segment]) {
        guard failure == nil, !parts.isEmpty else { return }
        parts[parts.count - 1].content += content
    }

    private mutating func fail(_ fault: BodyFault) { fail(Self.error(fault, part: count + 1)) }

    private static func error(_ fault: BodyFault, part: Int) -> SternaError {
        SternaError(
            .encodingFailed, phase: .prepare, "Part \(part) of the form cannot be sent: \(fault).", underlying: fault)
    }

    private mutating func fail(_ error: SternaError) { failure = failure ?? error }
}

extension MultipartForm: CustomStringConvertible, CustomReflectable {
    /// How many parts, and how long; content may hold secrets.
    public var description: String {
        let length = (try? body())??.length.map { ", \(ByteSize($0))" } ?? ""
        return "multipart/form-data, \(count) \(count == 1 ? "part" : "parts")\(length)"
    }

    public var customMirror: Mirror { Mirror(self, children: ["parts": description], displayStyle: .struct) }
}

extension MultipartForm.Part {
    /// Whether the content holds a boundary; files and streams are not looked through.
    fileprivate func holds(_ boundary: String) -> Bool {
        // The start was taken from the same buffer, which has only grown.
        let short = lead.withUnsafeReadableBytes {
            Boundary.isInside(UnsafeRawBufferPointer(rebasing: $0[contentStart...]), boundary)
        }
        return short
            || content.contains { segment in
                guard case .bytes(let bytes) = segment else { return false }
                return bytes.withUnsafeReadableBytes { Boundary.isInside($0, boundary) }
            }
    }
}

/// What parameters come to before they are parts.
private struct PartFields: FieldSink {
    enum Content {
        case text(String)
        case data(Data)
    }

    var fields: [(name: String, content: Content)] = []

    mutating func add(name: [UInt8], value: String?) {
        fields.append((String(decoding: name, as: UTF8.self), .text(value ?? "")))
    }

    mutating func add(name: [UInt8], data: Data) -> Bool {
        fields.append((String(decoding: name, as: UTF8.self), .data(data)))
        return true
    }
}
