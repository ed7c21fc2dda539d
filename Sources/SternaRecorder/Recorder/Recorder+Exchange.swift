public import SternaCore
public import SternaPlatform

extension Recorder {
    /// A call: its request as given, its attempts in order, and the response that the caller got.
    public struct Exchange: Sendable, Identifiable {
        /// The number of the call, as in ``SternaCore/ObservedCall/id``; unique within the process that recorded it.
        public let id: UInt64

        /// When the call began.
        public let started: Date

        /// The request as the caller gave it, without its body.
        public let request: Request

        /// The requests on the network: the first one, redirects, retries and copies. Empty if the cache or another call's transfer
        /// had the response, or the request was not sent.
        public let attempts: [Attempt]

        /// The head of the response that the caller got; nil if there is none.
        public let response: Response?

        /// The body that the call has collected and no attempt has, such as one from the cache; nil otherwise.
        public let responseBody: Body?

        /// The error that the call failed with, in words; nil if it succeeded.
        public let error: String?

        /// What cache, cookies, redirects and retries decided, in words.
        public let decisions: [String]

        /// The time from the call's begin to its end.
        public let duration: Duration
    }

    /// A request on the network, as sent, and what was received.
    public struct Attempt: Sendable {
        /// The phases, the connection and the sizes, the same as in ``SternaCore/RequestMetrics/attempts``.
        public let metrics: AttemptMetrics

        /// The request as the interceptors passed it on, without its body.
        public let request: Request

        /// The request's body; nil if there is none.
        public let requestBody: Body?

        /// The interim responses (RFC 9110, 15.2), the latest 16.
        public let interimResponses: [InformationalResponse]

        /// The head of the response as received; nil if there is none. The body is empty, but it has the trailer fields.
        public let response: Response?

        /// The response's body as received, before it was decoded; nil if it was not read.
        public let responseBody: Body?

        /// The error that ended the attempt, in words; nil if there is none.
        public let error: String?
    }

    /// A body that was sent or received, as far as it was.
    public struct Body: Sendable, Hashable {
        /// The number of bytes that passed.
        public let size: Int64

        /// The bytes; nil if they exceed a limit of the recorder, or their media type is not kept.
        public let bytes: Bytes?
    }
}
