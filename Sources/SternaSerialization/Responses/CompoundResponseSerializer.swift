import HTTPTypes
import NIOCore
public import SternaCore

extension ResponseSerializer {
    /// The value of the first serializer that accepts the response.
    ///
    ///     enum Answer { case tree(JSON), text(String) }
    ///     let answer = try await api.get("a").value(
    ///         by: .compound(JSONResponseSerializer().map(Answer.tree), TextResponseSerializer().map(Answer.text)))
    ///
    /// Throws `decodingFailed`, with a ``CompoundError`` as its cause, if no serializer accepts the response. If none accepts the
    /// status, the error is `unacceptableStatus`, with the value of the first one that can read the body.
    public static func compound<T: Sendable>(_ serializers: any ResponseSerializer<T>...) -> Self
    where Self == AnyResponseSerializer<T> {
        compound(serializers)
    }

    /// The value of the first serializer in an array that accepts the response.
    public static func compound<T: Sendable>(_ serializers: [any ResponseSerializer<T>]) -> Self
    where Self == AnyResponseSerializer<T> {
        AnyResponseSerializer(CompoundResponseSerializer(serializers))
    }
}

/// Returns the value of the first of several serializers that accepts the response.
package struct CompoundResponseSerializer<Value: Sendable>: ResponseSerializer {
    /// The serializers, in the order in which they are tried.
    private let serializers: [any ResponseSerializer<Value>]

    /// Makes a serializer from others.
    package init(_ serializers: [any ResponseSerializer<Value>]) {
        self.serializers = serializers
    }

    /// The statuses that any of the serializers accepts, with any media type; each serializer checks the media type
    /// itself.
    package var validation: ResponseValidation {
        ResponseValidation(statuses: serializers.reduce(into: Set<Int>()) { $0.formUnion($1.validation.statuses) })
    }

    /// Always true; each serializer checks the coding itself.
    package var takesUnknownCodings: Bool { true }

    /// Whether any of the serializers takes long.
    package var takesLong: Bool { serializers.contains { $0.takesLong } }

    /// Throws `decodingFailed`, with a ``CompoundError`` as its cause, if no serializer accepts the response.
    package func value(of response: Response, body: Bytes) throws -> Value {
        var errors: [SternaError] = []
        for serializer in serializers {
            do {
                return try serializer.serialize(response, body: body)
            } catch {
                // If every serializer rejects the status, the first one that can read the body still supplies the
                // value.
                if !validation.accepts(status: response.status.code), let value = error.value as? Value {
                    return value
                }
                errors.append(error)
            }
        }
        let reasons = errors.map(\.detail).joined(separator: " ")
        throw SternaError(
            .decodingFailed, phase: .decode, "None of \(errors.count) serializers accepted the response. \(reasons)",
            underlying: CompoundError(errors: errors))
    }
}

/// The errors of several serializers after none of them accepted a response.
public struct CompoundError: Error, Sendable, CustomStringConvertible {
    /// Each serializer's error, in the order in which they were tried.
    public let errors: [SternaError]

    /// One line per error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}
