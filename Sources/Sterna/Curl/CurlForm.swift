import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// A multipart form with files, in terms of curl's `-F` and `--form-string`.
///
/// Parsed strictly from the body. A form that these options cannot express is written as bytes instead.
struct CurlForm {
    private struct Part {
        enum Content {
            case text(String)
            case file(String)
        }

        var name: String
        var fileName: String?
        var mediaType: String?
        var content: Content
    }

    private var parts: [Part] = []

    /// Returns nil for a body that is not multipart/form-data or has no file. Also returns nil if a part has fields other than a
    /// name, a file name and a type.
    init?(_ request: Request, _ segments: [Body.Segment]) {
        guard let type = request.headers[.contentType].flatMap(MediaType.init), type.essence == "multipart/form-data",
            type.parameters.count == 1, let boundary = type["boundary"],
            segments.contains(where: { if case .file = $0 { true } else { false } }),
            let parts = Self.parts(of: segments, boundary: boundary)
        else { return nil }
        self.parts = parts
    }

    /// Returns the options; values of secret names are replaced unless `showsSecrets`.
    func arguments(showsSecrets: Bool) -> [String] {
        parts.flatMap { part -> [String] in
            switch part.content {
            case .text(let text):
                let shown = showsSecrets || text.isEmpty || !Redaction.isSecret(part.name[...]) ? text : Redaction.mark
                if part.fileName == nil, part.mediaType == nil {
                    return ["--form-string", ShellText.quoted("\(part.name)=\(shown)")]
                }
                return [
                    "-F", ShellText.quoted("\(part.name)=\(Self.word(shown, always: true))\(Self.attributes(part))"),
                ]
            case .file(let path):
                let path = Self.word(ShellText.path(path))
                return ["-F", ShellText.quoted("\(part.name)=@\(path)\(Self.attributes(part))")]
            }
        }
    }

    private static func attributes(_ part: Part) -> String {
        let name = part.fileName.map { ";filename=\(word($0))" } ?? ""
        return (part.mediaType.map { ";type=\($0)" } ?? "") + name
    }

    /// Formats a word of curl's own grammar: quoted if it has special characters.
    private static func word(_ text: String, always: Bool = false) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && !"\",;\\".utf8.contains($0) }
        guard always || !isPlain else { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    // MARK: Reading the body

    private static func parts(of segments: [Body.Segment], boundary: String) -> [Part]? {
        let line = Array("--\(boundary)".utf8)
        let next = Array("\r\n".utf8) + line
        var rest = segments[...]
        guard var text = takeBytes(&rest), text.starts(with: line) else { return nil }
        text = text.dropFirst(line.count)
        var parts: [Part] = []
        while text.starts(with: "\r\n".utf8) {
            text = text.dropFirst(2)
            guard let end = text.firstRange(of: Array("\r\n\r\n".utf8)), var part = head(text[..<end.lowerBound]) else {
                return nil
            }
            text = text[end.upperBound...]
            if text.isEmpty, case .file(let range)? = rest.first, range.isWhole {
                rest = rest.dropFirst()
                // Without a type curl would choose one.
                guard part.fileName != nil, part.mediaType != nil, let more = takeBytes(&rest) else { return nil }
                part.content = .file(range.path)
                text = more
                guard text.starts(with: next) else { return nil }
                text = text.dropFirst(next.count)
            } else {
                guard let end = text.firstRange(of: next),
                    let content = ShellText.printable(Bytes(copying: text[..<end.lowerBound])),
                    part.fileName == nil || part.mediaType != nil
                else { return nil }
                part.content = .text(content)
                text = text[end.upperBound...]
            }
            parts.append(part)
        }
        return text.elementsEqual("--\r\n".utf8) && rest.isEmpty ? parts : nil
    }

    private static func takeBytes(_ segments: inout ArraySlice<Body.Segment>) -> ArraySlice<UInt8>? {
        guard case .bytes(let bytes)? = segments.first else { return nil }
        segments = segments.dropFirst()
        return Array(bytes.readableBytesView)[...]
    }

    /// Parses a part's name, file name and type; nil for a head with anything else.
    private static func head(_ bytes: ArraySlice<UInt8>) -> Part? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let lines = text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false)
        var part = Part(name: "", content: .text(""))
        guard let first = lines.first, lines.count <= 2 else { return nil }
        var rest = first[...]
        guard drop("Content-Disposition: form-data; name=\"", &rest), let name = quoted(&rest), !name.contains("=")
        else {
            return nil
        }
        part.name = name
        if drop("; filename=\"", &rest) {
            guard let fileName = quoted(&rest) else { return nil }
            part.fileName = fileName
        }
        guard rest.isEmpty else { return nil }
        if lines.count == 2 {
            var line = lines[1][...]
            guard drop("Content-Type: ", &line), MediaType(String(line)) != nil,
                line.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && !"\",\\".utf8.contains($0) })
            else { return nil }
            part.mediaType = String(line)
        }
        return part
    }

    private static func drop(_ prefix: String, _ text: inout Substring) -> Bool {
        guard text.hasPrefix(prefix) else { return false }
        text = text.dropFirst(prefix.count)
        return true
    }

    /// Parses the text up to a quotation mark; nil for an empty one, and for characters that versions of curl escape differently.
    private static func quoted(_ text: inout Substring) -> String? {
        guard let end = text.firstIndex(of: "\"") else { return nil }
        let value = text[..<end]
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
            return nil
        }
        text = text[text.index(after: end)...]
        return String(value)
    }
}
