import HTTPTypes
import SternaCore

/// The reason for which an attempt or a transfer failed.
public struct TransferFailure: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of the error: the name of a `SternaError.Kind`.
    public let kind: String

    /// What happened and what to do, without secrets, at most 4,096 characters of the error.
    public private(set) var reason: String

    /// The status code of the response, from the server or a proxy; nil without a response.
    public let status: Int?

    init(_ error: SternaError) {
        kind = error.kind.rawValue
        reason = FieldSyntax.printable(error.description, limit: 4_096)
        status = (error.response ?? error.proxyResponse)?.status.code
    }

    init(_ kind: SternaError.Kind, _ reason: String, status: Int? = nil) {
        (self.kind, self.reason, self.status) = (kind.rawValue, reason, status)
    }

    /// Returns the failure without secrets that the server repeated.
    func hiding(_ secrets: SentSecrets) -> TransferFailure {
        var failure = self
        failure.reason = secrets.hidden(in: reason)
        return failure
    }

    public var description: String { reason }
}
