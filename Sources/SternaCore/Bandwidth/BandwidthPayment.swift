/// The permissions of one body by each of its limits, without the bytes already passed on. Bytes pass once every limit has
/// permitted them.
package struct BandwidthPayment: Sendable {
    private var permitted: [Int]

    /// Starts without any permission.
    package init(limits: Int) { permitted = Array(repeating: 0, count: max(0, limits)) }

    /// Returns the next limit to query, and for how many of `count` bytes; nil if every limit has permitted some.
    package func missing(of count: Int) -> (limit: Int, upTo: Int)? {
        guard let limit = permitted.firstIndex(of: 0) else { return nil }
        // No more than the least that another limit has permitted, since the rest could not pass anyway.
        return (limit, permitted.filter { $0 > 0 }.min().map { min($0, count) } ?? count)
    }

    /// Records a permission.
    package mutating func add(_ bytes: Int, by limit: Int) {
        guard permitted.indices.contains(limit) else { return }
        permitted[limit] += max(0, bytes)
    }

    /// Spends the permission for as many of `count` bytes as every limit has permitted; returns their number.
    package mutating func spend(upTo count: Int) -> Int {
        let bytes = permitted.reduce(count, min)
        for index in permitted.indices { permitted[index] -= bytes }
        return bytes
    }
}
