import NIOCore
import Sterna
import SternaXML

@testable import SternaTestSupport

/// All events of a text.
func events(_ text: String, limits: XMLLimits = XMLLimits()) throws -> [XMLEvent] {
    var events: [XMLEvent] = []
    try XMLEvents.parse(text, limits: limits) { events.append($0) }
    return events
}

/// The error that a document ends with as a tree, or nil.
func failure(_ bytes: [UInt8], charset: String? = nil, limits: XMLLimits = XMLLimits()) -> SternaError? {
    do throws(SternaError) {
        _ = try XMLElement(parsing: Bytes(bytes: bytes), limits: limits, charset: charset)
        return nil
    } catch {
        return error
    }
}

func failure(_ text: String, limits: XMLLimits = XMLLimits()) -> SternaError? {
    failure(Array(text.utf8), limits: limits)
}

func utf16(_ text: String, bigEndian: Bool = false, mark: Bool = false) -> [UInt8] {
    ((mark ? "\u{FEFF}" : "") + text).utf16.flatMap { unit in
        let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
        return bigEndian ? bytes.reversed() : bytes
    }
}

func utf32(_ text: String, bigEndian: Bool = false, mark: Bool = true) -> [UInt8] {
    ((mark ? "\u{FEFF}" : "") + text).unicodeScalars.flatMap { scalar in
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> ($0 * 8)) }
        return bigEndian ? bytes.reversed() : bytes
    }
}
