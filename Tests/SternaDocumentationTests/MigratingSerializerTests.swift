import Dispatch
import Foundation
import Sterna
import SternaPropertyList
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AFNetworking.md about serializers and forms of several parts.
@Suite("Coming from AFNetworking: serializers", .timeLimit(.minutes(5)))
struct MigratingSerializerTests {
    @Test("The properties of a request serializer")
    func requestSerializer() async throws {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .latin1
        serializer.timeout = .seconds(30)
        serializer.headers["X-Client"] = "7"
        #expect(serializer.headers["X-Client"] == "7")
        #expect(serializer.headers.dictionary["X-Client"] == "7")
        serializer.setAuthorization(.token("sesame"))
        #expect(serializer.headers["Authorization"] == "Token token=\"sesame\"")
        serializer.setAuthorization(.basic("ada", "secret"))
        serializer.headers["Authorization"] = nil
        #expect(serializer.headers["Authorization"] == nil)
        serializer.queryMethods = [.get, .head]

        let request = Request(.get, try HTTPURL("https://api.example.com/users"))
        let signed = try serializer.serialized(request, with: ["page": 2])
        #expect(signed.url.query == "page=2")
        #expect(signed.headers[try #require(.init("X-Client"))] == "7")

        serializer.queryEncoding = { request, parameters in "all=1" }
        #expect(try serializer.serialized(request, with: ["page": 2]).url.query == "all=1")
        serializer.style = .afnetworking4
        #expect(try serializer.serialized(request, with: ["page": 2]).url.query == "page=2")

        #expect(QueryEncoder.percentEncoded("a b") == "a%20b")
        #expect(try QueryEncoder().encode(["page": 2]) == "page=2")
        let parameters: Parameters = ["cursor": Parameters.null]
        #expect(try QueryEncoder().encode(parameters) == "cursor")
    }

    @Test("Requests by draft, as JSON and as a property list; what cannot be encoded")
    func drafts() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = JSONRequestSerializer(options: [.sortedKeys]) }
        let draft = RequestDraft(.post, "users", parameters: ["name": "Ada"])
        try await api.send(draft)
        #expect(mock.requests.last?.givenText == #"{"name":"Ada"}"#)

        let (lists, _) = try mocked { $0.requestSerializer = .propertyList(.binary) }
        let error = try #require(
            await #expect(throws: SternaError.self) {
                try await lists.post("users", parameters: ["name": Parameters.null])
            })
        #expect(error.kind == .encodingFailed)
        #expect(error.url == "https://api.example.com/v1/users")
    }

    @Test("Forms of several parts, by draft")
    func multipartDraft() async throws {
        let (api, mock) = try mocked()
        let photo = Data("photo".utf8)
        let draft = try RequestDraft.upload(
            "photos", multipart: { form in form.append(photo, name: "image", fileName: "a.jpg") })
        try await api.send(draft)
        #expect(mock.requests.last?.givenText?.contains("filename=\"a.jpg\"") == true)

        try await Downloading.withFolder { folder in
            let path = folder + "/form"
            let body = try #require(mock.requests.last?.body)
            try await body.write(to: path)
            #expect(try Downloading.bytes(path).count == body.length.map(Int.init))
            let slow = body.throttled()
            #expect(slow.length == body.length)
        }
    }

    @Test("The parts of a form")
    func parts() async throws {
        try await TestServer.withServer { server in
            let file = try TemporaryPhoto()
            let url = URL(fileURLWithPath: file.path)
            let photo = Data("photo".utf8)
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.limits.bandwidth = BandwidthLimit(upload: 80_000)
            }
            let echo = try await api.upload(
                "post",
                multipart: { form in
                    form.append(file: url, name: "image")
                    form.append(file: url, name: "image", fileName: "a.jpg", mediaType: "image/jpeg")
                    form.append(photo, name: "image", fileName: "a.jpg", mediaType: "image/jpeg")
                    form.append(photo, name: "image")
                    form.append("Ada", name: "name")
                    form.append(
                        headers: ["Content-Disposition": "form-data; name=\"image\""], body: .data(photo))
                    #if Foundation
                    let stream = InputStream(data: photo)
                    form.append(
                        .stream(stream, length: 5, mediaType: "image/jpeg"), name: "image", fileName: "a.jpg")
                    #endif
                }
            ).json()
            #expect(echo["form"]["name"].string == "Ada")
        }
    }

    @Test("Response serializers")
    func responseSerializers() async throws {
        func session(_ configure: (inout SessionSettings) -> Void) throws -> Session {
            try mocked(by: MockTransport { _ in .json(["name": "Ada", "age": .null]) }, configure).api
        }
        try await session { $0.responseSerializer = .data }.get("users")
        try await session { $0.responseSerializer = .json }.get("users")
        try await session { $0.responseSerializer = TextResponseSerializer(fallbacks: [.latin1]) }.get("users")
        try await session {
            $0.responseSerializer = JSONResponseSerializer().validating(statuses: 200..<400)
        }.get("users")
        try await session {
            $0.responseSerializer = JSONResponseSerializer().validating(mediaTypes: ["application/json"])
        }.get("users")
        try await session { $0.responseSerializer = JSONResponseSerializer(allowsFragments: false) }.get("users")
        let short = try await session {
            $0.responseSerializer = JSONResponseSerializer(removesNulls: true)
        }.get("users").json()
        #expect(short == ["name": "Ada"])
        let lists = try session { $0.responseSerializer = .propertyList }
        let images = try session { $0.responseSerializer = .imageData }
        for error in [
            await #expect(throws: SternaError.self) { try await lists.get("users").propertyList() },
            await #expect(throws: SternaError.self) { try await images.get("users").value(by: .imageData) },
            await #expect(throws: SternaError.self) { try await images.get("users").data() },
        ] {
            let error = try #require(error)
            #expect(error.kind == .unacceptableMediaType)
            #expect(error.response?.status == .ok)
            #expect(error.body?.count ?? 0 > 0)
        }

        let reply = try await session { _ in }.get("users")
        let (response, bytes) = (reply.response, reply.body)
        try JSONResponseSerializer().validate(response, body: bytes)
        let tree = try JSONResponseSerializer().serialize(response, body: bytes)
        let full = tree.removingNulls()
        #expect(full == ["name": "Ada"])

        let text = try await reply.value(
            by: .compound(JSONResponseSerializer().map { $0.description }, TextResponseSerializer()))
        #expect(text.contains("Ada"))
    }

    @Test("Images, and a serializer of a session, of a request and of a call")
    func choice() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("a photo", mediaType: "image/jpeg") }) {
            $0.responseSerializer = .imageData
            $0.callbacks = .queue(DispatchQueue(label: "callbacks"))
        }
        let photo = try await api.get("photo.jpg").data()
        #expect(photo == Data("a photo".utf8))
        let log = CallbackLog<Data>()
        api.get("photo.jpg", as: .imageData, success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        #expect(log.values == [photo])
        let text = CallbackLog<JSON>()
        api.get("photo.jpg", success: text.onSuccess, failure: text.onFailure) { $0.responseSerializer = .text }
        await text.wait()
        #expect(text.values == ["a photo"])
    }

    @Test("An unacceptable status")
    func status() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["message": "gone"], status: 410) })
        let error = try #require(await #expect(throws: SternaError.self) { try await api.get("users") })
        #expect(error.kind == .unacceptableStatus)
        #expect(error.status == 410)
    }
}
