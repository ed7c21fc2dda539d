import HTTPTypes
import RawStructuredFieldValues
import Sterna
import SternaCore
import SternaPlatform

/// Adds message signatures to requests, without I/O.
struct MessageSigner: Sendable {
    let signing: MessageSigning

    /// The time of signing, in seconds since 1970.
    let seconds: Int64

    /// A unique value; nil for none.
    var nonce: String?

    /// Returns the components that a request's signature covers.
    func components(of request: Request) -> [SignatureComponent] {
        var components = signing.components
        func add(_ component: SignatureComponent) {
            if !components.contains(where: component.matches) { components.append(component) }
        }
        for component in signing.optionalComponents
        where HTTPField.Name(component.name).map({ request.headers.contains($0) }) ?? false {
            add(component)
        }
        if signing.digestsContent, request.body != nil { add("content-digest") }
        return components
    }

    /// Returns whether the signature covers a Content-Digest field that the request does not have yet.
    func needsDigest(_ request: Request) -> Bool {
        components(of: request).contains { $0.name == "content-digest" && !$0.has(.trailer) }
            && !request.headers.contains(DigestField.content)
    }

    /// Returns the request with its signature in Signature-Input and Signature.
    ///
    /// Throws `invalidRequest` for a component that the request does not have, for a label that another signature has, for a public
    /// key, and for a label, name, tag or component that structured fields cannot represent.
    func signed(_ request: Request) throws(SternaError) -> Request {
        let components = components(of: request)
        var list = BareInnerList()
        for component in components { list.append(component.item) }
        let input = ItemOrInnerList.innerList(InnerList(bareInnerList: list, parameters: parameters))
        guard let parameters = StructuredText.text(input), FieldSyntax.isToken(signing.label),
            let inputLine = line(input)
        else {
            throw Self.failure("a label, name, tag or component cannot be written as a structured field")
        }
        for name in [Self.inputName, Self.name] {
            let lines = request.headers[values: name]
            guard !lines.isEmpty else { continue }
            guard let others = StructuredText.dictionary(lines), others[signing.label] == nil else {
                throw Self.failure("the request already has a signature “\(signing.label)”, or one that is malformed")
            }
        }
        let text: String
        do {
            text = try SignatureBase.text(components, parameters: parameters, of: SignedMessage(request))
        } catch {
            throw Self.failure("the component \(error.component) \(error.reason)")
        }
        let signature: [UInt8]
        do {
            signature = try signing.key.sign(text)
        } catch {
            throw SternaError.wrap(error, as: .invalidRequest, phase: .prepare, "The message cannot be signed.")
        }
        let value = RFC9651BareItem.undecodedByteSequence(Data(signature).base64EncodedString())
        guard let signatureLine = line(.item(Item(bareItem: value, parameters: OrderedMap()))) else {
            throw Self.failure("the signature cannot be written")
        }
        var request = request
        request.headers.append(HTTPField(name: Self.inputName, value: inputLine))
        request.headers.append(HTTPField(name: Self.name, value: signatureLine))
        return request
    }

    private var parameters: OrderedMap<String, RFC9651BareItem> {
        var map = OrderedMap<String, RFC9651BareItem>()
        map["created"] = .integer(seconds)
        if let lifetime = signing.lifetime {
            let (expires, overflow) = seconds.addingReportingOverflow(max(0, lifetime.components.seconds))
            map["expires"] = .integer(overflow ? .max : expires)
        }
        map["keyid"] = .string(signing.key.id)
        if signing.namesAlgorithm { map["alg"] = .string(signing.key.algorithm.rawValue) }
        if let nonce { map["nonce"] = .string(nonce) }
        if let tag = signing.tag { map["tag"] = .string(tag) }
        return map
    }

    private func line(_ member: ItemOrInnerList) -> String? {
        var dictionary = OrderedMap<String, ItemOrInnerList>()
        dictionary[signing.label] = member
        var serializer = StructuredFieldValueSerializer()
        return (try? serializer.writeDictionaryFieldValue(dictionary)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func failure(_ reason: String) -> SternaError {
        SternaError(.invalidRequest, phase: .prepare, "The message cannot be signed: \(reason).")
    }

    static let inputName = HTTPField.Name("Signature-Input") ?? .authorization
    static let name = HTTPField.Name("Signature") ?? .authorization
}
