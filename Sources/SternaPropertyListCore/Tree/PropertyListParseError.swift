public import SternaPlatform
public import SternaSerialization

/// A parsing fault, before its line and column are known.
package struct PropertyListFault: Error {
    package let reason: PropertyList.ParseError.Reason
    package let offset: Int

    package init(_ reason: PropertyList.ParseError.Reason, _ offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension PropertyList {
    /// The reason why bytes are not a property list, and the position.
    public struct ParseError: Error, Sendable, Hashable {
        /// The reason of the fault.
        public enum Reason: Sendable, Hashable {
            /// The input is empty, or ends before the list does.
            case unexpectedEnd
            /// The bytes begin neither as XML nor as the binary form; the older text form is not supported.
            case notAPropertyList
            /// A character that is not allowed here.
            case unexpectedCharacter(Unicode.Scalar)
            /// An element that is not allowed here, or that property lists do not have; carries the start of its name.
            case unexpectedElement(String)
            /// An end tag without its start tag; carries the start of its name.
            case mismatchedTag(String)
            /// A value in a dictionary without a key before it.
            case missingKey
            /// A malformed number, or one out of range.
            case invalidNumber
            /// A malformed date; in XML it has the form `2020-01-02T03:04:05Z`.
            case invalidDate
            /// Data that is not base64 (RFC 4648, section 4).
            case invalidBase64
            /// Bytes that are not well-formed UTF-8 (RFC 3629).
            case invalidUTF8
            /// A surrogate without the other half of its pair.
            case invalidUTF16
            /// An entity that XML itself does not define; carries the start of its name.
            case unknownEntity(String)
            /// A character that the form cannot represent; carries its code.
            case invalidCharacter(UInt32)
            /// The document type declares entities or elements, which lets small documents expand into large ones.
            case declaresSubset
            /// The XML declaration, or a byte order mark, names an encoding other than UTF-8 or US-ASCII; carries the start of its
            /// name.
            case unsupportedEncoding(String)
            /// Content other than comments, instructions and white space after the list.
            case trailingContent
            /// Containers nested deeper than the limit; carries the limit in levels.
            case tooDeep(limit: Int)
            /// More bytes than the limit; carries the limit.
            case tooLarge(limit: Int)
            /// More values than the limit; carries the limit. In the binary form also more than 16 per byte, which only
            /// shared references can produce. There, text and data count one more for each 64 bytes, and references to keys have a
            /// limit of that number of their own: each counts one for 16 bytes of the key, or for 4 if it is not all ASCII.
            case tooManyValues(limit: Int)
            /// A key with more combining marks in a row than the limit (UAX #15, 13); carries the limit.
            case tooManyMarks(limit: Int)
            /// A container that contains itself.
            case circularReference
            /// A reference, an offset or a length that points outside the bytes.
            case objectOutOfRange
            /// Objects that overlap.
            case overlappingObjects
            /// A trailer whose sizes and counts do not fit the bytes.
            case invalidTrailer
            /// An object that is not a property list value, such as null, a set or a reference of a keyed archive; carries its
            /// marker.
            case unsupportedObject(UInt8)
            /// A key of a dictionary that is not a string.
            case keyNotString
        }

        /// The reason of the fault.
        public let reason: Reason
        /// The number of bytes before the fault, including a byte order mark.
        public let offset: Int
        /// The line of the fault, from 1; nil in the binary form.
        public let line: Int?
        /// The column, from 1, counted in Unicode scalars; nil in the binary form.
        public let column: Int?

        init(_ fault: PropertyListFault, in text: UnsafeBufferPointer<UInt8>?) {
            reason = fault.reason
            offset = fault.offset
            guard let text else {
                line = nil
                column = nil
                return
            }
            let place = TextPosition(of: offset, in: text)
            (line, column) = (place.line, place.column)
        }
    }

    /// The limits of a property list, which are those of JSON.
    public typealias ParseLimits = JSON.ParseLimits
}

extension PropertyList.ParseError: CustomStringConvertible {
    /// One line: the reason, then the place.
    public var description: String {
        guard let line, let column else { return "\(reason) at byte \(offset)" }
        return "\(reason) at line \(line), column \(column) (byte \(offset))"
    }
}

extension PropertyList.ParseError.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .unexpectedEnd: "unexpected end"
        case .notAPropertyList: "neither an XML nor a binary property list"
        case .unexpectedCharacter(let scalar): "unexpected character \(TextPosition.name(scalar))"
        case .unexpectedElement(let name): "unexpected element <\(name)>"
        case .mismatchedTag(let name): "unexpected end tag </\(name)>"
        case .missingKey: "a value without a key"
        case .invalidNumber: "invalid number"
        case .invalidDate: "invalid date"
        case .invalidBase64: "invalid base64"
        case .invalidUTF8: "invalid UTF-8"
        case .invalidUTF16: "lone surrogate"
        case .unknownEntity(let name): "unknown entity &\(name);"
        case .invalidCharacter(let code): "character \(TextPosition.name(code: code)), which is not allowed"
        case .declaresSubset: "a document type with an internal subset, which is not supported"
        case .unsupportedEncoding(let name): "encoding \(name) instead of UTF-8"
        case .trailingContent: "content after the list"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooLarge(let limit): "longer than \(limit) bytes"
        case .tooManyValues(let limit): "more than \(limit) values"
        case .tooManyMarks(let limit): "a key with more than \(limit) combining marks in a row"
        case .circularReference: "a container within itself"
        case .objectOutOfRange: "a reference out of range"
        case .overlappingObjects: "objects that overlap"
        case .invalidTrailer: "invalid trailer"
        case .unsupportedObject(let marker): "unsupported object of marker 0x\(String(marker, radix: 16))"
        case .keyNotString: "a key that is not a string"
        }
    }
}

extension PropertyList.ParseError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
