import NIOCore
import NIOEmbedded
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// A connection under random schedules of both sides: no frame that the server has not allowed, no request without
/// its end.
@Suite("HTTP/2: any schedule of frames", .timeLimit(.minutes(5)))
struct FrameScheduleTests {
    @Test(arguments: 0..<40)
    func anySchedule(seed: Int) async throws {
        let world = try await FrameWorld(seed: UInt64(seed) &* 15_485_863 &+ 9)
        // Connections that are refused something are retired, which not all schedules shall see.
        let refuses = seed % 4 == 3
        let delaysSettings = seed % 3 == 1
        if !delaysSettings { try await begin(world) }
        for number in 0..<400 {
            if number == 12, delaysSettings { try await begin(world) }
            try await step(world, number, canSpeak: !delaysSettings || number >= 12, refuses: refuses)
            try await check(world, "seed \(seed), step \(number)")
        }
        let opened = world.model.opened
        try await finish(world, isOrderly: seed % 2 == 0)
        try await check(world, "seed \(seed), the end")
        #expect(opened > 5)
        let lost = world.asks.filter { !$0.isDone }.map(\.number)
        #expect(lost.isEmpty, "requests were lost")
        #expect(world.asks.count { $0.hasSucceeded } > 0)
        #expect(try await world.isAtRest())
    }

    private func check(_ world: FrameWorld, _ place: String) async throws {
        var faults = world.model.violations + world.problems
        if world.model.hasHalfAFrame { faults.append("half a frame") }
        guard !faults.isEmpty else { return }
        Issue.record(
            "\(place): \(faults)\n\(try await world.describe())\n\(world.model.history.joined(separator: "\n"))")
        throw Broken()
    }

    private struct Broken: Error {}

    private func begin(_ world: FrameWorld) async throws {
        settings(world)
        try await world.deliver(.max)
    }

    private func settings(_ world: FrameWorld) {
        let streams = Int.random(in: 0...9, using: &world.dice) == 0 ? 0 : Int.random(in: 1...20, using: &world.dice)
        let window = [0, 1, 1_000, 65_535, Int.random(in: 0...200_000, using: &world.dice)]
        let frame = [16_384, 16_385, 100_000, 16_777_215]
        let table: [Int?] = [nil, nil, 0, 100, 4_096]
        world.model.announce { settings in
            settings.streams = streams
            settings.window = window.randomElement(using: &world.dice) ?? 0
            settings.frame = frame.randomElement(using: &world.dice) ?? 16_384
            settings.table = table.randomElement(using: &world.dice) ?? nil
        }
    }

    // MARK: A step

    private func step(_ world: FrameWorld, _ number: Int, canSpeak: Bool, refuses: Bool) async throws {
        switch Int.random(in: 0..<24, using: &world.dice) {
        case 0...2:
            guard world.asks.count(where: { !$0.isDone }) < 40 else { return }
            let length = [0, 0, 1, 500, 20_000, 100_000, 300_000].randomElement(using: &world.dice) ?? 0
            try await world.ask(
                bodyLength: length, delivery: Bool.random(using: &world.dice) ? .head : .whole)
        case 3:
            guard Bool.random(using: &world.dice) else { return }
            let open = world.asks.filter { !$0.isDone }
            if let ask = open.randomElement(using: &world.dice) { try await world.cancel(ask) }
        case 4...6:
            // Some are never read.
            let readable = world.asks.filter { !$0.isDone && $0.iterator != nil && $0.number % 5 != 0 }
            guard let ask = readable.randomElement(using: &world.dice) else { return }
            for _ in 0..<Int.random(in: 1...10, using: &world.dice) { try await world.read(ask) }
        case 7: try await world.advance(.milliseconds(Int64.random(in: 0...2_000, using: &world.dice)))
        case 8:
            try await world.setWritable(Int.random(in: 0..<3, using: &world.dice) > 0)
        case 9...14: if canSpeak { try await world.deliver(Int.random(in: 1...40_000, using: &world.dice)) }
        case 15: if canSpeak { try await world.deliver(.max) }
        default: if canSpeak { speak(world, number, refuses: refuses) }
        }
    }

