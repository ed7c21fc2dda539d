/// A binary property list put together by hand: objects, the table of their offsets, and the trailer.
///
/// Whatever the format would have from the objects can be replaced by something else, so that files can lie.
struct BinaryPropertyListFile: Sendable {
    enum Object: Sendable {
        case raw([UInt8])
        case array([UInt64])
        case dictionary(keys: [UInt64], values: [UInt64])

        /// A marker and the low bytes of a number.
        static func number(_ marker: UInt8, _ value: UInt64, width: Int) -> Object {
            .raw([marker] + BinaryPropertyListFile.bigEndian(value, width: width))
        }

        static func ascii(_ text: String) -> Object {
            .raw(BinaryPropertyListFile.header(0x50, text.utf8.count) + Array(text.utf8))
        }

        static func utf16(_ units: [UInt16]) -> Object {
            .raw(
                BinaryPropertyListFile.header(0x60, units.count)
                    + units.flatMap { BinaryPropertyListFile.bigEndian(UInt64($0), width: 2) })
        }
    }

    var objects: [Object]
    var offsetSize = 2
    var referenceSize = 1
    var top: UInt64 = 0
    /// What the trailer says, where it is not the truth.
    var count: UInt64?
    var tableOffset: UInt64?
    /// What the table says of some objects, where it is not the truth.
    var offsets: [Int: UInt64] = [:]
    /// What the trailer says of both sizes, where it is not the truth.
    var statedSizes: (offset: UInt8, reference: UInt8)?

    init(_ objects: [Object], _ configure: (inout BinaryPropertyListFile) -> Void = { _ in }) {
        self.objects = objects
        configure(&self)
    }

    /// One object alone.
    init(_ bytes: [UInt8]) { self.init([.raw(bytes)]) }

    /// Where the objects lie, in bytes of the file, and after them the table and the trailer.
    var places: [Range<Int>] { laidOut.places }

    var bytes: [UInt8] { laidOut.bytes }

    private var laidOut: (bytes: [UInt8], places: [Range<Int>]) {
        var bytes = Array("bplist00".utf8)
        var places: [Range<Int>] = []
        for object in objects {
            let start = bytes.count
            append(object, to: &bytes)
            places.append(start..<bytes.count)
        }
        let table = bytes.count
        for (index, place) in places.enumerated() {
            Self.append(offsets[index] ?? UInt64(place.lowerBound), width: offsetSize, to: &bytes)
        }
        places.append(table..<bytes.count)
        let trailer = bytes.count
        bytes += [0, 0, 0, 0, 0, 0]
        bytes += [statedSizes?.offset ?? UInt8(offsetSize), statedSizes?.reference ?? UInt8(referenceSize)]
        for number in [count ?? UInt64(objects.count), top, tableOffset ?? UInt64(table)] {
            bytes += Self.bigEndian(number, width: 8)
        }
        places.append(trailer..<bytes.count)
        return (bytes, places)
    }

    private func append(_ object: Object, to bytes: inout [UInt8]) {
        switch object {
        case .raw(let content): bytes += content
        case .array(let references):
            bytes += Self.header(0xA0, references.count)
            for reference in references { Self.append(reference, width: referenceSize, to: &bytes) }
        case .dictionary(let keys, let values):
            bytes += Self.header(0xD0, keys.count)
            for reference in keys + values { Self.append(reference, width: referenceSize, to: &bytes) }
        }
    }

    /// A marker with its count, which stands in an integer of its own from fifteen on.
    static func header(_ marker: UInt8, _ count: Int) -> [UInt8] {
        if count < 15 { return [marker | UInt8(count)] }
        return [marker | 0x0F, 0x12] + bigEndian(UInt64(count), width: 4)
    }

    static func bigEndian(_ value: UInt64, width: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, width: width, to: &bytes)
        return bytes
    }

    private static func append(_ value: UInt64, width: Int, to bytes: inout [UInt8]) {
        for index in stride(from: width - 1, through: 0, by: -1) {
            bytes.append(index < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) : 0)
        }
    }
}
