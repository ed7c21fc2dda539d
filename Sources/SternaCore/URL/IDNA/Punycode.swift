/// Punycode (RFC 3492) of single labels, without the prefix `xn--`.
enum Punycode {
    private static let (base, low, high, skew, damp) = (36, 1, 26, 38, 700)

    /// Encodes a label; its ASCII characters stay unchanged.
    static func encode(_ label: [UInt32]) -> [UInt8] {
        var output = label.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (current, delta, bias, handled) = (0x80, 0, 72, basic)
        while handled < label.count {
            guard let next = label.lazy.map(Int.init).filter({ $0 >= current }).min() else { break }
            delta += (next - current) * (handled + 1)
            current = next
            for scalar in label {
                if scalar < current { delta += 1 }
                guard scalar == current else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            current += 1
        }
        return output
    }

    private static func append(_ delta: Int, _ bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var position = base
        while true {
            let threshold = min(max(position - bias, low), high)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    /// Decodes a label; nil if the code is invalid.
    static func decode(_ code: ArraySlice<UInt32>) -> [UInt32]? {
        guard code.allSatisfy({ $0 < 0x80 }) else { return nil }
        // A delimiter at the start delimits nothing, and is not a digit.
        let delimiter = code.lastIndex(of: 0x2D).flatMap { $0 > code.startIndex ? $0 : nil }
        var output = Array(code[..<(delimiter ?? code.startIndex)])
        var rest = code[(delimiter.map { $0 + 1 } ?? code.startIndex)...]
        var (current, index, bias) = (0x80, 0, 72)
        while !rest.isEmpty {
            let before = index
            var (weight, position) = (1, base)
            while true {
                guard let digit = rest.popFirst().flatMap(value) else { return nil }
                // Both factors are bounded, so that nothing overflows.
                index += digit * weight
                guard index <= 0x7FFF_FFFF else { return nil }
                let threshold = min(max(position - bias, low), high)
                if digit < threshold { break }
                weight *= base - threshold
                guard weight <= 0x7FFF_FFFF else { return nil }
                position += base
            }
            let count = output.count + 1
            bias = adapted(index - before, count, isFirst: before == 0)
            current += index / count
            index %= count
            guard let scalar = Unicode.Scalar(UInt32(clamping: current)) else { return nil }
            output.insert(scalar.value, at: index)
            index += 1
        }
        return output
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - low) * high / 2 {
            delta /= base - low
            steps += base
        }
        return steps + (base - low + 1) * delta / (delta + skew)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func value(_ scalar: UInt32) -> Int? {
        switch scalar {
        case 0x30...0x39: Int(scalar) - 0x30 + 26
        case 0x41...0x5A: Int(scalar) - 0x41
        case 0x61...0x7A: Int(scalar) - 0x61
        default: nil
        }
    }
}
