import HTTPTypes
import NIOCore
import Sterna
public import SternaCore
import SternaSerialization

extension HARDocument {
    /// The formats of an exported request.
    public enum ExportFormat: String, Sendable, CaseIterable {
        /// A command line for curl.
        case curl
        /// A request of a `.http` file, as editors send it.
        case http
        /// Swift code that sends the request by a `session`.
        case swift
    }
}

extension HARDocument.Entry {
    /// Returns the entry's request in another format, without a line end.
    ///
    /// Fields of the connection and Content-Length are left out, as each program writes its own.
    ///
    /// - Parameter showsSecrets: whether to keep credentials, which are replaced by `***` otherwise.
    /// - Throws: `invalidURL`, `invalidMethod` and `invalidHeader` for a request that cannot be sent, and `bodyNotReplayable` for
    ///   one whose body was not recorded.
    public func exported(as format: HARDocument.ExportFormat, showsSecrets: Bool = false) throws(SternaError) -> String
    {
        let request = showsSecrets ? request : request.redacted()
        return switch format {
        case .curl: try request.sendable().curl(showsSecrets: showsSecrets)
        case .http: HTTPFileText(try request.sendable()).text
        case .swift: SwiftText(try request.sendable()).text
        }
    }
}

extension HARDocument.Request {
    /// Fields that belong to a connection or to the framing (RFC 9110, 7.6.1).
    package static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the request as the library sends it.
    func sendable() throws(SternaError) -> SternaCore.Request {
        guard let method = HTTPRequest.Method(method) else {
            throw SternaError(.invalidMethod, phase: .prepare, "The entry's method is invalid.")
        }
        let address: HTTPURL
        do throws(HTTPURL.ParseError) {
            address = try HTTPURL(url)
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "The entry's URL is invalid: \(error).")
        }
        var fields = HTTPFields()
        guard headers.count <= HARDocument.mostFields else {
            throw SternaError(.invalidHeader, phase: .prepare, "The entry has too many header fields.")
        }
        for field in headers {
            // Pseudo-header fields repeat the method and the URL.
            let lower = field.name.lowercased()
            if field.name.hasPrefix(":") || Self.connectionFields.contains(lower) || lower == "content-length" {
                continue
            }
            if lower == "host", field.value == address.authority { continue }
            guard let name = HTTPField.Name(field.name), FieldSyntax.isValue(field.value) else {
                throw SternaError(.invalidHeader, phase: .prepare, "The entry has an invalid header field.")
            }
            fields.append(HTTPField(name: name, value: field.value))
        }
        let bytes = postData?.bytes
        if bytes == nil, postData != nil || (bodySize ?? 0) > 0 {
            throw SternaError(.bodyNotReplayable, phase: .prepare, "The body of the entry's request was not recorded.")
        }
        let type = fields[.contentType] ?? postData.flatMap { $0.mimeType.isEmpty ? nil : $0.mimeType }
        let body = bytes.flatMap { $0.isEmpty ? nil : Body.bytes($0, mediaType: type) }
        if body != nil, fields[.contentType] == nil, let type, FieldSyntax.isValue(type) { fields[.contentType] = type }
        return SternaCore.Request(method, address.removingFragment(), headers: fields, body: body)
    }
}

extension SternaCore.Request {
    /// The bytes of a body in memory.
    fileprivate var bytes: [UInt8] {
        body?.segments.flatMap { segment -> [UInt8] in
            if case .bytes(let bytes) = segment { bytes.array } else { [] }
        } ?? []
    }
}

/// A request of a `.http` file. Text that the format would interpret is left out, with a comment in its place.
private struct HTTPFileText {
    let text: String

    init(_ request: SternaCore.Request) {
        // Two braces begin a variable.
        let url = request.url.href.replacing("{", with: "%7B").replacing("}", with: "%7D")
        var lines = ["\(request.method.rawValue) \(url) HTTP/1.1"]
        for field in request.headers {
            let line = "\(field.name.rawName): \(field.value)"
            let isPlain = Self.isPlain(field.value) && !field.value.contains("{{")
            lines.append(isPlain ? line : "# \(field.name.rawName): a value that this format cannot have")
        }
        let bytes = request.bytes
        if !bytes.isEmpty {
            let body = String(validating: bytes, as: UTF8.self).flatMap { Self.isBody($0) ? $0 : nil }
            lines += body.map { ["", $0] } ?? ["", "# a body of \(bytes.count) bytes that this format cannot have"]
        }
        text = lines.joined(separator: "\n")
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\t" || HARText.isShown($0) }
    }

    /// Returns whether a body stays the same: without variables, separators of requests, names of files and scripts.
    private static func isBody(_ text: String) -> Bool {
        !text.contains("{{")
            && text.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { line in
                isPlain(String(line)) && !["###", "<", ">", "#", "//"].contains { line.hasPrefix($0) }
            } && text.last != "\n" && text.first != "\n"
    }
}

/// A statement that sends a request.
private struct SwiftText {
    let text: String

    /// More bytes than that are read from a file, since large literals are slow to compile.
    private static let longestLiteral = 1_024

    init(_ request: SternaCore.Request) {
        let verbs: [HTTPRequest.Method: String] = [
            .get: "get", .head: "head", .post: "post", .put: "put", .patch: "patch", .delete: "delete",
            .options: "options",
        ]
        var first = "session.request("
        var arguments: [String] = []
        if let verb = verbs[request.method] {
            first = "session.\(verb)("
        } else {
            arguments.append("Request.Method(\(Self.literal(request.method.rawValue)))!")
        }
        arguments.append(Self.literal(request.url.href))
        var remarks: [String] = []
        let bytes = request.bytes
        let type = request.headers[.contentType]
        if !bytes.isEmpty {
            let mediaType = type.map { ", mediaType: \(Self.literal($0))" } ?? ""
            if let text = String(validating: bytes, as: UTF8.self) {
                arguments.append(
                    type == nil
                        ? "body: .bytes(\(Self.literal(text)).utf8)" : "body: .text(\(Self.literal(text))\(mediaType))")
            } else if bytes.count <= Self.longestLiteral {
                let numbers = bytes.map(String.init).joined(separator: ", ")
                arguments.append("body: .bytes([\(numbers)] as [UInt8]\(mediaType))")
            } else {
                remarks.append("// body.bin has the \(bytes.count) bytes of the body.")
                arguments.append("body: .file(\"body.bin\"\(mediaType))")
            }
        }
        let fields = request.headers.filter { bytes.isEmpty || $0.name != .contentType }
        if !fields.isEmpty {
            let pairs = fields.map { "\(Self.literal($0.name.rawName)): \(Self.literal($0.value))" }
            arguments.append("headers: [\(pairs.joined(separator: ", "))]")
        }
        let lines = remarks + ["let reply = try await \(first)", "    \(arguments.joined(separator: ",\n    ")))"]
        text = lines.joined(separator: "\n")
    }

    /// Returns a string literal, in which characters that an editor does not show as themselves are escapes.
    private static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if HARText.isShown(scalar) {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += "\\u{\(String(scalar.value, radix: 16))}"
                }
            }
        }
        return result + "\""
    }
}
