import HTTPTypes
import MutationKit
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: Referrer-Policy")
struct ReferrerPolicyMutationTests {
    static let reader = MutatedReader(
        "Referrer-Policy", seeds: ["no-referrer", "same-origin, strict-origin-when-cross-origin", "UNSAFE-URL"],
        tokens: [",", " ", "\t", "no-referrer", "origin", "-", "when-downgrade"], acceptsSeeds: true
    ) { bytes in
        guard let name = HTTPField.Name("Referrer-Policy"), let url = try? HTTPURL("https://a.test/b") else {
            return .refused
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let field = try? Headers.field("Referrer-Policy", text) else { return .refused }
        var fields = HTTPFields()
        fields[name] = field.value
        let response = Response(status: .found, section: FieldSection(fields), url: url)
        let policy = ReferrerPolicy.origin.updated(by: response)
        if policy != .origin, !text.lowercased().contains(policy.rawValue) {
            throw MutationFailure("\(policy) is not in the field.")
        }
        return .accepted
    }

    @Test("No mutated value ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await ReferrerPolicyMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
