import HTTPTypes
import NIOCore
import SternaCore

/// The fields behind a body in chunked coding (RFC 9112, 7.1.2).
extension BodyWriter {
    /// Asks for the fields, and ends the body with them.
    func writeTrailers(_ make: @escaping @Sendable () async throws -> HTTPFields) {
        isBusy = true
        pull = Task {
            let result: Result<Bytes, SternaError>
            do {
                let fields = try await make()
                result = Result { () throws(SternaError) in try Self.lines(of: fields) }
            } catch {
                result = .failure(
                    SternaError.wrap(
                        error, as: .writeFailed, phase: .write, "The body's trailers failed: \(Self.line(error))"))
            }
            self.loop.execute { self.finish(result) }
        }
    }

    private func finish(_ result: Result<Bytes, SternaError>) {
        isBusy = false
        guard !isStopped, let context = connection?.context else { return }
        connection?.sourceDelivered()
        switch result {
        case .success(let lines):
            isStopped = true
            connection?.throughput.sent += lines.readableBytes
            context.writeAndFlush(NIOAny(lines), promise: nil)
            connection?.bodyFinished()
        case .failure(let error): fail(error)
        }
    }

    static func lines(of fields: HTTPFields) throws(SternaError) -> Bytes {
        var lines = Bytes(staticString: "0\r\n")
        for field in fields {
            let name = field.name.canonicalName
            guard !forbidden.contains(name), !name.hasPrefix(":"), FieldSyntax.isValue(field.value) else {
                throw SternaError(
                    .invalidHeader, phase: .write,
                    "The field “\(field.name.rawName)” cannot follow a body; the request was not completed.")
            }
            lines.writeString("\(field.name.rawName): \(field.value)\r\n")
        }
        lines.writeStaticString("\r\n")
        return lines
    }

    // Framing, routing, authentication, modifiers, and what says how content is read (RFC 9110, 6.5.1).
    private static let forbidden: Set<String> = [
        "transfer-encoding", "content-length", "host", "connection", "keep-alive", "te", "trailer", "upgrade",
        "proxy-connection", "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate",
        "content-encoding", "content-type", "content-range", "range", "expect", "max-forwards", "cache-control",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]
}
