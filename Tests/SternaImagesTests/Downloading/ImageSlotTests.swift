import Dispatch
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@MainActor @Suite("Image slots", .timeLimit(.minutes(5))) struct ImageSlotTests {
    /// The content of a slot, in short.
    private final class Screen {
        var shown: [String] = []

        func show(_ content: ImageSlot.Content) {
            switch content {
            case .loading: shown.append("loading")
            case .image(let image, let isFromMemory):
                shown.append(
                    "\(image.color.map { Int($0.red) << 8 | Int($0.green) } ?? -1)\(isFromMemory ? " at once" : "")")
            case .failed(let error): shown.append("\(error.kind)")
            case .empty: shown.append("empty")
            }
        }
    }

    /// Lets the main actor run until a condition holds.
    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("A placeholder, then the image; one in memory is shown before the call returns")
    func images() async throws {
        try await ImageScene.with { scene in
            let (screen, images) = (Screen(), scene.downloader())
            let slot = ImageSlot(images) { screen.show($0) }
            slot.set("image/3")
            #expect(screen.shown == ["loading"] && slot.isLoading)
            try await until { !slot.isLoading }
            slot.clear()
            slot.set("image/3")
            #expect(screen.shown == ["loading", "3", "empty", "3 at once"] && !slot.isLoading)
            slot.set("status/404")
            try await until { !slot.isLoading }
            expectEqual(screen.shown.suffix(2), ["loading", "unacceptableStatus"])
        }
    }

    @Test("A slot that is set again or cleared never shows an earlier image; a released one cancels")
    func reuse() async throws {
        try await ImageScene.with { scene in
            let (screen, images) = (Screen(), scene.downloader { $0.abandonedTransfers = .cancel })
            var slot: ImageSlot? = ImageSlot(images) { screen.show($0) }
            slot?.set("held/1")
            try await scene.server.waitForRequests(1)
            slot?.set("image/2")
            try await until { slot?.isLoading == false }
            slot?.set("held/3")
            slot?.clear()
            slot?.set("held/4")
            expectEqual(screen.shown, ["loading", "loading", "2", "loading", "empty", "loading"])
            slot = nil
            scene.gate.open()
            while images.activeDownloads > 0 { await Task.yield() }
            expectEqual(screen.shown.count, 6)
        }
    }

    @Test("Setting the same image again keeps its transfer")
    func same() async throws {
        try await ImageScene.with { scene in
            let (screen, images) = (Screen(), scene.downloader { $0.abandonedTransfers = .cancel })
            let slot = ImageSlot(images) { screen.show($0) }
            slot.set("held/1")
            try await scene.server.waitForRequests(1)
            slot.set("held/1")
            scene.gate.open()
            try await until { !slot.isLoading }
            #expect(screen.shown == ["loading", "loading", "1"] && scene.server.requestCount == 1)
        }
    }

    @Test(
        "10,000 images of 500 URLs in random order, in 20 slots: at most 500 transfers, never a wrong image, each receipt completes once"
    )
    func many() async throws {
        try await ImageScene.with { scene in
            let seed = UInt64.random(in: 1..<1 << 32)
            var random = SeededRandom(seed: seed)
            let images = scene.downloader { options in
                options.downloadPrioritization = .lifo
                // On a busy machine an abandoned transfer may take longer than a second.
                options.abandonedTransfers.grace = .seconds(600)
            }
            var wanted = [Int](repeating: -1, count: 20)
            let wrong = Mutex<[String]>([])
            let shownCount = Mutex(0)
            var slots: [ImageSlot] = []
            let table = WantedTable(count: 20)
            for index in 0..<20 {
                slots.append(
                    ImageSlot(images) { content in
                        guard case .image(let image, _) = content else { return }
                        shownCount.withLock { $0 += 1 }
                        let number = image.color.map { Int($0.red) << 8 | Int($0.green) } ?? -1
                        if table.wanted[index] != number {
                            wrong.withLock { $0.append("slot \(index) shows \(number), not \(table.wanted[index])") }
                        }
                    })
            }
            for call in 0..<10_000 {
                let (index, number) = (Int.random(in: 0..<20, using: &random), Int.random(in: 0..<500, using: &random))
                wanted[index] = number
                table.wanted[index] = number
                slots[index].set("image/\(number)")
                // Now and then the loop of a toolkit runs.
                if call % 7 == 0 { await Task.yield() }
            }
            try await until { slots.allSatisfy { !$0.isLoading } && images.activeDownloads == 0 }
            expectEqual(wrong.withLock { $0 }, [], "seed \(seed)")
            for (index, slot) in slots.enumerated() where wanted[index] >= 0 {
                guard case .image(let image, _) = slot.content else {
                    Issue.record("slot \(index) shows \(slot.content), seed \(seed)")
                    continue
                }
                expectEqual(image.color, TestImages.color(wanted[index]), "seed \(seed)")
            }
            let targets = scene.targets
            #expect(targets.count <= 500 && Set(targets).count == targets.count, "seed \(seed)")
            #expect(shownCount.withLock { $0 } > 20 && scene.decoder.decodedCount == targets.count)
        }
    }

    /// The image that each slot has to show.
    private final class WantedTable {
        var wanted: [Int]

        init(count: Int) { wanted = Array(repeating: -1, count: count) }
    }
}

@Suite("Many receipts", .timeLimit(.minutes(5))) struct ManyReceiptTests {
    @Test(
        "10,000 requests over 500 URLs, half of them cancelled at random: each receipt completes once, at most 500 transfers"
    )
    func answers() async throws {
        try await ImageScene.with { scene in
            let seed = UInt64.random(in: 1..<1 << 32)
            var random = SeededRandom(seed: seed)
            let images = scene.downloader { options in
                options.callbacks = .queue(.global())
                options.abandonedTransfers.grace = .seconds(600)
            }
            let counts = Mutex([Int](repeating: 0, count: 10_000))
            let wrong = Mutex(0)
            let log = ImageLog<Void>()
            var receipts: [ImageDownloadReceipt] = []
            for index in 0..<10_000 {
                let number = Int.random(in: 0..<500, using: &random)
                receipts.append(
                    images.download(ImageRequest("image/\(number)")) { result in
                        counts.withLock { $0[index] += 1 }
                        if case .success(let image) = result, image.color != TestImages.color(number) {
                            wrong.withLock { $0 += 1 }
                        }
                        log.add(())
                    })
                if Bool.random(using: &random) { receipts[Int.random(in: 0...index, using: &random)].cancel() }
                if index % 50 == 0 { await Task.yield() }
            }
            await log.wait(for: 10_000)
            while images.activeDownloads > 0 { await Task.yield() }
            #expect(counts.withLock { $0.allSatisfy { $0 == 1 } } && wrong.withLock { $0 } == 0, "seed \(seed)")
            #expect(scene.server.requestCount <= 500, "seed \(seed)")
            for receipt in receipts { #expect(receipt.result != nil) }
        }
    }
}
