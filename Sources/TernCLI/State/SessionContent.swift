import Sterna

/// What `--session` keeps in a file:
///
///     {
///       "version": 1,
///       "servers": [
///         {
///           "origin": "https://example.com",
///           "credentials": {"type": "basic", "user": "ada", "password": "…"},
///           "headers": [{"name": "X-Api-Key", "value": "…"}]
///         }
///       ],
///       "cookies": [{"name": "sid", "value": "…", "domain": "example.com", "hostOnly": true, "path": "/", "created": 1735689600}]
///     }
///
/// Each server has the credentials and header fields that command lines gave for its origin; only that origin receives them.
/// `type` is `basic` or `digest`, or `any` for either, with `user` and `password`; or `bearer` with `token`. `credentials` and
/// `headers` may be missing. Cookies have the form of `CookieSnapshot`. Unknown members are an error: a later version has another
/// number.
struct SessionContent: Sendable, Hashable {
    var servers: [Server] = []
    var cookies = CookieSnapshot()

    /// The credentials and header fields of requests to an origin.
    struct Server: Sendable, Hashable {
        var origin: Origin
        var credentials: EnteredCredentials?
        var headers: [Headers.Line] = []

        /// Replaces what a new command line gives. Credentials and an Authorization field exclude each other.
        mutating func update(_ credentials: EnteredCredentials?, _ headers: [Headers.Line]) {
            let names = Set(headers.map { $0.name.lowercased() })
            self.headers.removeAll { names.contains($0.name.lowercased()) }
            if names.contains("authorization") { self.credentials = nil }
            self.headers += headers
            guard let credentials else { return }
            self.credentials = credentials
            self.headers.removeAll { $0.name.lowercased() == "authorization" }
        }
    }

    /// The limits on a file.
    enum Limits {
        static let bytes = 32 << 20
        static let servers = 1_000
        static let headers = 500
    }

    private static let version = 1

    init() {}

    /// Returns what an origin gets. What was given over http is for https at the same host, too, never the other way round.
    func server(for origin: Origin) -> Server? {
        if let own = servers.first(where: { $0.origin == origin }) { return own }
        guard origin.scheme.isSecure else { return nil }
        guard
            var server = servers.first(where: { !$0.origin.scheme.isSecure && $0.origin.authority == origin.authority })
        else { return nil }
        server.origin = origin
        return server
    }

    /// The origin with TLS whose credentials a request to another origin without it does not get; nil if there is none.
    func withheld(from origin: Origin) -> Origin? {
        guard !origin.scheme.isSecure, server(for: origin) == nil else { return nil }
        return servers.first { $0.origin.scheme.isSecure && $0.origin.authority == origin.authority }?.origin
    }

    /// Adds a server, or replaces the one of its origin.
    mutating func put(_ server: Server) {
        if let index = servers.firstIndex(where: { $0.origin == server.origin }) {
            servers[index] = server
        } else {
            servers.append(server)
        }
    }

    // MARK: JSON

    /// Reads the content; throws for anything that ``json()`` does not write, but for white space and the order of members.
    init(parsing bytes: [UInt8]) throws(FileFault) {
        guard let root = try? JSON(parsing: bytes, limits: JSON.ParseLimits(depth: 6, bytes: Limits.bytes)) else {
            throw FileFault("it is not JSON")
        }
        guard let file = root.object, Set(file.keys) == ["version", "servers", "cookies"],
            let list = file["servers"]?.array, let cookies = file["cookies"], cookies.array != nil
        else { throw FileFault("it is not a session of tern") }
        guard file["version"]?.int == Self.version else { throw FileFault("it is of another version of tern") }
        guard list.count <= Limits.servers else { throw FileFault("it has too many servers") }
        for (index, item) in list.enumerated() {
            guard let server = item.object.flatMap(Self.server),
                !servers.contains(where: { $0.origin == server.origin })
            else { throw FileFault("server \(index + 1) is invalid") }
            servers.append(server)
        }
        let document = JSON.object(.init(pairs: [("version", 1), ("cookies", cookies)]))
        guard let text = try? document.serialized(), let snapshot = try? CookieSnapshot(text) else {
            throw FileFault("its cookies are invalid")
        }
        self.cookies = snapshot
    }

