import HTTPTypes
import MutationKit
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Mutations: heads of stored responses")
struct CacheHeadMutationTests {
    private static func seed(_ extent: StoredExtent, _ fields: HTTPFields, _ variant: VaryKey = .none) -> [UInt8] {
        let response = CacheResponse(200, fields, requestTime: 1_700_000_000, responseTime: 1_700_000_001)
        return StoredHead(
            url: "https://example.com/a?b=1",
            StoredResponse(response, variant: variant, extent: extent, settings: CacheRuleSettings())
        ).coded.array
    }

    static let heads = MutatedReader(
        "StoredHead",
        seeds: [
            seed(
                .whole(12), [.cacheControl: "max-age=60", .eTag: "\"1\"", .vary: "Accept"],
                VaryKey(parts: [.init(name: "accept", value: "a")])),
            seed(.parts(ByteRanges([0..<4, 8..<16]), length: 20), [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"]),
        ],
        tokens: ["\u{0}", "\u{1}", "\u{7F}", "max-age=", "no-store", "private", "Age", ",", ":", "\r\n"].map {
            Array($0.utf8)
        }
    ) { bytes in
        // The second seed's body, and the first one's.
        guard
            let head = StoredHead(Bytes(bytes: bytes), bodyLength: 12, settings: CacheRuleSettings())
        else { return .refused }
        guard
            let again = StoredHead(head.coded, bodyLength: 12, settings: CacheRuleSettings()), again.coded == head.coded
        else { throw MutationFailure("What was read is written in another way.") }
        let served = ServedResponse(index: 0, content: .whole, age: .max, timeLeft: .min)
        let lines = FieldSection(checkedLines: head.lines(age: .max, CacheStatusField(.serve(served))))
        guard lines.fields[values: .age].count == 1 else { throw MutationFailure("There are several ages.") }
        _ = head.response.freshness.timeLeft(at: .max)
        return .accepted
    }

    @Test("No mutated head ends the process")
    func headsSurvive() async {
        let report = await Self.heads.supervise {
            await #expect(processExitsWith: .success) { await CacheHeadMutationTests.heads.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
