public import SternaCore
public import SternaSerialization

extension SessionSettings {
    /// Limits on the sizes of bodies, and on the rate and number of requests.
    public struct Limits: Sendable {
        /// The maximum size of a body collected in memory, in bytes; 256 MiB by default. A larger body fails with `limitExceeded`.
        public var collectedBytes = 256 << 20

        /// Limits on the decoded size of a compressed body.
        public var decompression = DecodingLimits()

        /// A limit on the bandwidth of all bodies of the session, in both directions; none by default.
        ///
        /// Sessions may share a limit: it applies to all their bodies together. A derived session has the limit of the one that it
        /// was derived from, unless it is given another.
        public var bandwidth: BandwidthLimit?

        /// Limits the rate of requests to each origin; none by default.
        public var rate: RateLimit?

        /// Limits the number of concurrent requests to each origin to what its server can handle; none by default.
        public var concurrency: AdaptiveConcurrencyLimit?

        /// Stops sending requests to origins that keep failing; none by default.
        public var circuitBreaker: CircuitBreaker?

        /// The body size in bytes above which a request waits for `100 (Continue)`, with `Expect: 100-continue` (RFC 9110, 10.1.1);
        /// 1 MiB by default. A body of unknown length waits, too. After a second without a response the body is sent anyway. Nil
        /// never waits.
        public var continueThreshold = Self.defaultContinueThreshold

        static let defaultContinueThreshold: Int64? = 1 << 20
    }
}

extension RequestSettings {
    /// The limits of one request.
    public struct Limits: SettingsGroup, Sendable {
        var settings: RequestSettings

        /// The bandwidth limit of this request's bodies; the session's by default. A limit set here applies in addition to the
        /// session's; nil disables both.
        ///
        /// Requests with the same limit share its bandwidth. The property can only be assigned: a limit is a shared object, so a
        /// request that changed its session's would change it for all requests.
        public var bandwidth: BandwidthLimit? {
            @available(
                *, unavailable,
                message: "Assign a limit of the request's own: $0.limits.bandwidth = BandwidthLimit(download: 500_000)."
            )
            get { settings.state.choices.bandwidth.flattened() }
            set { settings.state.choices.bandwidth = .some(newValue) }
        }

        /// The body size in bytes above which this request waits for `100 (Continue)` before it sends the body; the session's by
        /// default. Nil never waits.
        public var continueThreshold: Int64? {
            get {
                settings.ownContinueThreshold ?? settings.session.map { $0.settings.limits.continueThreshold }
                    ?? SessionSettings.Limits.defaultContinueThreshold
            }
            set { settings.ownContinueThreshold = .some(newValue) }
        }

        mutating func replace(by other: Self) {
            replaceChoice(\.bandwidth, by: other)
            settings.ownContinueThreshold = other.settings.ownContinueThreshold
        }
    }
}
