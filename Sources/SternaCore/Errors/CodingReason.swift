/// Describes a coder's error with the path of the value but never the value itself.
package enum CodingReason {
    package static func text(_ error: any Error) -> String {
        switch error {
        case EncodingError.invalidValue(_, let context):
            return text(context.codingPath, FieldSyntax.printable(context.debugDescription))
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            return text(context.codingPath, FieldSyntax.printable(context.debugDescription))
        case DecodingError.keyNotFound(let key, let context):
            return text(context.codingPath, "there is no “\(FieldSyntax.printable(key.stringValue))”.")
        default: return "\(error)"
        }
    }

    private static func text(_ path: [any CodingKey], _ reason: String) -> String {
        let place = path.isEmpty ? "" : "at \(KeyPathText.text(path.map { ParameterError.Component($0) })): "
        return place + reason
    }
}
