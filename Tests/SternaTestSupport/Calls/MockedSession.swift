import HTTPTypes
import NIOCore
import Sterna
import SternaTesting

/// Returns a mock, and a session on it; by default every response is an empty JSON object.
func mocked(
    _ base: String? = "https://api.example.com/v1",
    by mock: MockTransport = MockTransport { _ in .json([:]) },
    _ configure: (inout SessionSettings) -> Void = { _ in }
) throws -> (api: Session, mock: MockTransport) {
    let api = try Session(baseURL: base) { settings in
        settings.network.transport = mock
        configure(&settings)
    }
    return (api, mock)
}

extension Request {
    /// The text of a body that consists of bytes; it is read without waiting, unlike `bodyText`.
    var givenText: String? {
        body.map { body in
            body.segments.map { if case .bytes(let bytes) = $0 { bytes.text } else { "?" } }.joined()
        }
    }
}

/// The output of `dump`.
func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
}
