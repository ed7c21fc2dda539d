import Sterna

/// A document's fault and its byte offset in the UTF-8.
struct XMLFault: Error, Equatable {
    var kind: SternaError.Kind = .decodingFailed
    var offset: Int
    var reason: String

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    static func limit(_ reason: String, at offset: Int) -> XMLFault {
        var fault = XMLFault(reason, at: offset)
        fault.kind = .limitExceeded
        return fault
    }

    /// Returns the error for callers, with the line and column in the document.
    func error(in bytes: [UInt8]) -> SternaError {
        let position = XMLPosition(offset: offset, in: bytes)
        return XMLFailure.error(kind, line: position.line, column: position.column, reason)
    }
}

/// A position in a text.
struct XMLPosition: Equatable {
    /// The line, counted from 1; a line ends with a line feed.
    var line = 1

    /// The column in Unicode scalars, counted from 1.
    var column = 1

    init(offset: Int, in bytes: some Collection<UInt8>) {
        for byte in bytes.prefix(max(offset, 0)) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }
}

/// The errors that callers see.
enum XMLFailure {
    static func error(
        _ kind: SternaError.Kind, line: Int, column: Int, within element: String? = nil, _ reason: String
    ) -> SternaError {
        let verdict = kind == .limitExceeded ? "The XML exceeds a limit" : "The XML cannot be read"
        let element = element.map { ", within \(quoted("<\($0)>"))" } ?? ""
        return SternaError(kind, phase: .decode, "\(verdict) at line \(line), column \(column)\(element): \(reason)")
    }

    static func emptyInput() -> SternaError {
        SternaError(
            .decodingFailed, phase: .decode,
            "There is no XML: the input is empty at line 1, column 1. Where an empty response is right, do not ask for XML."
        )
    }

    /// A name from a document in quotation marks, safe for a message.
    static func quoted(_ name: some StringProtocol) -> String { "“\(FieldSyntax.printable(name))”" }

    static func quoted(_ name: some Sequence<UInt8>) -> String { quoted(String(decoding: Array(name), as: UTF8.self)) }
}
