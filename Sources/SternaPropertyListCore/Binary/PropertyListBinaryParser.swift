import SternaCore
import SternaPlatform
import SternaSerialization

/// Parses the binary form without recursion, so that deep nesting does not overflow the stack.
///
/// Each object is read once, however often it is referenced, and all objects together must not have more bytes than the list. A
/// dictionary hashes a key at each reference to it, and a reference to a long text may copy it. So references count by the length
/// of what they refer to, up to a limit for each byte of the list, and the work is proportional to the list's length.
struct PropertyListBinaryParser {
    private typealias Fault = PropertyListFault

    // Outlives the parser; every range is checked before it is read.
    private let bytes: UnsafeBufferPointer<UInt8>
    private let depthLimit: Int
    private let valueLimit: Int
    private let workLimit: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let table: Int
    private let top: Int
    private let objectCount: Int
    // The objects read so far, by number: the table may name far more objects than are referenced.
    private var objects: [Int: Object] = [:]
    private var consumed = 0
    // The keys read so far, by the number of their object.
    private var keys: [Int: Key] = [:]
    private var keyWork = 0

    /// A key that may be hashed, and the cost of hashing it at a reference.
    private struct Key {
        let text: String
        let cost: Int

        init(_ text: String) {
            self.text = text
            // A text with other than ASCII characters is normalized each time it is hashed.
            cost = text.utf8.count / (text.utf8.allSatisfy { $0 < 0x80 } ? 16 : 4)
        }
    }

    private enum Object {
        case open
        case read(PropertyList, values: Int, height: Int)
    }

    /// A container that is being read.
    private struct Container {
        let object: Int
        let isDictionary: Bool
        /// The offset of its references; in a dictionary, all keys precede all values.
        let references: Int
        let count: Int
        var elements: [PropertyList] = []
        var dictionary: [String: PropertyList] = [:]
        var taken = 0
        var values = 1
        var height = 1
    }

