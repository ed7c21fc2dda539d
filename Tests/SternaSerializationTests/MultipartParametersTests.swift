import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Multipart forms: parameters, boundary and style are settled when the form is finished")
struct MultipartParametersTests {
    private static func text(_ form: MultipartForm) async throws -> String {
        String(decoding: try await MultipartFormTests.bytes(#require(try form.body())), as: UTF8.self)
    }

    @Test("Parameters go in front of the parts, by the style, set and encoder of the end")
    func settings() async throws {
        var form = MultipartForm()
        form.parameters = ["b": true, "a\"": [1, 2]]
        form.append("v", name: "part")
        form.boundary = "B"
        form.nameStyle = .raw
        form.encoder.booleans = .literal
        form.encoder.arrays = .indices
        let start = "--B\r\nContent-Disposition: form-data; name="
        try await expectEqual(
            Self.text(form),
            "\(start)\"a\"[0]\"\r\n\r\n1\r\n\(start)\"a\"[1]\"\r\n\r\n2\r\n"
                + "\(start)\"b\"\r\n\r\ntrue\r\n\(start)\"part\"\r\n\r\nv\r\n--B--\r\n")
        try expectEqual(form.body()?.mediaType, "multipart/form-data; boundary=B")
        expectEqual(form.count, 1)
        form.parameters = nil
        try await expectEqual(Self.text(form), "\(start)\"part\"\r\n\r\nv\r\n--B--\r\n")
    }

    @Test("Parameters alone make a form; empty parameters make none")
    func alone() async throws {
        var form = MultipartForm(boundary: "B")
        form.parameters = [:]
        try expectNil(form.body())
        #expect(form.isEmpty)
        form.parameters = ["a": Data([0x62])]
        #expect(!form.isEmpty)
        try await expectEqual(
            Self.text(form), "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--B--\r\n")
        form.parameters = ["a": Parameters.null]
        form.encoder.nulls = .omitted
        try expectNil(form.body())
    }

    @Test("A boundary that is set late is looked for in every part, and must be valid")
    func boundary() async throws {
        var form = MultipartForm()
        form.append("first", name: "a")
        form.append("x\r\n--B\r\n", name: "b")
        form.append(Data(repeating: 0x61, count: 20_000), name: "c")
        #expect(throws: Never.self) { try form.body() }
        form.boundary = "B"
        let error = #expect(throws: SternaError.self) { try form.body() }
        #expect(error?.underlying as? BodyFault == .boundaryInside("b"))
        expectEqual(error?.detail.contains("Part 2"), true)
        form.boundary = "C"
        let text = try await Self.text(form)
        #expect(text.hasPrefix("--C\r\n") && text.hasSuffix("\r\n--C--\r\n"))
        form.boundary = "not valid "
        #expect(#expect(throws: SternaError.self) { try form.body() }?.underlying as? BodyFault == .invalidBoundary)
    }
}
