import HTTPTypes
import MutationKit
import NIOCore
import Sterna
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("Mutations: Signature-Input and Signature")
struct SignatureInputMutationTests {
    /// A line each of Signature-Input, Signature and another field, which is covered.
    static let reader = MutatedReader(
        "message signatures",
        seeds: [
            "s=(\"@status\" \"x\");created=1;keyid=\"k\"\ns=:AAAA:\na=1, b=2",
            "s=(\"priority\";sf \"x\";bs \"x\";key=\"a\" \"@method\";req \"x\";tr);created=1;expires=9;nonce=\"n\";alg=\"hmac-sha256\";keyid=\"k\";tag=\"t\"\ns=:AAAA:, t=:BBBB:\na=1",
            "s=(\"@query-param\";name=\"a\";req \"@target-uri\";req);keyid=\"k\"\ns=:AAAA:\n(a b);c",
            "s=(),t=(\"@path\";req)\ns=:AAAA:\n\"\"",
            "s=(\"priority\";sf \"@authority\";req);keyid=\"k\"\ns=:AA==:\nu=1, i",
        ],
        tokens: [
            "s=", "(", ")", "\"@", "\"x\"", ";sf", ";bs", ";tr", ";req", ";key=\"a\"", ";name=\"a\"", ";created=",
            ";expires=",
            ";keyid=\"k\"", ";alg=", ";tag=", ":AAAA:", "?1", "?0", "@1", "%\"", "1.5", "-", "999999999999999", ",",
            ", ", "\n",
            "\\\"", "\u{0}", "é", "*", "\"@query-param\"", "\"@status\"",
        ]
    ) { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var fields = HTTPFields()
        for (name, line) in zip(["Signature-Input", "Signature", "X", "Priority"], lines + lines.suffix(1)) {
            guard let field = try? Headers.field(name, String(line)) else { return .refused }
            fields.append(field)
        }
        guard let url = try? HTTPURL("https://example.com/p?a=1&b=%20") else { return .refused }
        let request = Request(.get, url, headers: fields)
        let response = Response(
            status: .ok, section: FieldSection(fields), body: ResponseBody(Bytes(), trailers: fields), url: url)
        let key = SignatureKey.hmacSHA256(id: "k", secret: [1, 2, 3])
        let rules = MessageVerification(keys: [key], requiring: [])
        if (try? rules.verify(response, to: request, at: 5)) != nil {
            throw MutationFailure("A signature of nobody is accepted.")
        }
        guard let inputs = SignatureInput.all(fields[values: MessageSigner.inputName]) else { return .refused }
        var isRead = false
        for input in inputs {
            guard let components = input.components, let text = input.text,
                let base = try? SignatureBase.text(
                    components, parameters: text, of: SignedMessage(response, to: request))
            else { continue }
            isRead = true
            guard base.utf8.split(separator: 0x0A).count == components.count + 1 else {
                throw MutationFailure("A component has more than its line: \(base)")
            }
        }
        return isRead ? .accepted : .refused
    }

    @Test("No mutated signature ends the process, is accepted, or adds a line to what is signed")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await SignatureInputMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
