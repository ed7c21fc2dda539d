import HTTPTypes
import Sterna
import SternaCore
import SternaImages
import SternaTesting
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Images in memory") struct AutoPurgingImageCacheTests {
    /// An image of 1,020,000 bytes.
    private func large() throws -> DecodedImage { try TestImages.image(510, 500) }

    private func cache(
        capacity: Int = 10 << 20, preferred: Int = 6 << 20, _ pressure: MemoryPressure? = nil
    ) -> AutoPurgingImageCache {
        AutoPurgingImageCache(memoryCapacity: capacity, preferredMemoryUsageAfterPurge: preferred, pressure: pressure)
    }

    private func names(_ cache: AutoPurgingImageCache) -> [Int] {
        (1...20).filter { cache.image(withIdentifier: "\($0)") != nil }
    }

    @Test(
        "Eleven images of 1,020,000 bytes in 10 MB are purged to the newest that fit into 6 MB",
        arguments: [1 << 20, 1_000_000])
    func purge(_ megabyte: Int) throws {
        let cache = cache(capacity: 10 * megabyte, preferred: 6 * megabyte)
        let image = try large()
        expectEqual(image.cost, 1_020_000)
        for number in 1...9 { cache.add(image, withIdentifier: "\(number)") }
        #expect(cache.memoryUsage == 9 * 1_020_000 && cache.count == 9)
        for number in 10...11 { cache.add(image, withIdentifier: "\(number)") }
        expectEqual(cache.memoryUsage, 6 * 1_020_000)
        expectEqual(names(cache), [6, 7, 8, 9, 10, 11])
    }

    @Test("A recently used image survives")
    func access() throws {
        let cache = cache()
        let image = try large()
        for number in 1...10 { cache.add(image, withIdentifier: "\(number)") }
        #expect(cache.image(withIdentifier: "1") != nil)
        cache.add(image, withIdentifier: "11")
        #expect(names(cache) == [1, 7, 8, 9, 10, 11] && cache.memoryUsage == 6 * 1_020_000)
    }

    @Test("The defaults are AFNetworking's: 100 MB, purged to 60; the second never exceeds the first")
    func defaults() {
        let cache = AutoPurgingImageCache(pressure: nil)
        #expect(cache.memoryCapacity == 104_857_600 && cache.preferredMemoryUsageAfterPurge == 62_914_560)
        let odd = AutoPurgingImageCache(memoryCapacity: 5, preferredMemoryUsageAfterPurge: 9, pressure: nil)
        expectEqual(odd.preferredMemoryUsageAfterPurge, 5)
        expectEqual(AutoPurgingImageCache(memoryCapacity: -1, pressure: nil).memoryCapacity, 0)
    }

    @Test("An image counts once, and no longer after its removal; one beyond the capacity is not added")
    func counting() throws {
        let cache = cache(capacity: 100, preferred: 60)
        cache.add(try TestImages.image(2, 2), withIdentifier: "1")
        cache.add(try TestImages.image(3, 1), withIdentifier: "1")
        #expect(cache.memoryUsage == 12 && cache.count == 1)
        cache.add(try TestImages.image(100, 1), withIdentifier: "2")
        expectEqual(cache.memoryUsage, 12)
        // An image that is too large still removes the one that it replaces.
        cache.add(try TestImages.image(100, 1), withIdentifier: "1")
        #expect(cache.memoryUsage == 0 && cache.image(withIdentifier: "1") == nil)
        cache.add(try TestImages.image(1, 1), withIdentifier: "3")
        let wasThere = cache.removeImage(withIdentifier: "3")
        let isThere = cache.removeImage(withIdentifier: "3")
        #expect(wasThere && !isThere && cache.memoryUsage == 0)
        cache.add(try TestImages.image(1, 1), withIdentifier: "4")
        let removed = cache.removeAllImages()
        let nothing = cache.removeAllImages()
        #expect(removed && !nothing && cache.count == 0 && cache.memoryUsage == 0)
    }

    @Test("Random use compared with a model: the sum is right, the order is that of use")
    func model() throws {
        var random = SeededRandom(seed: 5)
        var state = ImageCacheState()
        var order: [(name: Int, cost: Int)] = []
        for _ in 0..<3_000 {
            let name = Int.random(in: 0..<30, using: &random)
            let key = ImageCacheKey("\(name)")
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                state.remove(key)
                order.removeAll { $0.name == name }
            case 1...4:
                let isKnown = state.image(for: key) != nil
                expectEqual(isKnown, order.contains { $0.name == name })
                if let index = order.firstIndex(where: { $0.name == name }) { order.append(order.remove(at: index)) }
            default:
                let image = try TestImages.image(Int.random(in: 1...20, using: &random), 1)
                state.add(image, for: key, capacity: 400, preferred: 250)
                order.removeAll { $0.name == name }
                order.append((name, image.cost))
                if order.reduce(0, { $0 + $1.cost }) > 400 {
                    while order.reduce(0, { $0 + $1.cost }) > 250 { order.removeFirst() }
                }
            }
            #expect(state.usage == order.reduce(0) { $0 + $1.cost } && state.count == order.count)
        }
    }

    @Test("A warning purges the cache, critical pressure empties it; a released cache is unsubscribed")
    func pressure() throws {
        let pressure = MemoryPressure()
        let cache = cache(pressure)
        let image = try large()
        for number in 1...9 { cache.add(image, withIdentifier: "\(number)") }
        pressure.report(.warning)
        expectEqual(names(cache), [4, 5, 6, 7, 8, 9])
        pressure.report(.warning)
        expectEqual(cache.count, 6)
        pressure.report(.critical)
        expectEqual(cache.count, 0)
        weak var released: AutoPurgingImageCache?
        do {
            let other = AutoPurgingImageCache(pressure: pressure)
            released = other
        }
        expectNil(released)
        pressure.report(.critical)
    }

    @Test("Images of a request are distinguished by their processing, and removed together")
    func requests() throws {
        let cache = cache()
        let request = Request(.get, try HTTPURL("https://example.com/a.png#part"))
        let same = Request(.get, try HTTPURL("https://example.com/a.png"))
        var other = same
        other.headers[.authorization] = "Bearer b"
        cache.add(try TestImages.image(1, 1), for: ImageCacheKey(request))
        cache.add(try TestImages.image(2, 1), for: ImageCacheKey(request, identifier: "circle"))
        cache.add(try TestImages.image(3, 1), for: ImageCacheKey(other))
        expectEqual(cache.image(for: ImageCacheKey(same))?.pixelSize.width, 1)
        expectEqual(cache.image(for: ImageCacheKey(same, identifier: "circle"))?.pixelSize.width, 2)
        expectEqual(cache.image(for: ImageCacheKey(other))?.pixelSize.width, 3)
        expectNil(cache.image(for: ImageCacheKey(other, identifier: "circle")))
        let wasThere = cache.removeImages(of: same)
        let isThere = cache.removeImages(of: same)
        #expect(wasThere && !isThere && cache.count == 1)
    }

    @Test("A key shows no secret")
    func secrets() throws {
        var request = Request(.get, try HTTPURL("https://ada:pass@example.com/a.png?token=hidden&size=2"))
        request.headers[.authorization] = "Bearer hidden"
        let key = ImageCacheKey(request, identifier: "circle")
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", dumped, String(reflecting: key)] {
            #expect(!text.contains("hidden") && !text.contains("pass") && text.contains("example.com/a.png"))
        }
        #expect("\(key)".hasSuffix("size=2 circle") && "\(ImageCacheKey("portrait"))" == "portrait")
    }

    @Test(
        "The cache policy decides whether the memory is read and written",
        arguments: [
            (.protocolRules, true, true), (.cachedElseLoad, true, true), (.cachedOnly, true, true),
            (.reload, false, true),
            (.revalidate, false, true), (.ignored, false, false),
            (CachePolicy(.reloadIgnoringLocalAndRemoteCacheData), false, true),
        ] as [(CachePolicy, Bool, Bool)])
    func policies(_ policy: CachePolicy, _ reads: Bool, _ stores: Bool) {
        #expect(ImageCacheRule.reads(policy) == reads && ImageCacheRule.stores(policy) == stores)
        var other = policy
        (other.storage, other.fallsBackToStored) = (.allowedInMemoryOnly, true)
        #expect(ImageCacheRule.reads(other) == reads && ImageCacheRule.stores(other))
    }

    @Test(
        "A response with no-store is not cached, unless the program decides otherwise",
        arguments: [
            ("no-store", false), ("max-age=5, No-Store", false), ("max-age=5", true), ("private", true),
            ("no-cache", true),
            ("x=no-store", true), ("no-store=1", false), ("", true),
        ])
    func shouldCache(_ value: String, _ mayKeep: Bool) throws {
        let (image, request) = (try TestImages.image(1, 1), Request(.get, try HTTPURL("https://example.com/a.png")))
        let response = Response(
            status: .ok, section: FieldSection([.cacheControl: value]), body: ResponseBody(), url: request.url)
        expectEqual(cache().shouldCache(image, for: request, response: response), mayKeep)
        let own = AutoPurgingImageCache(pressure: nil) { _, request, response in
            request.url.path == "/a.png" && response.status == .ok && !mayKeep
        }
        expectEqual(own.shouldCache(image, for: request, response: response), !mayKeep)
    }
}
