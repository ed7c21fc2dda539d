import HTTPTypes
import NIOCore
public import SternaCore
public import SternaPlatform

/// A form that is built field by field, like ASIHTTPRequest's `ASIFormDataRequest`.
///
/// A form without files is URL-encoded, unless ``format`` says otherwise; its first file makes it multipart. Values precede files,
/// each in the order they were added.
///
///     var form = FormBuilder()
///     form.add("Ada", for: "name")
///     try form.add(file: "/tmp/ada.jpg", for: "portrait")
///     let reply = try await api.submit(form, to: "people")
public struct FormBuilder: Sendable {
    /// The encoding of a form.
    public enum Format: String, Sendable, Hashable, Codable, CaseIterable {
        /// `application/x-www-form-urlencoded`
        case urlEncoded
        /// `multipart/form-data`
        case multipart
    }

    /// The encoding of a form without files; URL-encoded by default.
    public var format = Format.urlEncoded

    /// The character set of the whole form; UTF-8 by default.
    public var encoding: TextEncoding = .utf8

    /// Whether the media type names the character set; true by default, as in ASI.
    public var namesCharset = true

    /// The boundary between parts; a random one by default.
    public var boundary: String?

    /// Whether GET, HEAD and DELETE become POST; true by default. If false, DELETE sends the form as its content, and GET and HEAD
    /// are errors.
    public var changesMethodToPost = true

    private var values: [(key: String, text: String)] = []
    private var files: [File] = []

    private struct File: Sendable {
        var key: String
        var name: String?
        var mediaType: String?
        var segment: Body.Segment
    }

    /// Makes an empty form.
    public init() {}

    /// Whether the form is empty.
    public var isEmpty: Bool { values.isEmpty && files.isEmpty }

    // MARK: Values

    /// Adds a value after earlier ones of the key; a nil value counts as empty, and a nil key adds nothing.
    public mutating func add(_ value: String?, for key: String?) {
        guard let key else { return }
        values.append((key, value ?? ""))
    }

    /// Adds a number, a date or another plain value by its text.
    @_disfavoredOverload
    public mutating func add(_ value: some ParameterConvertible, for key: String?) {
        add(Self.text(value), for: key)
    }

    /// Replaces all earlier values of the key.
    public mutating func set(_ value: String?, for key: String?) {
        guard let key else { return }
        values.removeAll { $0.key == key }
        add(value, for: key)
    }

    /// Replaces all earlier values of the key with a number, a date or another plain value.
    @_disfavoredOverload
    public mutating func set(_ value: some ParameterConvertible, for key: String?) {
        set(Self.text(value), for: key)
    }

    private static func text(_ value: some ParameterConvertible) -> String {
        let value = value.parameterValue
        return (try? ParameterText.text(of: value, by: QueryEncoder())) ?? nil ?? ""
    }

    // MARK: Files and data

    /// Adds a file after earlier ones of the key; throws `fileUnreadable` at once for a file that cannot be sent.
    ///
    /// - Parameters:
    ///   - fileName: the name that is sent to the server; the last path component by default.
    ///   - mediaType: the media type; by default that of the file name's extension.
    public mutating func add(
        file: some FileReference, for key: String?, fileName: String? = nil, mediaType: String? = nil
    ) throws(SternaError) {
        let path = try file.filePath()
        let range = try FileRange(wholeFile: path)
        guard let key else { return }
        let name = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
        files.append(
            File(key: key, name: name, mediaType: mediaType ?? MediaType.ofFile(named: name), segment: .file(range)))
    }

    /// Adds data as a file after earlier ones of the key.
    ///
    /// - Parameters:
    ///   - fileName: the name that is sent to the server; `file` by default, since a part without one is a value.
    ///   - mediaType: the media type; `application/octet-stream` by default, whatever the name.
    public mutating func add(_ data: Data, for key: String?, fileName: String? = nil, mediaType: String? = nil) {
        guard let key else { return }
        let name = fileName ?? "file"
        files.append(
            File(
                key: key, name: name, mediaType: mediaType ?? "application/octet-stream",
                segment: .bytes(Bytes(copying: data))))
    }

