import SternaCore

/// Says what a decoder found wrong, with the path of the value.
enum DecodingReason {
    static func text(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return place(context.codingPath) + FieldSyntax.printable(context.debugDescription)
        case .keyNotFound(let key, let context):
            return place(context.codingPath) + "there is no “\(FieldSyntax.printable(key.stringValue))”."
        @unknown default: return "\(error)"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                let name = FieldSyntax.printable(key.stringValue)
                text += text.isEmpty ? name : ".\(name)"
            }
        }
        return "at \(text): "
    }
}
