import HTTPTypes
import SternaCore

/// The properties that are equal in requests that share a transfer: method, URL, fields with the cookies to send, identity, and
/// the options that interceptors below the coalescing read.
///
/// It is a class, so that the look-up at the end of a transfer needs only a comparison of references.
final class CoalescingKey: Sendable, Hashable {
    /// The hash of the URL, stored since dictionaries use it four times per request. It is compared first, since it differs most
    /// often.
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

    /// Makes the key of a request; nil if one of its options cannot be compared, for instance a closure or a signature's key.
    ///
    /// - Parameter cookies: the value of the Cookie field to send.
    init?(_ request: Request, cookies: String?, partition: CachePartition) {
        // Transfers of queues and hedged copies are measured one by one, and a signature is valid for one request.
        guard request.state.course.link == nil, request.state.attempt.hedgeCopy == nil,
            request.state.course.signing == nil,
            let options = request.options.compared(except: Self.ignored)
        else { return nil }
        (method, url, fields, timeouts) = (request.method, request.url, request.headers, request.timeouts)
        (self.cookies, self.partition, self.options) = (cookies, partition, options)
        bandwidth = request.state.choices.bandwidth.map { $0.map { ObjectIdentifier($0) } }
        handlesCookies = request.state.choices.handlesCookies != false
        delivery = request.delivery
        var hasher = Hasher()
        hasher.combine(url.authority)
        hasher.combine(url.requestTarget)
        number = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    static func == (one: CoalescingKey, other: CoalescingKey) -> Bool { one === other || one.isSame(as: other) }

    private func isSame(as other: CoalescingKey) -> Bool {
        number == other.number && Self.areSame(url.requestTarget, other.url.requestTarget)
            && Self.areSame(url.authority, other.url.authority) && url.scheme == other.url.scheme
            && method == other.method && areFieldsSame(as: other) && (cookies == nil) == (other.cookies == nil)
            && Self.areSame(cookies ?? "", other.cookies ?? "") && partition == other.partition
            && options == other.options && bandwidth == other.bandwidth && handlesCookies == other.handlesCookies
            && delivery == other.delivery
            // Each reader has its own deadline.
            && timeouts.isSameButForTotal(as: other.timeouts)
    }

    // Bytes are compared: strings in two Unicode forms are equal in Swift.
    private static func areSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        var (one, other) = (one, other)
        return one.withUTF8 { own in other.withUTF8 { own.elementsEqual($0) } }
    }

    private func areFieldsSame(as other: CoalescingKey) -> Bool {
        var (own, others) = (fields.makeIterator(), other.fields.makeIterator())
        while true {
            let (field, wanted) = (Self.next(&own), Self.next(&others))
            guard let field, let wanted else { return field == nil && wanted == nil }
            guard field.name == wanted.name, Self.areSame(field.value, wanted.value) else { return false }
        }
    }

    /// Returns the next field except Cookie, whose final value is compared as `cookies`.
    private static func next(_ fields: inout HTTPFields.Iterator) -> HTTPField? {
        while let field = fields.next() {
            if field.name != .cookie { return field }
        }
        return nil
    }

    /// The keys of options that only interceptors above the coalescing read. All other options must be equal.
    private static let ignored: [ObjectIdentifier] = [
        ObjectIdentifier(AnyStatusKey.self), ObjectIdentifier(CoalescingUseKey.self),
        ObjectIdentifier(ContentDecodingKey.self),
        ObjectIdentifier(RedirectHandlerKey.self), ObjectIdentifier(RedirectPolicyKey.self),
        ObjectIdentifier(RetryPolicyKey.self), ObjectIdentifier(HedgingKey.self),
    ]
}