    private static func server(_ object: JSON.Object) -> Server? {
        guard Set(object.keys).isSubset(of: ["origin", "credentials", "headers"]),
            let text = object["origin"]?.string, let url = try? Target.url(text), "\(url.origin)" == text,
            let lines = (object["headers"] ?? .array([])).array, lines.count <= Limits.headers
        else { return nil }
        var server = Server(origin: url.origin)
        if let credentials = object["credentials"] {
            guard let entered = credentials.object.flatMap(EnteredCredentials.init(json:)) else { return nil }
            server.credentials = entered
        }
        for line in lines {
            guard let line = line.object, Set(line.keys) == ["name", "value"], let name = line["name"]?.string,
                let value = line["value"]?.string, SessionFields.isKept(name), (try? Headers.field(name, value)) != nil
            else { return nil }
            server.headers.append(Headers.Line(name: name, value: value))
        }
        return server
    }

    /// Returns the content as JSON in UTF-8. **It contains secrets.**
    func json() -> [UInt8] {
        let cookies = (try? JSON(parsing: cookies.bytes()))?.object?["cookies"] ?? .array([])
        let root = JSON.object(
            .init(pairs: [
                ("version", .number(.init(Self.version))), ("servers", .array(servers.map(Self.json))),
                ("cookies", cookies),
            ]))
        // A tree of texts, flags and finite numbers.
        return (try? root.serialized(.pretty)) ?? []
    }

    private static func json(_ server: Server) -> JSON {
        var members: [(String, JSON)] = [("origin", .string("\(server.origin)"))]
        if let credentials = server.credentials { members.append(("credentials", credentials.json)) }
        if !server.headers.isEmpty {
            let lines = server.headers.map { line in
                JSON.object(.init(pairs: [("name", .string(line.name)), ("value", .string(line.value))]))
            }
            members.append(("headers", .array(lines)))
        }
        return .object(.init(pairs: members))
    }
}

extension EnteredCredentials {
    /// Nil if the object is not the member `credentials` of a session's file.
    fileprivate init?(json object: JSON.Object) {
        switch object["type"]?.string {
        case "bearer":
            guard Set(object.keys) == ["type", "token"], let token = object["token"]?.string else { return nil }
            self = .token(token)
        case let type?:
            guard Set(object.keys) == ["type", "user", "password"], let user = object["user"]?.string,
                let password = object["password"]?.string
            else { return nil }
            switch type {
            case "any": self = .user(user, password: password, by: nil)
            case "basic": self = .user(user, password: password, by: .basic)
            case "digest": self = .user(user, password: password, by: .digest)
            case "asked": self = .user(user, password: password, by: .asked)
            default: return nil
            }
        case nil: return nil
        }
    }

    fileprivate var json: JSON {
        switch self {
        case .token(let token): .object(.init(pairs: [("type", "bearer"), ("token", .string(token))]))
        case .user(let user, let password, let scheme):
            .object(
                .init(pairs: [
                    ("type", .string(scheme?.rawValue ?? "any")), ("user", .string(user)),
                    ("password", .string(password)),
                ]))
        }
    }
}

/// Which header fields a session keeps.
enum SessionFields {
    /// The beginnings of names that belong to one request.
    private static let prefixes = ["content-", "if-", "proxy-", "sec-", "access-control-"]

    /// Fields that belong to one request or one connection, and cookies, which have a place of their own.
    private static let single: Set<String> = [
        "connection", "cookie", "cookie2", "date", "digest", "expect", "host", "http2-settings", "idempotency-key",
        "keep-alive", "max-forwards", "range", "repr-digest", "signature", "signature-input", "te", "traceparent",
        "trailer", "transfer-encoding", "upgrade", "x-correlation-id", "x-http-method-override", "x-request-id",
    ]

    /// Whether a session keeps a field.
    static func isKept(_ name: String) -> Bool {
        let name = name.lowercased()
        return !single.contains(name) && !prefixes.contains { name.hasPrefix($0) }
    }
}
