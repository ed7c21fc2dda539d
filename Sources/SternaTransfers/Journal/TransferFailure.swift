import HTTPTypes
import SternaCore

/// Why an attempt failed, or the transfer.
public struct TransferFailure: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of the error: the name of a `SternaError.Kind`.
    public let kind: String

    /// What happened and what to do, without secrets.
    public private(set) var reason: String

    /// The status code of the server's answer, or of a proxy's; nil without one.
    public let status: Int?

    init(_ error: SternaError) {
        kind = error.kind.rawValue
        reason = FieldSyntax.printable(error.description, limit: 4_096)
        status = (error.response ?? error.proxyResponse)?.status.code
    }

    init(_ kind: SternaError.Kind, _ reason: String, status: Int? = nil) {
        (self.kind, self.reason, self.status) = (kind.rawValue, reason, status)
    }

    /// The failure without secrets that the server has repeated.
    func hiding(_ secrets: SentSecrets) -> TransferFailure {
        var failure = self
        failure.reason = secrets.hidden(in: reason)
        return failure
    }

    public var description: String { reason }
}
