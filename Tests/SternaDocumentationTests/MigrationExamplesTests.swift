import Foundation
import Sterna
import SternaPropertyList
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Migration.md, so that they compile and do what it says.
@Suite("Examples for people who come from another client")
struct MigrationExamplesTests {
    private struct User: Encodable {
        var name: String?
        var age = 1.0
    }

    @Test("Parameters: numbers, data, nil members, keys, a dictionary of fields")
    func parameters() async throws {
        var serializer = JSONRequestSerializer(style: .alamofire)
        serializer.encoder.data = .numbers
        serializer.encoder.keepsNilMembers = true
        let (api, mock) = try mocked {
            $0.requestSerializer = serializer
            $0.redirects = .doNotFollow
        }
        let fields = ["X-Client": "7"]
        try await api.post("users", parameters: ["key": Data([1, 255])], headers: Headers(fields))
        #expect(mock.requests.first?.givenText == #"{"key":[1,255]}"#)
        #expect(mock.requests.first?.headers[try #require(.init("X-Client"))] == "7")
        try await api.get("users", parameters: ["key": Data([1, 255]), "ratio": 2.0])
        #expect(mock.requests.last?.url.query == "key%5B%5D=1&key%5B%5D=255&ratio=2.0")
    }

    @Test("In one piece")
    func together() async throws {
        let mock = MockTransport { request in
            request.method == .get ? .text("report", mediaType: "text/csv") : .json([:])
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        var serializer = JSONRequestSerializer(style: .alamofire)
        serializer.encoder.data = .numbers
        serializer.encoder.keepsNilMembers = true
        let api = try Session(baseURL: "https://api.example.com") {
            $0.requestSerializer = serializer
            $0.redirects = .doNotFollow
        }
        let fields = ["X-Client": "7"]
        let keys: Parameters = ["key": Data([1, 255])]  // {"key":[1,255]}
        let reply = try await api.post("users", parameters: keys, headers: Headers(fields))
        do {
            let text = try await api.get("report.csv") {
                $0.responseSerializer = TextResponseSerializer(encoding: .latin1)
                    .validating(statuses: 200..<300).validating(mediaTypes: ["text/*"])
            }.text()
            print(text)
        } catch {
            print(error.localizedDescription)
        }

        #expect(reply.status == 200)
        #expect(mock.requests.first?.givenText == #"{"key":[1,255]}"#)
        #expect(mock.requests.first?.headers["X-Client"] == "7")
        #expect(mock.requests.count == 2)
    }

    @Test("Parameters: an Encodable value, its nil members, and keys")
    func encodable() async throws {
        var serializer = HTTPRequestSerializer(style: .alamofire)
        serializer.encoder.keepsNilMembers = true
        serializer.encoder.nulls = .literal
        serializer.encoder.keys = .capitalizedFirst
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        try await api.get("users", parameters: try Parameters(encoding: User(), keepingNils: true))
        #expect(mock.requests.first?.url.query == "Age=1.0&Name=null")
        _ = PropertyListRequestSerializer(style: .afnetworking2)
    }

    @Test("Answers: a forced character set, several validations, and errors in a sentence")
    func answers() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("é", mediaType: "text/csv") })
        let text = try await api.get("report.csv") {
            $0.responseSerializer = TextResponseSerializer(encoding: .latin1)
                .validating(statuses: 200..<300).validating(mediaTypes: ["text/*"])
        }.text()
        // The mock's UTF-8, read as Latin-1.
        #expect(text == "Ã©")
        let error = await #expect(throws: SternaError.self) {
            try await api.get("report.csv") {
                $0.responseSerializer = TextResponseSerializer().validating(statuses: 201..<300)
                    .validating(mediaTypes: ["text/*"])
            }
        }
        #expect(error?.localizedDescription.contains("200") == true)
        let (fragments, _) = try mocked(by: MockTransport { _ in .json(1) })
        await #expect(throws: SternaError.self) {
            try await fragments.get("one").value(by: JSONResponseSerializer(allowsFragments: false))
        }
    }

    @Test("A redirect that is not followed is the reply, and its fields are read by name")
    func redirect() async throws {
        var answer = ServerResponse.json([:], status: 302)
        answer.headers["Location"] = "/elsewhere"
        let (api, _) = try mocked(by: MockTransport { [answer] _ in answer }) { $0.redirects = .doNotFollow }
        let reply = try await api.get("old")
        #expect(reply.status == 302)
        #expect(reply.headers["Location"] == "/elsewhere")
    }
}
