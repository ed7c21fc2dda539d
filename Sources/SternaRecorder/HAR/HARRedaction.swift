import NIOCore
import Sterna
import SternaCore
import SternaSerialization

extension HARDocument {
    /// Returns the document without credentials: secrets in header fields, cookies, URLs, queries, forms, bodies, messages and
    /// custom members are replaced by `***`.
    ///
    /// Secrets are recognized by name, with the same table as in logs and curl commands: `Authorization`, cookies, and names such as
    /// `password`, `token` and `api_key`. Bodies are searched that are forms (also multipart ones), JSON, property lists or event
    /// streams; one that says it is JSON but cannot be parsed is replaced as a whole. Sizes stay those of the original.
    public func redacted() -> HARDocument {
        var document = self
        document.log = HARRedaction().shown(log)
        document.entries = entries.map { $0.redacted() }
        return document
    }
}

extension HARDocument.Entry {
    /// Returns the entry without credentials; see ``HARDocument/redacted()``.
    public func redacted() -> HARDocument.Entry { HARDocument.Entry(json: HARRedaction().shown(json)) }
}

/// Hides secrets in the tree of a document, by the names of its members and of its name-value pairs.
struct HARRedaction {
    func shown(_ tree: JSON) -> JSON { shown(tree, isCustom: false, depth: 0) }

    /// - Parameter isCustom: whether the tree is within a custom member, whose names are unknown and may mark secrets themselves.
    private func shown(_ tree: JSON, isCustom: Bool, depth: Int) -> JSON {
        // A deeper tree is not written either.
        guard depth <= JSON.maximumDepth else { return JSON(Redaction.mark) }
        switch tree {
        case .string(let text): return JSON(self.text(text))
        case .array(let elements): return .array(elements.map { shown($0, isCustom: isCustom, depth: depth + 1) })
        case .object(let object):
            let name = object["name"]?.string
            var result = JSON.Object()
            for (key, value) in object {
                let isCustom = isCustom || key.hasPrefix("_")
                if key == "value", let name {
                    result[key] = pair(name, value, depth)
                } else if isCustom, isSecret(key, value) {
                    result[key] = JSON(Redaction.mark)
                } else {
                    result[key] = member(key, value, isCustom, depth + 1)
                }
            }
            return .object(result)
        default: return tree
        }
    }

    private func member(_ key: String, _ value: JSON, _ isCustom: Bool, _ depth: Int) -> JSON {
        switch (key, value) {
        case ("cookies", .array(let cookies)):
            return .array(
                cookies.map { cookie in
                    var shown = shown(cookie, isCustom: isCustom, depth: depth + 1)
                    if shown["value"].string?.isEmpty == false { shown["value"] = JSON(Redaction.mark) }
                    return shown
                })
        case ("postData", .object), ("content", .object): return body(value, isCustom, depth)
        case ("_webSocketMessages", .array(let messages)), ("_eventSourceMessages", .array(let messages)):
            return .array(messages.map { message($0, depth) })
        default: return shown(value, isCustom: isCustom, depth: depth)
        }
    }

    private func isSecret(_ name: String, _ value: JSON) -> Bool {
        switch value {
        case .null, .bool: false
        default: Redaction.isSecretHeader(name)
        }
    }

    private func pair(_ name: String, _ value: JSON, _ depth: Int) -> JSON {
        guard let text = value.string else {
            return isSecret(name, value) ? JSON(Redaction.mark) : shown(value, isCustom: true, depth: depth + 1)
        }
        return JSON(text.isEmpty ? text : self.text(Redaction.shown(name, text)))
    }

