/// The XML declaration at the start of a document (XML 1.0, 2.8).
struct XMLDeclaration: Equatable {
    /// The name of the encoding as written; nil if there is none.
    var encoding: String?

    /// The length of the declaration in bytes.
    var length: Int

    /// The longest accepted declaration; no valid one needs as much.
    private static let maximumLength = 1_024

    /// Reads the declaration; nil if the bytes do not begin with one.
    init?(_ bytes: some Collection<UInt8>) throws(XMLFault) {
        let start = Array(bytes.prefix(Self.maximumLength))
        guard start.starts(with: Array("<?xml".utf8)), start.count > 5, start[5].isXMLSpace || start[5] == .question
        else {
            return nil
        }
        guard let end = start.firstRange(of: [.question, .greater], from: 5) else {
            throw XMLFault("the XML declaration has no end; it ends with “?>”.", at: 0)
        }
        var rest = start[5..<end.lowerBound]
        length = end.upperBound
        guard let version = try Self.value("version", &rest), Self.isVersion(version) else {
            throw XMLFault("the XML declaration has to name a version of XML 1.", at: 0)
        }
        encoding = try Self.value("encoding", &rest)
        if let encoding, !Self.isEncodingName(encoding) {
            throw XMLFault("the XML declaration names an invalid encoding.", at: 0)
        }
        if let standalone = try Self.value("standalone", &rest), standalone != "yes", standalone != "no" {
            throw XMLFault("“standalone” in the XML declaration is either “yes” or “no”.", at: 0)
        }
        guard rest.allSatisfy(\.isXMLSpace) else {
            throw XMLFault("the XML declaration contains more than version, encoding and standalone.", at: 0)
        }
    }

    private static func value(_ name: String, _ rest: inout ArraySlice<UInt8>) throws(XMLFault) -> String? {
        var ahead = rest.drop(while: \.isXMLSpace)
        guard ahead.startIndex > rest.startIndex, ahead.starts(with: Array(name.utf8)) else { return nil }
        ahead = ahead.dropFirst(name.utf8.count).drop(while: \.isXMLSpace)
        guard ahead.popFirst() == .equals else {
            throw XMLFault("“\(name)” in the XML declaration has no value.", at: 0)
        }
        ahead = ahead.drop(while: \.isXMLSpace)
        guard let quote = ahead.popFirst(), quote == .quote || quote == .apostrophe,
            let end = ahead.firstIndex(of: quote)
        else {
            throw XMLFault("“\(name)” in the XML declaration has no value in quotation marks.", at: 0)
        }
        rest = ahead[ahead.index(after: end)...]
        return String(decoding: ahead[..<end], as: UTF8.self)
    }

    private static func isVersion(_ text: String) -> Bool {
        text.hasPrefix("1.") && text.utf8.count > 2 && text.utf8.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isEncodingName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy {
            $0.isASCIILetter || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
        }
    }
}
