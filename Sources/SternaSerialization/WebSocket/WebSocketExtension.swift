import SternaCore

/// An extension of a `Sec-WebSocket-Extensions` field (RFC 6455, 9.1).
struct WebSocketExtension: Sendable, Hashable {
    struct Parameter: Sendable, Hashable {
        var name: String
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// Parses the field's value, its lines joined by commas; nil if it is not in the field's syntax. Empty elements of the list
    /// are skipped (RFC 9110, 5.6.1), and quoted values are returned without quotes.
    static func parse(_ field: String) -> [WebSocketExtension]? {
        var reader = DirectiveReader(field)
        var extensions: [WebSocketExtension] = []
        while true {
            reader.skipBlanks()
            if reader.isAtEnd { return extensions }
            if reader.take(",") { continue }
            guard let next = parse(&reader) else { return nil }
            extensions.append(next)
            guard reader.isAtEnd || reader.take(",") else { return nil }
        }
    }

    private static func parse(_ reader: inout DirectiveReader) -> WebSocketExtension? {
        guard let name = reader.takeToken() else { return nil }
        var result = WebSocketExtension(name: name)
        reader.skipBlanks()
        while reader.take(";") {
            reader.skipBlanks()
            guard let name = reader.takeToken() else { return nil }
            reader.skipBlanks()
            var value: String?
            if reader.take("=") {
                reader.skipBlanks()
                // What quotes contain must be a token, too.
                guard let text = reader.takeValue(), FieldSyntax.isToken(text) else { return nil }
                value = text
                reader.skipBlanks()
            }
            result.parameters.append(Parameter(name: name, value: value))
        }
        return result
    }
}
