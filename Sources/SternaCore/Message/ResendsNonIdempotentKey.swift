/// Whether a request that is not idempotent is sent again when the server ends its connection without a byte of a response, shortly
/// after the call's response before it.
package enum ResendsNonIdempotentKey: RequestOptionKey {
    package static var defaultValue: Bool { true }
    package static var name: String? { "resendsNonIdempotentRequests" }
}
