import HTTPTypes
import RawStructuredFieldValues
import SternaCore
import SternaPlatform

/// The message that is signed: a request, or a response with its request.
struct SignedMessage: Sendable {
    struct Head: Sendable {
        var status: Int
        var fields: HTTPFields
        var trailers: HTTPFields?
    }

    var request: Request?

    /// The response; nil if the request is signed.
    var response: Head?

    init(_ request: Request) { self.request = request }

    init(_ response: Response, to request: Request?) {
        self.request = request
        self.response = Head(
            status: response.status.code, fields: response.headers, trailers: response.body.trailers)
    }
}

/// Makes the signature base, the text that is signed (RFC 9421, 2.5).
enum SignatureBase {
    struct Failure: Error, Equatable {
        var component: String
        var reason: String
    }

    /// Returns the signature base of components.
    ///
    /// - Parameter parameters: the components and signature parameters, as in Signature-Input.
    static func text(
        _ components: [SignatureComponent], parameters: String, of message: SignedMessage
    ) throws(Failure) -> String {
        var text = ""
        for (index, component) in components.enumerated() {
            guard !components[..<index].contains(where: component.matches) else {
                throw Failure(component: component.description, reason: "occurs twice")
            }
            guard let name = StructuredText.text(component.item) else {
                throw Failure(component: component.description, reason: "has a name that cannot be written")
            }
            let value = try value(of: component, in: message)
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x09 }) else {
                throw Failure(
                    component: component.description, reason: "has characters outside ASCII; cover it as bytes")
            }
            text += "\(name): \(value)\n"
        }
        return "\(text)\"@signature-params\": \(parameters)"
    }

    /// Returns the value of a component (RFC 9421, 2.1 and 2.2).
    static func value(of component: SignatureComponent, in message: SignedMessage) throws(Failure) -> String {
        let isOfRequest = component.has(.request)
        guard !isOfRequest || message.response != nil else {
            throw Failure(component: component.description, reason: "has “ofRequest”, which is only for responses")
        }
        let fromRequest = isOfRequest || message.response == nil
        guard component.name.hasPrefix("@") else {
            return try field(component, of: message, fromRequest: fromRequest)
        }
        guard component.parameters.allSatisfy({ $0 == .request || $0.isName && component.name == "@query-param" })
        else { throw Failure(component: component.description, reason: "has a parameter that does not fit") }
        if component.name == "@status" {
            guard !fromRequest, let response = message.response else {
                throw Failure(component: component.description, reason: "is only for responses")
            }
            return "\(response.status)"
        }
        guard fromRequest, let request = message.request else {
            throw Failure(component: component.description, reason: "is only for requests; add “ofRequest”")
        }
        return try derived(component, of: request)
    }

    private static func derived(_ component: SignatureComponent, of request: Request) throws(Failure) -> String {
        let url = request.url
        let host = HTTPField.Name("Host").flatMap { request.headers[$0] }?.lowercased() ?? url.hostField
        switch component.name {
        case "@method": return request.method.rawValue
        case "@target-uri": return "\(url.scheme.rawValue)://\(host)\(url.requestTarget)"
        case "@authority": return host
        case "@scheme": return url.scheme.rawValue
        case "@request-target": return url.requestTarget
        case "@path": return url.path
        case "@query": return "?" + (url.query ?? "")
        case "@query-param":
            guard let name = component.parameterName else {
                throw Failure(component: component.description, reason: "has no name")
            }
            let values = QueryParameters.values(of: name, in: url.query ?? "")
            guard values.count == 1, let value = values.first else {
                throw Failure(component: component.description, reason: "must occur in the query exactly once")
            }
            return value
        default: throw Failure(component: component.description, reason: "is unknown")
        }
    }

    // MARK: Fields

    private static func field(
        _ component: SignatureComponent, of message: SignedMessage, fromRequest: Bool
    ) throws(Failure) -> String {
        let lines = lines(of: component, message, fromRequest: fromRequest)
        guard !lines.isEmpty else {
            throw Failure(component: component.description, reason: "is not in the message")
        }
        let isStructured = component.has(.structured)
        if component.has(.bytes) {
            guard !isStructured, component.key == nil else {
                throw Failure(
                    component: component.description, reason: "combines “asBytes” with “asStructured” or a key")
            }
            return lines.map { ":\(Data($0.utf8).base64EncodedString()):" }.joined(separator: ", ")
        }
        guard !component.parameters.contains(where: \.isName) else {
            throw Failure(component: component.description, reason: "has a parameter that does not fit")
        }
        if let key = component.key {
            guard let member = StructuredText.dictionary(lines)?[key], let text = StructuredText.text(member) else {
                throw Failure(component: component.description, reason: "is not in the dictionary")
            }
            return text
        }
        guard isStructured else { return lines.joined(separator: ", ") }
        guard let text = StructuredFieldType.text(of: component.name, lines) else {
            throw Failure(
                component: component.description,
                reason: "is not a structured field that the library knows, or is malformed")
        }
        return text
    }

    private static func lines(
        of component: SignatureComponent, _ message: SignedMessage, fromRequest: Bool
    ) -> [String] {
        guard let name = HTTPField.Name(component.name) else { return [] }
        let fields: HTTPFields?
        if fromRequest {
            fields = component.has(.trailer) ? nil : message.request?.headers
            // The engine adds this field only later.
            if component.name == "content-length", !component.has(.trailer), fields?[name] == nil,
                let length = message.request?.body?.length
            {
                return ["\(length)"]
            }
        } else {
            fields = component.has(.trailer) ? message.response?.trailers : message.response?.fields
        }
        return (fields?[values: name] ?? []).map(trimmed)
    }

    private static func trimmed(_ value: String) -> String {
        let bytes = Array(value.utf8)
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let start = bytes.firstIndex(where: { !isBlank($0) }), let end = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[start...end], as: UTF8.self)
    }
}

