import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Content-Range")
struct ContentRangeTests {
    static let valid: [(String, ContentRange)] = [
        ("bytes 0-499/1234", .part(0..<500, length: 1234)), ("bytes 0-499/*", .part(0..<500, length: nil)),
        ("bytes */1234", .unsatisfied(length: 1234)), ("bytes */0", .unsatisfied(length: 0)),
        ("bytes 0-0/1", .part(0..<1, length: 1)), ("bytes 1233-1233/1234", .part(1233..<1234, length: 1234)),
        (
            "bytes 9223372036854775806-9223372036854775806/9223372036854775807",
            .part(Int64.max - 1..<Int64.max, length: .max)
        ),
    ]

    @Test("Values are read and written", arguments: valid)
    func reads(text: String, range: ContentRange) {
        expectEqual(ContentRange(text), range)
        expectEqual(range.fieldValue, text)
    }

    @Test("The unit is case-insensitive") func unit() {
        expectEqual(ContentRange("Bytes 0-1/2"), .part(0..<2, length: 2))
    }

    @Test(
        "Any other value is refused",
        arguments: [
            "", " ", "bytes", "bytes ", "bytes /", "bytes 0-1", "bytes 0-1/", "bytes 0-/2", "bytes -1/2",
            "bytes 0-1/2/3", "bytes 0-1-1/2", "bytes 0 -1/2", "bytes=0-1/2", "bytes: 0-1/2", "bytes  0-1/2",
            "bytes 0-1/2 ", "bytes +0-1/2", "items 0-1/2", "bytes 5-4/10", "bytes 0-499/499", "bytes 0-1/1",
            "bytes */*", "bytes 0-9223372036854775807/*", "bytes 0-1/9223372036854775808", "bytes 0-1/٣",
            "bytes 0-99999999999999999999999/*", "bytes 0-1/2, bytes 0-1/2", "bytes 0-0x1/2",
        ])
    func refuses(text: String) {
        expectNil(ContentRange(text))
    }

    @Test("Several lines must agree") func lines() {
        func read(_ values: [String]) -> ContentRange? {
            ContentRange(FieldSection(HTTPFields(values.map { HTTPField(name: .contentRange, value: $0) })))
        }
        expectNil(read([]))
        expectEqual(read(["bytes 0-1/2", "bytes 0-1/2"]), .part(0..<2, length: 2))
        expectNil(read(["bytes 0-1/2", "bytes 1-1/2"]))
    }
}
