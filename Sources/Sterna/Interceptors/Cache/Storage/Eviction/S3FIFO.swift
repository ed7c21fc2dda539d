/// The order of eviction: S3-FIFO, from "FIFO queues are all you need for cache eviction" (SOSP 2023).
///
/// New elements enter a small queue, a tenth of the capacity. At its end, elements that were used move to the main queue; others
/// are evicted, and remembered in a ghost queue, from which they return straight to the main queue. A scan that adds elements which
/// are never used thereby evicts only those. All functions except ``order`` take constant time; ``evict()`` does so on average over
/// many calls.
///
/// Elements are identified by slots, which the owner maps to its keys.
struct S3FIFO<Element: Sendable>: Sendable {
    enum Queue: UInt8, Sendable, Hashable {
        case small, main
    }

    private struct Node {
        var element: Element?
        var fingerprint: UInt64
        var size: Int64
        // The neighbours towards the tail, where elements leave, and the head, where they enter; -1 for none.
        var older: Int
        var newer: Int
        var queue: Queue
        var uses: UInt8
    }

    private struct Ends {
        var oldest = -1
        var newest = -1
        var size: Int64 = 0
        var count = 0
    }

    /// The maximum count of uses.
    static var mostUses: UInt8 { 3 }

    /// The maximum size of all elements.
    let capacity: Int64

    /// The maximum number of elements.
    let limit: Int

    private var nodes: ContiguousArray<Node> = []
    private var free: [Int] = []
    private var small = Ends()
    private var main = Ends()
    private var ghosts: GhostQueue

    init(capacity: Int64, limit: Int = .max) {
        self.capacity = max(0, capacity)
        self.limit = max(0, limit)
        ghosts = GhostQueue()
    }

    /// The size of all elements.
    var size: Int64 { small.size + main.size }

    /// The number of elements.
    var count: Int { small.count + main.count }

    /// Whether elements have to be evicted.
    var isOver: Bool { size > capacity || count > limit }

    /// The element in a slot; nil if the slot is free.
    subscript(slot: Int) -> Element? {
        get { nodes.indices.contains(slot) ? nodes[slot].element : nil }
        set {
            guard nodes.indices.contains(slot), nodes[slot].element != nil, let newValue else { return }
            nodes[slot].element = newValue
        }
    }

    /// Adds an element as the newest. Returns its slot.
    ///
    /// - Parameters:
    ///   - fingerprint: the value by which the ghost queue recognises the element.
    ///   - size: the size; a negative one counts as 0, one above the capacity as one more than the capacity.
    mutating func insert(_ element: Element, fingerprint: UInt64, size: Int64) -> Int {
        place(element, fingerprint: fingerprint, size: size, in: ghosts.take(fingerprint) ? .main : .small, uses: 0)
    }

    /// Adds an element as the newest of a queue, with its uses, to restore a saved order.
    mutating func place(_ element: Element, fingerprint: UInt64, size: Int64, in queue: Queue, uses: UInt8) -> Int {
        let size = min(max(0, size), capacity == .max ? .max : capacity + 1)
        let node = Node(
            element: element, fingerprint: fingerprint, size: size, older: -1, newer: -1, queue: queue,
            uses: min(uses, Self.mostUses))
        let slot: Int
        if let known = free.popLast() {
            slot = known
            nodes[slot] = node
        } else {
            slot = nodes.count
            nodes.append(node)
        }
        link(slot)
        return slot
    }

    /// Counts a use.
    mutating func use(_ slot: Int) {
        guard nodes.indices.contains(slot), nodes[slot].uses < Self.mostUses else { return }
        nodes[slot].uses += 1
    }

    /// Changes the size of an element.
    mutating func resize(_ slot: Int, to size: Int64) {
        guard nodes.indices.contains(slot), nodes[slot].element != nil else { return }
        let size = min(max(0, size), capacity == .max ? .max : capacity + 1)
        let change = size - nodes[slot].size
        nodes[slot].size = size
        if nodes[slot].queue == .small { small.size += change } else { main.size += change }
    }

