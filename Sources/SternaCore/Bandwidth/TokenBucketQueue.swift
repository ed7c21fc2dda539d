package import NIOCore

/// The queue of the bodies that wait for tokens of one bucket, in order of arrival. It has no clock; callers pass the time.
///
/// A turn is one small portion, after which a body joins the end of the queue, so all of them advance.
package struct TokenBucketQueue: Sendable {
    private var bucket: TokenBucket

    /// The order of arrival. Waiters that left keep an entry, which is absent from `wanted`.
    private var order = CircularBuffer<UInt64>()

    /// The requested bytes, by the waiter's number.
    private var wanted: [UInt64: Int] = [:]

    /// The maximum portion in bytes, so that bodies take turns often under high limits, too.
    private static let longestPortion = 64 << 10

    package init(rate: Int?) { bucket = TokenBucket(rate: rate) }

    /// Bytes per second; nil for no limit.
    package var rate: Int? { bucket.rate }

    /// The number of waiters.
    package var count: Int { wanted.count }

    /// The bytes of one turn: those of 1/32 s, from 1 byte to 64 KiB.
    package var portion: Int { bucket.rate.map { min(max(1, $0 / 32), Self.longestPortion) } ?? .max }

    /// Takes permission for up to `count` bytes without waiting, at least for a portion; nil if others wait, or too few tokens are
    /// left.
    package mutating func takeNow(upTo count: Int, at now: NIODeadline) -> Int? {
        guard wanted.isEmpty else { return nil }
        guard case .granted(let bytes) = bucket.take(upTo: count, atLeast: min(count, portion), at: now) else {
            return nil
        }
        return bytes
    }

    /// Adds a waiter at the end of the queue, under a unique number.
    package mutating func join(_ number: UInt64, upTo count: Int) {
        wanted[number] = max(1, count)
        order.append(number)
    }

    /// Removes a waiter; returns whether it was queued.
    @discardableResult
    package mutating func leave(_ number: UInt64) -> Bool {
        guard wanted.removeValue(forKey: number) != nil else { return false }
        // Removes stale entries, since many waiters may leave from the middle while the first one waits.
        if order.count > 2 * wanted.count + 16 {
            let wanted = wanted
            order.removeAll { wanted[$0] == nil }
        }
        return true
    }

    /// Grants the turns that are due; returns their waiters with the granted bytes, and the time of the next turn if any waiter is
    /// left.
    package mutating func advance(at now: NIODeadline) -> (grants: [(number: UInt64, bytes: Int)], next: NIODeadline?) {
        var grants: [(number: UInt64, bytes: Int)] = []
        while let number = order.first {
            guard let count = wanted[number] else {
                order.removeFirst()
                continue
            }
            let bytes = min(count, portion)
            switch bucket.take(upTo: bytes, atLeast: bytes, at: now) {
            case .wait(let time): return (grants, now + time)
            case .granted(let granted):
                grants.append((number, granted))
                wanted[number] = nil
                order.removeFirst()
            }
        }
        return (grants, nil)
    }

    /// Changes the rate; waiters keep their positions.
    ///
    /// - Parameter now: the current time; nil if no permission was requested before.
    package mutating func setRate(_ rate: Int?, at now: NIODeadline?) { bucket.setRate(rate, at: now) }
}