    static func begins(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { bytes.starts(with: "bplist".utf8) }

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: PropertyList.ParseLimits) throws(PropertyListFault) {
        self.bytes = bytes
        depthLimit = limits.depth
        let most = bytes.count.multipliedReportingOverflow(by: 16)
        workLimit = most.overflow ? .max : most.partialValue
        valueLimit = min(limits.values, workLimit)
        guard bytes.starts(with: "bplist00".utf8) else { throw Fault(.notAPropertyList, 0) }
        let trailer = bytes.count - 32
        guard trailer > 8 else { throw Fault(.unexpectedEnd, bytes.count) }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw Fault(.invalidTrailer, trailer + 6)
        }
        let count = Self.number(bytes, trailer + 8, 8)
        let top = Self.number(bytes, trailer + 16, 8)
        let table = Self.number(bytes, trailer + 24, 8)
        guard table > 8, table < UInt64(trailer) else { throw Fault(.invalidTrailer, trailer + 24) }
        guard count > 0, count <= (UInt64(trailer) - table) / UInt64(offsetSize) else {
            throw Fault(.invalidTrailer, trailer + 8)
        }
        guard top < count else { throw Fault(.invalidTrailer, trailer + 16) }
        self.top = Int(top)
        self.table = Int(table)
        objectCount = Int(count)
    }

    mutating func parse() throws(PropertyListFault) -> PropertyList {
        var open: [Container] = []
        var object = top
        var reference = bytes.count - 16
        while true {
            var (value, values, height) = (PropertyList.boolean(false), 1, 0)
            switch objects[object] {
            case .open: throw Fault(.circularReference, reference)
            case .read(let known, let size, let depth): (value, values, height) = (known, size, depth)
            case nil:
                let place = try place(of: object)
                if let container = try container(object, at: place) {
                    guard open.count < depthLimit else { throw Fault(.tooDeep(limit: depthLimit), place) }
                    if container.count > 0 {
                        objects[object] = .open
                        open.append(container)
                        (object, reference) = try next(&open[open.count - 1])
                        continue
                    }
                    value = container.isDictionary ? .dictionary([:]) : .array([])
                    height = 1
                } else {
                    value = try scalar(at: place)
                    values = Self.cost(of: value)
                }
                objects[object] = .read(value, values: values, height: height)
            }
            // Adds the value to its container, and each container that ends here to its own.
            while true {
                guard values <= valueLimit else { throw Fault(.tooManyValues(limit: valueLimit), reference) }
                guard let last = open.indices.last else { return value }
                guard open.count + height <= depthLimit else { throw Fault(.tooDeep(limit: depthLimit), reference) }
                try add(value, values, height, to: &open[last])
                if open[last].taken < open[last].count {
                    (object, reference) = try next(&open[last])
                    break
                }
                let done = open.removeLast()
                value = done.isDictionary ? .dictionary(done.dictionary) : .array(done.elements)
                (values, height) = (done.values, done.height)
                objects[done.object] = .read(value, values: values, height: height)
            }
        }
    }

    // MARK: Containers

    /// Returns the next object in a container, and the place of the reference to it.
    private func next(_ container: inout Container) throws(PropertyListFault) -> (Int, Int) {
        let position = container.isDictionary ? container.count + container.taken : container.taken
        let place = container.references + position * referenceSize
        return (try reference(at: place), place)
    }

    private mutating func add(
        _ value: PropertyList, _ values: Int, _ height: Int, to container: inout Container
    ) throws(PropertyListFault) {
        if container.isDictionary {
            let place = container.references + container.taken * referenceSize
            container.dictionary[try key(reference(at: place), referredAt: place)] = value
        } else {
            container.elements.append(value)
        }
        container.taken += 1
        // The sum cannot overflow: both numbers are at most the limit, which is at most 16 per byte.
        container.values += values
        guard container.values <= valueLimit else {
            throw Fault(.tooManyValues(limit: valueLimit), container.references)
        }
        container.height = max(container.height, height + 1)
    }

    private mutating func key(_ object: Int, referredAt reference: Int) throws(PropertyListFault) -> String {
        let key: Key
        if let known = keys[object] {
            key = known
        } else {
            key = Key(try keyText(object, referredAt: reference))
            keys[object] = key
        }
        // The sum cannot overflow: it grows by less than the list's length at each of at most as many references.
        keyWork += key.cost
        guard keyWork <= workLimit else { throw Fault(.tooManyValues(limit: workLimit), reference) }
        return key.text
    }

    /// Reads a key at the first reference to it.
    private mutating func keyText(_ object: Int, referredAt reference: Int) throws(PropertyListFault) -> String {
        if objects[object] == nil {
            let place = try place(of: object)
            // A string's marker has 5 or 6 in its upper half.
            guard [5, 6].contains(bytes[place] >> 4) else { throw Fault(.keyNotString, place) }
            let value = try scalar(at: place)
            objects[object] = .read(value, values: Self.cost(of: value), height: 0)
        }
        guard case .read(.string(let text), _, _)? = objects[object] else { throw Fault(.keyNotString, reference) }
        guard StreamSafe.isSafe(text) else { throw Fault(.tooManyMarks(limit: StreamSafe.limit), reference) }
        return text
    }

    /// Returns the cost of a scalar in values, since each reference to a long text may copy it.
    private static func cost(of value: PropertyList) -> Int {
        switch value {
        case .string(let text): 1 + text.utf8.count / 64
        case .data(let data): 1 + data.count / 64
        default: 1
        }
    }

    private mutating func container(_ object: Int, at place: Int) throws(PropertyListFault) -> Container? {
        let marker = bytes[place]
        guard marker >> 4 == 0xA || marker >> 4 == 0xD else { return nil }
        let isDictionary = marker >> 4 == 0xD
        let (count, start) = try count(at: place)
        let (size, overflow) = count.multipliedReportingOverflow(by: isDictionary ? 2 * referenceSize : referenceSize)
        guard !overflow else { throw Fault(.objectOutOfRange, place) }
        _ = try range(start, size, of: place)
        return Container(object: object, isDictionary: isDictionary, references: start, count: count)
    }

    // MARK: Scalars

    private mutating func scalar(at place: Int) throws(PropertyListFault) -> PropertyList {
        let marker = bytes[place]
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10...0x14: return try integer(at: place)
        case 0x22:
            return .real(Double(Float(bitPattern: UInt32(try fixed(4, at: place)))))
        case 0x23:
            return .real(Double(bitPattern: try fixed(8, at: place)))
        case 0x33:
            let seconds = Double(bitPattern: try fixed(8, at: place))
            guard seconds.isFinite else { throw Fault(.invalidDate, place) }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 0x40...0x4F:
            let (count, start) = try count(at: place)
            return .data(Data(bytes[try range(start, count, of: place)]))
        case 0x50...0x5F:
            let (count, start) = try count(at: place)
            let text = bytes[try range(start, count, of: place)]
            if let wrong = text.firstIndex(where: { $0 > 0x7F }) {
                throw Fault(.invalidCharacter(UInt32(text[wrong])), wrong)
            }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x60...0x6F: return .string(try wideString(at: place))
        default: throw Fault(.unsupportedObject(marker), place)
        }
    }

    private mutating func integer(at place: Int) throws(PropertyListFault) -> PropertyList {
        let width = 1 << Int(bytes[place] & 0x0F)
        guard width == 16 else {
            let value = try fixed(width, at: place)
            // Up to four bytes are unsigned; eight bytes are signed.
            return .integer(Int64(bitPattern: value))
        }
        let start = try range(place + 1, 16, of: place).lowerBound
        let (high, low) = (Self.number(bytes, start, 8), Self.number(bytes, start + 8, 8))
        switch (high, low >> 63) {
        case (0, 0), (.max, 1): return .integer(Int64(bitPattern: low))
        case (0, _): return .unsigned(low)
        default: throw Fault(.invalidNumber, place)
        }
    }

    private mutating func wideString(at place: Int) throws(PropertyListFault) -> String {
        let (count, start) = try count(at: place)
        let (size, overflow) = count.multipliedReportingOverflow(by: 2)
        guard !overflow else { throw Fault(.objectOutOfRange, place) }
        let range = try range(start, size, of: place)
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            var index = 0
            while index < units.count {
                let unit = units[index]
                let isPair =
                    UTF16.isLeadSurrogate(unit) && index + 1 < units.count && UTF16.isTrailSurrogate(units[index + 1])
                guard isPair || unit & 0xF800 != 0xD800 else { break }
                index += isPair ? 2 : 1
            }
            throw Fault(.invalidUTF16, range.lowerBound + 2 * index)
        }
        return text
    }

    // MARK: Places

    private func place(of object: Int) throws(PropertyListFault) -> Int {
        let entry = table + object * offsetSize
        let offset = Self.number(bytes, entry, offsetSize)
        guard offset >= 8, offset < UInt64(table) else { throw Fault(.objectOutOfRange, entry) }
        return Int(offset)
    }

    private func reference(at place: Int) throws(PropertyListFault) -> Int {
        let object = Self.number(bytes, place, referenceSize)
        guard object < UInt64(objectCount) else { throw Fault(.objectOutOfRange, place) }
        return Int(object)
    }

    /// Returns the count in an object's marker, or in the integer after it, and the offset of the content.
    private func count(at place: Int) throws(PropertyListFault) -> (Int, start: Int) {
        let short = Int(bytes[place] & 0x0F)
        guard short == 0x0F else { return (short, place + 1) }
        guard place + 1 < table, bytes[place + 1] & 0xFC == 0x10 else { throw Fault(.objectOutOfRange, place + 1) }
        let width = 1 << Int(bytes[place + 1] & 0x03)
        guard width <= table - (place + 2) else { throw Fault(.objectOutOfRange, place + 1) }
        guard let count = Int(exactly: Self.number(bytes, place + 2, width)) else {
            throw Fault(.objectOutOfRange, place + 1)
        }
        return (count, place + 2 + width)
    }

    private mutating func fixed(_ width: Int, at place: Int) throws(PropertyListFault) -> UInt64 {
        Self.number(bytes, try range(place + 1, width, of: place).lowerBound, width)
    }

    /// Returns the range of an object's content, which lies before the offset table; counted once per object.
    private mutating func range(_ start: Int, _ size: Int, of place: Int) throws(PropertyListFault) -> Range<Int> {
        guard size >= 0, start <= table, size <= table - start else { throw Fault(.objectOutOfRange, place) }
        consumed += size
        guard consumed <= bytes.count else { throw Fault(.overlappingObjects, place) }
        return start..<start + size
    }

    /// Reads a big-endian number of up to 8 bytes, which lie within the bytes.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ width: Int) -> UInt64 {
        bytes[start..<start + width].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
