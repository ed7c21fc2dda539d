import HTTPTypes
import Sterna

/// The heads of messages, formatted for people.
struct HeadText: Sendable {
    var style: OutputStyle

    /// Returns a request's head as it is sent, with the fields that the transport adds.
    ///
    /// Over HTTP/2 one that asks for another protocol is an extended CONNECT (RFC 8441, 4 and 5).
    ///
    /// - Parameter version: the HTTP version; nil if it is not yet known.
    func request(_ request: Request, version: HTTPVersion? = .http11) -> String {
        let spoken = version.map { " " + paint($0.description, .dim) } ?? ""
        let target = style.showsSecrets ? request.url.requestTarget : Redaction.show(target: request.url.requestTarget)
        let isConnect = request.delivery == .duplex && version == .http2
        let method = isConnect ? "CONNECT" : request.method.rawValue
        var lines = ["\(paint(method, .green)) \(clean(target))\(spoken)"]
        if isConnect { lines.append(line(":protocol", request.headers[.upgrade] ?? "")) }
        let ownHost = request.headers.first { $0.name.canonicalName == "host" }
        lines.append(line("Host", ownHost?.value ?? request.url.hostField))
        var left = ["host", "content-length", "transfer-encoding"]
        if isConnect { left += ["upgrade", "connection", "sec-websocket-key"] }
        for field in request.headers where !left.contains(field.name.canonicalName) {
            lines.append(line(field.name.rawName, field.value))
        }
        if let body = request.body {
            if let length = body.length {
                lines.append(line("Content-Length", "\(length)"))
            } else if version == .http11 {
                lines.append(line("Transfer-Encoding", "chunked"))
            }
        } else if [.post, .put, .patch].contains(request.method) {
            lines.append(line("Content-Length", "0"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a response's head, with the server's phrase.
    func response(_ response: Response) -> String {
        let code = response.status.code
        let own = response.version == .http2 ? "" : response.reasonPhrase
        let phrase = own.isEmpty ? response.status.registeredPhrase : own
        let status = phrase.isEmpty ? "\(code)" : "\(code) \(phrase)"
        var lines = ["\(paint(response.version.description, .dim)) \(paint(clean(status), .ofStatus(code)))"]
        for field in response.headers { lines.append(line(field.name.rawName, field.value)) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ name: String, _ value: String) -> String {
        let shown = style.showsSecrets ? value : Redaction.shown(name, value)
        return "\(paint(clean(name), .cyan)): \(clean(shown))"
    }

    private func clean(_ text: String) -> String { style.isTerminal ? TerminalText.line(text) : text }

    private func paint(_ text: String, _ colour: Colour) -> String { colour.wrap(text, if: style.isColoured) }
}
