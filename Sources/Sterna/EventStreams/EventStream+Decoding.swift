import HTTPTypes
import NIOCore
import SternaCore
public import SternaSerialization

extension EventStream {
    /// The events' data as values from JSON.
    ///
    ///     let chunks = api.events(of: .post("chat", json: chat)).decode(Chunk.self, until: "[DONE]")
    ///     for try await chunk in chunks { print(chunk.text, terminator: "") }
    ///
    /// An event whose type is `error` throws `unacceptableResponse` with the server's message. Data that does not decode throws
    /// `decodingFailed`. Both end the stream, and so does the text `end`, after which the connection is closed.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - end: the data of the event that is the last; nil, the default, for none.
    ///   - decoding: how values are read; by default by the session's ``SessionSettings/decoding``.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, until end: String? = nil, decoding: DecodingSettings? = nil
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        let serializer = DecodableResponseSerializer<Value>(decoding: decoding ?? plan.settings.decoding)
        return DecodedEvents(stream: self, end: end, serializer: serializer)
    }
}

/// The events of a stream as values from JSON.
struct DecodedEvents<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    typealias Element = Value
    let stream: EventStream
    let end: String?
    let serializer: DecodableResponseSerializer<Value>

    func makeAsyncIterator() -> Iterator {
        let reader = EventStreamReader(stream.plan, stream.draft, stream.settings)
        return Iterator(reader: reader, end: end, serializer: serializer)
    }

    struct Iterator: AsyncIteratorProtocol {
        var reader: EventStreamReader
        let end: String?
        let serializer: DecodableResponseSerializer<Value>

        mutating func next() async throws -> Value? {
            guard let event = try await reader.nextEvent(), let response = reader.response else { return nil }
            if let end, event.data == end {
                reader.end()
                return nil
            }
            do {
                guard event.type != "error" else { throw Self.error(event.data) }
                return try serializer.value(of: response, body: Bytes(string: event.data))
            } catch {
                let known = SternaError.wrap(error, as: .decodingFailed, phase: .decode, "\(error)")
                throw reader.fail(with: known)
            }
        }

        private static func error(_ data: String) -> SternaError {
            let body = Bytes(string: data)
            var error = SternaError(.unacceptableResponse, phase: .decode, "The server sent an event of type “error”.")
            error.body = body
            error.serverMessage = ServerMessage.find(in: body, mediaType: nil) ?? data
            return error
        }
    }
}
