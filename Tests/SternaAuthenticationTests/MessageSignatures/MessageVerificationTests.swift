import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("Message signatures: responses")
struct MessageVerificationTests {
    static let key = SignatureKey.hmacSHA256(id: "k", secret: Array("secret".utf8))
    static let now: Int64 = 10_000

    /// Returns a response that is signed with these components and parameters.
    static func response(
        _ input: String = #"("@status" "content-type");created=9990;keyid="k""#, signature: String? = nil,
        covers components: [SignatureComponent] = [.status, "content-type"]
    ) throws -> Response {
        var fields: HTTPFields = [.contentType: "text/plain"]
        var response = Response(
            status: .ok, section: FieldSection(fields), url: try HTTPURL("https://example.com/a"))
        let base = try SignatureBase.text(components, parameters: input, of: SignedMessage(response, to: nil))
        let value = try #require(Item64.text(try key.sign(base)))
        try Headers(["Signature-Input": "s=\(input)", "Signature": signature ?? "s=:\(value):"]).merge(into: &fields)
        response.headers = fields
        return response
    }

    private enum Item64 {
        static func text(_ bytes: [UInt8]) -> String? { Data(bytes).base64EncodedString() }
    }

    private static func rules(_ change: (inout MessageVerification) -> Void = { _ in }) -> MessageVerification {
        var rules = MessageVerification(keys: [key], requiring: [.status])
        change(&rules)
        return rules
    }

    @Test("A valid signature is accepted")
    func valid() throws {
        let verified = try Self.rules().verify(try Self.response(), at: Self.now)
        expectEqual(verified.keyID, "k")
        expectEqual(verified.components, [.status, "content-type"])
    }

    @Test("A changed status, field or signature is refused")
    func changed() throws {
        var status = try Self.response()
        status.status = .notFound
        var field = try Self.response()
        field.headers[.contentType] = "text/html"
        var gone = try Self.response()
        gone.headers[.contentType] = nil
        for response in [
            status, field, gone, try Self.response(signature: "s=:AAAA:"), try Self.response(signature: "s=1"),
        ] {
            let error = #expect(throws: SternaError.self) { try Self.rules().verify(response, at: Self.now) }
            expectEqual(error?.kind, .unacceptableResponse)
        }
    }

    @Test(
        "Parameters are judged by the time and the rules",
        arguments: [
            (#"("@status" "content-type");keyid="k""#, true, false),
            (#"("@status" "content-type");created=10060;keyid="k""#, true, true),
            (#"("@status" "content-type");created=10061;keyid="k""#, false, false),
            (#"("@status" "content-type");created=9990;expires=10001;keyid="k""#, true, true),
            (#"("@status" "content-type");created=9990;expires=10000;keyid="k""#, false, false),
            (#"("@status" "content-type");created=9900;keyid="k""#, true, true),
            (#"("@status" "content-type");created=9899;keyid="k""#, true, false),
            (#"("@status" "content-type");created="9990";keyid="k""#, false, false),
            (#"("@status" "content-type");created=9990;keyid="k";alg="hmac-sha256""#, true, true),
            (#"("@status" "content-type");created=9990;keyid="k";alg="ed25519""#, false, false),
            (#"("@status" "content-type");created=9990;keyid="other""#, false, false),
            (#"("@status" "content-type");created=9990"#, true, true),
            (#"("@status" "content-type");created=9990;keyid="k";own=1"#, true, true),
        ])
    func parameters(input: String, isAccepted: Bool, isAcceptedWithAge: Bool) throws {
        let response = try Self.response(input)
        expectEqual(((try? Self.rules().verify(response, at: Self.now)) != nil), isAccepted)
        let young = Self.rules { $0.maximumAge = .seconds(100) }
        expectEqual(((try? young.verify(response, at: Self.now)) != nil), isAcceptedWithAge)
    }

    @Test("Required components must be covered, and tag and label must be the required ones")
    func rules() throws {
        let tagged = try Self.response(#"("@status" "content-type");created=9990;keyid="k";tag="app""#)
        #expect(throws: Never.self) { try Self.rules { $0.tag = "app" }.verify(tagged, at: Self.now) }
        #expect(throws: SternaError.self) { try Self.rules { $0.tag = "other" }.verify(tagged, at: Self.now) }
        #expect(throws: Never.self) { try Self.rules { $0.label = "s" }.verify(tagged, at: Self.now) }
        #expect(throws: SternaError.self) { try Self.rules { $0.label = "t" }.verify(tagged, at: Self.now) }
        let error = #expect(throws: SternaError.self) {
            try Self.rules { $0.required.append("content-digest") }.verify(tagged, at: Self.now)
        }
        expectEqual(error?.detail.contains("does not cover \"content-digest\""), true)
    }

    @Test("A digest that is not covered is not trusted")
    func digest() throws {
        var response = try Self.response()
        response.headers["Content-Digest".fieldName] = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
        let verified = try Self.rules().verify(response, at: Self.now)
        let error = #expect(throws: SternaError.self) { try verified.check(content: Bytes(text: "hello")) }
        expectEqual(error?.kind, .digestMismatch)
    }

    @Test(
        "Fields that are malformed, too many or too long are refused",
        arguments: [
            "s=1", "s=(\"@status\"", "s=(status);keyid=\"k\"", "s=(\"@status\";x);keyid=\"k\"",
            "s=(\"Status\");keyid=\"k\"",
            "s=(\"@status\" \"@status\");keyid=\"k\"", "s=(\"@status\";key=1);keyid=\"k\"", "",
            (0..<20).map { "s\($0)=(\"@status\");keyid=\"k\"" }.joined(separator: ", "),
            "s=(" + (0..<70).map { "\"a\($0)\"" }.joined(separator: " ") + ");keyid=\"k\"",
            "s=(\"@status\");keyid=\"k\";tag=\"" + String(repeating: "a", count: 9_000) + "\"",
        ])
    func malformed(input: String) throws {
        var response = try Self.response()
        response.headers["Signature-Input".fieldName] = input
        #expect(throws: SternaError.self) { try Self.rules().verify(response, at: Self.now) }
    }
}

extension String {
    fileprivate var fieldName: HTTPField.Name { HTTPField.Name(self) ?? .server }
}
