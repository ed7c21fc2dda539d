import HTTPTypes
import NIOCore
public import SternaCore

extension Request {
    /// Returns the request as a curl command line for a POSIX shell. With `showsSecrets` the command sends the same request, except
    /// as stated below.
    ///
    /// Credentials in header fields, in the query, and in bodies that are forms, JSON or property lists are recognized by name, and
    /// are shown as `***` by default.
    ///
    /// The content of a stream cannot be shown; the command then reads its standard input, and says so. A form with files uses
    /// curl's `-F` and `--form-string`, so curl chooses its boundary.
    ///
    /// - Parameter showsSecrets: whether to show credentials, so that the command can be run as it is.
    public func curl(showsSecrets: Bool = false) -> String {
        CurlCommand(self, showsSecrets: showsSecrets).text
    }
}

extension Session {
    /// Returns the request that a draft describes, as the first interceptor would receive it: without cookies, tokens, signatures
    /// and other changes by interceptors.
    ///
    /// Throws the errors of building the request, such as `invalidURL` and `encodingFailed`.
    public func request(for draft: RequestDraft) throws -> Request {
        try plan.request(for: draft)
    }

    /// Returns the request that a draft describes as a command line for curl; see ``SternaCore/Request/curl(showsSecrets:)``.
    ///
    /// Throws the errors of building the request, such as `invalidURL` and `encodingFailed`.
    public func curl(for draft: RequestDraft, showsSecrets: Bool = false) throws -> String {
        try request(for: draft).curl(showsSecrets: showsSecrets)
    }
}

/// Formats a request as a command line.
struct CurlCommand {
    let text: String

    /// Makes the command without secrets for one line of a log.
    ///
    /// - Parameter loggedBytes: the maximum size of a body in memory; the command leaves out a larger one, and one that is not text.
    init(_ request: Request, loggedBytes: Int) {
        self.init(request, CurlContent(request, showsSecrets: false, loggedBytes: loggedBytes), showsSecrets: false)
    }

    init(_ request: Request, showsSecrets: Bool) {
        self.init(request, CurlContent(request, showsSecrets: showsSecrets), showsSecrets: showsSecrets)
    }

    private init(_ request: Request, _ content: CurlContent, showsSecrets: Bool) {
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
        // Curl would expand brackets and braces as ranges.
        if request.url.description.contains(where: { "[]{}".contains($0) }) { options.append("-g") }
        if request.headers.contains(.acceptEncoding), request.options[ContentDecodingKey.self] {
            options.append("--compressed")
        }
        switch (request.method, request.sendsContent) {
        case (.get, false), (.post, true): break
        case (.head, false): options.append("-I")
        default: options += ["-X", ShellText.quoted(request.method.rawValue)]
        }
        return options
    }

    /// Returns the field lines; a name without a value keeps curl from adding a field of its own.
    private static func fields(_ request: Request, isForm: Bool, showsSecrets: Bool) -> [String] {
        let marked = Set(request.options[SecretHeadersKey.self].map { $0.lowercased() })
        var lines: [String] = []
        var hasCookies = false
        for field in request.headers where !isFraming(field.name) && !(isForm && field.name == .contentType) {
            let name = field.name.rawName
            if field.name == .cookie {
                // One line has all cookies, as it is sent: `HTTPFields` splits what it is given.
                guard !hasCookies else { continue }
                hasCookies = true
                let cookies = showsSecrets ? request.headers[.cookie] ?? "" : Redaction.mark
                lines.append(cookies.isEmpty ? "\(name);" : "\(name): \(cookies)")
                continue
            }
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
    /// Whether the request has a body, or Content-Length: 0 instead.
    fileprivate var sendsContent: Bool {
        body != nil || method == .post || method == .put || method == .patch
    }
}

/// How the command passes the body: as an argument, or through a pipe.
private struct CurlContent {
    /// The text before `curl`, including the pipe.
    var source = ""
    var arguments: [String] = []
    /// The remark at the end of the command.
    var remark = ""
    /// Whether curl builds the form, and chooses its boundary.
    var isForm = false

    /// Longer texts would exceed the argument limit of some systems.
    private static let longestArgument = 32 << 10

    /// - Parameter loggedBytes: the maximum size of bytes that a log shows; nil for a command of several lines with all bytes.
    init(_ request: Request, showsSecrets: Bool, loggedBytes: Int? = nil) {
        guard request.sendsContent else { return }
        let redaction = showsSecrets ? nil : BodyRedaction(request)
        let segments = Self.joined(request.body?.segments ?? [])
        if let loggedBytes, segments.contains(where: Self.isInMemory), LogBody(request, limit: loggedBytes)?.text == nil
        {
            arguments = ["--data-binary", "@-"]
            remark = "  # the body is left out: pipe its content in"
        } else if let form = CurlForm(request, segments) {
            arguments = form.arguments(showsSecrets: showsSecrets)
            isForm = true
        } else if segments.isEmpty {
            arguments = ["--data-raw", "''"]
        } else if segments.count == 1, case .bytes(let bytes) = segments[0] {
            let shown = redaction?.shown(bytes) ?? bytes
            if shown.count <= Self.longestArgument, let text = ShellText.printable(shown),
                loggedBytes == nil || !text.utf8.contains(where: { $0 < 0x20 })
            {
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

    private static func isInMemory(_ segment: Body.Segment) -> Bool {
        if case .bytes(let bytes) = segment { bytes.count > 0 } else { false }
    }

    // Joins neighbouring segments, since a name and its secret may be split between them.
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
    /// Whether the range covers the whole file at its current length.
    var isWhole: Bool {
        guard offset == 0, let whole = try? FileRange(wholeFile: path) else { return false }
        return whole.length == length
    }
}
