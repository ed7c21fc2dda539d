import SternaCore

/// Counts the interim responses of one request against the limit.
struct InterimCount: Sendable {
    /// The number of 104s with growing offsets that do not count. One for each MiB of 100 GB; a server that confirms every byte
    /// reaches it.
    static let mostConfirmations = 100_000

    private let followsProgress: Bool
    private var count = 0
    private var confirmations = 0
    private var offset: Int64 = -1

    /// - Parameter followsProgress: whether 104s with growing offsets do not count.
    init(followsProgress: Bool = false) { self.followsProgress = followsProgress }

    /// Counts a response; returns whether it is within the limit.
    mutating func admits(_ status: Int, _ fields: FieldSection, limit: Int) -> Bool {
        if followsProgress, status == 104, confirmations < Self.mostConfirmations,
            let confirmed = Self.offset(fields), confirmed > offset
        {
            offset = confirmed
            confirmations += 1
            return true
        }
        count += 1
        return count <= limit
    }

    /// The number of Upload-Offset, without parameters; nil for none, for several, and for more than 15 digits.
    private static func offset(_ fields: FieldSection) -> Int64? {
        let lines = fields[values: "Upload-Offset"]
        guard lines.count == 1, let digits = lines.first?.split(separator: ";", omittingEmptySubsequences: false).first,
            (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(digits)
    }
}
