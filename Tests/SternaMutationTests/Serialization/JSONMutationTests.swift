import MutationKit
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Mutations: JSON")
struct JSONMutationTests {
    static let reader = MutatedReader(
        "JSON",
        seeds: [
            #"{"a":1e5,"b":[true,false,null,-0.5E-3],"c":{"d":"\u00e9\ud83d\ude00\n"}}"#,
            "[1,2,3.25,1e22,12345678901234567890]",
            #""text""#, "[[[[]]],{}]", " { \"k\" : 18446744073709551615 } ", "-9223372036854775808", "1e-5",
            "-9623372036854000000",
            "[123456789012345678901234567890.5e-10,0.1,1E+400]", #"{"a":1,"a":2,"é":3}"#,
        ],
        tokens: [
            "{", "}", "[", "]", ",", ":", "\"", "true", "null", "\\u", "\\ud83d", "\\", "e", "E+", "-", ".", "1e",
            "\u{FEFF}",
            "{\"a\":", "é", "\u{301}", " ",
        ]
    ) { bytes in
        guard let json = try? JSON(parsing: bytes) else { return .refused }
        let written = try json.serialized()
        guard try JSON(parsing: written) == json else { throw MutationFailure("Written and read again it differs.") }
        guard try JSON(parsing: written).hashValue == json.hashValue else {
            throw MutationFailure("Equal, but not by hash.")
        }
        _ = json.description
        _ = json.removingNulls()
        for number in [json.number, json[0].number, json["a"].number, json["k"].number].compactMap({ $0 }) {
            _ = (number.int, number.uint, number.int64, number.uint64, number.double, number.isFinite)
        }
        return .accepted
    }

    @Test("No mutated input ends the process, and what is read is written alike")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await JSONMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
