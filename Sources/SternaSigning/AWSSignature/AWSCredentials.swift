import Crypto
import SternaCore
import SternaPlatform
import Synchronization

/// An access key of AWS, or of a service with the same signatures. Descriptions and mirrors do not show it.
public struct AWSCredentials: Sendable, Hashable {
    /// The access key ID, such as `AKIAIOSFODNN7EXAMPLE`; it is sent with each request.
    public let accessKey: String

    /// The secret access key, which signs requests and is never sent.
    public let secretKey: String

    /// The session token of temporary credentials, sent with each request; nil for permanent ones.
    public let sessionToken: String?

    /// Identifies the secret key among cached derived keys; comparing digests takes the same time for all secrets.
    let secretDigest: SHA256Digest

    /// Makes credentials of an access key; temporary ones also have a session token.
    public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        secretDigest = SHA256.hash(data: Data(secretKey.utf8))
    }

    /// Throws `invalidRequest` for credentials that cannot sign, without showing them.
    func check() throws(SternaError) {
        let isKey =
            !accessKey.isEmpty && accessKey.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x2C }
        guard isKey, !secretKey.isEmpty, sessionToken.map(FieldSyntax.isValue) ?? true else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The AWS credentials cannot be used: the access key, the secret key or the session token is empty or has "
                    + "characters that cannot be sent.")
        }
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type, without any part of the key.
    public var description: String { "AWSCredentials(***)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["hasSessionToken": sessionToken != nil]) }
}

/// Supplies the credentials that sign requests, for example from a service that renews temporary ones.
///
/// Called before every attempt, so it should cache its credentials. Concurrent requests call it concurrently.
public protocol AWSCredentialProvider: Sendable {
    /// Returns the credentials that sign the next attempt.
    ///
    /// A thrown ``SternaCore/SternaError`` fails the request; any other error fails it with `interceptorFailed`, as the
    /// `underlying` one.
    nonisolated(nonsending) func credentials() async throws -> AWSCredentials
}

extension AWSCredentials: AWSCredentialProvider {
    /// Returns these credentials.
    public func credentials() async throws -> AWSCredentials { self }
}

/// Holds credentials that a program replaces while requests are made.
public final class AWSCredentialStore: AWSCredentialProvider, CustomReflectable {
    private let stored: Mutex<AWSCredentials?>

    /// Makes a store; without credentials, requests fail until some are set.
    public init(_ credentials: AWSCredentials? = nil) { stored = Mutex(credentials) }

    /// The credentials of all attempts from now on; with nil, requests fail with `invalidRequest`.
    public var current: AWSCredentials? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    /// Returns the stored credentials; throws `invalidRequest` if there are none.
    public func credentials() async throws -> AWSCredentials {
        guard let current else {
            throw SternaError(
                .invalidRequest, phase: .prepare, "The AWS credential store is empty; set its credentials first.")
        }
        return current
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Reads credentials from the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
public struct AWSEnvironmentCredentials: AWSCredentialProvider {
    /// Makes a provider that reads the process's environment before each attempt.
    public init() {}

    /// Returns the environment's credentials; throws `invalidRequest` if one of the two key variables is missing or empty.
    public func credentials() async throws -> AWSCredentials {
        try Self.credentials(of: ProcessInfo.processInfo.environment)
    }

    /// Returns the credentials in environment variables; throws `invalidRequest`, which names the missing variable.
    static func credentials(of variables: [String: String]) throws(SternaError) -> AWSCredentials {
        func value(_ name: String) throws(SternaError) -> String {
            guard let value = variables[name], !value.isEmpty else {
                throw SternaError(
                    .invalidRequest, phase: .prepare,
                    "The environment variable \(name) is not set; it holds AWS credentials."
                )
            }
            return value
        }
        let token = variables["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        return AWSCredentials(
            accessKey: try value("AWS_ACCESS_KEY_ID"), secretKey: try value("AWS_SECRET_ACCESS_KEY"),
            sessionToken: token)
    }
}
