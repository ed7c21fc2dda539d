/// Numbers at which arithmetic ends: powers of two and ten, and those beside them.
public enum BoundaryNumbers {
    /// Those of up to 64 bits.
    public static let values: [UInt64] = {
        var values: Set<UInt64> = [0, 1, .max, .max - 1]
        for power in 1..<64 {
            let value = UInt64(1) << UInt64(power)
            values.formUnion([value - 1, value, value + 1])
        }
        return values.sorted()
    }()

    /// Numbers in decimal and some in hexadecimal digits, without a sign, among them some beyond 64 bits.
    public static let texts: [[UInt8]] = {
        var texts: Set<String> = []
        for power in [4, 7, 8, 15, 16, 24, 31, 32, 48, 50, 52, 53, 62, 63] {
            let value = UInt64(1) << UInt64(power)
            for near in [value - 1, value, value + 1] {
                texts.insert("\(near)")
                texts.insert(String(near, radix: 16))
            }
        }
        for near in (0...24 as ClosedRange<UInt64>) { texts.formUnion(["\(near)", "\(UInt64(Int64.max) - near)"]) }
        texts.formUnion(["18446744073709551614", "18446744073709551615", "18446744073709551616"])
        texts.formUnion(["340282366920938463463374607431768211455", "340282366920938463463374607431768211456"])
        for power in Array(1...22) + [38, 39, 127, 128, 307, 308, 309, 323, 324, 325] {
            let zeros = String(repeating: "0", count: power)
            texts.formUnion(["1" + zeros, String(repeating: "9", count: power), "1" + zeros.dropLast() + "1"])
        }
        texts.formUnion(["308", "309", "323", "324", "325", "0x10", "1.7976931348623157e308", "4.9e-324", "0.1", "-0"])
        return texts.sorted().map { Array($0.utf8) }
    }()
}
