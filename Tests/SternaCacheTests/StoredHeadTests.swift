import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: heads of stored responses")
struct StoredHeadTests {
    private static func head(_ extent: StoredExtent, _ variant: VaryKey = .none) -> StoredHead {
        let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\"", .userAgent: "a\tb é"]
        let response = CacheResponse(203, fields, requestTime: 5, responseTime: 7)
        return StoredHead(
            url: "https://example.com/a",
            StoredResponse(response, variant: variant, extent: extent, settings: CacheRuleSettings()))
    }

    static let extents: [(StoredExtent, Int64)] = [
        (.whole(12), 12), (.parts(ByteRanges([0..<4, 10..<12]), length: 20), 6),
        (.parts(ByteRanges([5..<9]), length: nil), 4),
    ]

    @Test("A coded head is decoded unchanged", arguments: 0..<3, [false, true])
    func roundTrip(index: Int, varies: Bool) throws {
        let (extent, length) = Self.extents[index]
        let variant =
            varies ? VaryKey(parts: [.init(name: "accept", value: "a"), .init(name: "cookie", value: nil)]) : .none
        let head = Self.head(extent, variant)
        let read = try #require(StoredHead(head.coded, bodyLength: length, settings: CacheRuleSettings()))
        #expect(read.url == head.url && read.response.status == 203 && read.response.fields == head.response.fields)
        #expect(read.response.extent == extent && read.response.variant == variant)
        #expect(read.response.requestTime == 5 && read.response.responseTime == 7)
        expectNil(StoredHead(head.coded, bodyLength: length + 1, settings: CacheRuleSettings()))
    }

    @Test("A head that is cut, extended or changed is rejected")
    func damaged() {
        let bytes = Self.head(.whole(12), VaryKey(parts: [.init(name: "accept", value: "a")])).coded.array
        for count in 0..<bytes.count {
            expectNil(StoredHead(Bytes(bytes: bytes[..<count]), bodyLength: 12, settings: CacheRuleSettings()))
        }
        expectNil(StoredHead(Bytes(bytes: bytes + [0]), bodyLength: 12, settings: CacheRuleSettings()))
        for index in bytes.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= change
                // It is read or refused, and never traps.
                _ = StoredHead(Bytes(bytes: changed), bodyLength: 12, settings: CacheRuleSettings())
            }
        }
    }

    @Test("Different variants have different numbers, none of them 0")
    func numbers() {
        let one = VaryKey(parts: [.init(name: "accept", value: "a")]).number
        let other = VaryKey(parts: [.init(name: "accept", value: nil)]).number
        let empty = VaryKey(parts: [.init(name: "accept", value: "")]).number
        #expect(VaryKey.none.number == 0 && Set([0, one, other, empty]).count == 4)
    }
}
