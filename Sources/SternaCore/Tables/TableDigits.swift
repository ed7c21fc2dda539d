/// Reads the digits of a generated table: the characters from `$` to `~` are 0 to 90.
///
/// Line breaks are ignored. Missing digits at the end are zero.
package struct TableDigits {
    private let code: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// - Parameter code: the characters, which must outlive the value.
    package init(_ code: UnsafeBufferPointer<UInt8>) { self.code = code }

    /// Returns the next digit; nil at the end.
    package mutating func next() -> Int? {
        while index < code.count {
            let byte = code[index]
            index += 1
            if byte >= 0x24 { return Int(byte) - 0x24 }
        }
        return nil
    }

    /// Returns the number of the next `digits` digits, the most significant one first.
    package mutating func number(_ digits: Int) -> Int {
        var value = 0
        for _ in 0..<digits { value = value * 91 + (next() ?? 0) }
        return value
    }
}