    /// Removes an element without remembering it.
    @discardableResult
    mutating func remove(_ slot: Int) -> Element? {
        guard nodes.indices.contains(slot), let element = nodes[slot].element else { return nil }
        unlink(slot)
        nodes[slot].element = nil
        free.append(slot)
        return element
    }

    /// Adds an element of the small queue to the ghost queue; for an eviction that another process decided.
    mutating func haunt(_ slot: Int) {
        guard nodes.indices.contains(slot), nodes[slot].element != nil, nodes[slot].queue == .small else { return }
        ghosts.add(nodes[slot].fingerprint, limit: max(16, count))
    }

    /// Removes and returns the next element to evict; nil if the limits are kept.
    mutating func evict() -> Element? {
        while isOver {
            let mayDropSmall = small.count > 0 && (small.size > capacity / 10 || main.count == 0)
            let slot = mayDropSmall ? small.oldest : main.count > 0 ? main.oldest : small.oldest
            guard nodes.indices.contains(slot) else { return nil }
            let isSmall = nodes[slot].queue == .small
            guard nodes[slot].uses > 0 else {
                if isSmall { ghosts.add(nodes[slot].fingerprint, limit: max(16, count)) }
                return remove(slot)
            }
            // Each turn takes a use or an element out of the small queue, so that the loop ends.
            unlink(slot)
            nodes[slot].uses = isSmall ? 0 : nodes[slot].uses - 1
            nodes[slot].queue = .main
            link(slot)
        }
        return nil
    }

    /// The elements in the order in which they entered their queues: the small one, then the main one.
    var order: [(element: Element, queue: Queue, uses: UInt8)] {
        var found: [(element: Element, queue: Queue, uses: UInt8)] = []
        found.reserveCapacity(count)
        for start in [small.oldest, main.oldest] {
            var slot = start
            while nodes.indices.contains(slot) {
                let node = nodes[slot]
                if let element = node.element { found.append((element, node.queue, node.uses)) }
                slot = node.newer
            }
        }
        return found
    }

    // MARK: Lists

    private mutating func link(_ slot: Int) {
        var ends = nodes[slot].queue == .small ? small : main
        nodes[slot].older = ends.newest
        nodes[slot].newer = -1
        if ends.newest >= 0 { nodes[ends.newest].newer = slot } else { ends.oldest = slot }
        ends.newest = slot
        ends.size += nodes[slot].size
        ends.count += 1
        if nodes[slot].queue == .small { small = ends } else { main = ends }
    }

    private mutating func unlink(_ slot: Int) {
        let node = nodes[slot]
        var ends = node.queue == .small ? small : main
        if node.older >= 0 { nodes[node.older].newer = node.newer } else { ends.oldest = node.newer }
        if node.newer >= 0 { nodes[node.newer].older = node.older } else { ends.newest = node.older }
        ends.size -= node.size
        ends.count -= 1
        if node.queue == .small { small = ends } else { main = ends }
    }
}

/// The fingerprints of elements that were evicted from the small queue, oldest first.
struct GhostQueue: Sendable {
    // Maps fingerprints to the number of their last addition; earlier additions in the ring do not count.
    private var known: [UInt64: UInt64] = [:]
    private var ring: [(fingerprint: UInt64, number: UInt64)] = []
    private var start = 0
    private var number: UInt64 = 0

    /// The number of fingerprints.
    var count: Int { known.count }

    /// Adds a fingerprint, and removes the oldest ones beyond a limit.
    mutating func add(_ fingerprint: UInt64, limit: Int) {
        number &+= 1
        known[fingerprint] = number
        ring.append((fingerprint, number))
        while known.count > limit, start < ring.count {
            let oldest = ring[start]
            start += 1
            if known[oldest.fingerprint] == oldest.number { known[oldest.fingerprint] = nil }
        }
        // Half of the ring is unused: rebuilding it costs as much as the additions before.
        if ring.count > 2 * known.count + 64 {
            ring = ring[start...].filter { known[$0.fingerprint] == $0.number }
            start = 0
        }
    }

    /// Removes a fingerprint. Returns whether it was present.
    mutating func take(_ fingerprint: UInt64) -> Bool { known.removeValue(forKey: fingerprint) != nil }
}