    // The server says something.
    private func speak(_ world: FrameWorld, _ number: Int, refuses: Bool) {
        switch Int.random(in: 0..<16, using: &world.dice) {
        case 0: settings(world)
        case 1...2: world.model.grant(0, Int.random(in: 1...200_000, using: &world.dice))
        case 3...4:
            guard let id = world.model.unfinished.randomElement(using: &world.dice) else { return }
            world.model.grant(id, Int.random(in: 1...100_000, using: &world.dice))
        case 5: other(world)
        case 6:
            guard let id = world.model.unfinished.randomElement(using: &world.dice) else { return }
            guard Int.random(in: 0..<3, using: &world.dice) == 0 else { return }
            let codes: [WireFrame.Code] = [.noError, .internalError, .cancel, .enhanceYourCalm, 0x77, 0xFFFF_FFFF]
            let code = refuses ? .refusedStream : codes.randomElement(using: &world.dice) ?? .cancel
            world.model.reset(id, code)
        case 7:
            guard number > 340, Int.random(in: 0..<3, using: &world.dice) == 0 else { return }
            let last = ([0x7FFF_FFFF] + world.model.streams.keys.sorted()).randomElement(using: &world.dice) ?? 0
            let before = world.model.lastTaken ?? 0x7FFF_FFFF
            world.model.goAway(last: min(last, before), code: .noError)
        default:
            guard let id = world.model.answerable.randomElement(using: &world.dice) else { return }
            answer(world, id)
        }
    }

    private func other(_ world: FrameWorld) {
        let ids = world.model.streams.keys.sorted() + [0x7FFF_FFFF]
        let id = ids.randomElement(using: &world.dice) ?? 1
        switch Int.random(in: 0..<3, using: &world.dice) {
        case 0: world.model.ping(UInt8.random(in: 0...255, using: &world.dice))
        case 1: world.model.say([.priority(id, .init(dependency: id == 3 ? 1 : 3))])
        default:
            let payload = [UInt8](repeating: 7, count: Int.random(in: 0...300, using: &world.dice))
            let type = UInt8.random(in: 0x20...0xFF, using: &world.dice)
            let flags = UInt8.random(in: 0...255, using: &world.dice)
            world.model.say([
                WireFrame(type: type, flags: flags, stream: Bool.random(using: &world.dice) ? 0 : id, payload: payload)
            ])
        }
    }

    private func answer(_ world: FrameWorld, _ id: UInt32) {
        guard let stream = world.model.streams[id] else { return }
        guard stream.hasHead else {
            if Int.random(in: 0..<4, using: &world.dice) == 0 {
                return world.model.section(id, [(":status", "103"), ("link", "</a>")])
            }
            let end = Int.random(in: 0..<6, using: &world.dice) == 0
            return world.model.head(
                id, [(":status", "200"), ("etag", "\(id)"), ("x-long", String(repeating: "a", count: 200))], end: end,
                pieces: Int.random(in: 1...4, using: &world.dice))
        }
        switch Int.random(in: 0..<10, using: &world.dice) {
        case 0: world.model.data(id, 0, end: true, padding: nil)
        case 1: world.model.trailers(id)
        case 2: world.model.data(id, Int.random(in: 0...3_000, using: &world.dice), end: true, padding: nil)
        case 3:
            world.model.data(
                id, Int.random(in: 1...3_000, using: &world.dice), end: false,
                padding: UInt8.random(in: 0...255, using: &world.dice))
        default:
            for _ in 0..<Int.random(in: 1...6, using: &world.dice) {
                world.model.data(id, Int.random(in: 1...16_384, using: &world.dice), end: false, padding: nil)
            }
        }
    }

    // MARK: The end

    private func finish(_ world: FrameWorld, isOrderly: Bool) async throws {
        try await world.setWritable(true)
        try await world.deliver(.max)
        try await world.deliver(.max)
        if world.channel.isActive, !world.model.goAwayIsKnown {
            #expect(world.model.settingsAreAcknowledged)
            expectEqual(world.model.pingsAnswered, world.model.pingsSent)
        }
        if isOrderly, world.channel.isActive {
            // All that it has begun is answered, and nothing new is taken.
            world.model.goAway(last: world.model.lastTaken ?? 0x7FFF_FFFF, code: .noError)
            try await world.deliver(.max)
            // What waited for a place among the streams may come only now.
            for _ in 0..<50 where !world.model.answerable.isEmpty {
                for id in world.model.answerable {
                    if world.model.streams[id]?.hasHead == false {
                        world.model.head(id, [(":status", "200"), ("etag", "\(id)")], end: false, pieces: 1)
                    }
                    world.model.trailers(id)
                }
                try await world.deliver(.max)
            }
            let isClosed = !world.channel.isActive
            let rest = try await world.describe()
            #expect(isClosed, "a connection that was told to go, and has nothing to do, is closed: \(rest)")
            // One that others wait for the place of is closed without ceremony.
            if try await world.nobodyWaits() { #expect(world.saysGoodbye) }
        }
        if world.channel.isActive { try await world.close() }
        // What waits finds out that nobody is there.
        for _ in 0..<2_000 {
            try await world.advance(.seconds(2))
            for ask in world.asks where !ask.isDone { try await world.read(ask) }
            if world.asks.allSatisfy(\.isDone) { return }
            await Task.yield()
        }
    }
}
