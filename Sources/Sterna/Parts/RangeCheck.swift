import HTTPTypes
import SternaCore

/// Checks the positions of the pieces that a server sends for several ranges (RFC 9110, 14.4 and 15.3.7), without I/O.
///
/// A server may merge ranges, leave some out, and send them in another order, so a piece need not be one of those that were
/// requested. What it must not do is send two pieces for one position, pieces of files of different lengths, or a piece that was not
/// requested at all.
struct RangeCheck: Sendable {
    /// Where the content of a part belongs.
    struct Place: Sendable, Hashable {
        var range: Range<Int64>?
        var completeLength: Int64?
        /// Whether the part must have as many bytes as its range.
        var isBinding = false
    }

    /// The requested ranges: in order, and apart from each other.
    let requested: [Range<Int64>]
    private var received: [Range<Int64>] = []
    private var completeLength: Int64?

    /// Makes a check that allows nothing, for parts that are not pieces.
    init() { requested = [] }

    /// Makes the check of a request for ranges, which are put in order and merged where they touch.
    ///
    /// Throws `invalidRequest` for no range at all, an empty one, and a negative position.
    init(_ ranges: [Range<Int64>]) throws(SternaError) {
        guard !ranges.isEmpty, ranges.allSatisfy({ !$0.isEmpty && $0.lowerBound >= 0 }) else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The ranges cannot be requested: there must be one or more, none of them empty or before 0. Nothing was sent."
            )
        }
        var merged: [Range<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        requested = merged
    }

    /// The value of the request's Range field (RFC 9110, 14.2).
    var fieldValue: String {
        "bytes=" + requested.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
    }

    /// Returns the place of a part that its Content-Range states; the place is empty without a valid one.
    static func place(of fields: HTTPFields) -> Place {
        guard case .part(let range, let length) = ContentRange(FieldSection(fields)) else { return Place() }
        return Place(range: range, completeLength: length)
    }

    /// Returns the place of a piece of a 206. Throws `malformedResponse` if it cannot be right.
    mutating func accept(_ fields: HTTPFields) throws(SternaError) -> Place {
        var place = Self.place(of: fields)
        guard let range = place.range else {
            throw Self.fault("a part without a valid Content-Range, so the position of its bytes is unknown")
        }
        if let known = completeLength, range.upperBound > known || place.completeLength ?? known != known {
            throw Self.fault("parts of files of different lengths")
        }
        if let length = place.completeLength, let last = received.last, last.upperBound > length {
            throw Self.fault("parts of files of different lengths")
        }
        completeLength = completeLength ?? place.completeLength
        guard Self.touches(requested, range) else {
            throw Self.fault("bytes \(range.lowerBound) to \(range.upperBound - 1), which were not requested")
        }
        guard !Self.touches(received, range) else { throw Self.fault("the same bytes twice") }
        received.insert(range, at: Self.index(in: received, of: range))
        place.completeLength = completeLength
        place.isBinding = true
        return place
    }

    /// Returns the index of the first of several ordered ranges that ends after another begins.
    private static func index(in ranges: [Range<Int64>], of range: Range<Int64>) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func touches(_ ranges: [Range<Int64>], _ range: Range<Int64>) -> Bool {
        let index = index(in: ranges, of: range)
        return index < ranges.count && ranges[index].lowerBound < range.upperBound
    }

    private static func fault(_ what: String) -> SternaError {
        SternaError(
            .malformedResponse, phase: .read,
            "The server sent \(what). The server's support for ranges is faulty.")
    }
}

extension Range<Int64> {
    /// The number of bytes.
    var length: Int64 { upperBound - lowerBound }
}
