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
        document.frame = HARRedaction().shown(frame)
        document.entries = entries.map { $0.redacted() }
        return document
    }
}

extension HARDocument.Entry {
    /// Returns the entry without credentials; see ``HARDocument/redacted()``.
    public func redacted() -> HARDocument.Entry { HARDocument.Entry(json: HARRedaction().shown(json)) }
}

extension HARDocument.Request {
    /// Returns the request without credentials.
    package func redacted() -> HARDocument.Request { HARDocument.Request(json: HARRedaction().shown(json)) }
}

/// Hides secrets in the tree of a document, by the names of its members and of its name-value pairs.
struct HARRedaction {
    func shown(_ tree: JSON) -> JSON { shown(tree, depth: 0) }

    private func shown(_ tree: JSON, depth: Int) -> JSON {
        // A deeper tree is not written either.
        guard depth <= JSON.maximumDepth else { return JSON(Redaction.mark) }
        switch tree {
        case .string(let text): return JSON(self.text(text))
        case .array(let elements): return .array(elements.map { shown($0, depth: depth + 1) })
        case .object(let object):
            let name = object["name"]?.string
            var result = JSON.Object()
            for (key, value) in object {
                if key == "value", let name {
                    result[key] = pair(name, value, depth)
                } else if isSecret(key, value) {
                    // No name of the format marks a secret: such members are those of other programs.
                    result[key] = JSON(Redaction.mark)
                } else {
                    result[key] = member(key, value, depth + 1)
                }
            }
            return .object(result)
        default: return tree
        }
    }

    private func member(_ key: String, _ value: JSON, _ depth: Int) -> JSON {
        switch (key, value) {
        case ("cookies", .array(let cookies)):
            return .array(
                cookies.map { cookie in
                    var shown = shown(cookie, depth: depth + 1)
                    if shown["value"].string?.isEmpty == false { shown["value"] = JSON(Redaction.mark) }
                    return shown
                })
        case ("postData", .object), ("content", .object): return body(value, depth)
        case ("_webSocketMessages", .array(let messages)), ("_eventSourceMessages", .array(let messages)):
            return .array(messages.map { message($0, depth) })
        case ("url", .string(let text)), ("redirectURL", .string(let text)):
            return JSON(Redaction.show(reference: text))
        default: return shown(value, depth: depth)
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
            return isSecret(name, value) ? JSON(Redaction.mark) : shown(value, depth: depth + 1)
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
            result += self.word(String(word))
            rest = rest[word.endIndex...]
            let gap = rest.prefix { $0 == " " || $0 == "\n" }
            result += gap
            rest = rest[gap.endIndex...]
        }
        return result
    }

    /// Hides secrets in a word, which stays as it was written if it has none.
    private func word(_ word: String) -> String {
        guard word.contains("://") else { return Redaction.show(target: word) }
        let parts = word.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
        let hidesFragment = parts.count > 1 && parts[1].utf8.contains(UInt8(ascii: "="))
        guard hidesFragment || hasUserinfo(word) || query.flatMap({ Redaction.masked(pairs: $0) }) != nil else {
            return word
        }
        return Redaction.show(reference: word)
    }

    private func hasUserinfo(_ word: String) -> Bool {
        // A URL in a text may be in brackets or quotes. Of several URLs in a word, only the first would be parsed.
        let reference = word.drop { "<([{\"'".contains($0) }
        guard word.ranges(of: "//").count == 1, let url = try? HTTPURL(String(reference)) else {
            return word.utf8.contains(UInt8(ascii: "@"))
        }
        return url.userinfo != nil
    }

    // MARK: Bodies

    private func body(_ tree: JSON, _ depth: Int) -> JSON {
        var rest = tree
        var content = HARDocument.Content(json: tree)
        // The text is judged by its media type, and everything else as elsewhere.
        let text = content.text
        content.text = nil
        rest = shown(content.json, depth: depth)
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
        var shown = shown(tree, depth: depth + 1)
        guard let data = tree["data"].string else { return shown }
        if HARDocument.Message(json: tree).opcode == 2 {
            let bytes = HARText.bytes(base64: data)
            var safe = bytes.map { BodyRedaction(mediaType: nil).shown(Bytes(copying: $0)).array }
            if let bytes, safe == bytes, let text = String(validating: bytes, as: UTF8.self) {
                safe = Array(messageText(text).utf8)
            }
            shown["data"] =
                safe == bytes && bytes != nil ? JSON(data) : JSON(safe.map(HARText.base64) ?? Redaction.mark)
        } else {
            shown["data"] = JSON(messageText(data))
        }
        return shown
    }

