import Sterna

/// How a file is cut into the parts of a multipart upload: a value without I/O.
struct S3PartPlan: Sendable, Hashable {
    /// The number of bytes of the file.
    let length: Int64

    /// The number of bytes of each part but the last, which may have fewer.
    let partBytes: Int64

    /// What S3 allows. ("Amazon S3 multipart upload limits")
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

    /// Returns the bytes of the file that a part has; none for a number that the upload does not have.
    func range(_ number: Int) -> Range<Int64> {
        guard number >= 1, number <= count else { return 0..<0 }
        let start = Int64(number - 1) * partBytes
        return start..<min(start + partBytes, length)
    }

    /// The number of bytes of a part.
    func size(_ number: Int) -> Int64 {
        let range = range(number)
        return range.upperBound - range.lowerBound
    }

    /// Makes the plan of an upload that was begun; nil for one that cannot be.
    ///
    /// - Parameter smallest: a smaller limit on parts than S3's, for tests.
    init?(length: Int64, partBytes: Int64, smallest: Int64 = Limits.smallestPart) {
        guard (0...Limits.object).contains(length), partBytes >= max(1, smallest), partBytes <= Limits.largestPart,
            length <= partBytes * Limits.parts
        else { return nil }
        (self.length, self.partBytes) = (length, partBytes)
    }

    /// Chooses the size of the parts: the wanted one, or for a large file the smallest of whole MiB that makes at most 10,000 of them.
    ///
    /// - Parameters:
    ///   - wanted: the size that is used if it can be, at least 5 MiB and at most 5 GiB.
    ///   - largest: the most bytes of one request; nil without such a limit.
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
