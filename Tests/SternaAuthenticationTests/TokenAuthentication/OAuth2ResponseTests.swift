import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Responses of an OAuth 2 token endpoint")
struct OAuth2ResponseTests {
    private func token(
        _ body: String, status: Int = 200, type: String? = "application/json"
    ) throws(SternaError) -> AccessToken {
        try OAuth2Response.token(status: status, mediaType: type, body: Array(body.utf8))
    }

    @Test("The example of RFC 6749, 5.1, with its unknown member")
    func example() throws {
        let read = try token(
            """
            {"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"example","expires_in":3600}
            """.replacing("example", with: "bEARER"), type: "application/json;charset=UTF-8")
        expectEqual(read, AccessToken("2YotnFZFEjr1zCsicMWpAA", lifetime: .seconds(3_600)))
        let full = try token(
            #"{"access_token":"a b","token_type":"Bearer","refresh_token":"r","scope":"x y","expires_in":0,"other":[{}]}"#
        )
        expectEqual(full, AccessToken("a b", refreshToken: "r", lifetime: .zero, scope: "x y"))
        let bare = try token(#"{"access_token":"a","token_type":"bearer","expires_in":null,"refresh_token":null}"#)
        expectEqual(bare, AccessToken("a"))
    }

    static let faults = [
        "", "null", "[]", "\"a\"", "{", "{}", #"{"access_token":"s3cret"}"#, #"{"token_type":"Bearer"}"#,
        #"{"access_token":"","token_type":"Bearer"}"#, #"{"access_token":null,"token_type":"Bearer"}"#,
        #"{"access_token":1,"token_type":"Bearer"}"#, #"{"access_token":"s3cret\n","token_type":"Bearer"}"#,
        #"{"access_token":"s3cret\u0000","token_type":"Bearer"}"#, #"{"access_token":"s3crét","token_type":"Bearer"}"#,
        #"{"access_token":"s3cret","token_type":"mac"}"#, #"{"access_token":"s3cret","token_type":["Bearer"]}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","expires_in":"3600"}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","expires_in":-1}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","expires_in":1.5}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","expires_in":1e99}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","expires_in":true}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","refresh_token":""}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","refresh_token":{}}"#,
        #"{"access_token":"s3cret","token_type":"Bearer","scope":7}"#,
        #"{"access_token":"s3cret","token_type":"Bearer"} x"#,
        #"{"access_token":"s3cret","token_type":"Bearer","x":"# + String(repeating: "[", count: 20)
            + String(repeating: "]", count: 20) + "}",
    ]

    @Test("Any other response is an error that shows no token", arguments: faults)
    func fault(body: String) {
        let error = #expect(throws: SternaError.self) { try token(body) }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.description.contains("s3cr"), false)
    }

    @Test("Other media types are not read", arguments: [nil, "", "text/html", "text/json", "application/jsonx"])
    func mediaType(type: String?) {
        let error = #expect(throws: SternaError.self) {
            try token(#"{"access_token":"s3cret","token_type":"Bearer"}"#, type: type)
        }
        expectEqual(error?.kind, .decodingFailed)
    }

    @Test("Long tokens and lifetimes have limits")
    func limits() throws {
        let long = String(repeating: "a", count: 32 << 10)
        try expectEqual(token(#"{"access_token":"\#(long)","token_type":"Bearer"}"#).value, long)
        #expect(throws: SternaError.self) { try token(#"{"access_token":"\#(long)a","token_type":"Bearer"}"#) }
        let forever = try token(
            #"{"access_token":"a","token_type":"Bearer","expires_in":9223372036854775807}"#)
        expectEqual(forever.lifetime, .seconds(100 * 366 * 86_400))
    }

    /// Status, type, body, the end of the detail, and the server's message.
    static let refusals: [(Int, String?, String, String, String?)] = [
        (400, "application/json", #"{"error":"invalid_grant"}"#, "400: invalid_grant.", nil),
        (
            401, "application/json", #"{"error":"invalid_client","error_description":"No\nsuch client"}"#,
            "401: invalid_client.", "No such client"
        ),
        (400, "text/html", #"{"error":"invalid_grant"}"#, "answered with 400.", nil),
        (400, "application/json", #"{"error":"a\"b"}"#, "answered with 400.", nil),
        (400, "application/json", #"{"error":"\u001b[31m"}"#, "answered with 400.", nil),
        (302, nil, "", "answered with 302.", nil), (204, nil, "", "answered with 204.", nil),
        (503, "application/json", "{", "answered with 503.", nil),
    ]

    @Test("A refusal names the server's reason", arguments: refusals)
    func refusal(status: Int, type: String?, body: String, detail: String, message: String?) {
        let error = #expect(throws: SternaError.self) { try token(body, status: status, type: type) }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.detail.hasSuffix(detail), true, "\(error?.detail ?? "")")
        expectEqual(error?.serverMessage, message)
    }

    @Test(
        "Texts of a form",
        arguments: [
            ("", ""), ("aZ09*-._", "aZ09*-._"), ("a b", "a+b"), ("a+b&c=d", "a%2Bb%26c%3Dd"), ("é~:", "%C3%A9%7E%3A"),
        ])
    func form(text: String, encoded: String) { expectEqual(FormText.encoded(text), encoded) }
}
