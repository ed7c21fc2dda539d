import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaPlatform

/// A form of several parts (RFC 7578), to which text, data, files and streams are appended.
///
///     var form = MultipartForm()
///     form.append("A view of the sea", name: "caption")
///     form.append(file: imageURL, name: "image")
///     let reply = try await api.post("photos", body: form.body())
///
/// ``body()`` throws for a part that cannot be sent, such as a missing file. Files and streams are read while the body is sent, and
/// not loaded into memory before; files are sent straight from the disk if the connection allows it.
public struct MultipartForm: Sendable {
    /// The escaping of special characters in the names of parts and files.
    public enum NameStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// Escapes like browsers: `"` is `%22`, a line end `%0D%0A` (HTML, 4.10.21.8). A backslash is `%5C` where servers would
        /// read it as an escape, such as at the end of a name. The default.
        case whatwg
        /// Escapes nothing, like AFNetworking. A line end is an error, and so is a backslash at the end.
        case raw
        /// Escapes like browsers, and repeats file names outside ASCII as `filename*` (RFC 8187). RFC 7578, 4.2, forbids it, and
        /// some servers reject it; others accept only this form.
        case extended
    }

    /// The boundary between the parts, of 1 to 70 characters (RFC 2046, 5.1.1); it may be set at any time.
    public var boundary: String {
        didSet { boundaryIsGiven = true }
    }

    /// Fields before the parts; nil for none. They are written when the body is made, with the current ``encoder``, ``nameStyle``
    /// and ``encoding``.
    public var parameters: Parameters?

    /// The character set of names and text; UTF-8 by default.
    public var encoding: TextEncoding

    /// The escaping of names; ``NameStyle/whatwg`` by default.
    public var nameStyle: NameStyle

    /// Whether text parts, and the form itself, name the character set in their media type; false by default.
    public var namesCharset: Bool

    /// The encoder of parameters. In a session's request methods, the default is the encoder of the request's
    /// serializer.
    public var encoder: QueryEncoder {
        didSet { encoderIsGiven = true }
    }

    // No content contains a random boundary.
    private var boundaryIsGiven: Bool
    private var encoderIsGiven: Bool
    private var parts: [Part] = []

    /// A part without the boundary line before it.
    fileprivate struct Part: Sendable {
        let name: String
        // The header, and short content.
        var lead: Bytes
        // The offset of the content in `lead`.
        var contentStart = 0
        var content: [Body.Segment] = []
    }

    /// The number of parts, without those of ``parameters``.
    public var count: Int { parts.count }

    /// The first error in a part.
    private var failure: SternaError?

    /// The maximum length of text and data, in bytes, that is copied into one buffer; longer data is not copied.
    private static let copiedBytes = 16 << 10

    /// Makes a form without parts.
    ///
    /// - Parameters:
    ///   - boundary: the boundary between the parts, of 1 to 70 characters (RFC 2046, 5.1.1); a random one by default. Text and
    ///     data that contain a given boundary are errors; files and streams are not searched.
    ///   - encoding: the character set of names and text.
    ///   - nameStyle: the escaping of names.
    ///   - namesCharset: whether media types name the character set.
    ///   - encoder: the encoder of parameters; nil for the default, or for that of the session that sends the form.
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

    /// Appends parameters as fields with the names of a query; data is sent as bytes, and null as an empty field.
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

    /// Appends data; with a file name, as a file.
    ///
    /// - Parameter mediaType: by default that of the file name, and none without one.
    public mutating func append(
        _ data: Data, name: String, fileName: String? = nil, mediaType: String? = nil
    ) {
        append(Bytes(copying: data), name: name, fileName: fileName, mediaType: mediaType)
    }

    /// Appends bytes; with a file name, as a file.
    ///
    /// - Parameter mediaType: by default that of the file name, and none without one.
    public mutating func append(_ bytes: Bytes, name: String, fileName: String? = nil, mediaType: String? = nil) {
        let type = mediaType ?? fileName.map(MediaType.ofFile)
        if bytes.readableBytes <= Self.copiedBytes {
            add(name: name, fileName: fileName, mediaType: type) { $0.writeImmutableBuffer(bytes) }
        } else {
            add(name: name, fileName: fileName, mediaType: type) { _ in }
            add([.bytes(bytes)])
        }
    }

    /// Appends a file.
    ///
    /// - Parameters:
    ///   - fileName: the name that is sent to the server; by default the last path component.
    ///   - mediaType: by default that of the file name.
    public mutating func append(
        file: some FileReference, name: String, fileName: String? = nil, mediaType: String? = nil
    ) {
        do throws(SternaError) {
            let path = try file.filePath()
            let range = try FileRange(wholeFile: path)
            let fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
            add(name: name, fileName: fileName, mediaType: mediaType ?? MediaType.ofFile(named: fileName)) { _ in }
            add([.file(range)])
        } catch {
            fail(error)
        }
    }

    /// Appends the output of an asynchronous sequence; the body can then be sent only once.
    ///
    /// - Parameters:
    ///   - length: the exact number of bytes. Without it, the length of the whole form is unknown, and HTTP/1.1 sends it in chunked
    ///     coding.
    ///   - mediaType: by default that of the file name, and none without one.
    public mutating func append<S: AsyncSequence & Sendable>(
        stream: S, length: Int64? = nil, name: String, fileName: String? = nil, mediaType: String? = nil
    ) where S.Element: BodyPiece {
        append(.stream(stream, length: length, mediaType: mediaType), name: name, fileName: fileName)
    }

    /// Appends a body as a part; the form is replayable, and has a length, if the body has.
    ///
    /// A compressed body is an error, as a part cannot declare it (RFC 7578, 4.8): compress the whole form.
    public mutating func append(_ body: Body, name: String, fileName: String? = nil) {
        if let coding = body.contentCoding {
            let detail =
                "Part \(count + 1) of the form is coded in \(FieldSyntax.printable(coding)), which the form cannot tell the server; "
                + "compress the whole form instead."
            return fail(SternaError(.encodingFailed, phase: .prepare, detail))
        }
        add(name: name, fileName: fileName, mediaType: body.mediaType ?? fileName.map(MediaType.ofFile)) { _ in }
        add(body.segments)
    }

    /// Appends a part with the caller's own header fields, including Content-Disposition. The body's media type and content coding
    /// are not added.
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

    /// Returns the form as a body; nil for a form without parts.
    ///
    /// Throws for the first part that cannot be sent: `fileUnreadable`, `encodingFailed` or `invalidHeader`. An error
    /// in the part itself has a ``BodyFault`` as its cause.
    public func body() throws(SternaError) -> Body? {
        try body(fallback: nil)
    }

    /// Whether parameters still need the encoder of a session.
    package var needsEncoder: Bool { !encoderIsGiven && parameters?.isEmpty == false }

    /// The names of parts and parameters that look like those of secrets.
    package var secretNames: [String] {
        var all = self
        if let parameters { all.append(parameters) }
        return all.parts.map(\.name).filter { Redaction.isSecret($0[...]) }
    }

    /// Returns the form as a body; the fallback encodes the parameters unless the caller gave an encoder.
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
        // Pending bytes before the next large piece; joining them makes one segment of several small parts.
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
    /// The number of parts and the length of the form; content may be secret.
    public var description: String {
        let length = (try? body())??.length.map { ", \(ByteSize($0))" } ?? ""
        return "multipart/form-data, \(count) \(count == 1 ? "part" : "parts")\(length)"
    }

    public var customMirror: Mirror { Mirror(self, children: ["parts": description], displayStyle: .struct) }
}

extension MultipartForm.Part {
    /// Whether the content contains a boundary; files and streams are not searched.
    fileprivate func holds(_ boundary: String) -> Bool {
        // The offset was taken from the same buffer, which has only grown.
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

/// The fields of parameters before they become parts.
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
