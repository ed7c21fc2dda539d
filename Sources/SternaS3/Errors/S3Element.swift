import NIOCore
import Sterna
import SternaPropertyListCore

/// An XML element of a document of S3, with its contents.
struct S3Element: Sendable {
    /// The name without its prefix.
    let localName: String

    /// The child elements, in order.
    var elements: [S3Element] = []

    /// The text directly in the element, including white space.
    var text = ""

    /// Returns the first child element with a name; nil if there is none.
    subscript(name: String) -> S3Element? { elements.first { $0.localName == name } }

    /// Returns the child elements with a name.
    func elements(named name: String) -> [S3Element] { elements.filter { $0.localName == name } }

    /// The limits on a document.
    struct Limits: Sendable {
        var depth = 16
        var bytes = 16 << 20
        var elements = 1_000_000
    }

    /// Parses a document. Throws `decodingFailed` or `limitExceeded`.
    ///
    /// It accepts only the form that S3 writes: documents in UTF-8, without a document type, with names of ASCII letters.
    init(parsing bytes: Bytes, limits: Limits = Limits()) throws(SternaError) {
        guard bytes.readableBytes <= limits.bytes else {
            throw SternaError(.limitExceeded, phase: .decode, "The XML of S3 has more than \(limits.bytes) bytes.")
        }
        let result = bytes.withUnsafeReadableBytes { raw in
            // The bytes are valid during the call. The closure cannot throw typed errors.
            Result { () throws(XMLMarkupReader.Fault) in
                try S3Element(parsing: raw.bindMemory(to: UInt8.self), limits)
            }
        }
        do throws(XMLMarkupReader.Fault) {
            self = try result.get()
        } catch {
            switch error.reason {
            case .tooDeep, .tooManyValues:
                throw SternaError(.limitExceeded, phase: .decode, "The XML of S3 is too large: \(error.reason).")
            default: throw S3XML.malformed("The XML is malformed: \(error.reason) at byte \(error.offset)")
            }
        }
    }

    private init(parsing bytes: UnsafeBufferPointer<UInt8>, _ limits: Limits) throws(XMLMarkupReader.Fault) {
        var reader = XMLMarkupReader(bytes, longestName: Self.longestName + 1, isStrict: true)
        try reader.checkCharacters()
        try reader.skipDeclaration()
        try reader.skipMisc()
        var open: [(name: String, element: S3Element)] = []
        var count = 0
        while true {
            let tag = try reader.tag()
            var element: S3Element
            if tag.isEnd {
                guard let last = open.popLast(), last.name == tag.name else {
                    throw XMLMarkupReader.Fault(.mismatchedTag(tag.name), tag.offset)
                }
                element = last.element
            } else {
                count += 1
                guard count <= limits.elements else {
                    throw XMLMarkupReader.Fault(.tooManyValues(limit: limits.elements), tag.offset)
                }
                guard open.count < limits.depth else {
                    throw XMLMarkupReader.Fault(.tooDeep(limit: limits.depth), tag.offset)
                }
                guard let name = Self.localName(tag.name) else {
                    throw XMLMarkupReader.Fault(.unexpectedElement(String(tag.name.prefix(16))), tag.offset)
                }
                element = S3Element(localName: name)
                if !tag.isEmpty {
                    element.text = try reader.text()
                    open.append((tag.name, element))
                    continue
                }
            }
            guard let parent = open.indices.last else {
                self = element
                break
            }
            open[parent].element.elements.append(element)
            open[parent].element.text += try reader.text()
        }
        try reader.skipMisc(toEnd: true)
        guard reader.isAtEnd else { throw reader.unexpected() }
    }

    private init(localName: String) { self.localName = localName }

    private static let longestName = 128

    /// Returns a tag's name without its prefix; nil if S3 does not use such names.
    private static func localName(_ name: String) -> String? {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F }
        let isOther = { (byte: UInt8) in (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x3A].contains(byte) }
        guard name.utf8.count <= longestName, let first = name.utf8.first, isLetter(first),
            name.utf8.allSatisfy({ isLetter($0) || isOther($0) }),
            let local = name.split(separator: ":", omittingEmptySubsequences: false).last, !local.isEmpty
        else { return nil }
        return String(local)
    }
}