    /// Hides secrets of the URLs in a text, and of a query if the text is a request target.
    private func text(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) || text.utf8.contains(UInt8(ascii: "@")) else { return text }
        guard text.contains("://") else { return Redaction.show(target: text) }
        var result = ""
        var rest = text[...]
        while !rest.isEmpty {
            let word = rest.prefix { $0 != " " && $0 != "\n" }
            result +=
                word.contains("://") ? Redaction.show(reference: String(word)) : Redaction.show(target: String(word))
            rest = rest[word.endIndex...]
            let gap = rest.prefix { $0 == " " || $0 == "\n" }
            result += gap
            rest = rest[gap.endIndex...]
        }
        return result
    }

    // MARK: Bodies

    private func body(_ tree: JSON, _ isCustom: Bool, _ depth: Int) -> JSON {
        var rest = tree
        var content = HARDocument.Content(json: tree)
        // The text is judged by its media type, and everything else as elsewhere.
        let text = content.text
        content.text = nil
        rest = shown(content.json, isCustom: isCustom, depth: depth)
        guard let text, var members = tree.object, let others = rest.object else { return rest }
        for (key, value) in others { members[key] = value }
        if content.encoding?.lowercased() == "base64" {
            guard let bytes = HARText.bytes(base64: text) else {
                members["text"] = JSON(Redaction.mark)
                return .object(members)
            }
            let shown = shown(bytes, content.mimeType)
            if shown != bytes { members["text"] = JSON(HARText.base64(shown)) }
        } else {
            let bytes = Array(text.utf8)
            let shown = shown(bytes, content.mimeType)
            if shown != bytes { members["text"] = JSON(String(decoding: shown, as: UTF8.self)) }
        }
        return .object(members)
    }

    private func shown(_ bytes: [UInt8], _ mediaType: String) -> [UInt8] {
        if MediaType(mediaType)?.essence == "text/event-stream" {
            return Array(events(String(decoding: bytes, as: UTF8.self)).utf8)
        }
        return BodyRedaction(mediaType: mediaType).shown(Bytes(copying: bytes)).array
    }

    private func message(_ tree: JSON, _ depth: Int) -> JSON {
        var shown = shown(tree, isCustom: false, depth: depth + 1)
        guard let data = tree["data"].string else { return shown }
        if HARDocument.Message(json: tree).opcode == 2 {
            let bytes = HARText.bytes(base64: data)
            let safe = bytes.map { BodyRedaction(mediaType: nil).shown(Bytes(copying: $0)).array }
            shown["data"] =
                safe == bytes && bytes != nil ? JSON(data) : JSON(safe.map(HARText.base64) ?? Redaction.mark)
        } else {
            shown["data"] = JSON(messageText(data))
        }
        return shown
    }

    /// Hides secrets in a message: JSON, also behind a short prefix as Socket.IO has it, or pairs.
    private func messageText(_ text: String) -> String {
        let shown = BodyRedaction(mediaType: nil).shown(Bytes(text: text)).text
        guard shown == text, let start = text.utf8.firstIndex(where: { "{[".utf8.contains($0) }),
            start != text.startIndex,
            (try? JSON(parsing: text[start...])) != nil
        else { return shown }
        return text[..<start]
            + BodyRedaction(mediaType: "application/json").shown(Bytes(text: String(text[start...]))).text
    }

    /// Hides secrets in the data of an event stream. The lines of an event's data are one text.
    private func events(_ stream: String) -> String {
        var result: [String] = []
        var data: [String] = []
        func flush() {
            guard !data.isEmpty else { return }
            let text = data.joined(separator: "\n")
            let shown = messageText(text)
            result += shown.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)" }
            data = []
        }
        let lines = stream.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        guard lines.contains("data") else { return stream }
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("data:") {
                let value = line.dropFirst(5)
                data.append(String(value.hasPrefix(" ") ? value.dropFirst() : value))
            } else {
                flush()
                result.append(String(line))
            }
        }
        flush()
        let shown = result.joined(separator: "\n")
        // The same events, possibly with other line ends and spaces, stay as they were.
        return values(of: shown) == values(of: lines) ? stream : shown
    }

    private func values(of stream: String) -> [Substring] {
        stream.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasPrefix("data:") else { return line }
            let value = line.dropFirst(5)
            return value.hasPrefix(" ") ? value.dropFirst() : value
        }
    }
}
