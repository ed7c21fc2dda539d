import MutationKit
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: responses of token endpoints")
struct OAuth2ResponseMutationTests {
    static let reader = MutatedReader(
        "OAuth2Response",
        seeds: [
            #"{"access_token":"abc","token_type":"Bearer","expires_in":3600,"refresh_token":"def","scope":"a b"}"#,
            #"{"access_token":"a","token_type":"bearer"}"#,
        ],
        tokens: [
            "{", "}", "\"", ":", ",", "access_token", "token_type", "bearer", "expires_in", "9223372036854775807", "-1",
            "1e9",
            "null", "\\u0000", "\\ud800", "error", #""error":"invalid_grant""#, "error_description", "[", "]",
        ]
    ) { bytes in
        let body = Array(bytes)
        if (try? OAuth2Response.token(status: 400, mediaType: "application/json", body: body)) != nil {
            throw MutationFailure("A refusal has a token.")
        }
        guard let token = try? OAuth2Response.token(status: 200, mediaType: "application/json", body: body) else {
            return .refused
        }
        let isVisible = token.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if token.value.isEmpty || !isVisible || token.lifetime.map({ $0 < .zero }) == true {
            throw MutationFailure("The token is not one that can be sent.")
        }
        return .accepted
    }

    @Test("No mutated response ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await OAuth2ResponseMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
