import HTTPTypes
import MutationKit
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Mutations: header fields")
struct FieldMutationTests {
    static let reader = MutatedReader(
        "Fields",
        seeds: [
            "Content-Type: text/html; charset=utf-8\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n", "a:b\r\n", "",
            "X-Token: s3cret\r\nLocation: https://user:pw@example.com/?token=1\r\n", "Accept:\r\nAccept: \t x \r\n",
        ],
        tokens: [":", "\r\n", "\r", "\n", " ", "\t", ",", "Content-Type", "Set-Cookie:", "é", "\u{0}"]
    ) { bytes in
        let section = FieldSection(checkedLines: Bytes(bytes: bytes))
        _ = section.fields
        for name in [HTTPField.Name.contentType, .setCookie, .accept, .location] { _ = section[name] }
        _ = "\(section)"
        let text = String(decoding: bytes, as: UTF8.self)
        _ = (FieldSyntax.isToken(text), FieldSyntax.isValue(text), FieldSyntax.printable(text))
        _ = (Redaction.isSecret(text[...]), Redaction.show(reference: text), Redaction.masked(pairs: text[...]))
        var fields = HTTPFields()
        let lines = text.split(separator: "\r\n").map { line in
            let halves = line.split(separator: ":", maxSplits: 1).map { String($0) }
            return (halves.first ?? "", halves.count > 1 ? halves[1] : "")
        }
        let headers = Headers(lines)
        _ = headers.description
        return (try? headers.merge(into: &fields)) == nil ? .refused : .accepted
    }

    @Test("No mutated field ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await FieldMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
