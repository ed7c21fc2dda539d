import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: which resets the peer has processed")
struct SentResetsTests {
    enum Event: Sendable {
        /// So many resets, with the identifier of the stream that is opened next.
        case reset(Int, before: Int)
        case answer(on: Int)
        case ping
        /// Whether a PING is sent, with the limit.
        case asks(Bool, Int)
        case count(Int)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let events: [Event]
        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "an answer on a later stream",
            events: [.reset(3, before: 7), .answer(on: 5), .count(3), .answer(on: 7), .count(0)]),
        Row(
            name: "an answer between two",
            events: [
                .reset(1, before: 3), .reset(1, before: 5), .reset(2, before: 9), .answer(on: 5), .count(2),
                .answer(on: 3), .count(2), .answer(on: 11), .count(0), .answer(on: 13), .count(0),
            ]),
        Row(name: "answers alone", events: [.answer(on: 1), .count(0), .ping, .count(0), .asks(false, 32)]),
        Row(
            name: "a PING where no answer comes, from half of the limit on, one at a time",
            events: [
                .reset(15, before: 31), .asks(false, 32), .reset(1, before: 33), .asks(true, 32), .asks(false, 32),
                .reset(40, before: 113), .asks(false, 32), .count(56), .ping, .count(40), .asks(true, 32), .ping,
                .count(0),
            ]),
        Row(
            name: "an answer and a PING say the same",
            events: [
                .reset(20, before: 41), .asks(true, 40), .reset(2, before: 45), .answer(on: 41), .count(2), .ping,
                .count(2), .answer(on: 45), .count(0),
            ]),
        Row(
            name: "an answer that says more than the PING",
            events: [
                .reset(20, before: 41), .asks(true, 40), .reset(2, before: 45), .answer(on: 45), .count(0), .ping,
                .count(0), .reset(1, before: 47), .count(1),
            ]),
        Row(
            name: "with a higher limit later",
            events: [.reset(60, before: 121), .asks(false, 128), .reset(4, before: 129), .asks(true, 128)]),
        Row(
            name: "where identifiers have run out, a PING alone tells",
            events: [.reset(30, before: .max), .answer(on: 0x7FFF_FFFF), .count(30), .asks(true, 32), .ping, .count(0)]),
    ]

    @Test("Responses on later streams and acknowledged PINGs count resets as processed", arguments: rows)
    func events(row: Row) {
        var resets = SentResets()
        for (place, event) in row.events.enumerated() {
            switch event {
            case .reset(let count, let next): for _ in 0..<count { resets.add(before: next) }
            case .answer(let stream): resets.answered(on: stream)
            case .ping: resets.answeredPing()
            case .asks(let expected, let limit):
                let asks = resets.asks(below: limit)
                #expect(asks == expected, "event \(place)")
            case .count(let count): #expect(resets.count == count, "event \(place)")
            }
        }
    }
}
