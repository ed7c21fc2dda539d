import MutationKit
import SternaCore
import Testing

@testable import SternaPropertyListCore
@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Mutations: media types, content codings, dates")
struct FieldValueMutationTests {
    static let mediaTypes = MutatedReader(
        "MediaTypes",
        seeds: [
            "text/html; charset=utf-8", "application/problem+json", #"multipart/form-data; boundary="a;b\"c""#,
            "*/*;q=0.5",
            "image/svg+xml ; a=1;b = 2",
        ],
        tokens: ["/", ";", "=", "\"", "\\", "*", "+json", "charset=", "q=", " ", "\t", "é", "\u{301}"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = try? ContentCoding.parse(text)
        guard let type = MediaType(text) else { return .refused }
        for pattern in ["*/*", "*/json", "text/*", "application/*+json", type.essence, text] {
            _ = type.matches(pattern)
        }
        _ = (type.charset, type["boundary"], type.description)
        return .accepted
    }

    @Test("No mutated media type ends the process")
    func survivesMediaTypes() async {
        let report = await Self.mediaTypes.supervise {
            await #expect(processExitsWith: .success) { await FieldValueMutationTests.mediaTypes.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    static let dates = MutatedReader(
        "Dates",
        seeds: [
            "2020-01-02T03:04:05Z", "2024-02-29t23:59:60.999+14:00", "0000-01-01 00:00:00.123456789-23:59",
            "9999-12-31T23:59:59Z",
        ],
        tokens: ["-", ":", "T", "Z", ".", "+", " ", "-00:00", "0000", "9999", "00000000000000000000000000000001"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = PropertyListText.date(text)
        _ = PropertyListText.integer(text)
        _ = PropertyListText.real(text)
        _ = PropertyListText.data(text)
        guard let date = InternetDate.parse(text) else { return .refused }
        // A few hours beyond the years that are written.
        if let written = try? ParameterText.date(date), InternetDate.parse(written) == nil {
            throw MutationFailure("Written as \(written), it is not read.")
        }
        return .accepted
    }

    @Test("No mutated date ends the process")
    func survivesDates() async {
        let report = await Self.dates.supervise {
            await #expect(processExitsWith: .success) { await FieldValueMutationTests.dates.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
