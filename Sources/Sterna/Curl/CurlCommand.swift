import HTTPTypes
import NIOCore
public import SternaCore

extension Request {
    /// The request as a command line for curl and a POSIX shell, which sends the same bytes when it is pasted.
    ///
    /// Credentials in header fields, in the query, and in bodies that are forms, JSON or property lists, known by their names,
    /// are shown as `***`.
    /// The content of a stream cannot be shown; the command then reads its standard input, and says so. A form with files is
    /// written with curl's `-F` and `--form-string`, so that curl chooses its boundary.
    ///
    /// - Parameter showsSecrets: shows credentials, so that the command can be used.
    public func curl(showsSecrets: Bool = false) -> String {
        CurlCommand(self, showsSecrets: showsSecrets).text
    }
}

extension Session {
    /// The request that a draft describes, as it is given to the network interceptors.
    ///
    /// Throws what sending the draft would throw before anything is sent.
    public func request(for draft: RequestDraft) throws -> Request {
        try plan.request(for: draft)
    }

    /// The request that a draft describes as a command line for curl; see ``SternaCore/Request/curl(showsSecrets:)``.
    ///
    /// Throws what sending the draft would throw before anything is sent.
    public func curl(for draft: RequestDraft, showsSecrets: Bool = false) throws -> String {
        try request(for: draft).curl(showsSecrets: showsSecrets)
    }
}

/// Writes a request as a command line.
struct CurlCommand {
    let text: String

    init(_ request: Request, showsSecrets: Bool) {
        let content = CurlContent(request, showsSecrets: showsSecrets)
        var words = ["curl"] + Self.options(request)
        words.append(ShellText.quoted(showsSecrets ? "\(request.url.removingFragment())" : Redaction.show(request.url)))
        words += Self.fields(request, isForm: content.isForm, showsSecrets: showsSecrets).flatMap {
            ["-H", ShellText.quoted($0)]
        }
        words += content.arguments
        text = content.source + words.joined(separator: " ") + content.remark
    }

    private static func options(_ request: Request) -> [String] {
        var options = ["--http1.1"]
        // Brackets and braces would be ranges to curl.
        if request.url.description.contains(where: { "[]{}".contains($0) }) { options.append("-g") }
        if request.headers.contains(.acceptEncoding) { options.append("--compressed") }
        switch (request.method, request.sendsContent) {
        case (.get, false), (.post, true): break
        case (.head, false): options.append("-I")
        default: options += ["-X", ShellText.quoted(request.method.rawValue)]
        }
        return options
    }

    /// The field lines; a name with nothing behind its colon keeps curl from adding one of its own.
    private static func fields(_ request: Request, isForm: Bool, showsSecrets: Bool) -> [String] {
        let marked = Set(request.options[SecretHeadersKey.self].map { $0.lowercased() })
        var lines: [String] = []
        for field in request.headers where !isFraming(field.name) && !(isForm && field.name == .contentType) {
            let name = field.name.rawName
            let value = showsSecrets ? field.value : Redaction.shown(name, field.value, marked: marked)
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        var unwanted: [HTTPField.Name] = [.userAgent, .accept]
        if request.sendsContent { unwanted.append(.contentType) }
        lines += unwanted.filter { !request.headers.contains($0) }.map { "\($0.rawName):" }
        if request.sendsContent, (request.body?.length ?? .max) > 1_000, !request.headers.contains(.expect) {
            lines.append("Expect:")
        }
        if request.body != nil, request.body?.length == nil { lines.append("Transfer-Encoding: chunked") }
        return lines
    }

    private static func isFraming(_ name: HTTPField.Name) -> Bool {
        name.canonicalName == "content-length" || name.canonicalName == "transfer-encoding"
    }
}

extension Request {
    /// Whether there is a body, or a Content-Length of 0 in its place.
    fileprivate var sendsContent: Bool {
        body != nil || method == .post || method == .put || method == .patch
    }
}

/// How the command gets the body: as an argument, or from a pipe.
private struct CurlContent {
    /// What stands before `curl`, a pipe included.
    var source = ""
    var arguments: [String] = []
    /// What stands behind everything.
    var remark = ""
    /// Whether curl itself puts the form together, and names its boundary.
    var isForm = false

    /// More would be too long for an argument on some systems.
    private static let longestArgument = 32 << 10

    init(_ request: Request, showsSecrets: Bool) {
        guard request.sendsContent else { return }
        let redaction = showsSecrets ? nil : BodyRedaction(request)
        let segments = Self.joined(request.body?.segments ?? [])
        if let form = CurlForm(request, segments) {
            arguments = form.arguments(showsSecrets: showsSecrets)
            isForm = true
        } else if segments.isEmpty {
            arguments = ["--data-raw", "''"]
        } else if segments.count == 1, case .bytes(let bytes) = segments[0] {
            let shown = redaction?.shown(bytes) ?? bytes
            if shown.count <= Self.longestArgument, let text = ShellText.printable(shown) {
                arguments = ["--data-raw", ShellText.quoted(text)]
            } else {
                pipe([ShellText.printf(shown)])
            }
        } else if segments.count == 1, case .file(let range) = segments[0], range.isWhole {
            arguments = ["--data-binary", ShellText.quoted("@\(ShellText.path(range.path))")]
        } else if segments.contains(where: { if case .producer = $0 { true } else { false } }) {
            arguments = ["--data-binary", "@-"]
            remark = "  # the body is a stream: pipe its content in"
        } else {
            pipe(Self.shown(segments, redaction).compactMap(Self.command))
        }
    }

    // A name and its secret may stand in neighbouring segments.
    private static func joined(_ segments: [Body.Segment]) -> [Body.Segment] {
        var joined: [Body.Segment] = []
        for segment in segments {
            if case .bytes(let bytes) = segment, case .bytes(var last) = joined.last {
                joined.removeLast()
                last.writeImmutableBuffer(bytes)
                joined.append(.bytes(last))
            } else {
                joined.append(segment)
            }
        }
        return joined
    }

    private static func shown(_ segments: [Body.Segment], _ redaction: BodyRedaction?) -> [Body.Segment] {
        guard let redaction else { return segments }
        return segments.enumerated().map { position, segment in
            guard case .bytes(let bytes) = segment else { return segment }
            return .bytes(redaction.shown(piece: bytes, isFirst: position == 0))
        }
    }

    private mutating func pipe(_ commands: [String]) {
        source = commands.count == 1 ? "\(commands[0]) | " : "{ \(commands.joined(separator: "; ")); } | "
        arguments = ["--data-binary", "@-"]
    }

    private static func command(_ segment: Body.Segment) -> String? {
        switch segment {
        case .bytes(let bytes): return bytes.isEmpty ? nil : ShellText.printf(bytes)
        case .file(let range):
            let path = ShellText.quoted(ShellText.path(range.path))
            if range.isWhole { return "cat \(path)" }
            return "tail -c +\(range.offset + 1) \(path) | head -c \(range.length)"
        case .producer: return nil
        }
    }
}

extension FileRange {
    /// Whether the range is the whole file, as long as it is now.
    var isWhole: Bool {
        guard offset == 0, let whole = try? FileRange(wholeFile: path) else { return false }
        return whole.length == length
    }
}
