public import SternaCore

extension JSON {
    /// Options for writing a tree.
    public struct WritingOptions: OptionSet, Sendable, Hashable, Codable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Members and elements on separate lines, indented by two spaces per level.
        public static let pretty = WritingOptions(rawValue: 1)
        /// The members of every object in ascending order of their keys, as `String` compares them.
        public static let sortedKeys = WritingOptions(rawValue: 2)
        /// Slashes as `\/`, for text that is embedded in HTML.
        public static let escapesSlashes = WritingOptions(rawValue: 4)
        /// Floating point numbers that are whole as `1.0`, for servers that distinguish numbers by their text. A number stored as
        /// an integer stays `1`.
        public static let fractions = WritingOptions(rawValue: 8)
    }

    /// Returns the tree as UTF-8 text.
    ///
    /// - Throws: `ParameterError` with the key path of a number that is not finite, and for a tree deeper than ``maximumDepth``.
    public func serialized(_ options: WritingOptions = []) throws(ParameterError) -> [UInt8] {
        var writer = JSONWriter(options: options)
        do {
            try writer.write(self, depth: 0)
        } catch {
            throw error.public
        }
        return writer.bytes
    }

    /// Returns the tree as text.
    ///
    /// - Throws: `ParameterError` as ``serialized(_:)`` does.
    public func serializedString(_ options: WritingOptions = []) throws(ParameterError) -> String {
        String(decoding: try serialized(options), as: UTF8.self)
    }
}

extension JSON: CustomStringConvertible {
    /// The tree as JSON on one line, with `nan`, `inf` or `-inf` for numbers that JSON cannot represent, and an ellipsis for
    /// content deeper than ``maximumDepth``.
    public var description: String {
        var writer = JSONWriter(options: [], isLenient: true)
        // A lenient writer does not throw.
        try? writer.write(self, depth: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSON.Object: CustomStringConvertible {
    /// The object as JSON on one line, like ``JSON/description``.
    public var description: String { JSON.object(self).description }
}

struct JSONWriter {
    struct Fault: Error {
        let reason: ParameterError.Reason
        // From the value outwards.
        var components: [ParameterError.Component] = []

        func under(_ component: ParameterError.Component) -> Fault {
            Fault(reason: reason, components: components + [component])
        }

        var `public`: ParameterError { components.reduce(ParameterError(reason)) { $0.under($1) } }
    }

    private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    private let sortsKeys: Bool
    private let escapesSlashes: Bool
    private let isLenient: Bool
    private let numbers: QueryEncoder.NumberStyle

    init(options: JSON.WritingOptions, isLenient: Bool = false) {
        isPretty = options.contains(.pretty)
        sortsKeys = options.contains(.sortedKeys)
        escapesSlashes = options.contains(.escapesSlashes)
        numbers = options.contains(.fractions) ? .fraction : .shortest
        self.isLenient = isLenient
    }

    mutating func write(_ value: JSON, depth: Int) throws(Fault) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .number(let number):
            guard number.isFinite || isLenient else { throw Fault(reason: .nonFiniteNumber) }
            bytes.append(contentsOf: number.text(numbers).utf8)
        case .string(let text): write(text: text)
        case .array(let elements):
            if try enters(depth) { try write(elements, depth: depth) }
        case .object(let object):
            if try enters(depth) { try write(object, depth: depth) }
        }
    }

    private mutating func enters(_ depth: Int) throws(Fault) -> Bool {
        if depth < JSON.maximumDepth { return true }
        guard isLenient else { throw Fault(reason: .tooDeep(limit: JSON.maximumDepth)) }
        bytes.append(contentsOf: "…".utf8)
        return false
    }

    private mutating func write(_ elements: [JSON], depth: Int) throws(Fault) {
        bytes.append(UInt8(ascii: "["))
        for index in elements.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(depth + 1)
            do {
                try write(elements[index], depth: depth + 1)
            } catch {
                throw error.under(.index(index))
            }
        }
        if !elements.isEmpty { breakLine(depth) }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ object: JSON.Object, depth: Int) throws(Fault) {
        let keys = object.keys
        let values = object.values
        let order: [Int]? = sortsKeys ? keys.indices.sorted { keys[$0] < keys[$1] } : nil
        bytes.append(UInt8(ascii: "{"))
        for place in keys.indices {
            let index = order?[place] ?? place
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(depth + 1)
            write(text: keys[index])
            bytes.append(UInt8(ascii: ":"))
            if isPretty { bytes.append(UInt8(ascii: " ")) }
            do {
                try write(values[index], depth: depth + 1)
            } catch {
                throw error.under(.key(keys[index]))
            }
        }
        if !keys.isEmpty { breakLine(depth) }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func breakLine(_ depth: Int) {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    private mutating func write(_ word: StaticString) {
        // A static string lives as long as the program, and the count is its own.
        bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func write(text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { write(escaping: $0) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(escaping text: UnsafeBufferPointer<UInt8>) {
        var runStart = 0
        for index in 0..<text.count {
            let byte = text[index]
            let isPlain =
                byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                && (byte != UInt8(ascii: "/") || !escapesSlashes)
            if isPlain { continue }
            // Both indices lie within the buffer, the start never above the end.
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[runStart..<index]))
            runStart = index + 1
            bytes.append(UInt8(ascii: "\\"))
            switch byte {
            case 0x08: bytes.append(UInt8(ascii: "b"))
            case 0x09: bytes.append(UInt8(ascii: "t"))
            case 0x0A: bytes.append(UInt8(ascii: "n"))
            case 0x0C: bytes.append(UInt8(ascii: "f"))
            case 0x0D: bytes.append(UInt8(ascii: "r"))
            case 0x00..<0x20:
                bytes.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
                bytes.append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") - 10 + byte & 15)
            default: bytes.append(byte)
            }
        }
        // The start is at most the count, as it is one past an index of the buffer.
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[runStart...]))
    }
}
