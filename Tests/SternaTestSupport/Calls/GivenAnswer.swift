import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// An answer as a serializer is given it.
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

    /// What a serializer makes of it.
    func read<Value>(by serializer: some ResponseSerializer<Value>) throws -> Value {
        var headers = HTTPFields()
        if let type { headers[.contentType] = type }
        let response = Response(
            status: .init(code: status), section: FieldSection(headers), body: ResponseBody(body),
            url: try HTTPURL("https://example.com/a?token=s3cret"))
        return try serializer.serialize(response, body: body)
    }

    /// What a serializer has against it; nil where it makes a value.
    func error(of serializer: some ResponseSerializer) -> SternaError? {
        do {
            _ = try read(by: serializer)
            return nil
        } catch {
            return error as? SternaError
        }
    }
}

/// A mistake of a closure.
struct Mistake: Error, Equatable {
    var number = 0
}
