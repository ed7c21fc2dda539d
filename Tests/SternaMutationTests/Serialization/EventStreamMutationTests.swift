import MutationKit
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Mutations: event streams")
struct EventStreamMutationTests {
    static let streams = MutatedReader(
        "EventStreams",
        seeds: [
            "data: one\n\n", ": comment\r\nid: 1\r\nevent: delta\r\ndata: {\"a\":1}\r\ndata: 2\r\n\r\n",
            "\u{FEFF}retry: 1500\r\rid\rdata\r\r",
        ],
        tokens: [
            "data", "event", "id", "retry", ":", ": ", "\n", "\r", "\r\n", "\n\n", "\u{FEFF}", "\u{0}",
            "9999999999999999999999",
        ]
    ) { bytes in
        let whole = read(bytes, pieceSize: max(1, bytes.count))
        for size in [1, 3] where read(bytes, pieceSize: size) != whole {
            throw MutationFailure("Read in pieces of \(size), it has other events.")
        }
        return whole.isRefused ? .refused : .accepted
    }

    struct Reading: Equatable {
        var events: [ServerSentEvent] = []
        var lastID = ""
        var retry: Duration?
        var isRefused = false
    }

    private static func read(_ bytes: [UInt8], pieceSize: Int) -> Reading {
        var parser = EventStreamParser()
        (parser.limits.line, parser.limits.event, parser.limits.id) = (64, 48, 8)
        var reading = Reading()
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                parser.append(Bytes(bytes: rest.prefix(pieceSize)))
                rest = rest.dropFirst(pieceSize)
                while let event = try parser.next() { reading.events.append(event) }
            }
        } catch {
            reading.isRefused = true
        }
        (reading.lastID, reading.retry) = (parser.lastEventID, parser.reconnectionTime)
        return reading
    }

    @Test("No mutated event stream ends the process, and its events do not depend on the pieces")
    func survives() async {
        let report = await Self.streams.supervise {
            await #expect(processExitsWith: .success) { await EventStreamMutationTests.streams.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
