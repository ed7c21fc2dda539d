import Sterna
import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: the secrets of requests")
struct SentSecretsTests {
    private static func send(_ secrets: SentSecrets, _ headers: Headers) throws {
        var request = Request(.get, try HTTPURL("https://a.example/"))
        try headers.merge(into: &request.headers)
        secrets.note(request)
    }

    @Test("However many signatures were sent, the last one and repeated secrets are hidden")
    func signatures() throws {
        let secrets = SentSecrets()
        for number in 0..<500 {
            try Self.send(secrets, ["Authorization": "AWS4 signature-\(number)", "Cookie": "id=cookie-monster"])
        }
        expectEqual(secrets.hidden(in: "signature-499 and cookie-monster, not 12"), "*** and ***, not 12")
        expectEqual(secrets.hidden(in: "signature-0"), "signature-0")
    }

    @Test("The pair and the password of Basic are hidden, other text is not")
    func basic() throws {
        let secrets = SentSecrets()
        try Self.send(secrets, ["Authorization": "Basic YWRhOnRpZ2VyIGxpbHk=", "Accept": "text/plain"])
        expectEqual(secrets.hidden(in: "Basic YWRhOnRpZ2VyIGxpbHk="), "***")
        expectEqual(secrets.hidden(in: "ada:tiger lily; tiger lily; text/plain"), "***; ***; text/plain")
        expectEqual(secrets.hidden(in: Data("a tiger lily".utf8)), Data("a ***".utf8))
        expectEqual(secrets.hidden(in: Data([0xFF, 0x00])), Data([0xFF, 0x00]))
    }
}
