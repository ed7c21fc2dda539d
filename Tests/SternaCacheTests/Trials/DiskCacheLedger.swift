import SternaPlatform

@testable import Sterna

/// A store's content by the logs of ``DiskCacheLoad``: the entry of each place, and the possible results of an interrupted
/// step.
struct DiskCacheLedger {
    struct Place: Hashable {
        var key: Int
        var variant: UInt64
    }

    struct Held: Hashable {
        var number: Int
        var revision: Int
    }

    /// The content of each place after the last completed step.
    private var held: [Place: Held] = [:]

    // The possible results of interrupted steps, by place; nil for no entry.
    private var possible: [Place: Set<Held?>] = [:]
    private var places: [Int: Place] = [:]

    /// Whether entries may have been evicted.
    let isBounded: Bool

    private(set) var committed = 0
    private(set) var refused = 0
    private(set) var wrong: [String] = []

    /// The number of the next entry.
    private(set) var next = 0

    init(isBounded: Bool) { self.isBounded = isBounded }

    // MARK: Reading logs

    /// Applies the lines of a process that was killed.
    mutating func apply(_ lines: [[String]]) {
        for words in lines {
            let numbers = words.dropFirst().compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("store", 3):
                let place = Place(key: numbers[1], variant: UInt64(numbers[2]))
                places[numbers[0]] = place
                next = max(next, numbers[0] + 1)
                possible[place] = [held[place], Held(number: numbers[0], revision: 0)]
            case ("stored", 1):
                committed += 1
                settle(places[numbers[0]], Held(number: numbers[0], revision: 0))
            case ("refused", 1):
                refused += 1
                if let place = places[numbers[0]] { settle(place, held[place]) }
            case ("update", 2):
                guard let place = places[numbers[0]] else { continue }
                possible[place] = [held[place], Held(number: numbers[0], revision: numbers[1])]
            case ("updated", 2): settle(places[numbers[0]], Held(number: numbers[0], revision: numbers[1]))
            case ("remove", 1):
                guard let place = places[numbers[0]] else { continue }
                possible[place] = [held[place], nil]
            case ("removed", 1): settle(places[numbers[0]], nil)
            case ("empty", 1):
                for place in held.keys where place.key == numbers[0] { possible[place] = [held[place], nil] }
            case ("emptied", 1): for place in held.keys where place.key == numbers[0] { settle(place, nil) }
            case ("clear", 0): for place in held.keys { possible[place] = [held[place], nil] }
            case ("cleared", 0): for place in held.keys { settle(place, nil) }
            case ("wrong", _): wrong.append(words.joined(separator: " "))
            default: break
            }
        }
    }

    private mutating func settle(_ place: Place?, _ new: Held?) {
        guard let place else { return }
        held[place] = new
        possible[place] = nil
    }

    // MARK: Checking

    /// Compares a store with what it must hold, and records the results of interrupted steps. Returns the differences.
    mutating func check(_ cache: DiskCache, keys: Int) async -> [String] {
        var faults: [String] = []
        for key in 0..<keys {
            var found: [Place: Held] = [:]
            for variant in await cache.variants(of: DiskCacheRun.key(key)) {
                if let fault = await DiskCacheLoad.fault(of: variant) { faults.append("wrong \(fault)") }
                guard let (number, revision) = DiskCacheLoad.numbers(variant) else { continue }
                found[Place(key: key, variant: variant.id.variant)] = Held(number: number, revision: revision)
            }
            for variant in 0..<2 as Range<UInt64> {
                let place = Place(key: key, variant: variant)
                let allowed = possible[place] ?? [held[place]]
                if !allowed.contains(found[place]), !(isBounded && found[place] == nil) {
                    faults.append("\(place) has \(String(describing: found[place])) in place of \(allowed)")
                }
                settle(place, found[place])
            }
        }
        return faults
    }
}
