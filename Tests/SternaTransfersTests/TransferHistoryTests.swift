import HTTPTypes
import MutationKit
import Sterna
import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: the journal", .timeLimit(.minutes(5)))
struct TransferHistoryTests {
    static func data(_ ranges: [[Int64]], length: Int64 = 1_000, tag: String = "v") throws -> ResumeData {
        let text = """
            {"version":1,"url":"https://a.example/f","validator":{"etag":"\\"\(tag)\\""},"length":\(length),\
            "ranges":\(ranges),"partial":"/d/f.sterna-part","destination":"/d/f"}
            """
        return try ResumeData(data: Data(text.utf8))
    }

    static let failure = TransferFailure(.timedOut, "It took too long: “é”\u{2028}.")

    /// Makes events as a transfer has them, in any order.
    static func events(_ count: Int, seed: UInt64) throws -> [TransferEvent] {
        var random = MutationGenerator(seed: seed)
        var attempt = 0
        return try (0..<count).map { _ in
            let start = Int64.random(in: 0..<900, using: &random)
            let file = TransferFile("/d/f", try #require(FileStatus(path: "/")))
            switch Int.random(in: 0..<62, using: &random) {
            case ..<10:
                attempt += 1
                return .began(number: attempt, at: start, kept: start)
            case ..<12: return .opened(path: "/d/f.sterna-part")
            case ..<15: return .found(try data([], tag: "\(start)"))
            case ..<35: return .wrote(start..<start + Int64.random(in: 1..<100, using: &random), sum: random.next())
            case ..<40: return .synced(try data([[0, start + 1]]))
            case ..<43: return .discarded
            case ..<45: return .placing(file)
            case ..<50: return .failed(failure, at: start, again: start + 10, requests: Int(start) / 10)
            case ..<54: return .paused
            case ..<56: return .resumed
            case 57: return .responded(try answer())
            case 56:
                var state = try UploadScene.state(.tus, offset: start, isCurrent: false)
                state.expires = start
                return .uploading(Bool.random(using: &random) ? .resumable(state) : .whole)
            case 60, 61: return .blocked(TransferFailure(.unacceptableStatus, "Who?", status: 401), at: start)
            case 58: return Bool.random(using: &random) ? .cancelled : .ended(failure)
            default: return .finished(path: "/d/f", length: 1_000)
            }
        }
    }

    static func answer() throws -> TransferResponse {
        var fields = HTTPFields()
        fields[.location] = "/a"
        let url = try HTTPURL("https://a.example/")
        var response = Response(status: .created, url: url)
        response.headers = fields
        response.body = ResponseBody(Bytes(text: "made"))
        return TransferResponse(response)
    }

    static func bytes(_ events: [TransferEvent]) -> [UInt8] {
        events.enumerated().flatMap { JournalLine.bytes($1.json, number: $0) }
    }

    static func read(_ bytes: [UInt8]) -> (history: TransferHistory, lines: Int) {
        var history = TransferHistory()
        let read = JournalLine.read(bytes) { json in
            guard let event = TransferEvent(json: json) else { return false }
            history.apply(event)
            return true
        }
        return (history, read.lines)
    }

    @Test("Each event is read as it was written")
    func roundTrip() throws {
        for event in try Self.events(500, seed: 1) { expectEqual(TransferEvent(json: event.json[...]), event) }
        expectNil(TransferEvent(json: Array(#"{"event":"later"}"#.utf8)[...]))
    }

    @Test("A journal cut at any byte gives a state that was true once", arguments: 0..<16 as Range<UInt64>)
    func truncated(seed: UInt64) throws {
        // Short ones, because the time grows with the square.
        let events = try Self.events(12, seed: seed)
        let bytes = Self.bytes(events)
        for length in 0...bytes.count {
            let (history, lines) = Self.read(Array(bytes.prefix(length)))
            expectEqual(history, TransferHistory(events.prefix(lines)))
            if length == bytes.count { expectEqual(lines, events.count) }
        }
    }

    @Test("A journal with torn pages, zeros or flipped bits gives a past state", arguments: 0..<200 as Range<UInt64>)
    func torn(seed: UInt64) throws {
        var random = MutationGenerator(seed: seed)
        let events = try Self.events(60, seed: seed)
        var bytes = Self.bytes(events)
        let page = 512
        switch seed % 3 {
        case 0:
            // A page that was not written while a later one was.
            let start = Int.random(in: 0..<bytes.count, using: &random) / page * page
            for index in start..<min(bytes.count, start + page) { bytes[index] = 0 }
        case 1:
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        default:
            // A page that another file had.
            let start = Int.random(in: 0..<bytes.count, using: &random) / page * page
            for index in start..<min(bytes.count, start + page) {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        let (history, lines) = Self.read(bytes)
        expectEqual(history, TransferHistory(events.prefix(lines)))
    }

    @Test("A compacted journal is equivalent", arguments: 0..<300 as Range<UInt64>)
    func compacted(seed: UInt64) throws {
        let events = try Self.events(80, seed: seed)
        for count in stride(from: 0, through: events.count, by: 7) {
            let history = TransferHistory(events.prefix(count))
            expectEqual(TransferHistory(history.compacted), history, "seed \(seed), \(count) events")
        }
    }

    @Test("On disk it continues after its last complete line, and stays short")
    func onDisk() throws {
        let folder = TransferTestFolder()
        let path = folder.path + "/journal"
        var history = TransferHistory()
        for round in 0..<5 {
            let journal = try TransferJournal(path)
            expectEqual(journal.history, history)
            for number in 0..<2_000 {
                let event = TransferEvent.wrote(Int64(number)..<Int64(number) + 1, sum: UInt64(number))
                if number % 500 == 0 { try journal.append(.found(try Self.data([])), syncs: true) }
                try journal.append(event)
            }
            history = journal.history
            // A process that was killed in the middle of a line.
            let rest = JournalLine.bytes(TransferEvent.cancelled.json, number: 0).dropLast(round)
            let old = try #require(FileManager.default.contents(atPath: path))
            try (old + Data(rest)).write(to: URL(filePath: path))
        }
        #expect(try #require(FileStatus(path: path)).size < 2 * Int64(TransferJournal.bloated))
        try expectEqual(#require(FileStatus(path: path)).permissions, 0o600)
    }

    @Test("No event changes a transfer that is over")
    func ended() throws {
        var history = TransferHistory([.began(number: 1, at: 1, kept: 0), .finished(path: "/d/f", length: 3)])
        history.apply(.resumed)
        history.apply(.cancelled)
        expectEqual(history.state, .finished(path: "/d/f", length: 3))
    }

    static let reader = MutatedReader(
        "transfer journals", seeds: [String(decoding: bytes((try? events(20, seed: 7)) ?? []), as: UTF8.self)],
        tokens: ["\n", " ", "{", "}", "[", "]", "9223372036854775807", "-1", "\"event\":", "null", "ffffffffffffffff"]
    ) { bytes in
        // The checksums are taken away, so that mutated events are read, too.
        var history = TransferHistory()
        var count = 0
        for line in bytes.split(separator: 0x0A) {
            guard let event = TransferEvent(json: line.dropFirst(17)) else { continue }
            history.apply(event)
            count += 1
        }
        guard TransferHistory(history.compacted) == history else {
            throw MutationFailure("What is written anew is not the same: \(history)")
        }
        _ = (read(bytes), history.keptBytes, JournaledDownload.resumeData(history))
        return count > 0 ? .accepted : .refused
    }

    @Test("No mutated journal ends the process")
    func mutations() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await TransferHistoryTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}

/// A folder that is removed with its last reference.
final class TransferTestFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/sterna-transfers-\(UInt64.random(in: 0 ... .max))"

    init() { mkdir(path, 0o700) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
