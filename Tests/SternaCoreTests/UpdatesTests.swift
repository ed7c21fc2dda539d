import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Updates: the newest value, as a sequence", .timeLimit(.minutes(5)))
struct UpdatesTests {
    private let channel = UpdateChannel(0)

    private func read(_ updates: Updates<Int>) async -> [Int] {
        var seen: [Int] = []
        for await value in updates { seen.append(value) }
        return seen
    }

    @Test("A reader receives the newest value, and misses those that were replaced")
    func newest() async {
        let updates = Updates(channel)
        var reader = updates.makeAsyncIterator()
        expectEqual(updates.current, 0)
        for value in 1...3 { channel.report(value) }
        expectEqual(updates.current, 3)
        await expectEqual(reader.next(), 3)
        channel.report(4)
        await expectEqual(reader.next(), 4)
        channel.report(4)
        await expectEqual(reader.next(), 4)
    }

    @Test("The present value comes first only where that is asked for", arguments: [false, true])
    func present(startsAtOnce: Bool) async {
        let updates = Updates(channel, startsAtOnce: startsAtOnce)
        var reader = updates.makeAsyncIterator()
        if startsAtOnce { await expectEqual(reader.next(), 0) }
        channel.end()
        await expectNil(reader.next())
        await expectEqual(read(updates), startsAtOnce ? [0] : [])
    }

    @Test("A reader that waits receives the value that is reported")
    func later() async {
        let begun = Gate()
        let reading = Task { [channel] in
            var reader = Updates(channel).makeAsyncIterator()
            begun.open()
            return await reader.next()
        }
        await begun.wait()
        channel.report(7)
        await expectEqual(reading.value, 7)
    }

    @Test("The sequence ends after the last value, for readers of before and after")
    func end() async {
        let updates = Updates(channel)
        async let early = read(updates)
        channel.report(5)
        channel.end()
        channel.report(6)
        await expectEqual(early, [5])
        await expectEqual(read(updates), [5])
        expectEqual(updates.current, 5)
    }

    @Test("A value may end its readers, while the channel goes on")
    func until() async {
        let updates = Updates(channel, until: { $0 == 3 })
        var reader = updates.makeAsyncIterator()
        channel.report(3)
        await expectEqual(reader.next(), 3)
        channel.report(4)
        await expectNil(reader.next())
        var other = updates.makeAsyncIterator()
        await expectEqual(other.next(), 4)
    }

    @Test("Cancelling the task of a reader ends it alone", arguments: [false, true])
    func cancelled(startsAtOnce: Bool) async {
        let updates = Updates(channel, startsAtOnce: startsAtOnce)
        let cancelled = Task { await read(updates) }
        let other = Task { await read(updates) }
        cancelled.cancel()
        await expectEqual(cancelled.value, startsAtOnce ? [0] : [])
        channel.report(1)
        channel.end()
        await expectEqual(other.value.last, 1)
    }

    @Test("Two readers go on at their own pace")
    func two() async {
        let updates = Updates(channel, startsAtOnce: true)
        var (quick, slow) = (updates.makeAsyncIterator(), updates.makeAsyncIterator())
        await expectEqual(quick.next(), 0)
        channel.report(1)
        await expectEqual(quick.next(), 1)
        channel.report(2)
        await expectEqual(slow.next(), 2)
        await expectEqual(quick.next(), 2)
        channel.end()
        await expectNil(slow.next())
        await expectNil(quick.next())
    }

    @Test("The present value may be made when it is asked for; readers retain what it is made of")
    func made() {
        final class Owner: Sendable { let value = 9 }
        weak var known: Owner?
        let reader: Updates<Int>.Iterator
        do {
            let owner = Owner()
            known = owner
            let updates = Updates(channel, current: { owner.value })
            expectEqual(updates.current, 9)
            reader = updates.makeAsyncIterator()
        }
        withExtendedLifetime(reader) { #expect(known != nil) }
    }

    private actor Place {
        private var isLeft = false

        private func leave() { isLeft = true }

        /// Returns whether something else has run on this actor while a value was read.
        func isLeft(reading updates: Updates<Int>) async -> Bool {
            let other = Task { self.leave() }
            for await _ in updates { break }
            let wasLeft = isLeft
            await other.value
            return wasLeft
        }
    }

    @Test("A reader on an actor does not leave it for a value that is there")
    func isolated() async {
        channel.report(1)
        #expect(await !Place().isLeft(reading: Updates(channel)))
    }
}
