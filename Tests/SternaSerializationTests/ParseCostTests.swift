import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Bad input: what a body may cost", .timeLimit(.minutes(5)))
struct ParseCostTests {
    private struct Answer: Codable, Sendable {
        var extra: JSON
    }

    private final class Node: Decodable, Sendable {
        let c: [Node]
    }

    @Test("Depth that a decoder's stack does not hold is an error", arguments: [100, 127, 128, 200, 500])
    func depth(levels: Int) async throws {
        let arrays = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let objects = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        let nodes = String(repeating: #"{"c":["#, count: levels / 2) + String(repeating: "]}", count: levels / 2)
        // The shared threads have the smallest stacks.
        try await Task.detached {
            for text in [arrays, objects] {
                let answer = GivenAnswer(#"{"extra":\#(text)}"#)
                let error = answer.error(of: .decodable(Answer.self))
                expectEqual(error?.kind, (levels < 128 ? nil : .decodingFailed))
                let tree = try JSON(parsing: text)
                let isEncoded = (try? JSONEncoder().encode(Answer(extra: tree))) != nil
                // At the limit itself the last array of 128 has no elements to go into.
                #expect(levels == 128 || isEncoded == (levels < 128))
            }
            expectEqual(
                GivenAnswer(nodes).error(of: .decodable(Node.self))?.kind, (levels <= 128 ? nil : .decodingFailed))
            let list =
                "<plist><dict><key>extra</key>"
                + arrays.replacing("[", with: "<array>").replacing("]", with: "</array>")
                + "</dict></plist>"
            let plist = GivenAnswer(list, type: "application/x-plist")
            expectEqual(plist.error(of: .propertyList([String: Answer].self))?.kind, .decodingFailed)
        }.value
    }

    @Test("Five million values and no more, unless a serializer allows them")
    func values() throws {
        var serializer = JSONResponseSerializer()
        var decodable: DecodableResponseSerializer = .decodable([Int].self)
        expectEqual(serializer.limits.values, 5_000_000)
        expectEqual(decodable.limits.values, 5_000_000)
        // So many take a debug build seconds.
        let answer = GivenAnswer("[" + String(repeating: "0,", count: 50_000) + "0]")
        (serializer.limits.values, decodable.limits.values) = (50_000, 50_000)
        expectEqual(answer.error(of: serializer)?.detail.contains("more than 50000 values"), true)
        expectEqual(answer.error(of: decodable)?.detail.contains("more than 50000 values"), true)
        serializer.limits.values = 50_002
        try expectEqual(answer.read(by: serializer).array?.count, 50_001)
        let archived = try JSONDecoder().decode(JSONResponseSerializer.self, from: JSONEncoder().encode(serializer))
        expectEqual(archived.limits, serializer.limits)
    }

    @Test("A long body of an unacceptable response is not parsed for a value, but is in the error")
    func errorBody() throws {
        for (count, isRead) in [(1_000, true), (2 << 20, false)] {
            let answer = GivenAnswer("\"" + String(repeating: "a", count: count) + "\"", status: 500)
            let error = try #require(answer.error(of: .json))
            expectEqual(error.kind, .unacceptableStatus)
            expectEqual((error.value != nil), isRead)
            expectEqual(error.body?.count, count + 2)
        }
    }

    @Test("A binary table of a million entries costs what is referred to")
    func table() throws {
        var bytes = Array("bplist00".utf8) + [0x09] + Array(repeating: UInt8(8), count: 1_000_000)
        bytes += [0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0x0F, 0x42, 0x40] + Array(repeating: 0, count: 15) + [9]
        try expectEqual(PropertyList(parsing: bytes), true)
    }

    @Test("A long text that is referred to often counts as often")
    func sharedText() throws {
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).bigEndian, Array.init) }
        var bytes = Array("bplist00".utf8) + [0xAF, 0x12] + number(100_000) + Array(repeating: 1, count: 100_000)
        let text = bytes.count
        bytes += [0x5F, 0x12] + number(1_000_000) + Array(repeating: 0x61, count: 1_000_000)
        let table = bytes.count
        bytes += number(8) + number(text) + [0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0] + number(2)
        bytes += Array(repeating: 0, count: 12) + number(table)
        let error = #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: bytes) }
        guard case .tooManyValues? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        let names = PropertyList.array(Array(repeating: "a name as any other is", count: 100_000))
        try expectEqual(PropertyList(parsing: names.serialized(.binary)), names)
    }

    @Test("Whole numbers are whole, however they are written")
    func whole() throws {
        for text in [
            "1234567890123456789.0", "1234567890123456789e0", "123456789012345678.9e1", "1234567890123456789.000",
        ] {
            let number = try #require(try JSON(parsing: text).number)
            expectEqual(number.int, 1_234_567_890_123_456_789)
            expectEqual(number, JSON.Number(1_234_567_890_123_456_789 as Int64))
        }
        try expectEqual(JSON(parsing: "18446744073709551615.0").uint, .max)
        try expectEqual(JSON(parsing: "-9223372036854775808.0").number?.int64, .min)
        try expectNil(JSON(parsing: "18446744073709551616.0").uint)
    }
}
