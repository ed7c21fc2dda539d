import HTTPTypes
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Combining partial responses (RFC 9111, 3.4)")
struct PartialContentTests {
    private typealias Scene = CacheRuleScene

    private static func combine(
        _ extent: StoredExtent, _ range: String, _ fields: [String] = ["ETag: \"v\""],
        stored: [String] = ["ETag: \"v\"", "X-Old: 1"]
    ) -> String {
        let request = Scene.request(["Range: bytes=0-"])
        let response = Scene.response(
            fields + ["Content-Range: bytes \(range)", "X-New: 1", "Date: \(Scene.date)"], status: 206)
        guard case .store(let plan) = CacheRule.mayStore(request, response) else { return "not stored" }
        let outcome = CacheRule.combine(
            Scene.stored(stored, extent: extent), with: plan, of: response, to: request)
        guard case .combined(let new) = outcome else { return "replaces" }
        guard new.status == 200, !new.fields.contains(.contentRange) else { return "no representation" }
        guard new.fields.count == 4 else { return "\(new.fields)" }
        switch new.extent {
        case .whole(let length): return "whole \(length)"
        case .parts(let ranges, let length): return "\(ranges.ranges) of \(length ?? -1)"
        }
    }

    private static func parts(_ ranges: [Range<Int64>], _ length: Int64?) -> StoredExtent {
        .parts(ByteRanges(ranges), length: length)
    }

    @Test("Parts with the same strong validator are combined, until the response is complete")
    func joins() {
        expectEqual(Self.combine(Self.parts([0..<10], 100), "20-29/100"), "[Range(0..<10), Range(20..<30)] of 100")
        expectEqual(Self.combine(Self.parts([0..<10], 100), "5-19/100"), "[Range(0..<20)] of 100")
        expectEqual(Self.combine(Self.parts([0..<10], 100), "10-99/100"), "whole 100")
        expectEqual(Self.combine(Self.parts([0..<10], nil), "10-99/100"), "whole 100")
        expectEqual(Self.combine(Self.parts([0..<10], 100), "10-99/*"), "whole 100")
        expectEqual(Self.combine(Self.parts([0..<10], nil), "10-19/*"), "[Range(0..<20)] of -1")
        expectEqual(Self.combine(.whole(100), "10-19/100"), "whole 100")
    }

    @Test("Any other part replaces the stored response")
    func replaces() {
        expectEqual(Self.combine(Self.parts([0..<10], 100), "10-19/100", ["ETag: \"w\""]), "replaces")
        expectEqual(Self.combine(Self.parts([0..<10], 100), "10-19/101"), "replaces")
        let coded = ["ETag: \"v\"", "Content-Encoding: gzip"]
        expectEqual(Self.combine(Self.parts([0..<10], 100), "10-19/100", coded), "replaces")
        expectEqual(Self.combine(Self.parts([0..<10], 100), "10-19/100", stored: coded), "replaces")
        expectEqual(Self.combine(Self.parts([0..<10], 100), "90-109/*"), "replaces")
        expectEqual(Self.combine(Self.parts([0..<50], nil), "0-9/20"), "replaces")
        expectEqual(Self.combine(.whole(100), "0-9/200"), "replaces")
        expectEqual(
            Self.combine(Self.parts([0..<10], 100), "10-19/100", stored: ["ETag: W/\"v\""]), "replaces")
        expectEqual(Self.combine(Self.parts([0..<10], 100), "10-19/100", ["ETag: W/\"v\""]), "not stored")
        let many = (0..<64).map { (number: Int64) -> Range<Int64> in number * 10..<number * 10 + 1 }
        expectEqual(Self.combine(Self.parts(many, 1_000), "900-900/1000"), "replaces")
    }
}
