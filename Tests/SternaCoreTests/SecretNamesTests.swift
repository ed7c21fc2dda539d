import SternaCore
import Testing

@Suite("Which names are secrets")
struct SecretNamesTests {
    static let secret = [
        "new_password", "current_password", "password_confirmation", "passwordConfirmation", "password1",
        "new_password2", "userpassword", "user_pass", "passphrase2", "api_secret", "app_secret", "appsecret",
        "client-assertion", "clientassertion", "bearer", "passcode", "pin", "userPIN", "otp", "otp_code", "accesskey",
        "AWSAccessKeyId", "aws_secret_access_key", "userApiKey", "oauth2Token", "secretValue", "X-Api-Secret",
        "X-App-Secret", "csrfmiddlewaretoken", "user[new_password]", "login.newPassword", "new+password",
        "new%5Fpassword", "JSESSIONID", "oauth_signature", "credentials",
    ]

    @Test("Names with a secret word, beginning or end are secrets", arguments: secret)
    func hidden(name: String) throws {
        #expect(Redaction.isSecret(name[...]))
        #expect(!Redaction.show(try HTTPURL("https://example.com/?a=1&\(name)=s3cret")).contains("s3cret"))
    }

    static let open = [
        "tokens_used", "max_tokens", "maxTokens", "keyboard", "monkey", "secretary", "passport", "compass", "spin",
        "opinion", "zipcode", "country_code", "author", "page", "", "2", "signed", "x", "ключ", "tokenizer",
    ]

    @Test("Names that only resemble secret ones are shown", arguments: open)
    func shown(name: String) throws {
        #expect(!Redaction.isSecret(name[...]))
        #expect(!Redaction.isSecretHeader(name))
    }

    @Test("Keys that are no credentials", arguments: ["Idempotency-Key", "idempotency-key", "Sec-WebSocket-Key"])
    func keys(name: String) {
        #expect(!Redaction.isSecretHeader(name))
        #expect(Redaction.isSecretHeader("X-\(name)"))
    }

    @Test("Header fields", arguments: ["X-Api-Secret", "X-App-Secret", "X-New-Password", "Set-Cookie", "X-OTP"])
    func fields(name: String) {
        #expect(Redaction.isSecretHeader(name))
        #expect(!"\(Headers([(name, "s3cret")]))".contains("s3cret"))
    }

    @Test("A long name of combining marks takes no more time than another")
    func marks() {
        let marks = String(repeating: "\u{301}\u{316}", count: 100_000)
        let spent = ContinuousClock().measure { #expect(!Redaction.isSecret("a\(marks)"[...])) }
        #expect(spent < .seconds(2))
    }
}
