/// A request as passed to a route's handler.
public struct ServerRequest: Sendable {
    /// The method in the case in which it was sent, `GET` for instance; `GET` for an extended `CONNECT` (RFC 8441), too.
    public let method: String
    /// The request target as sent, query included.
    public let target: String
    /// The target's path as sent, still percent-encoded.
    public let path: String
    /// The target's query as sent without the question mark; `nil` if there is none.
    public let query: String?
    /// The header fields as sent. An extended `CONNECT` has its `:protocol` as an Upgrade field.
    public let headers: ServerHeaders
    /// The values of the `{name}` segments of the route's pattern, percent-decoded; `*` holds the rest of the path.
    public internal(set) var parameters: [String: String] = [:]
    /// The body, readable once.
    public let body: ServerRequestBody
    /// The client's IP address without the port.
    public let remoteAddress: String
    /// The number of the request's connection: 0 for the first one that the server accepted.
    public let connection: Int
    /// The scheme and authority that the client used, `http://127.0.0.1:8080` for instance; from `Host` if present.
    public let origin: String
    /// The HTTP version of the request. Over HTTP/2 the names of header fields are in lower case, and they include `:authority`
    /// as `host`.
    public let version: ServerHTTPVersion
    let interim: ServerInterim

    /// Sends an interim response (RFC 9110 §15.2), and returns once its bytes have been written to the socket.
    ///
    /// - Parameter status: 102 to 199; nothing is sent for any other one, nor over HTTP/1.0.
    /// - Throws: A channel error if the client has closed or the final response has begun.
    public func inform(_ status: Int, _ headers: ServerHeaders = [:]) async throws {
        guard (102...199).contains(status), version != .http10 else { return }
        try await interim.send(status, headers)
    }

    /// The decoded name and value pairs of the query in order, at most 10 000.
    public var queryItems: [(name: String, value: String)] {
        guard let query else { return [] }
        return ASCIIText.formPairs(query).map { ($0.name, $0.value) }
    }

    /// Returns the first decoded value of a query name.
    public func query(_ name: String) -> String? {
        guard let query else { return nil }
        return ASCIIText.formPairs(query).first { $0.name == name }?.value
    }

    /// The target as an absolute URL.
    public var url: String {
        target.hasPrefix("/") ? origin + target : target
    }
}

/// A request target in origin form or, as sent to proxies, in absolute form (RFC 9112 §3.2).
struct RequestTarget {
    /// Scheme and authority of the absolute form.
    let origin: String?
    let path: String
    let query: String?

    init(_ target: String) {
        var rest = target[...]
        if let scheme = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) {
            let authority = target.dropFirst(scheme.count)
            let end = authority.firstIndex { $0 == "/" || $0 == "?" } ?? authority.endIndex
            origin = scheme + authority[..<end]
            rest = authority[end...]
        } else {
            origin = nil
        }
        let question = rest.firstIndex(of: "?")
        let path = rest[..<(question ?? rest.endIndex)]
        self.path = path.isEmpty ? "/" : String(path)
        self.query = question.map { String(rest[rest.index(after: $0)...]) }
    }
}

/// An error that a handler throws to answer with that status and a JSON body `{"message": …}`.
public struct ServerRouteError: Error, Sendable, Hashable {
    /// The status code, 400 to 599.
    public var status: Int
    /// The text under `message`.
    public var message: String

    /// Makes an error of a status and a message.
    public init(status: Int, message: String) {
        self.status = status
        self.message = message
    }
}
