import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/Alamofire.md about parameters, header fields and forms of several parts.
@Suite("Coming from Alamofire: parameters")
struct MigratingAlamofireParameterTests {
    private struct User: Encodable {
        var name = "Ada"
        var nickname: String?
    }

    /// What a request serializer makes of a POST, as its body.
    private func body(
        _ configure: (inout SessionSettings) -> Void, _ parameters: Parameters = ["b": 1.0, "a": true]
    ) async throws -> String? {
        let (api, mock) = try mocked { configure(&$0) }
        try await api.post("users", parameters: parameters)
        return mock.requests.last?.givenText
    }

    @Test("Encodings and encoders are request serializers")
    func serializers() async throws {
        let form = try await body { $0.requestSerializer = HTTPRequestSerializer(style: .alamofire) }
        #expect(form == "a=1&b=1.0")
        let json = try await body { $0.requestSerializer = JSONRequestSerializer(style: .alamofire) }
        #expect(json == #"{"b":1,"a":true}"#)
        let sorted = try await body {
            $0.requestSerializer = JSONRequestSerializer(options: [.pretty, .sortedKeys])
        }
        #expect(sorted?.hasPrefix("{\n") == true)

        var serializer = HTTPRequestSerializer(style: .alamofire)
        serializer.destination = .body
        let request = Request(.get, try HTTPURL("https://api.example.com/users"))
        #expect(try serializer.serialized(request, with: ["page": 2]).givenText == "page=2")
        serializer.destination = .url
        func signed() throws -> Request {
            let signed = try serializer.serialized(request, with: ["page": 2])
            return signed
        }
        #expect(try signed().url.query == "page=2")

        let (api, mock) = try mocked()
        try await api.post("search", query: ["page": 2])
        #expect(mock.requests.last?.url.query == "page=2")
        let user = User()
        let encoder = JSONEncoder()
        try await api.post("users", body: .json(user, encoder: encoder))
        #expect(mock.requests.last?.givenText == #"{"name":"Ada"}"#)
        let names = ["Ada", "Grace"]
        try await api.post("users", body: .json(names))
        #expect(mock.requests.last?.givenText == #"["Ada","Grace"]"#)
        func untyped() throws -> Parameters {
            let row: [String: Any] = ["name": "Ada"]
            let parameters = try Parameters(untyped: row)
            return parameters
        }
        #expect(try untyped().keys == ["name"])
        let parameters: Parameters = ["name": "Ada", "tags": ["a", "b"]]
        #expect(parameters.count == 2)
    }

