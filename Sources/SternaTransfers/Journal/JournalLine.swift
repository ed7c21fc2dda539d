import Sterna
import SternaPlatform

/// A line of a transfer's journal: a checksum in 16 hexadecimal digits, a space, JSON in UTF-8 and a line feed.
///
/// The checksum is the XXH64 of the JSON with the line number as its seed, so that no line passes for another. Reading stops at the
/// first incomplete line: later ones were never confirmed to a caller.
enum JournalLine {
    /// The longest line that is read, in bytes.
    static let longest = 512 << 10

    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the bytes of a line.
    ///
    /// - Parameter json: JSON without line feeds.
    static func bytes(_ json: [UInt8], number: Int) -> [UInt8] {
        let sum = checksum(json[...], number)
        var line: [UInt8] = []
        line.reserveCapacity(json.count + 18)
        for place in 0..<16 { line.append(digits[Int(truncatingIfNeeded: sum >> (60 - 4 * place)) & 15]) }
        line.append(0x20)
        line += json
        line.append(0x0A)
        return line
    }

    /// Reads complete lines from the beginning of a journal, and calls a closure with the JSON of each until it returns false.
    /// Returns the number of bytes and lines read.
    static func read(
        _ bytes: [UInt8], _ take: (ArraySlice<UInt8>) -> Bool
    ) -> (bytes: Int, lines: Int) {
        var (start, number) = (0, 0)
        while let end = bytes[start...].firstIndex(of: 0x0A) {
            let line = bytes[start..<end]
            guard line.count <= longest, let json = content(line, number: number), take(json) else { break }
            (start, number) = (end + 1, number + 1)
        }
        return (start, number)
    }

    /// Returns the JSON of a line without its line feed; nil if the line is incomplete or damaged.
    private static func content(_ line: ArraySlice<UInt8>, number: Int) -> ArraySlice<UInt8>? {
        guard line.count > 17, line[line.startIndex + 16] == 0x20 else { return nil }
        var sum: UInt64 = 0
        for byte in line.prefix(16) {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            sum = sum << 4 | UInt64(digit)
        }
        let json = line.dropFirst(17)
        return checksum(json, number) == sum ? json : nil
    }

    private static func checksum(_ json: ArraySlice<UInt8>, _ number: Int) -> UInt64 {
        json.withUnsafeBytes { XXHash64.hash($0, seed: UInt64(clamping: number)) }
    }
}
