import HTTPTypes
public import NIOCore
import RawStructuredFieldValues
import Sterna
public import SternaCore
import SternaPlatform

/// The rules for accepting the message signature of a response (RFC 9421, 3.2).
///
///     let rules = MessageVerification(keys: [key], requiring: [.status, "content-digest"])
///     let signature = try rules.verify(reply.response)
///     try signature.check(content: reply.body)
public struct MessageVerification: Sendable {
    /// The accepted keys, which a signature identifies by ``SignatureKey/id``.
    public var keys: [SignatureKey]

    /// The components that the signature must cover.
    public var required: [SignatureComponent]

    /// The name of the signature; nil, the default, selects the first signature that names one of the keys. With a single key, a
    /// signature that names no key is selected if none names the key.
    public var label: String?

    /// The tag that the signature must have; nil, the default, accepts any tag and none.
    public var tag: String?

    /// The maximum age of a signature; nil, the default, accepts any age. With a maximum age, a signature without `created` is
    /// rejected.
    public var maximumAge: Duration?

    /// How far the signer's clock may be ahead; one minute by default.
    public var tolerance: Duration = .seconds(60)

    /// The maximum number of signatures in a response.
    private static let maximumSignatures = 16

    /// The maximum number of components of a signature.
    private static let maximumComponents = 64

    /// Makes rules for keys and the components that must be covered.
    public init(keys: [SignatureKey], requiring required: [SignatureComponent]) {
        self.keys = keys
        self.required = required
    }

    /// Verifies the signature of a response. If it covers trailers, the body must have been read to its end.
    ///
    /// - Parameters:
    ///   - request: the request of the response, as it was sent; needed if the signature covers components of it.
    /// - Throws: `unacceptableResponse` with the reason if the signature is not accepted.
    @discardableResult
    public func verify(_ response: Response, to request: Request? = nil) throws(SternaError) -> VerifiedSignature {
        try verify(response, to: request, at: AWSTime.now())
    }

    /// Verifies the signature of a response at a time in seconds since 1970; throws `unacceptableResponse`.
    @discardableResult
    public func verify(
        _ response: Response, to request: Request? = nil, at seconds: Int64
    ) throws(SternaError) -> VerifiedSignature {
        do {
            return try verify(SignedMessage(response, to: request), response.headers, at: seconds)
        } catch {
            var failure = SternaError(
                .unacceptableResponse, phase: .decode, "The response's signature is not accepted: \(error.reason).")
            failure.response = response
            failure.requestSent = true
            throw failure.at(response.url)
        }
    }

    struct Rejection: Error, Equatable {
        var reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Verifies the signature of a message, given its Signature-Input and Signature fields.
    func verify(
        _ message: SignedMessage, _ fields: HTTPFields, at seconds: Int64
    ) throws(Rejection) -> VerifiedSignature {
        guard let inputs = SignatureInput.all(fields[values: MessageSigner.inputName]),
            let values = StructuredText.dictionary(fields[values: MessageSigner.name])
        else { throw Rejection("the response has no signature, or malformed signature fields") }
        guard inputs.count <= Self.maximumSignatures else {
            throw Rejection("there are more than \(Self.maximumSignatures) signatures")
        }
        let (input, key) = try candidate(inputs)
        let label = input.label
        guard case .item(let item)? = values[label], case .undecodedByteSequence(let text) = item.rfc9651BareItem,
            let signature = ExpectedDigest.bytes(base64: text)
        else { throw Rejection("“\(FieldSyntax.printable(label))” has no signature") }
        guard input.list.bareInnerList.count <= Self.maximumComponents else {
            throw Rejection("it covers more than \(Self.maximumComponents) components")
        }
        guard let components = input.components else {
            throw Rejection("it covers a component that is malformed or unknown")
        }
        for component in required where !components.contains(where: component.matches) {
            throw Rejection("it does not cover \(component)")
        }
        try checkParameters(input.list.rfc9651Parameters, key, at: seconds)
        guard let parameters = input.text else { throw Rejection("its parameters are malformed") }
        let base: String
        do {
            base = try SignatureBase.text(components, parameters: parameters, of: message)
        } catch {
            throw Rejection("its component \(error.component) \(error.reason)")
        }
        guard key.isValid(signature, of: base) else {
            throw Rejection("it does not match this message and the key “\(FieldSyntax.printable(key.id))”")
        }
        return VerifiedSignature(label: label, keyID: key.id, components: components, fields: fields)
    }

    /// Returns the signature to verify and its key: one that names a key, or with a single key one that names none.
    private func candidate(_ inputs: [SignatureInput]) throws(Rejection) -> (SignatureInput, SignatureKey) {
        let wanted = inputs.filter { input in
            (label == nil || input.label == label)
                && (tag.map { input.list.rfc9651Parameters["tag"] == .string($0) } ?? true)
        }
        for input in wanted {
            let id = input.list.rfc9651Parameters["keyid"]
            if let key = keys.first(where: { .string($0.id) == id }) { return (input, key) }
        }
        if keys.count == 1, let key = keys.first,
            let input = wanted.first(where: { $0.list.rfc9651Parameters["keyid"] == nil })
        {
            return (input, key)
        }
        throw Rejection("no signature has the required name, tag and key")
    }

    private func checkParameters(
        _ parameters: OrderedMap<String, RFC9651BareItem>, _ key: SignatureKey, at seconds: Int64
    ) throws(Rejection) {
        if let algorithm = parameters["alg"], algorithm != .string(key.algorithm.rawValue) {
            throw Rejection("it names an algorithm other than the key's, \(key.algorithm.rawValue)")
        }
        let now = Double(seconds)
        let created = try Self.time("created", parameters)
        if let created, Double(created) > now + tolerance / .seconds(1) { throw Rejection("it is of the future") }
        if let expires = try Self.time("expires", parameters), Double(expires) <= now {
            throw Rejection("it has expired")
        }
        if let maximumAge {
            guard let created, now - Double(created) <= maximumAge / .seconds(1) else {
                throw Rejection("it is too old")
            }
        }
    }

    private static func time(
        _ name: String, _ parameters: OrderedMap<String, RFC9651BareItem>
    ) throws(Rejection) -> Int64? {
        guard let item = parameters[name] else { return nil }
        guard case .integer(let seconds) = item else { throw Rejection("its parameter \(name) is not a number") }
        return seconds
    }
}

/// A verified signature.
public struct VerifiedSignature: Sendable {
    /// The name of the signature in its fields.
    public let label: String

    /// The ``SignatureKey/id`` of the key.
    public let keyID: String

    /// The components that the signature covers.
    public let components: [SignatureComponent]

    let fields: HTTPFields

    /// Checks that the content matches the Content-Digest that the signature covers (RFC 9530, 2).
    ///
    /// The digest is computed of the content as it was sent, with its content coding.
    ///
    /// - Throws: `digestMismatch` if the content does not match, or the signature covers no digest in SHA-256 or SHA-512.
    public func check(content: Bytes) throws(SternaError) {
        let isCovered = components.contains {
            $0.name == "content-digest" && !$0.has(.trailer) && !$0.has(.request) && $0.key == nil
        }
        guard isCovered, try DigestField.check(content, fields[values: DigestField.content]) else {
            throw SternaError(
                .digestMismatch, phase: .decode, "The response's signature covers no digest of its content.")
        }
    }
}
