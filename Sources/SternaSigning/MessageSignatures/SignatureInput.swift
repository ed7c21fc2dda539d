import RawStructuredFieldValues

/// A signature's member of Signature-Input (RFC 9421, 4.1).
struct SignatureInput {
    /// The signature's name.
    let label: String

    /// The components, and the parameters of the signature.
    let list: InnerList

    /// Parses the field's lines, without members that are not inner lists; nil for invalid syntax.
    static func all(_ lines: [String]) -> [SignatureInput]? {
        StructuredText.dictionary(lines).map { members in
            members.compactMap { label, member in
                guard case .innerList(let list) = member else { return nil }
                return SignatureInput(label: label, list: list)
            }
        }
    }

    /// The components; nil if one of them is malformed or unknown.
    var components: [SignatureComponent]? {
        let components = list.bareInnerList.compactMap { SignatureComponent($0) }
        return components.count == list.bareInnerList.count ? components : nil
    }

    /// The member in canonical form, which the signature covers; nil if it cannot be serialized.
    var text: String? { StructuredText.text(.innerList(list)) }
}
