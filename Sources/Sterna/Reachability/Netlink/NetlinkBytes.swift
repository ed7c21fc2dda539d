import SternaCore

/// A run of bytes in the machine's order, read with checks of its bounds.
struct NetlinkBytes: Sendable, Hashable {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// Returns an integer at an offset; nil if it is out of bounds.
    func integer<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Number.Type = Number.self)
        -> Number?
    {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }

    /// Returns a part; nil if it is out of bounds.
    func part(_ offset: Int, _ length: Int) -> NetlinkBytes? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        let start = bytes.startIndex + offset
        return NetlinkBytes(bytes[start..<start + length])
    }

    /// Returns the bytes from an offset on; nil if it is out of bounds.
    func suffix(_ offset: Int) -> NetlinkBytes? { part(offset, count - offset) }

    /// The bytes up to the first zero, as text.
    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    /// The bytes as an address; nil unless there are 4 or 16.
    var address: IPAddress? { IPAddress(bytes: bytes) }

    /// Calls a closure with the type and the value of each attribute; ends at the first that is malformed.
    func forEachAttribute(_ body: (UInt16, NetlinkBytes) -> Void) {
        var offset = 0
        while let length = integer(offset, as: UInt16.self), let type = integer(offset + 2, as: UInt16.self) {
            guard length >= 4, let value = part(offset + 4, Int(length) - 4) else { return }
            // The two highest bits are flags: NLA_F_NESTED and NLA_F_NET_BYTEORDER.
            body(type & 0x3FFF, value)
            offset += (Int(length) + 3) & ~3
        }
    }

    /// Returns the value of the first attribute of a type.
    func attribute(_ wanted: UInt16) -> NetlinkBytes? {
        var found: NetlinkBytes?
        forEachAttribute { type, value in
            if found == nil, type == wanted { found = value }
        }
        return found
    }
}

/// Writes messages to the kernel.
struct NetlinkWriter {
    private(set) var bytes: [UInt8]

    /// Begins a message.
    init(_ type: UInt16, flags: UInt16, sequence: UInt32) {
        bytes = [0, 0, 0, 0]
        append(type)
        append(flags)
        append(sequence)
        append(UInt32(0))
    }

    mutating func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    }

    mutating func appendZeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    mutating func appendAttribute(_ type: UInt16, _ value: [UInt8]) {
        append(UInt16(clamping: value.count + 4))
        append(type)
        bytes.append(contentsOf: value)
        appendZeros((4 - value.count % 4) % 4)
    }

    /// Returns the message with its length.
    func finished() -> [UInt8] {
        var bytes = bytes
        withUnsafeBytes(of: UInt32(clamping: bytes.count)) { bytes.replaceSubrange(0..<4, with: $0) }
        return bytes
    }
}

extension [UInt8] {
    /// The bytes of a number in the machine's order.
    init(netlink number: some FixedWidthInteger & BitwiseCopyable) {
        self = Swift.withUnsafeBytes(of: number) { Array($0) }
    }
}
