/// Whether a request that is not idempotent is resent if the server closes the connection without a byte of a response, shortly
/// after the call's previous response.
package enum ResendsNonIdempotentKey: RequestOptionKey {
    package static var defaultValue: Bool { true }
    package static var name: String? { "network.resendsNonIdempotentRequests" }
}
