import HTTPTypes
import SternaCore

/// What requests that share a transfer have in common: method, URL, fields with the cookies that will be sent, identity, and the options
/// that decide what happens below.
struct CoalescingKey: Sendable, Hashable {
    /// A hash of the URL, made once: tables ask for it four times a request. The first that is compared, as it differs first.
    private let number: Int

    private let method: HTTPRequest.Method
    private let url: HTTPURL
    private let fields: HTTPFields
    private let cookies: String?
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
        (method, url, fields, timeouts) = (request.method, request.url, request.headers, request.timeouts)
        (self.cookies, self.partition, self.options) = (cookies, partition, options)
        bandwidth = request.state.choices.bandwidth.flattened().map { ObjectIdentifier($0) }
        handlesCookies = request.state.choices.handlesCookies != false
        delivery = request.delivery
        var hasher = Hasher()
        hasher.combine(url.authority)
        hasher.combine(url.requestTarget)
        number = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    // Bytes are compared: strings in two Unicode forms are equal in Swift.
    static func == (one: CoalescingKey, other: CoalescingKey) -> Bool {
        one.number == other.number && Self.areSame(one.url.requestTarget, other.url.requestTarget)
            && Self.areSame(one.url.authority, other.url.authority) && one.url.scheme == other.url.scheme
            && one.method == other.method && one.areFieldsSame(as: other)
            && Self.areSame(one.cookies ?? "", other.cookies ?? "") && (one.cookies == nil) == (other.cookies == nil)
            && one.partition == other.partition && one.options == other.options && one.bandwidth == other.bandwidth
            && one.handlesCookies == other.handlesCookies && one.delivery == other.delivery
            // Each reader keeps its own deadline.
            && one.timeouts.isSameButForTotal(as: other.timeouts)
    }

    private static func areSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    private func areFieldsSame(as other: CoalescingKey) -> Bool {
        var (own, others) = (fields.makeIterator(), other.fields.makeIterator())
        while true {
            let (field, wanted) = (Self.next(&own), Self.next(&others))
            guard let field, let wanted else { return field == nil && wanted == nil }
            guard field.name == wanted.name, Self.areSame(field.value, wanted.value) else { return false }
        }
    }

    /// Returns the next field but Cookie, which is not yet the one that will be sent.
    private static func next(_ fields: inout HTTPFields.Iterator) -> HTTPField? {
        while let field = fields.next() {
            if field.name != .cookie { return field }
        }
        return nil
    }

    /// The keys of options that are read above the transfer. Any other option has to be the same.
    private static let ignored: Set<ObjectIdentifier> = [
        ObjectIdentifier(AnyStatusKey.self), ObjectIdentifier(CoalescingUseKey.self),
        ObjectIdentifier(ContentDecodingKey.self),
        ObjectIdentifier(RedirectHandlerKey.self), ObjectIdentifier(RedirectPolicyKey.self),
        ObjectIdentifier(RetryPolicyKey.self), ObjectIdentifier(HedgingKey.self),
    ]
}
