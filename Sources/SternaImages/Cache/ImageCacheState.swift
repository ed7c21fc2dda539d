/// Images in the order of their last use, within a limit in bytes. A value without a clock.
struct ImageCacheState: Sendable {
    private struct Entry: Sendable {
        let image: DecodedImage
        let cost: Int
        /// The number of the last use; later uses have larger numbers.
        var use: UInt64
    }

    private var entries: [ImageCacheKey: Entry] = [:]
    private var lastUse: UInt64 = 0

    /// The size of all images, in bytes.
    private(set) var usage = 0

    var count: Int { entries.count }

    private mutating func nextUse() -> UInt64 {
        lastUse += 1
        return lastUse
    }

    mutating func image(for key: ImageCacheKey) -> DecodedImage? {
        guard let index = entries.index(forKey: key) else { return nil }
        entries.values[index].use = nextUse()
        return entries.values[index].image
    }

    /// Adds an image. If all images together exceed `capacity`, evicts the least recently used ones down to `preferred`. An image
    /// that itself exceeds the capacity is not added.
    mutating func add(_ image: DecodedImage, for key: ImageCacheKey, capacity: Int, preferred: Int) {
        remove(key)
        let cost = image.cost
        guard cost <= capacity else { return }
        entries[key] = Entry(image: image, cost: cost, use: nextUse())
        usage += cost
        if usage > capacity { purge(to: preferred) }
    }

    /// Evicts the least recently used images until the rest is within a number of bytes.
    mutating func purge(to preferred: Int) {
        guard usage > preferred else { return }
        for (key, _) in entries.sorted(by: { $0.value.use < $1.value.use }) {
            remove(key)
            if usage <= preferred { return }
        }
    }

    @discardableResult
    mutating func remove(_ key: ImageCacheKey) -> Bool {
        guard let entry = entries.removeValue(forKey: key) else { return false }
        usage -= entry.cost
        return true
    }

    mutating func removeAll(where isMeant: (ImageCacheKey) -> Bool = { _ in true }) -> Bool {
        let keys = entries.keys.filter(isMeant)
        for key in keys { remove(key) }
        return !keys.isEmpty
    }
}
