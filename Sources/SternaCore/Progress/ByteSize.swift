/// A number of bytes with a readable description, such as `1.2 GB`, in powers of 1,000.
package struct ByteSize: Sendable, Hashable, CustomStringConvertible {
    package var bytes: Int64

    package init(_ bytes: Int64) { self.bytes = bytes }

    package var description: String {
        guard bytes >= 1_000 else { return "\(bytes) B" }
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        var value = Double(bytes) / 1_000
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        return "\(Self.short(value)) \(units[unit])"
    }

    // At most three digits: 1.2, 48, 999.
    static func short(_ value: Double) -> String {
        guard value < 9.95 else { return "\(Int(value.rounded()))" }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
