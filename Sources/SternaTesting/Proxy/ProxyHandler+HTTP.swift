import NIOCore

/// HTTP: forwarding and CONNECT.
extension ProxyHandler {
    func takeHead() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard let end = ScriptedConnection.endOfHead(in: bytes, from: 0) else { return false }
        buffer.moveReaderIndex(forwardBy: end)
        guard let request = ProxyText.request(bytes[..<end], connection: number) else {
            return refuse(400, "malformed request", behind: nil)
        }
        if isSpoilt({ $0.requests.append(request) }) { return false }
        if case .refuses(let status, let body) = fault { return refuse(status, body, behind: request) }
        if let challenges = core.challenges(to: request) {
            return refuse(407, "proxy authentication required", behind: request, challenges)
        }
        if request.method == "CONNECT" {
            openTunnel(for: request)
        } else {
            forward(request)
        }
        return false
    }

    /// Responds as the proxy itself; always returns false, since the end of the response continues the connection.
    ///
    /// After a request with a body the connection cannot continue, since the body may or may not follow.
    private func refuse(
        _ status: Int, _ body: String, behind request: TestProxy.Request?,
        _ challenges: [String] = [TestProxy.Digest.basicChallenge]
    ) -> Bool {
        let hasNoBody = request.map { ProxyFraming($0.headers).isDone } ?? false
        stage = hasNoBody ? .busy : .deaf
        var text = "HTTP/1.1 \(status) \(TestProxyReason.phrase(status))\r\nContent-Type: text/plain\r\n"
        text += "Content-Length: \(body.utf8.count)\r\nX-Proxy: TestProxy\r\n"
        if status == 407 { for value in challenges { text += "Proxy-Authenticate: \(value)\r\n" } }
        if !hasNoBody { text += "Connection: close\r\n" }
        answer((text + "\r\n" + (request?.method == "HEAD" ? "" : body)).utf8) { [self] in
            if case .busy = stage { stage = .head }
            process()
            resumeReading()
        }
        return false
    }

    private func openTunnel(for request: TestProxy.Request) {
        guard let (host, port) = ProxyText.authority(request.target) else {
            return _ = refuse(400, "CONNECT takes host:port", behind: request)
        }
        connect(host: host, port: port) { [self] result in
            if case .failure(let error) = result {
                return _ = refuse(502, "\(request.target): \(error)", behind: request)
            }
            if case .answersConnect(let text) = fault {
                openTunnel(text.utf8)
            } else {
                openTunnel("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
            }
        }
    }

    private func forward(_ request: TestProxy.Request) {
        guard let (authority, target) = ProxyText.absolute(request.target),
            let (host, port) = ProxyText.authority(authority, defaultPort: 80)
        else { return _ = refuse(400, "a target in absolute form is needed", behind: request) }
        if let upstream, upstream.isActive, self.authority == authority {
            return send(request, target, to: upstream)
        }
        connect(host: host, port: port) { [self] result in
            guard case .success = result, let upstream else {
                return _ = refuse(502, "\(authority) cannot be reached", behind: request)
            }
            self.authority = authority
            send(request, target, to: upstream)
            process()
            resumeReading()
        }
    }

    private func send(_ request: TestProxy.Request, _ target: String, to upstream: ProxyUpstream) {
        var text = "\(request.method) \(target) \(request.version)\r\n"
        // Fields for the proxy are not forwarded.
        for field in request.headers where !field.name.lowercased().hasPrefix("proxy-") {
            text += "\(field.name): \(field.value)\r\n"
        }
        upstream.send(ByteBuffer(string: text + "\r\n"))
        let framing = ProxyFraming(request.headers)
        stage = framing.isDone ? .head : .body(framing)
    }
}

/// Reason phrases of the statuses that proxies use for refusals.
enum TestProxyReason {
    static func phrase(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 407: "Proxy Authentication Required"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Refused"
        }
    }
}
