import Dispatch
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Uploads: the encoding of parameters in forms")
struct UploadFormTests {
    private static let parameters: Parameters = ["isOn": true, "list": [1, 2]]

    private static func session(_ configure: (inout SessionSettings) -> Void = { _ in }) throws -> (
        api: Session, mock: MockTransport
    ) {
        try mocked { settings in
            settings.requestSerializer = JSONRequestSerializer(
                encoder: QueryEncoder(arrays: .none, booleans: .literal, keys: .snakeCase))
            configure(&settings)
        }
    }

    private static func text(_ fields: [(String, String)]) -> String {
        fields.map { "--B\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }.joined()
            + "--B--\r\n"
    }

    private static let written = text([("is_on", "true"), ("list", "1"), ("list", "2"), ("is_off", "false")])

    @Test("Parameters of the call and of the closure use the session's encoder")
    func encoder() async throws {
        let (api, mock) = try Self.session { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        try await api.upload(
            "a", parameters: Self.parameters,
            multipart: { form in
                form.boundary = "B"
                form.append(["isOff": false])
            })
        let log = CallbackLog<JSON>()
        api.upload(
            "a", parameters: Self.parameters,
            multipart: { form in
                form.append(["isOff": false])
                form.boundary = "B"
            }, success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        let bodies = mock.requests.map(\.givenText)
        expectEqual(bodies, [Self.written, Self.written])
    }

    @Test("A request's own serializer replaces the session's, and the closure's encoder replaces both")
    func own() async throws {
        let (api, mock) = try Self.session()
        try await api.upload(
            "a", parameters: Self.parameters, multipart: { $0.boundary = "B" }
        ) { $0.requestSerializer = HTTPRequestSerializer(encoder: QueryEncoder(arrays: .indices)) }
        try await api.upload(
            "a", parameters: Self.parameters,
            multipart: { form in
                form.boundary = "B"
                form.encoder.booleans = .numeric
                form.encoder.keys = .kebabCase
            })
        try await api.upload(
            "a", parameters: Self.parameters, multipart: { $0 = MultipartForm(boundary: "B", encoder: .whatwgForm) })
        let bodies = mock.requests.map(\.givenText)
        expectEqual(
            bodies,
            [
                Self.text([("isOn", "1"), ("list[0]", "1"), ("list[1]", "2")]),
                Self.text([("is-on", "1"), ("list", "1"), ("list", "2")]),
                Self.text([("isOn", "1"), ("list[]", "1"), ("list[]", "2")]),
            ])
    }

    @Test("A draft's parameters are encoded by the session that sends it")
    func draft() async throws {
        let (api, mock) = try Self.session()
        let draft = try RequestDraft.upload("a", parameters: Self.parameters) { $0.boundary = "B" }
        try await api.withResponse(to: draft) { _ in }
        let plain = try mocked()
        try await plain.api.withResponse(to: draft) { _ in }
        var changed = draft
        changed.body = .text("own")
        try await api.withResponse(to: changed) { _ in }
        expectEqual(
            mock.requests.map(\.givenText),
            [
                Self.text([("is_on", "true"), ("list", "1"), ("list", "2")]), "own",
            ])
        expectEqual(
            plain.mock.requests.map(\.givenText), [Self.text([("isOn", "1"), ("list[]", "1"), ("list[]", "2")])])
    }

    @Test("The closure sets the style of names, also of those of parameters")
    func style() async throws {
        let (api, mock) = try mocked()
        try await api.upload(
            "a", parameters: ["a\"b": 1],
            multipart: { form in
                form.append("v", name: "part")
                form.boundary = "B"
                form.nameStyle = .raw
            })
        let request = try #require(mock.requests.first)
        expectEqual(request.givenText, Self.text([("a\"b", "1"), ("part", "v")]))
        expectEqual(request.headers[.contentType], "multipart/form-data; boundary=B")
    }

    @Test("GET and HEAD are errors, with parts and without", arguments: ["GET", "HEAD", "get", "Head"])
    func methods(name: String) async throws {
        let method = try #require(Request.Method(name))
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        var builder = FormBuilder()
        builder.changesMethodToPost = false
        var filled = builder
        filled.add("v", for: "a")
        for parameters in [nil, ["a": 1]] as [Parameters?] {
            let error = await #expect(throws: SternaError.self) {
                try await api.upload(
                    "a", method: method, parameters: parameters,
                    multipart: { _ in Issue.record("The closure was called.") })
            }
            #expect(error?.underlying as? BodyFault == .methodWithoutBody(name.uppercased()))
        }
        for form in [builder, filled] {
            let error = await #expect(throws: SternaError.self) { try await api.submit(form, to: "a", method: method) }
            expectEqual(error?.kind, .invalidRequest)
        }
        let log = CallbackLog<JSON>()
        api.upload("a", method: method, multipart: { _ in }, success: log.onSuccess, failure: log.onFailure)
        api.submit(builder, to: "a", method: method, success: log.onSuccess, failure: log.onFailure)
        await log.wait(ends: 2)
        expectEqual(log.errors.map(\.kind), [.invalidRequest, .invalidRequest])
        #expect(mock.requests.isEmpty)
    }

    @Test("An empty form has no body and no media type, in any style of the session")
    func nothing() async throws {
        let (api, mock) = try mocked()
        try await api.submit(FormBuilder(), to: "a")
        try await api.submit(FormBuilder(), to: "a", method: .get)
        try await api.upload("a", multipart: { _ in })
        try await api.upload("a", parameters: [:], multipart: { _ in })
        expectEqual(mock.requests.count, 4)
        for request in mock.requests {
            expectEqual(request.method, .post)
            expectNil(request.body)
            expectNil(request.headers[.contentType])
        }
    }
}
