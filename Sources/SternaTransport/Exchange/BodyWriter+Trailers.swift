import HTTPTypes
import NIOCore
import SternaCore

/// Trailer fields (RFC 9110, 6.5).
extension BodyWriter {
    /// Requests the trailer fields, and ends the body with them.
    func writeTrailers(_ make: @escaping @Sendable () async throws -> HTTPFields) {
        isBusy = true
        pull = Task {
            let result: Result<HTTPFields, SternaError>
            do {
                result = .success(try await make())
            } catch {
                result = .failure(
                    SternaError.wrap(
                        error, as: .writeFailed, phase: .write, "The body's trailers failed: \(Self.line(error))"))
            }
            self.loop.execute { self.finish(result) }
        }
    }

    private func finish(_ result: Result<HTTPFields, SternaError>) {
        isBusy = false
        guard !isStopped, let codec, codec.isOpen else { return }
        codec.sourceDelivered()
        switch result {
        case .success(let fields): end(codec, with: fields)
        case .failure(let error): fail(error)
        }
    }
}

/// The fields that may be sent as trailers.
enum TrailerFields {
    /// Throws `invalidHeader` for a field that must not be a trailer.
    static func check(_ fields: HTTPFields) throws(SternaError) {
        for field in fields {
            let name = field.name.canonicalName
            guard !forbidden.contains(name), !name.hasPrefix(":"), FieldSyntax.isValue(field.value) else {
                throw SternaError(
                    .invalidHeader, phase: .write,
                    "The field “\(field.name.rawName)” cannot follow a body; the request was not completed.")
            }
        }
    }

    // Framing, routing, authentication, modifiers, and fields that describe how to process the content (RFC 9110, 6.5.1).
    private static let forbidden: Set<String> = [
        "transfer-encoding", "content-length", "host", "connection", "keep-alive", "te", "trailer", "upgrade",
        "proxy-connection", "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate",
        "content-encoding", "content-type", "content-range", "range", "expect", "max-forwards", "cache-control",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]
}
