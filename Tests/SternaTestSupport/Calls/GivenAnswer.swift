import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// A response for a serializer.
struct GivenAnswer {
    var status = 200
    var type: String? = "application/json"
    var body = Bytes()

    init(_ body: String = "", type: String? = "application/json", status: Int = 200) {
        self.init(bytes: Array(body.utf8), type: type, status: status)
    }

    init(bytes: [UInt8], type: String? = "application/json", status: Int = 200) {
        self.status = status
        self.type = type
        body = Bytes(copying: bytes)
    }

    /// Returns the serializer's value.
    func read<Value>(by serializer: some ResponseSerializer<Value>) throws -> Value {
        var headers = HTTPFields()
        if let type { headers[.contentType] = type }
        let response = Response(
            status: .init(code: status), section: FieldSection(headers), body: ResponseBody(body),
            url: try HTTPURL("https://example.com/a?token=s3cret"))
        return try serializer.serialize(response, body: body)
    }

    /// Returns the serializer's error; nil if it returns a value.
    func error(of serializer: some ResponseSerializer) -> SternaError? {
        do {
            _ = try read(by: serializer)
            return nil
        } catch {
            return error as? SternaError
        }
    }
}

/// An error that a closure throws.
struct Mistake: Error, Equatable {
    var number = 0
}