extension SignatureComponent.Parameter {
    /// Whether it is the name of a query parameter.
    var isName: Bool { if case .name = self { true } else { false } }
}

/// The types of known structured fields, which the fields themselves do not state.
enum StructuredFieldType {
    private static let dictionaries: Set<String> = [
        "accept-signature", "cdn-cache-control", "content-digest", "priority", "repr-digest", "signature",
        "signature-input", "want-content-digest", "want-repr-digest",
    ]
    private static let lists: Set<String> = ["accept-ch", "cache-status", "client-cert-chain", "proxy-status"]
    private static let items: Set<String> = [
        "client-cert", "cross-origin-embedder-policy", "cross-origin-opener-policy", "deprecation",
        "origin-agent-cluster",
    ]

    /// Returns the canonical form of a field's lines; nil for a field of unknown type, and a malformed one.
    static func text(of name: String, _ lines: [String]) -> String? {
        guard lines.reduce(0, { $0 + $1.utf8.count }) <= StructuredText.longest else { return nil }
        let bytes = Array(lines.joined(separator: ", ").utf8)
        var parser = StructuredFieldValueParser(bytes)
        var serializer = StructuredFieldValueSerializer()
        let text: [UInt8]?
        if dictionaries.contains(name) {
            text = (try? parser.parseDictionaryFieldValue()).flatMap { try? serializer.writeDictionaryFieldValue($0) }
        } else if lists.contains(name) {
            text = (try? parser.parseListFieldValue()).flatMap { try? serializer.writeListFieldValue($0) }
        } else if items.contains(name) {
            text = (try? parser.parseItemFieldValue()).flatMap { try? serializer.writeItemFieldValue($0) }
        } else {
            text = nil
        }
        return text.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Reads query parameters, parsed as `application/x-www-form-urlencoded` (RFC 9421, 2.2.8).
enum QueryParameters {
    /// Returns the encoded values of a parameter by its encoded name.
    static func values(of name: String, in query: String) -> [String] {
        query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, normal(key) == name else { return nil }
            return parts.dropFirst().first.map(normal) ?? ""
        }
    }

    private static func normal(_ text: Substring.UTF8View) -> String {
        encoded(PercentText.decoded(text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }))
    }

    /// Percent-encodes all bytes except letters, digits, `*`, `-`, `.` and `_`.
    static func encoded(_ bytes: [UInt8]) -> String {
        let text = AWSCanonicalRequest.encoded(bytes, keepsSlashes: false)
        return text.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "%7E")
            .split(separator: "%2A", omittingEmptySubsequences: false).joined(separator: "*")
    }
}