    /// Replaces all earlier files of the key with a file; throws as ``add(file:for:fileName:mediaType:)`` does.
    public mutating func set(
        file: some FileReference, for key: String?, fileName: String? = nil, mediaType: String? = nil
    ) throws(SternaError) {
        let kept = files
        files.removeAll { $0.key == key }
        do throws(SternaError) {
            try add(file: file, for: key, fileName: fileName, mediaType: mediaType)
        } catch {
            files = kept
            throw error
        }
    }

    /// Replaces all earlier files of the key with data.
    public mutating func set(_ data: Data, for key: String?, fileName: String? = nil, mediaType: String? = nil) {
        files.removeAll { $0.key == key }
        add(data, for: key, fileName: fileName, mediaType: mediaType)
    }

    // MARK: The body

    /// Returns the form as a body; nil for an empty form.
    ///
    /// Throws `encodingFailed` for text outside its character set. A multipart form also throws it for a control character in a
    /// name, and for a ``boundary`` that is invalid or that a value or data contains.
    public func body() throws(SternaError) -> Body? {
        guard !isEmpty else { return nil }
        return try isMultipart ? multipart() : urlEncoded()
    }

    private var isMultipart: Bool { format == .multipart || !files.isEmpty }

    /// Returns the method that sends the form: POST instead of GET, HEAD and DELETE, unless ``changesMethodToPost`` is
    /// false; any other method stays.
    package func method(for method: Request.Method) -> Request.Method {
        switch method.normalized {
        case .get, .head, .delete: changesMethodToPost ? .post : method.normalized
        default: method.normalized
        }
    }

    private func urlEncoded() throws(SternaError) -> Body {
        var encoder = QueryEncoder(allowed: .unreserved)
        encoder.encoding = encoding
        let bytes = try encodingErrors { try encoder.encodedBytes(of: values.lazy.map { ($0.key, $0.text) }) }
        let charset = namesCharset ? "; charset=\(encoding.ofQueries.name)" : ""
        return .bytes(bytes, mediaType: "application/x-www-form-urlencoded\(charset)")
    }

    private func multipart() throws(SternaError) -> Body? {
        var form = MultipartForm(boundary: boundary, encoding: encoding)
        for (key, text) in values { form.append(text, name: key) }
        for file in files {
            form.append(Body(segments: [file.segment], mediaType: file.mediaType), name: file.key, fileName: file.name)
        }
        guard var body = try form.body() else { return nil }
        if namesCharset {
            body.mediaType =
                "multipart/form-data; charset=\(encoding.ofQueries.name); \(Boundary.parameter(form.boundary))"
        }
        return body
    }
}

extension FormBuilder: CustomReflectable {
    /// The lines of ``description``; values may be secret.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: description.split(separator: "\n"), displayStyle: .struct)
    }
}

extension FormBuilder: CustomStringConvertible {
    /// The content that would be sent, one line per value and file, for debugging; values of secret names are `***`.
    public var description: String {
        var lines = [isMultipart ? "multipart/form-data" : "application/x-www-form-urlencoded"]
        for (key, text) in values {
            let value = Redaction.isSecret(key[...]) ? "***" : FieldSyntax.printable(text.prefix(200))
            lines.append("\(FieldSyntax.printable(key)) = \(value)\(text.count > 200 ? "…" : "")")
        }
        for file in files {
            let length = file.segment.length.map { "\(ByteSize($0))" } ?? "of unknown length"
            lines.append(
                "\(FieldSyntax.printable(file.key)) = file “\(FieldSyntax.printable(file.name ?? ""))”, "
                    + "\(file.mediaType ?? ""), \(length)")
        }
        return lines.joined(separator: "\n")
    }
}
