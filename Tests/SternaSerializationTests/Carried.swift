import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// What a request carries once its parameters were put into it.
struct Carried: Equatable {
    var target: String
    var body: String?
    var type: String?

    init(_ target: String, body: String? = nil, type: String? = nil) {
        self.target = target
        self.body = body
        self.type = type
    }

    init(
        _ serializer: some RequestSerializer, _ method: Request.Method, _ url: String, _ parameters: Parameters?
    ) throws {
        var request = Request(method, try HTTPURL(url))
        try serializer.serialize(parameters, into: &request)
        target = request.url.requestTarget
        body = request.body.map { body in
            body.segments.map { if case .bytes(let bytes) = $0 { bytes.text } else { "?" } }.joined()
        }
        type = request.body?.mediaType
    }
}
