import SternaCore
import SternaPlatform

/// Writes the binary form.
struct PropertyListBinaryWriter {
    private enum Object {
        case scalar(PropertyList)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var objects: [Object] = []
    /// The maximum length of a text, in bytes, that is written once for all its occurrences.
    private static let longestShared = 256

    /// The short texts already written. The keys are bytes, since canonically equivalent strings are equal.
    private var strings: [[UInt8]: Int] = [:]
    private var bytes: [UInt8] = Array("bplist00".utf8)

    mutating func document(_ value: PropertyList) throws(ParameterError) -> [UInt8] {
        _ = try add(value, depth: 0)
        let referenceSize = Self.width(of: UInt64(objects.count))
        var offsets: [Int] = []
        offsets.reserveCapacity(objects.count)
        for object in objects {
            offsets.append(bytes.count)
            write(object, referenceSize)
        }
        let table = bytes.count
        let offsetSize = Self.width(of: UInt64(table))
        for offset in offsets { append(UInt64(offset), offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [UInt64(objects.count), 0, UInt64(table)] { append(number, 8) }
        return bytes
    }

    /// Numbers a value and everything below it, the outermost value first.
    private mutating func add(_ value: PropertyList, depth: Int) throws(ParameterError) -> Int {
        let number = objects.count
        switch value {
        case .string(let text): return add(text)
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite: throw ParameterError(.dateOutOfRange)
        case .array(let elements):
            guard depth < PropertyList.maximumDepth else { throw PropertyListXMLWriter.tooDeep }
            objects.append(.array([]))
            var references: [Int] = []
            references.reserveCapacity(elements.count)
            for index in elements.indices {
                do {
                    references.append(try add(elements[index], depth: depth + 1))
                } catch {
                    throw error.under(.index(index))
                }
            }
            objects[number] = .array(references)
        case .dictionary(let values):
            guard depth < PropertyList.maximumDepth else { throw PropertyListXMLWriter.tooDeep }
            objects.append(.dictionary(keys: [], values: []))
            let sorted = PropertyList.sorted(values)
            let keys = sorted.map { add($0.key) }
            var references: [Int] = []
            references.reserveCapacity(keys.count)
            for (key, value) in sorted {
                do { references.append(try add(value, depth: depth + 1)) } catch { throw error.under(.key(key)) }
            }
            objects[number] = .dictionary(keys: keys, values: references)
        default: objects.append(.scalar(value))
        }
        return number
    }

    private mutating func add(_ text: String) -> Int {
        guard text.utf8.count <= Self.longestShared else {
            objects.append(.scalar(.string(text)))
            return objects.count - 1
        }
        let bytes = Array(text.utf8)
        if let known = strings[bytes] { return known }
        strings[bytes] = objects.count
        objects.append(.scalar(.string(text)))
        return objects.count - 1
    }

    private mutating func write(_ object: Object, _ referenceSize: Int) {
        switch object {
        case .scalar(let value): write(value)
        case .array(let references):
            mark(0xA0, references.count)
            for reference in references { append(UInt64(reference), referenceSize) }
        case .dictionary(let keys, let values):
            mark(0xD0, keys.count)
            for reference in keys + values { append(UInt64(reference), referenceSize) }
        }
    }

    private mutating func write(_ value: PropertyList) {
        switch value {
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): write(value)
        case .unsigned(let value):
            bytes.append(0x14)
            append(0, 8)
            append(value, 8)
        case .real(let value):
            bytes.append(0x23)
            append(value.bitPattern, 8)
        case .date(let value):
            bytes.append(0x33)
            append(value.timeIntervalSinceReferenceDate.bitPattern, 8)
        case .data(let value):
            mark(0x40, value.count)
            bytes.append(contentsOf: value)
        case .string(let value):
            if value.utf8.allSatisfy({ $0 < 0x80 }) {
                mark(0x50, value.utf8.count)
                bytes.append(contentsOf: value.utf8)
            } else {
                mark(0x60, value.utf16.count)
                for unit in value.utf16 { append(UInt64(unit), 2) }
            }
        // Elements are separate objects.
        case .array, .dictionary: break
        }
    }

    private mutating func write(_ value: Int64) {
        // Fewer than eight bytes are unsigned.
        let width = value < 0 ? 8 : Self.width(of: UInt64(value))
        bytes.append(0x10 | UInt8(width.trailingZeroBitCount))
        append(UInt64(bitPattern: value), width)
    }

    private mutating func mark(_ kind: UInt8, _ count: Int) {
        guard count >= 0x0F else { return bytes.append(kind | UInt8(count)) }
        bytes.append(kind | 0x0F)
        write(Int64(count))
    }

    private mutating func append(_ value: UInt64, _ width: Int) {
        for shift in stride(from: 8 * (width - 1), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// Returns the size of a number in bytes: 1, 2, 4 or 8.
    private static func width(of number: UInt64) -> Int {
        switch number {
        case ..<0x100: 1
        case ..<0x1_0000: 2
        case ..<0x1_0000_0000: 4
        default: 8
        }
    }
}
