public import SternaSecurity

extension SessionSettings {
    /// Which servers are trusted, and which are reached by https only.
    public struct Trust: Sendable {
        /// The criteria for trusting servers, and the client's identity.
        public var policy = SecurityPolicy.system

        /// Policies of single hosts, which replace ``policy``.
        public var hosts = HostPolicies()

        /// The hosts that require https, so that their http URLs are sent as https (RFC 6797). A session with a base URL has a
        /// store of its own by default, which sessions derived from it share; one without has none.
        public var hsts: HSTSStore?
    }
}
