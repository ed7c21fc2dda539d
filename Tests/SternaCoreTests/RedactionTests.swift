import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("URLs are shown without secrets")
struct RedactionTests {
    static let cases: [(String, String)] = [
        ("https://example.com/a?x=1", "https://example.com/a?x=1"),
        ("https://example.com/a", "https://example.com/a"),
        ("https://example.com/a?", "https://example.com/a?"),
        ("https://user:pa55@example.com/a", "https://example.com/a"),
        ("https://user@example.com/?x=1", "https://example.com/?x=1"),
        ("https://example.com/#access_token=s3cret", "https://example.com/"),
        ("https://example.com/?access_token=s3cret&x=1", "https://example.com/?access_token=***&x=1"),
        ("https://example.com/?x=1&API_KEY=s3cret", "https://example.com/?x=1&API_KEY=***"),
        ("https://example.com/?token=a=b=c", "https://example.com/?token=***"),
        ("https://example.com/?token=a&token=b", "https://example.com/?token=***&token=***"),
        ("https://example.com/?&&token=a&", "https://example.com/?&&token=***&"),
        ("https://example.com/?token", "https://example.com/?token"),
        ("https://example.com/?tokens=3&keyboard=us", "https://example.com/?tokens=3&keyboard=us"),
        ("https://example.com/token=x", "https://example.com/token=x"),
    ]

    @Test("User information, fragment and secret-looking values go", arguments: cases)
    func shown(given: String, expected: String) throws {
        expectEqual(Redaction.show(try HTTPURL(given)), expected)
    }

    static let names = [
        "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "api-key", "key", "password",
        "passwd",
        "pwd", "secret", "client_secret", "signature", "sig", "X-Amz-Signature", "X-Amz-Security-Token", "code", "jwt",
        "session",
    ]

    @Test("The usual names count as secret", arguments: names)
    func name(_ name: String) throws {
        #expect(!Redaction.show(try HTTPURL("https://example.com/?\(name)=s3cret")).contains("s3cret"))
    }

    @Test(
        "A name is looked at decoded, and so is the last part of a nested one",
        arguments: ["access%5Ftoken", "%74oken", "user%5Bpassword%5D", "user[password]", "auth[client_secret][]"])
    func disguised(_ name: String) throws {
        #expect(!Redaction.show(try HTTPURL("https://example.com/?\(name)=s3cret")).contains("s3cret"))
    }
}