    /// Hides secrets in a message, whose parts end with a NUL (STOMP) or a record separator (SignalR).
    private func messageText(_ text: String) -> String {
        var result = ""
        var rest = text[...].utf8
        while let end = rest.firstIndex(where: { $0 == 0 || $0 == 0x1E }) {
            result += partText(String(Substring(rest[..<end])))
            result.unicodeScalars.append(Unicode.Scalar(rest[end]))
            rest = rest[rest.index(after: end)...]
        }
        return result + partText(String(Substring(rest)))
    }

    /// Hides secrets in a part of a message, in the head of a frame line by line.
    private func partText(_ text: String) -> String {
        guard let (head, body) = frame(text) else { return contentText(text) }
        return head + contentText(body)
    }

    /// Returns the head of a frame of STOMP without secrets, and its body; nil for other text, whose first line is no command.
    private func frame(_ text: String) -> (head: String, body: String)? {
        let newline = UInt8(ascii: "\n")
        var head = ""
        var hasCommand = false
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let next = rest.firstIndex(of: newline).map { rest.index(after: $0) } ?? rest.endIndex
            let whole = rest[..<next]
            var line = whole
            if line.last == newline { line.removeLast() }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            rest = rest[next...]
            if line.isEmpty {
                head += String(Substring(whole))
                // Empty lines before a frame keep the connection alive.
                if hasCommand { break }
            } else if hasCommand {
                head += field(Substring(line)) + String(Substring(whole[line.endIndex...]))
            } else {
                guard line.allSatisfy({ $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }) else { return nil }
                head += String(Substring(whole))
                hasCommand = true
            }
        }
        return hasCommand ? (head, String(Substring(rest))) : nil
    }

    /// Hides the value of a header line if its name marks it as secret, and secrets of a query in it.
    private func field(_ line: Substring) -> String {
        if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), Redaction.isSecretHeader(String(line[..<colon])) {
            return line[...colon] + Redaction.mark
        }
        return Redaction.masked(pairs: line) ?? String(line)
    }

    /// Hides secrets in the content of a message: JSON, also behind a short prefix as Socket.IO has it, or pairs and URLs.
    private func contentText(_ text: String) -> String {
        let shown = BodyRedaction(mediaType: nil).shown(Bytes(text: text)).text
        let start = text.utf8.firstIndex { "{[".utf8.contains($0) }
        if shown == text, let start, start > text.startIndex, (try? JSON(parsing: text[start...])) != nil {
            return text[..<start]
                + BodyRedaction(mediaType: "application/json").shown(Bytes(text: String(text[start...]))).text
        }
        // Words of several JSON texts are none of a sentence.
        let first = text.utf8.first { $0 > UInt8(ascii: " ") }
        return first.map { "{[".utf8.contains($0) } == true ? shown : self.text(shown)
    }

    /// Hides secrets in the data of an event stream. The data lines until an empty line are one text, whatever is between them.
    private func events(_ stream: String) -> String {
        var result: [String] = []
        var others: [String] = []
        var data: [String] = []
        var hides = false
        func flush() {
            let text = data.joined(separator: "\n")
            let shown = messageText(text)
            if shown != text { hides = true }
            result += others
            if !data.isEmpty {
                result += shown.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)" }
            }
            (others, data) = ([], [])
        }
        var lines = stream.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        if lines.unicodeScalars.first == "\u{FEFF}" { lines.unicodeScalars.removeFirst() }
        for line in lines.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.isEmpty {
                flush()
                result.append("")
            } else if line.starts(with: "data:".utf8) {
                let value = line.dropFirst(5)
                data.append(String(Substring(value.first == UInt8(ascii: " ") ? value.dropFirst() : value)))
            } else if line.elementsEqual("data".utf8) {
                data.append("")
            } else {
                others.append(String(Substring(line)))
            }
        }
        flush()
        return hides ? result.joined(separator: "\n") : stream
    }
}
