import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Resume data")
struct ResumeDataTests {
    static func sample(
        _ validator: EntityValidator = .entityTag("\"a\\b\""), length: Int64? = 100,
        _ ranges: [Range<Int64>] = [0..<10, 20..<100], destination: String? = "/t/ä"
    ) throws -> ResumeData {
        ResumeData(
            url: try HTTPURL("https://ada:pw@example.com/a?token=s3cret&x=1#part"), validator: validator,
            length: length,
            present: ByteRanges(ranges), partialPath: "/t/ä.sterna-part", destinationPath: destination)
    }

    @Test("The format is as documented") func form() throws {
        let data = try Self.sample()
        expectEqual(String(decoding: data.data, as: UTF8.self), Samples.resumeData)
        expectEqual(data.receivedBytes, 90)
        expectEqual(data.ranges, [0..<10, 20..<100])
        expectNil(data.url.userinfo)
    }

    @Test("The data is decoded unchanged") func roundTrip() throws {
        let date = EntityValidator.lastModified("Sun, 06 Nov 1994 08:49:37 GMT")
        let samples = [
            try Self.sample(), try Self.sample(date, length: nil, [], destination: nil),
            try Self.sample(length: 0, []), try Self.sample(length: .max, [0..<Int64.max]),
        ]
        for sample in samples {
            try expectEqual(ResumeData(data: sample.data), sample)
            try expectEqual(ResumeData(data: JSONEncoder().encode(sample)), sample)
            try expectEqual(JSONDecoder().decode(ResumeData.self, from: sample.data), sample)
        }
    }

    @Test("Bytes beyond the length, and excess ranges, are dropped") func limits() throws {
        try expectEqual(Self.sample(length: 100, [0..<10, 90..<200, 300..<400]).ranges, [0..<10, 90..<100])
        let many = try Self.sample(
            length: nil, (0..<3_000).map { Int64.max - 9_000 + $0 * 3..<Int64.max - 8_999 + $0 * 3 })
        expectEqual(many.ranges.count, 1_024)
        try expectEqual(ResumeData(data: many.data), many)
    }

    static let faults: [(String, String)] = [
        ("{\"version\":1", "{\"version\":2"), ("{\"version\":1", "{\"version\":\"1\""), ("https", "ftp"),
        ("https", "wss"), ("https://example.com", "example.com"), ("[[0,10]", "[[10,0]"), ("[[0,10]", "[[0,20]"),
        ("[[0,10]", "[[0,10,3]"), ("[[0,10]", "[[0]"), ("[[0,10]", "[[-1,10]"), ("[[0,10]", "[[0,0]"),
        ("[[0,10]", "[[50,60]"), ("[[0,10]", "[[0,9223372036854775808]"), ("\"length\":100", "\"length\":99"),
        ("\"length\":100", "\"length\":-1"), ("\"length\":100", "\"length\":1e400"), ("\"etag\"", "\"tag\""),
        ("\"etag\":\"", "\"etag\":\"W/"), ("\"etag\"", "\"lastModified\""), ("/t/ä\"", "\""), ("/t/ä\"", "\\u0000\""),
        ("\"partial\"", "\"part\""), ("}", ""), ("{", "["),
    ]

    @Test("Damaged data is refused", arguments: faults)
    func refuses(part: String, replacement: String) throws {
        let parts = Samples.resumeData.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2)
        let damaged = parts.joined(separator: replacement)
        let error = try #require(throws: SternaError.self) { try ResumeData(data: Data(damaged.utf8)) }
        expectEqual(error.kind, .decodingFailed)
        #expect(!error.description.contains("s3cret"))
    }

    @Test("Large data is refused") func refusesLargeData() throws {
        let spaces = Data(repeating: 0x20, count: 256 << 10)
        #expect(throws: SternaError.self) { try ResumeData(data: try Self.sample().data + spaces) }
        let ranges = (0..<1_025).map { "[\($0 * 2),\($0 * 2 + 1)]" }.joined(separator: ",")
        let wide = Samples.resumeData.split(separator: "[[0,10],[20,100]]").joined(separator: "[\(ranges)]")
        let long = wide.split(separator: "\"length\":100,").joined()
        #expect(throws: SternaError.self) { try ResumeData(data: Data(long.utf8)) }
    }

    @Test("Descriptions show no secrets") func shown() throws {
        let data = try Self.sample()
        for text in ["\(data)", String(reflecting: data), dumped(data)] {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains("pw"))
        }
        #expect("\(data)" == "90 of 100 bytes of https://example.com/a?token=***&x=1")
    }
}
