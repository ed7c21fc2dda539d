import NIOCore
import SternaCore
import Synchronization

/// Combines a partial body with the stored parts when it is complete (RFC 9111, 3.4).
///
/// The part is kept in memory until then. A part longer than ``longest`` is not stored, and the stored parts stay.
final class CombiningWriter: CacheWriter {
    /// The maximum length of the part, and of the stored body, in bytes.
    static let longest: Int64 = 8 << 20

    private let cache: ResponseCache
    private let former: CacheTransaction.Former
    private let plan: StorePlan
    private let url: String
    private let isInMemoryOnly: Bool
    private let part = Mutex<Bytes?>(Bytes())

    init(
        _ cache: ResponseCache, _ former: CacheTransaction.Former, _ plan: StorePlan, _ url: String,
        isInMemoryOnly: Bool
    ) {
        (self.cache, self.former, self.plan, self.url) = (cache, former, plan, url)
        self.isInMemoryOnly = isInMemoryOnly
    }

    nonisolated(nonsending) func append(_ piece: Bytes) async -> Bool {
        part.withLock { part in
            guard var known = part.take(), Int64(known.readableBytes + piece.readableBytes) <= Self.longest else {
                return false
            }
            known.writeImmutableBuffer(piece)
            part = known
            return true
        }
    }

    func discard() { part.withLock { $0 = nil } }

    nonisolated(nonsending) func commit(head: Bytes?) async -> CacheEntryID? {
        guard let part = part.withLock({ $0.take() }), let range = plan.part?.range,
            Int64(part.readableBytes) == range.upperBound - range.lowerBound
        else { return nil }
        let (id, head) = (former.entry.variant.id, StoredHead(url: url, former.new))
        guard head.isCodable else { return nil }
        if former.entry.head.response.extent.isWhole {
            // The whole body is stored already: the part only brings newer fields.
            return await cache.storage.update(id, head: head.coded) ? id : nil
        }
        guard former.entry.variant.length <= Self.longest,
            let old = try? await StoredBody.collect(former.entry.variant.body),
            let body = Self.join(old, former.entry.head.response.extent, part, range, former.new.extent),
            let writer = await cache.storage.store(
                id.key, variant: id.variant, head: head.coded, length: Int64(body.readableBytes),
                isInMemoryOnly: isInMemoryOnly),
            await writer.append(body)
        else { return nil }
        return await writer.commit(head: nil)
    }

    /// Returns the bytes of the new extent; nil if neither the stored bytes nor the part contain some of them.
    static func join(
        _ old: Bytes, _ extent: StoredExtent, _ part: Bytes, _ range: Range<Int64>, _ new: StoredExtent
    ) -> Bytes? {
        let ranges: [Range<Int64>]
        switch new {
        case .whole(let length): ranges = [0..<length]
        case .parts(let list, _): ranges = list.ranges
        }
        var body = Bytes()
        for wanted in ranges {
            var position = wanted.lowerBound
            while position < wanted.upperBound {
                if range.contains(position) {
                    // Where both have bytes, the newer ones count.
                    let end = min(range.upperBound, wanted.upperBound)
                    guard var slice = slice(part, position - range.lowerBound, end - position) else { return nil }
                    body.writeBuffer(&slice)
                    position = end
                    continue
                }
                guard case .parts(let list, _) = extent,
                    let own = list.ranges.first(where: { $0.contains(position) })
                else { return nil }
                var end = min(own.upperBound, wanted.upperBound)
                if range.lowerBound > position { end = min(end, range.lowerBound) }
                guard let stored = extent.storedRange(of: position..<end),
                    var slice = slice(old, stored.lowerBound, stored.upperBound - stored.lowerBound)
                else { return nil }
                body.writeBuffer(&slice)
                position = end
            }
        }
        return body
    }

    private static func slice(_ bytes: Bytes, _ start: Int64, _ count: Int64) -> Bytes? {
        bytes.getSlice(at: bytes.readerIndex + Int(start), length: Int(count))
    }
}
