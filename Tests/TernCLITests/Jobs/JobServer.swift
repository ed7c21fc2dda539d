import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization

/// The pages of the host `h` in the table of jobs, and what was sent to them.
final class JobServer: Sendable {
    /// A request without what differs between programs by default.
    struct Received: Sendable {
        var method: String
        var target: String
        var version: String
        var fields: [String]
        var body: String
    }

    static let report = "a,b\n1,2\n"
    static let photo: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n no picture".utf8)
    private static let zipped: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0xCA, 0x2C, 0x28, 0x48, 0x4D, 0xE1, 0x02,
        0x00, 0xAC, 0x00, 0x3A, 0xC7, 0x07, 0x00, 0x00, 0x00,
    ]

    private let log = Mutex<[Received]>([])

    /// The requests in the order of their arrival.
    var received: [Received] { log.withLock { $0 } }

    func add(to server: TestServer) {
        server.route(nil, "/*") { [self] request in
            let body = try await request.body.collect()
            let count = log.withLock { log in
                log.append(Self.recorded(request, body))
                return log.count { $0.target == request.target }
            }
            return try await answer(to: request, time: count)
        }
    }

    // MARK: Pages

    private func answer(to request: ServerRequest, time: Int) async throws -> ServerResponse {
        switch request.path {
        case "/page": return .text("a page\n")
        case "/old": return .redirect(to: "/page")
        case "/older": return .redirect(to: "/old")
        case "/report.csv": return report(request)
        case "/export":
            return .text(
                Self.report, mediaType: "text/csv",
                headers: ["Content-Disposition": "attachment; filename=\"report 2024.csv\""])
        case "/data.json":
            return .text(#"{"name":"Ada","tags":["x",1,null],"empty":{}}"#, mediaType: "application/json")
        case "/big.bin": return big(request)
        case "/lines.txt": return .text((1...20_000).map { "line \($0)\n" }.joined())
        case "/zipped":
            let accepts = request.headers["Accept-Encoding"]?.contains("gzip") == true
            guard accepts else { return .text("zipped\n") }
            return .bytes(Self.zipped, mediaType: "text/plain", headers: ["Content-Encoding": "gzip"])
        case "/missing": return .text("no such page\n", status: 404)
        case "/broken": return .text("broken\n", status: 500)
        case "/busy": return time == 1 ? .text("busy\n", status: 503) : .text("free\n")
        case "/slow":
            try await Task.sleep(for: .seconds(600))
            return .text("late\n")
        case "/private":
            guard request.headers["Authorization"] == "Basic YWRhOnB3" else {
                return .text("no\n", status: 401, headers: ["WWW-Authenticate": #"Basic realm="h""#])
            }
            return .text("private\n")
        case "/token":
            return request.headers["Authorization"] == "Bearer t0ken" ? .text("private\n") : .text("no\n", status: 401)
        case "/digest":
            guard request.headers["Authorization"]?.hasPrefix("Digest ") == true else {
                let challenge = #"Digest realm="h", nonce="n0nce", qop="auth", algorithm=SHA-256"#
                return .text("no\n", status: 401, headers: ["WWW-Authenticate": challenge])
            }
            return .text("private\n")
        case "/login":
            return .text(
                "welcome\n", headers: ["Set-Cookie": "sid=s3cret; Path=/; Expires=Fri, 01 Jan 2100 10:00:00 GMT"])
        case "/login-and-go": return .redirect(to: "/whoami", headers: ["Set-Cookie": "sid=s3cret; Path=/"])
        case "/whoami": return .text("cookies: \(request.headers.all("Cookie").joined(separator: " | "))\n")
        default:
            if request.path.hasPrefix("/files/") { return .text("\(request.path)\n") }
            return .text("done\n", status: request.method == "POST" ? 201 : 200)
        }
    }

    private func report(_ request: ServerRequest) -> ServerResponse {
        let fields: ServerHeaders = ["ETag": "\"v1\"", "Last-Modified": "Mon, 01 Jan 2024 10:00:00 GMT"]
        if request.headers["If-None-Match"] == "\"v1\""
            || request.headers["If-Modified-Since"] == fields["Last-Modified"]
        {
            return ServerResponse(status: 304, headers: fields)
        }
        guard request.headers["Range"] == "bytes=0-3" else {
            return .text(Self.report, mediaType: "text/csv", headers: fields)
        }
        var part = fields
        part.add("Content-Range", "bytes 0-3/\(Self.report.utf8.count)")
        return .text(String(Self.report.prefix(4)), mediaType: "text/csv", status: 206, headers: part)
    }

    private func big(_ request: ServerRequest) -> ServerResponse {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        let fields: ServerHeaders = ["ETag": "\"b1\"", "Accept-Ranges": "bytes"]
        guard let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-"),
            let start = Int(range.dropFirst(6).dropLast()), start < bytes.count
        else { return .bytes(bytes, headers: fields) }
        var part = fields
        part.add("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
        return .bytes(bytes[start...], status: 206, headers: part)
    }

    // MARK: Requests

    private static func recorded(_ request: ServerRequest, _ body: [UInt8]) -> Received {
        var text = String(decoding: body, as: UTF8.self)
        var fields: [String] = []
        for field in request.headers {
            let name = field.name.lowercased()
            var value = field.value
            guard !isDefault(name, value) else { continue }
            if name == "content-type", let start = value.ranges(of: "boundary=").first {
                // A boundary is random.
                text = text.replacing(value[start.upperBound...].replacing("\"", with: ""), with: "BOUNDARY")
                value = value[..<start.upperBound] + "BOUNDARY"
            }
            // Its nonces are random.
            if name == "authorization", value.hasPrefix("Digest ") { value = "Digest" }
            fields.append("\(name): \(value)")
        }
        return Received(
            method: request.method, target: request.target, version: "\(request.version)", fields: fields.sorted(),
            body: text)
    }

    /// Whether a program sends the field by itself.
    private static func isDefault(_ name: String, _ value: String) -> Bool {
        switch name {
        case "user-agent": ["curl/", "HTTPie/", "tern/", "sterna/", "Sterna/"].contains { value.hasPrefix($0) }
        // curl and HTTPie ask for JSON when they send some.
        case "accept": ["*/*", "application/json", "application/json, */*;q=0.5"].contains(value)
        case "accept-encoding": value.contains("gzip") || value == "identity"
        case "connection", "proxy-connection": value.lowercased() == "keep-alive" || value.lowercased() == "close"
        // The body is compared as it arrived.
        case "content-length", "transfer-encoding", "expect": true
        default: false
        }
    }
}
