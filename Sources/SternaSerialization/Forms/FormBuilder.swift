public import HTTPTypes
import NIOCore
public import SternaCore
public import SternaPlatform

/// A form that is filled in field by field: ASIFormDataRequest's.
///
/// It is URL-encoded as long as it has no file, unless ``format`` says otherwise, and of several parts from the first one on.
/// Values go before files, each in the order in which it was added.
///
///     var form = FormBuilder()
///     form.add("Ada", for: "name")
///     try form.add(file: "/tmp/ada.jpg", for: "portrait")
///     let reply = try await api.submit(form, to: "people")
public struct FormBuilder: Sendable {
    /// How a form is written.
    public enum Format: String, Sendable, Hashable, Codable, CaseIterable {
        /// `application/x-www-form-urlencoded`
        case urlEncoded
        /// `multipart/form-data`
        case multipart
    }

    /// How the form is written while it has no file; URL-encoded by default.
    public var format = Format.urlEncoded

    /// The character set of everything; UTF-8 by default.
    public var encoding: TextEncoding = .utf8

    /// Whether the media type names the character set; yes by default, as ASI has it.
    public var namesCharset = true

    /// The line between parts; a random one by default.
    public var boundary: String?

    /// Whether GET, HEAD and DELETE become POST; yes by default. Without it DELETE has the form as its content, and GET and
    /// HEAD are errors.
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

    /// Whether nothing was added.
    public var isEmpty: Bool { values.isEmpty && files.isEmpty }

    // MARK: Values

    /// Adds a value behind earlier ones of the key; a nil value is an empty one, and a nil key adds nothing.
    public mutating func add(_ value: String?, for key: String?) {
        guard let key else { return }
        values.append((key, value ?? ""))
    }

    /// Adds a number, a date or another plain value by its text.
    @_disfavoredOverload
    public mutating func add(_ value: some ParameterConvertible, for key: String?) {
        add(Self.text(value), for: key)
    }

    /// Sets a value in place of all earlier ones of the key.
    public mutating func set(_ value: String?, for key: String?) {
        guard let key else { return }
        values.removeAll { $0.key == key }
        add(value, for: key)
    }

    /// Sets a number, a date or another plain value in place of all earlier ones of the key.
    @_disfavoredOverload
    public mutating func set(_ value: some ParameterConvertible, for key: String?) {
        set(Self.text(value), for: key)
    }

    private static func text(_ value: some ParameterConvertible) -> String {
        let value = value.parameterValue
        return (try? ParameterText.text(of: value, by: QueryEncoder())) ?? nil ?? ""
    }

    // MARK: Files and data

    /// Adds a file behind earlier ones of the key; throws `fileUnreadable` at once where it cannot be sent.
    ///
    /// - Parameters:
    ///   - fileName: by default the last part of the path.
    ///   - mediaType: by default that of the file's name.
    public mutating func add(
        file path: String, for key: String?, fileName: String? = nil, mediaType: String? = nil
    ) throws(SternaError) {
        let range = try FileRange(wholeFile: path)
        guard let key else { return }
        let name = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
        files.append(
            File(key: key, name: name, mediaType: mediaType ?? MediaType.ofFile(named: name), segment: .file(range)))
    }

    /// Adds data as a file behind earlier ones of the key.
    ///
    /// - Parameters:
    ///   - fileName: `file` by default, since a part without one is a value.
    ///   - mediaType: `application/octet-stream` by default, whatever the name.
    public mutating func add(_ data: Data, for key: String?, fileName: String? = nil, mediaType: String? = nil) {
        guard let key else { return }
        let name = fileName ?? "file"
        files.append(
            File(
                key: key, name: name, mediaType: mediaType ?? "application/octet-stream",
                segment: .bytes(Bytes(copying: data))))
    }

    /// Sets a file in place of all earlier files of the key; throws as ``add(file:for:fileName:mediaType:)`` does.
    public mutating func set(
        file path: String, for key: String?, fileName: String? = nil, mediaType: String? = nil
    ) throws(SternaError) {
        let kept = files
        files.removeAll { $0.key == key }
        do throws(SternaError) {
            try add(file: path, for: key, fileName: fileName, mediaType: mediaType)
        } catch {
            files = kept
            throw error
        }
    }

    /// Sets data in place of all earlier files of the key.
    public mutating func set(_ data: Data, for key: String?, fileName: String? = nil, mediaType: String? = nil) {
        files.removeAll { $0.key == key }
        add(data, for: key, fileName: fileName, mediaType: mediaType)
    }

    // MARK: The body

    /// The form as a body; nil where nothing was added, as there is nothing to send then.
    ///
    /// Throws `encodingFailed` for what its character set cannot hold.
    public func body() throws(SternaError) -> Body? {
        guard !isEmpty else { return nil }
        return try isMultipart ? multipart() : urlEncoded()
    }

    private var isMultipart: Bool { format == .multipart || !files.isEmpty }

    /// The method that sends the form: POST in place of GET, HEAD and DELETE, unless ``changesMethodToPost`` says no, and
    /// any other as it is.
    public func method(for method: Request.Method) -> Request.Method {
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
    /// The lines of ``description``; values may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: description.split(separator: "\n"), displayStyle: .struct)
    }
}

extension FormBuilder: CustomStringConvertible {
    /// What would be sent, a line for each value and file, for debugging; values of secret names are `***`.
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
