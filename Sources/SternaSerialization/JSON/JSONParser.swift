import SternaCore

/// A parsing fault, before its line and column are known.
struct JSONFault: Error {
    let reason: JSON.ParseError.Reason
    let offset: Int
}

/// Parses one text without recursion, so that deep nesting does not overflow the stack.
struct JSONParser {
    // Outlives the parser; every index is checked against the count before it is read.
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    // Kept between strings, so that only the first one with an escape allocates it.
    var scratch: [UInt8] = []
    private let limits: JSON.ParseLimits
    private var remainingValues: Int

    private enum Kind {
        case none
        case array
        case object
    }

    /// An open container, or the surroundings of the outermost value.
    private struct Container {
        let kind: Kind
        var elements: [JSON] = []
        var object = JSON.Object()
        var key = ""
    }

    init(bytes: UnsafeBufferPointer<UInt8>, limits: JSON.ParseLimits) {
        self.bytes = bytes
        self.limits = limits
        remainingValues = limits.values
    }

    mutating func parse() throws(JSONFault) -> JSON {
        guard bytes.count <= limits.bytes else {
            throw JSONFault(reason: .tooLarge(limit: limits.bytes), offset: max(0, limits.bytes))
        }
        position = TextPosition.markLength(bytes)
        let value = try parseTree()
        skipWhiteSpace()
        guard position == bytes.count else { throw JSONFault(reason: .trailingContent, offset: position) }
        return value
    }

    private mutating func parseTree() throws(JSONFault) -> JSON {
        var outer: [Container] = []
        var open = Container(kind: .none)
        while true {
            let first = try nextByte()
            guard remainingValues > 0 else {
                throw JSONFault(reason: .tooManyValues(limit: limits.values), offset: position)
            }
            remainingValues -= 1
            var value: JSON
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
                let isObject = first == UInt8(ascii: "{")
                let depth = open.kind == .none ? 0 : outer.count
                guard depth < limits.depth else {
                    throw JSONFault(reason: .tooDeep(limit: limits.depth), offset: position)
                }
                position += 1
                if try nextByte() == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                    value = isObject ? .object(JSON.Object()) : .array([])
                } else {
                    outer.append(open)
                    open = Container(kind: isObject ? .object : .array)
                    if isObject { open.key = try parseKey() }
                    continue
                }
            } else {
                value = try parseScalar(first)
            }
            // Adds the value to its container, and each container that ends here to its own.
            attaching: while true {
                let closing: UInt8
                switch open.kind {
                case .none: return value
                case .array:
                    open.elements.append(value)
                    closing = UInt8(ascii: "]")
                case .object:
                    open.object.set(value, for: open.key)
                    closing = UInt8(ascii: "}")
                }
                let next = try nextByte()
                if next == UInt8(ascii: ",") {
                    position += 1
                    if open.kind == .object { open.key = try parseKey() }
                    break attaching
                }
                guard next == closing else { throw unexpected() }
                position += 1
                value = open.kind == .object ? .object(open.object) : .array(open.elements)
                // Each open container has an outer one.
                open = outer.popLast() ?? Container(kind: .none)
            }
        }
    }

    private mutating func parseKey() throws(JSONFault) -> String {
        guard try nextByte() == UInt8(ascii: "\"") else { throw unexpected() }
        let start = position
        position += 1
        let key = try parseString()
        guard StreamSafe.isSafe(key) else {
            throw JSONFault(reason: .tooManyMarks(limit: StreamSafe.limit), offset: start)
        }
        guard try nextByte() == UInt8(ascii: ":") else { throw unexpected() }
        position += 1
        return key
    }

    private mutating func parseScalar(_ first: UInt8) throws(JSONFault) -> JSON {
        switch first {
        case UInt8(ascii: "\""):
            position += 1
            return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            var scanner = JSONNumberScanner(bytes: bytes, position: position)
            let number = try scanner.scan()
            position = scanner.position
            return .number(number)
        case UInt8(ascii: "t"):
            try parseWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try parseWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try parseWord("null")
            return .null
        default:
            throw unexpected()
        }
    }

    private mutating func parseWord(_ word: StaticString) throws(JSONFault) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: position) }
            // The index is below the word's own count.
            guard bytes[position] == word.utf8Start[index] else { throw unexpected() }
            position += 1
        }
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Returns the byte after white space without consuming it.
    @inline(__always)
    private mutating func nextByte() throws(JSONFault) -> UInt8 {
        skipWhiteSpace()
        guard position < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: position) }
        return bytes[position]
    }

    /// Returns the fault of the character at the position, which lies within the bytes.
    private func unexpected() -> JSONFault {
        let length = UTF8Sequence.length(in: bytes, at: position)
        guard length > 0 else { return JSONFault(reason: .invalidUTF8, offset: position) }
        let text = String(decoding: bytes[position..<position + length], as: UTF8.self)
        return JSONFault(reason: .unexpectedCharacter(text.unicodeScalars.first ?? "\u{FFFD}"), offset: position)
    }
}