    @Test("The options of URLEncodedFormEncoder")
    func options() throws {
        func encoded(
            _ parameters: Parameters, _ change: (inout HTTPRequestSerializer) -> Void
        ) throws -> String {
            var serializer = HTTPRequestSerializer(style: .alamofire)
            change(&serializer)
            return try serializer.encoder.encode(parameters)
        }
        let tags: Parameters = ["tags": ["a", "b"]]
        #expect(try encoded(tags) { serializer in serializer.encoder.arrays = .none } == "tags=a&tags=b")
        #expect(
            try encoded(tags) { serializer in serializer.encoder.arrays = .indices } == "tags%5B0%5D=a&tags%5B1%5D=b")
        #expect(
            try encoded(tags) { serializer in
                serializer.encoder.arrays = .custom { name, index in "\(name).\(index)" }
            } == "tags.0=a&tags.1=b")
        #expect(try encoded(["on": true]) { serializer in serializer.encoder.booleans = .literal } == "on=true")
        #expect(
            try encoded(["key": Data([1])]) { serializer in serializer.encoder.data = .numbers } == "key%5B%5D=1")
        let day: Parameters = ["at": Date(timeIntervalSince1970: 0)]
        #expect(
            try encoded(day) { serializer in serializer.encoder.dates = .iso8601 } == "at=1970-01-01T00%3A00%3A00Z")
        #expect(try encoded(day) { serializer in serializer.encoder.dates = .seconds } == "at=0.0")
        #expect(try encoded(day) { serializer in serializer.encoder.dates = .custom { _ in "today" } } == "at=today")
        let name: Parameters = ["firstName": "Ada"]
        #expect(try encoded(name) { serializer in serializer.encoder.keys = .snakeCase } == "first_name=Ada")
        #expect(try encoded(name) { serializer in serializer.encoder.keys = .kebabCase } == "first-name=Ada")
        #expect(try encoded(name) { serializer in serializer.encoder.keys = .capitalizedFirst } == "FirstName=Ada")
        #expect(
            try encoded(name) { serializer in serializer.encoder.keys = .custom { $0.uppercased() } }
                == "FIRSTNAME=Ada")
        let phone: Parameters = ["phone": ["mobile": 1] as Parameters]
        #expect(try encoded(phone) { serializer in serializer.encoder.nesting = .dots } == "phone.mobile=1")
        #expect(
            try encoded(phone) { serializer in
                serializer.encoder.nesting = .custom { name, key in "\(name)-\(key)" }
            } == "phone-mobile=1")
        let nothing: Parameters = ["name": Parameters.null]
        #expect(try encoded(nothing) { _ in } == "")
        #expect(try encoded(nothing) { serializer in serializer.encoder.nulls = .literal } == "name=null")
        #expect(try encoded(nothing) { serializer in serializer.encoder.nulls = .emptyValue } == "name=")
        #expect(try encoded(["a": "b c"]) { serializer in serializer.encoder.spaces = .plus } == "a=b+c")
        #expect(try encoded(["b": 1, "a": 2]) { serializer in serializer.encoder.sortsKeys = false } == "b=1&a=2")
        #expect(
            try encoded(["a": "/"]) { serializer in serializer.encoder.allowedInValues = .unreserved } == "a=%2F")
        var serializer = HTTPRequestSerializer(style: .alamofire)
        serializer.encoder.keepsNilMembers = true
        serializer.encoder.nulls = .literal
        #expect(try serializer.encoder.encode(User()) == "name=Ada&nickname=null")

        func query() throws -> String {
            let query = try QueryEncoder.alamofire.encode(["page": 2])
            return query
        }
        func bytes() throws -> [UInt8] {
            let bytes = try QueryEncoder.alamofire.encodedBytes(["page": 2])
            return bytes
        }
        #expect(try query() == "page=2")
        #expect(try bytes() == Array("page=2".utf8))
    }

    @Test("Header fields")
    func headers() async throws {
        var fields: Headers = ["X-Client": "7"]
        fields["X-Client"] = "8"
        fields.append("X-Client", "9")
        #expect(fields["x-client"] == "8")
        #expect(fields.dictionary["X-Client"] == "8, 9")
        fields.lines.sort { $0.name < $1.name }
        fields["X-Client"] = nil
        fields.lines.append(Headers.Line(name: "Accept", value: "text/csv"))
        #expect(fields.lines.map(\.value) == ["text/csv"])

        let (api, mock) = try mocked { $0.auth.header = .basic("ada", "secret") }
        let reply = try await api.get("users", headers: ["Accept": "text/csv"]) { $0.auth.header = .bearer("sesame") }
        #expect(reply.headers["Content-Type"] == "application/json")
        #expect(mock.requests.first?.headers[.authorization] == "Bearer sesame")
        #expect(mock.requests.first?.headers[.accept] == "text/csv")
    }

    @Test("Forms of several parts")
    func forms() async throws {
        let file = try TemporaryPhoto()
        let url = URL(fileURLWithPath: file.path)
        let photo = Data("photo".utf8)
        var form = MultipartForm(boundary: "sea")
        form.append(photo, name: "image", fileName: "a.jpg", mediaType: "image/jpeg")
        form.append(photo, name: "image")
        form.append(file: url, name: "image")
        form.append(file: url, name: "image", fileName: "a.jpg", mediaType: "image/jpeg")
        #expect(form.count == 4)
        #expect(form.mediaType.hasSuffix("boundary=sea"))
        func finished() throws -> Body? {
            let body = try form.body()
            return body
        }
        let length = try form.body()?.length
        #expect(length.map { $0 > 0 } == true)
        try await Downloading.withFolder { folder in
            let path = folder + "/form"
            let body = try #require(try finished())
            try await body.write(to: path)
            #expect(try Downloading.bytes(path).count == length.map(Int.init))
        }
        #if Foundation
        let stream = InputStream(data: photo)
        form.append(.stream(stream, length: 5, mediaType: "image/jpeg"), name: "image", fileName: "a.jpg")
        form.append(
            headers: ["Content-Disposition": "form-data; name=\"image\""],
            body: .stream(InputStream(data: photo), length: 5))
        #expect(form.count == 6)
        #endif
    }
}
