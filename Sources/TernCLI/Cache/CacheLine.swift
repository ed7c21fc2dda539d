import HTTPTypes
import Sterna

/// What the cache did with a request, in a line for people.
enum CacheLine {
    private static let status = HTTPField.Name("Cache-Status")

    /// Returns the line of the response to a request.
    static func text(_ response: Response, to method: HTTPRequest.Method) -> String {
        // The library adds no member for other methods: one that looks like its own is the server's.
        guard method == .get || method == .head else { return text(nil, response.source) }
        let values = status.map { response.headers[values: $0] } ?? []
        // The library's own member is a line of its own, after those of caches nearer to the server.
        return TerminalText.line(text(values.last { $0.hasPrefix("Sterna;") }, response.source))
    }

    /// - Parameter value: the member of Cache-Status that the library has added; nil if there is none.
    static func text(_ value: String?, _ source: ResponseSource) -> String {
        guard let value else { return "Cache: passed by; it answers only GET and HEAD without a body" }
        let parameters = parameters(of: value)
        let detail = parameters["detail"] ?? ""
        // A member with `hit` in a response of the network is the server's.
        if parameters["hit"] != nil, source != .network {
            let time = parameters["ttl"].flatMap { Int64($0) }
            return "Cache: hit; \(detail)"
                + (time.map { $0 >= 0 ? ", for another \($0) s" : ", stale for \($0.magnitude) s" } ?? "")
        }
        // If the response was not stored, that reason follows the one for asking the server.
        let reasons = detail.firstRange(of: "; not stored: ").map {
            (detail[..<$0.lowerBound], detail[$0.upperBound...])
        }
        let end =
            switch source {
            case .revalidated: "the stored response is still valid"
            case .cache: "answered from the cache, since the server failed"
            case .network:
                parameters["stored"] != nil ? "now stored" : reasons.map { "not stored: \($0.1)" } ?? "not stored"
            }
        let answer = parameters["fwd-status"].map { ", which answered \($0)" } ?? ""
        return "Cache: asked the server\(answer): \(reasons?.0 ?? detail[...]); \(end)"
    }

    /// Reads the parameters of a member (RFC 9211): flags have an empty value.
    private static func parameters(of value: String) -> [String: String] {
        var (found, name, text, isQuoted, isValue, isEscaped) = ([String: String](), "", "", false, false, false)
        for character in value + ";" {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ";", !isQuoted {
                found[name] = text
                (name, text, isValue) = ("", "", false)
            } else if character == "=", !isQuoted, !isValue {
                isValue = true
            } else if isValue {
                text.append(character)
            } else if character != " " {
                name.append(character)
            }
        }
        return found
    }
}
