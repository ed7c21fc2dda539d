public import Sterna

/// How a ``TransferStore`` works, beside its folder.
public struct TransferStoreSettings: Sendable {
    /// The maximum number of transfers that run at the same time in this store; 4 by default.
    public var concurrency = 4

    /// The maximum number of them with one host; without a limit of its own by default.
    public var perHost = Int.max

    /// The bytes of uploads' content that the folder may hold at most: streams and data that are not files. 1 GiB by default.
    ///
    /// An upload that needs more fails with `limitExceeded` when it is added.
    public var maxStoredBytes: Int64 = 1 << 30

    /// Returns the secret with a name, for header fields that are stored by name; nil for one that it does not know. None by default.
    ///
    /// It is called before each attempt.
    public var secret: (@Sendable (String) async throws -> String?)?

    /// Decides whether a transfer's next attempt may begin now, such as at night, or where the network costs nothing; always by default.
    ///
    /// It is asked again after ``constraintInterval``, and by ``TransferStore/retryNow()``. What runs is not interrupted.
    public var mayBegin: (@Sendable (TransferDescription) async -> Bool)?

    /// How long a transfer that may not begin waits until it asks again; 30 s by default.
    public var constraintInterval = Duration.seconds(30)

    /// Tells when the network returns: transfers that have failed by its loss then begin their next attempt at once. By default
    /// ``NetworkReachability/shared``, which watches while the store carries transfers on; nil leaves them to their pauses.
    public var reachability: NetworkReachability? = .shared

    /// Further ways of uploading, by name; none by default.
    public var uploadMethods: [any UploadMethod] = []

    /// Called after each change of a transfer's state or obstacle, from any thread: one reader for all costs less than one for each.
    package var stateChanged: (@Sendable (Transfer) -> Void)?

    public init() {}
}
