import HTTPTypes
public import NIOCore
public import SternaCore

extension ResponseSerializer {
    /// The value of the first serializer that takes the answer.
    public static func compound<T: Sendable>(_ serializers: any ResponseSerializer<T>...) -> Self
    where Self == CompoundResponseSerializer<T> {
        CompoundResponseSerializer(serializers)
    }
}

/// The value of the first of several serializers that takes the answer.
///
///     enum Answer { case tree(JSON), text(String) }
///     let either = CompoundResponseSerializer<Answer>([
///         JSONResponseSerializer().map(Answer.tree), TextResponseSerializer().map(Answer.text),
///     ])
public struct CompoundResponseSerializer<Value: Sendable>: ResponseSerializer {
    /// The serializers in the order in which they are asked.
    public let serializers: [any ResponseSerializer<Value>]

    /// Makes a serializer of others.
    public init(_ serializers: [any ResponseSerializer<Value>]) {
        self.serializers = serializers
    }

    /// The statuses that any of them takes, of any media type: each judges that itself.
    public var acceptance: Acceptance {
        Acceptance(statuses: serializers.reduce(into: Set<Int>()) { $0.formUnion($1.acceptance.statuses) })
    }

    /// Yes: each of them judges that itself.
    public var takesUnknownCodings: Bool { true }

    /// Throws `decodingFailed` with a ``CompoundError`` as its cause where none took the answer.
    public func value(of response: Response, body: Bytes) throws -> Value {
        var errors: [SternaError] = []
        for serializer in serializers {
            do {
                return try serializer.serialize(response, body: body)
            } catch {
                // An answer that none takes for its status still has the value of the first that can read it.
                if !acceptance.statuses.contains(response.status.code), let value = error.value as? Value {
                    return value
                }
                errors.append(error)
            }
        }
        let reasons = errors.map(\.detail).joined(separator: " ")
        throw SternaError(
            .decodingFailed, phase: .decode, "None of \(errors.count) serializers took the answer. \(reasons)",
            underlying: CompoundError(errors: errors))
    }
}

/// Why none of several serializers took an answer.
public struct CompoundError: Error, Sendable, CustomStringConvertible {
    /// The error of each, in the order in which they were asked.
    public let errors: [SternaError]

    /// A line for each.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}
