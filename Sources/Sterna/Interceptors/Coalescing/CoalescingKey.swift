import HTTPTypes
import SternaCore

/// What requests that share a transfer have in common: method, URL, fields with the cookies that will be sent, identity, and the options
/// that decide what happens below.
struct CoalescingKey: Sendable, Hashable {
    /// A hash of the message, made once: tables ask for it four times a request. The first that is compared, as it differs first.
    private let number: Int

    /// Method, URL and fields, each with its length. Bytes are compared: strings in two Unicode forms are equal in Swift.
    private let message: IdentityParts
    private let partition: CachePartition
    private let options: ComparedOptions
    private let bandwidth: ObjectIdentifier??
    private let handlesCookies: Bool
    private let timeouts: Timeouts
    private let delivery: Request.Delivery

    /// Makes the key of a request; nil if an option cannot be compared, such as a closure or a signature's key.
    ///
    /// - Parameter cookies: the value of the Cookie field that will be sent.
    init?(_ request: Request, cookies: String?, partition: CachePartition) {
        // Transfers and hedged copies are counted and measured one by one; a signature is of one request.
        guard request.state.course.link == nil, request.state.attempt.hedgeCopy == nil,
            request.state.course.awsTrail == nil,
            let options = request.options.compared(except: Self.ignored)
        else { return nil }
        // The usual message fits.
        var message = IdentityParts(capacity: 256)
        message.add(.label, request.method.rawValue.utf8)
        message.add(.label, request.url.scheme.rawValue.utf8)
        message.add(.label, request.url.authority.utf8)
        message.add(.label, request.url.requestTarget.utf8)
        for field in request.headers where field.name != .cookie {
            message.add(.field, field.name.canonicalName.utf8)
            message.add(.field, field.value.utf8)
        }
        if let cookies { message.add(.cookie, cookies.utf8) }
        var timeouts = request.timeouts
        // Each reader keeps its own deadline.
        timeouts.total = .seconds(1)
        (self.message, self.partition, self.options, self.timeouts) = (message, partition, options, timeouts)
        bandwidth = request.state.choices.bandwidth.map { $0.map { ObjectIdentifier($0) } }
        handlesCookies = request.state.choices.handlesCookies != false
        delivery = request.delivery
        var hasher = Hasher()
        message.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(partition)
        number = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The keys of options that are read above the transfer. Any other option has to be the same.
    private static let ignored: Set<ObjectIdentifier> = [
        ObjectIdentifier(CoalescingUseKey.self), ObjectIdentifier(ContentDecodingKey.self),
        ObjectIdentifier(RedirectHandlerKey.self), ObjectIdentifier(RedirectPolicyKey.self),
        ObjectIdentifier(RetryPolicyKey.self), ObjectIdentifier(HedgingKey.self),
    ]
}
