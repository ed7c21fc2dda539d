import Sterna

/// The parts of a file in a multipart upload. A value without I/O.
struct S3PartPlan: Sendable, Hashable {
    /// The length of the file in bytes.
    let length: Int64

    /// The size of each part in bytes; the last may be smaller.
    let partBytes: Int64

    /// The limits of S3 (“Amazon S3 multipart upload limits”).
    enum Limits {
        static let smallestPart: Int64 = 5 << 20
        static let largestPart: Int64 = 5 << 30
        static let parts: Int64 = 10_000
        static let object: Int64 = 5 << 40
    }

    /// The number of parts.
    var count: Int { Int((length + partBytes - 1) / partBytes) }

    /// The numbers of the parts, from 1.
    var numbers: ClosedRange<Int> { 1...max(1, count) }

    /// Returns the range of the file in a part; empty for a number out of range.
    func range(_ number: Int) -> Range<Int64> {
        guard number >= 1, number <= count else { return 0..<0 }
        let start = Int64(number - 1) * partBytes
        return start..<min(start + partBytes, length)
    }

    /// Returns the size of a part in bytes.
    func size(_ number: Int) -> Int64 {
        let range = range(number)
        return range.upperBound - range.lowerBound
    }

    /// Creates the plan of an upload that was begun; nil for an impossible one.
    ///
    /// - Parameter smallest: a smaller limit on parts than S3's, for tests.
    init?(length: Int64, partBytes: Int64, smallest: Int64 = Limits.smallestPart) {
        guard (0...Limits.object).contains(length), partBytes >= max(1, smallest), partBytes <= Limits.largestPart,
            length <= partBytes * Limits.parts
        else { return nil }
        (self.length, self.partBytes) = (length, partBytes)
    }

    /// Chooses the size of the parts: the wanted one, or for a large file the smallest number of whole MiB that gives at most
    /// 10,000 parts.
    ///
    /// - Parameters:
    ///   - wanted: the preferred size, from 5 MiB to 5 GiB.
    ///   - largest: the maximum content of one request in bytes; nil for no limit.
    ///   - smallest: a smaller limit on parts than S3's, for tests.
    /// - Throws: `invalidRequest` for a file of more than 5 TiB, and for one that needs larger parts than `largest`.
    static func choose(
        length: Int64, wanted: Int64, largest: Int64? = nil, smallest: Int64 = Limits.smallestPart
    ) throws(SternaError) -> S3PartPlan {
        guard length <= Limits.object else {
            throw refusal(
                "The file has \(length) bytes; an object of S3 has at most 5 TiB (\(Limits.object)). Upload it in pieces."
            )
        }
        if let largest, largest < smallest {
            throw refusal(
                "Requests may have at most \(largest) bytes, but parts of S3 have at least \(smallest). Set maxRequestBytes to more, or leave it out."
            )
        }
        let most = min(largest ?? Limits.largestPart, Limits.largestPart)
        let needed = (max(0, length) + Limits.parts - 1) / Limits.parts
        let (mebibyte, rest) = needed.quotientAndRemainder(dividingBy: 1 << 20)
        let rounded = rest == 0 ? needed : (mebibyte + 1) << 20
        let size = max(min(max(wanted, smallest), most), needed <= smallest ? smallest : min(rounded, most))
        guard size >= needed, let plan = S3PartPlan(length: max(0, length), partBytes: size, smallest: smallest) else {
            throw refusal(
                "The file has \(length) bytes, which needs parts of \(needed) bytes, since S3 takes at most \(Limits.parts); requests may have only \(most). Set maxRequestBytes to more."
            )
        }
        return plan
    }

    private static func refusal(_ text: String) -> SternaError { SternaError(.invalidRequest, phase: .prepare, text) }
}
