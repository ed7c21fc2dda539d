import SternaCore

/// The interceptors that sign requests, and their places in a session's chain.
///
/// They are in the chain of a session that signs, and are added for a request with a signature of its own.
struct SigningSlot: Sendable {
    /// The place above redirects, where a call begins.
    private let beginning: Int

    /// The place above the network interceptors, where each attempt passes.
    private let end: Int
    private let interceptors: (above: [any Interceptor], below: [any Interceptor])

    /// Finds the places in a chain.
    ///
    /// - Parameters:
    ///   - chain: a chain without the interceptors that sign.
    ///   - policies: the number of the library's own interceptors, which stand between application and network interceptors.
    ///   - network: the session's network interceptors.
    ///   - base: the origin of the session's base URL.
    init(of chain: [any Interceptor], policies: Int, network: [any Interceptor], base: Origin?) {
        let below = TraceInterceptor.chain(application: [], policies: [], network: network).count
        end = max(0, chain.count - below)
        beginning = max(0, end - policies)
        interceptors = (
            [AWSOriginInterceptor(base: base), MessageOriginInterceptor(base: base)],
            [AWSSigningInterceptor(offsets: AWSClockOffsets()), MessageSigningInterceptor()]
        )
    }

    /// Whether options have a request signed.
    static func isNeeded(by options: RequestOptions) -> Bool {
        options[ifSet: AWSSigningKey.self] != nil || options[ifSet: MessageSigningOptionKey.self] != nil
    }

    /// Returns the chain with the interceptors that sign.
    func added(to chain: [any Interceptor]) -> [any Interceptor] {
        var chain = chain
        chain.insert(contentsOf: interceptors.below, at: min(end, chain.count))
        chain.insert(contentsOf: interceptors.above, at: min(beginning, chain.count))
        return chain
    }
}
