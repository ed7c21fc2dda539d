import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// A property list's text, with the place where its fault may be said to be between « and ».
///
/// One « alone is one place. Where several are as good, such as an element's tag and its text, any of them is right.
struct MarkedDocument: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var places = 0...0

    init(_ marked: String) {
        var start: Int?
        var end: Int?
        for scalar in marked.unicodeScalars {
            switch scalar {
            case "«": start = bytes.count
            case "»": end = bytes.count
            default: bytes += Array(String(scalar).utf8)
            }
        }
        let first = start ?? 0
        places = first...(end ?? (start == nil ? bytes.count : first))
    }

    /// A value in a root of its own.
    init(value: String) { self.init("<plist version=\"1.0\">\n\(value)</plist>") }

    /// Expects that parsing throws one of the reasons, or any where none is given, at the marked place.
    func expectFault(
        _ reasons: [PropertyList.ParseError.Reason], limits: PropertyList.ParseLimits = .init(),
        location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: PropertyList.ParseError.self, sourceLocation: location) {
            try PropertyList(parsing: bytes, limits: limits)
        }
        guard let error else { return }
        let note: Comment = "\(error) in \(String(decoding: bytes.prefix(400), as: UTF8.self))"
        if !reasons.isEmpty { #expect(reasons.contains(error.reason), note, sourceLocation: location) }
        #expect(places.contains(error.offset), note, sourceLocation: location)
        let (line, column) = Self.place(of: error.offset, in: bytes)
        expectEqual(error.line, line, note, sourceLocation: location)
        expectEqual(error.column, column, note, sourceLocation: location)
        #expect(!error.description.contains { $0.isNewline || $0 == "\0" }, note, sourceLocation: location)
    }

    /// Line and column from one, in scalars, a byte order mark not counted.
    static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        for scalar in String(decoding: bytes.prefix(max(0, offset)), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n": (line, column) = (line + 1, 1)
            case "\u{FEFF}" where line == 1 && column == 1: break
            default: column += 1
            }
        }
        return (line, column)
    }
}
