import NIOCore
import SternaCore

/// Reads the Unicode forms: removes a byte order mark, and rejects ill-formed input.
enum UnicodeReader {
    static func utf8(_ bytes: Bytes) throws(TextReadingFailure) -> String {
        let view = bytes.readableBytesView
        if let text = String(
            validating: view.starts(with: [0xEF, 0xBB, 0xBF]) ? view.dropFirst(3) : view, as: UTF8.self)
        {
            return text
        }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = view.makeIterator()
        var offset = 0
        while case .valid(let sequence) = parser.parseScalar(from: &iterator) { offset += sequence.count }
        throw .init(offset: offset)
    }

    static func utf16(_ bytes: [UInt8], _ kind: TextEncoding.Kind) throws(TextReadingFailure) -> String {
        var isBig = kind == .utf16BigEndian
        if kind == .utf16, bytes.starts(with: [0xFE, 0xFF]) { isBig = true }
        let mark: [UInt8] = isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.starts(with: mark) ? 2 : 0
        let start = index
        while index + 1 < bytes.count {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBig ? first << 8 | second : second << 8 | first)
            index += 2
        }
        if index == bytes.count, let text = String(validating: units, as: UTF16.self) { return text }
        var parser = Unicode.UTF16.ForwardParser()
        var iterator = units.makeIterator()
        var offset = start
        while case .valid(let sequence) = parser.parseScalar(from: &iterator) { offset += sequence.count * 2 }
        throw .init(offset: offset)
    }

    static func utf32(_ bytes: [UInt8], _ kind: TextEncoding.Kind) throws(TextReadingFailure) -> String {
        var isBig = kind != .utf32LittleEndian
        if kind == .utf32, bytes.starts(with: [0xFF, 0xFE, 0x00, 0x00]) { isBig = false }
        let mark: [UInt8] = isBig ? [0x00, 0x00, 0xFE, 0xFF] : [0xFF, 0xFE, 0x00, 0x00]
        var text = String.UnicodeScalarView()
        var index = bytes.starts(with: mark) ? 4 : 0
        while index < bytes.count {
            guard index + 3 < bytes.count else { throw .init(offset: index) }
            var value: UInt32 = 0
            for place in 0..<4 { value = value << 8 | UInt32(bytes[index + (isBig ? place : 3 - place)]) }
            guard let scalar = Unicode.Scalar(value) else { throw .init(offset: index) }
            text.append(scalar)
            index += 4
        }
        return String(text)
    }
}
