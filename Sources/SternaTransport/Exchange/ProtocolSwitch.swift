import HTTPTypes
import SternaCore

/// The rules for a switch of protocols (RFC 9110, 7.8).
enum ProtocolSwitch {
    /// The protocols that a request asks for, or a response names, in lower case.
    static func protocols(in fields: HTTPFields) -> [String] {
        fields[values: .upgrade].flatMap { value in
            value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        }
    }

    /// Throws unless a 101 names a protocol that the request asked for.
    static func check(_ section: FieldSection, of request: Request?) throws(ParseFailure) {
        let asked = request.map { protocols(in: $0.headers) } ?? []
        let named = protocols(in: section.fields)
        guard !named.isEmpty, named.allSatisfy({ asked.contains($0) }) else {
            throw .malformed(
                named.isEmpty
                    ? "it switches protocols without naming one."
                    : "it switches to a protocol that the request did not ask for.")
        }
    }
}
