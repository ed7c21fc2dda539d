public import SternaReachability

/// The settings of a ``TransferStore``.
public struct TransferStoreSettings: Sendable {
    /// The maximum number of transfers that run at the same time in this store; 4 by default. Values below 1 count as 1.
    public var concurrency = 4

    /// The maximum number of transfers with one host that run at the same time; unlimited by default. Values below 1 count as 1.
    public var perHost = Int.max

    /// The maximum size of upload content in the store's folder, in bytes; 1 GiB by default. It counts streams, data and form
    /// values, which the store copies; files are read where they are.
    ///
    /// Adding an upload that needs more throws `limitExceeded`.
    public var maxStoredBytes: Int64 = 1 << 30

    /// Returns the secret with a name, for header fields that are stored by name; nil for an unknown name. Nil by default.
    ///
    /// The store calls it before each attempt. Without a value the transfer is blocked.
    public var secret: (@Sendable (String) async throws -> String?)?

    /// Decides whether a transfer's next attempt may begin now, for example only at night or on an unmetered network; always by
    /// default.
    ///
    /// The store calls it again after ``constraintInterval``, when the transfer's turn has come, and after
    /// ``TransferStore/retryNow()``. It does not interrupt a running attempt.
    public var mayBegin: (@Sendable (TransferDescription) async -> Bool)?

    /// The interval between calls of ``mayBegin`` while it returns false; 30 s by default, at least 10 ms.
    public var constraintInterval = Duration.seconds(30)

    /// The reachability that reports the return of the network; ``SternaReachability/NetworkReachability/shared`` by default.
    ///
    /// Transfers that have failed because of the network then begin their next attempt at once. The store watches only while it has
    /// transfers. With nil they wait for the end of their pauses.
    public var reachability: NetworkReachability? = .shared

    /// Further upload methods, which ``UploadOptions/Resumption/method(_:)`` selects by name; none by default.
    public var uploadMethods: [any UploadMethod] = []

    /// Called after each change of a transfer's state or obstacle, on any thread. One reader for all transfers costs less than one
    /// for each.
    package var stateChanged: (@Sendable (Transfer) -> Void)?

    /// Creates the default settings.
    public init() {}
}
