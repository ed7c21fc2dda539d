/// Writes documents as UTF-8 that says so.
enum HTMLWriter {
    /// Returns a document's text.
    ///
    /// - Parameter declaresEncoding: whether the encoding is declared, in place of declarations that are there.
    static func text(of document: HTMLDocument, declaresEncoding: Bool = true) -> String {
        var result = ""
        var paragraphs = ParagraphRule()
        var isDeclared = !declaresEncoding
        let place = declaresEncoding ? declarationPlace(in: document) : nil
        for (index, node) in document.nodes.enumerated() {
            if !isDeclared, place == nil, !isDoctypeOrSpace(node) {
                result += declaration
                isDeclared = true
            }
            if declaresEncoding, case .start(let element) = node, declaresEncodingItself(element) { continue }
            switch node {
            case .start(let element) where !element.isVoid: paragraphs.start(element.name)
            case .end(let name): if !paragraphs.end(name) { continue }
            default: break
            }
            write(node, to: &result)
            if index == place {
                result += declaration
                isDeclared = true
            }
        }
        return isDeclared ? result : result + declaration
    }

    private static let declaration = #"<meta charset="utf-8">"#

    /// The start tag behind which the declaration goes: `head`, else `html`; nil if there is neither.
    private static func declarationPlace(in document: HTMLDocument) -> Int? {
        var html: Int?
        for (index, node) in document.nodes.enumerated() {
            guard case .start(let element) = node else { continue }
            switch element.name {
            case "head": return index
            case "html": html = html ?? index
            default: return html
            }
        }
        return html
    }

    private static func isDoctypeOrSpace(_ node: HTMLNode) -> Bool {
        switch node {
        case .doctype, .comment: true
        case .text(let text): text.allSatisfy(\.isWhitespace)
        default: false
        }
    }

    static func declaresEncodingItself(_ element: HTMLElement) -> Bool {
        guard element.name == "meta" else { return false }
        return element["charset"] != nil || element["http-equiv"]?.lowercased() == "content-type"
    }

    private static func write(_ node: HTMLNode, to result: inout String) {
        switch node {
        case .doctype(let name, let publicID, let systemID):
            result += "<!DOCTYPE \(name)"
            if let publicID { result += " PUBLIC \(quoted(publicID))" }
            if let systemID { result += publicID == nil ? " SYSTEM \(quoted(systemID))" : " \(quoted(systemID))" }
            result += ">"
        case .start(let element): write(element, to: &result)
        case .end(let name): if isName(name) { result += "</\(name)>" }
        case .text(let text): append(text, to: &result, inAttribute: false)
        case .reference(let name): result += "&\(name);"
        case .raw(let text): result += text
        case .comment(let text): result += "<!--\(text)-->"
        }
    }

    private static func write(_ element: HTMLElement, to result: inout String) {
        guard isName(element.name) else { return }
        result += "<\(element.name)"
        for attribute in element.attributes where isAttributeName(attribute.name) {
            result += " \(attribute.name)"
            guard let value = attribute.value else { continue }
            result += "=\""
            append(value, to: &result, inAttribute: true)
            result += "\""
        }
        result += ">"
    }

    /// Escapes text as the standard's serialisation does (HTML Standard, 13.3).
    private static func append(_ text: String, to result: inout String, inAttribute: Bool) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "\u{A0}": result += "&nbsp;"
            case "\"" where inAttribute: result += "&quot;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// An identifier in the quotes that it does not have.
    private static func quoted(_ text: String) -> String {
        let text = text.filter { $0 != ">" }
        return text.contains("\"") ? "'\(text.filter { $0 != "'" })'" : "\"\(text)\""
    }

    /// Whether the parser would read the name as it is; other versions of libxml2 may give others.
    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return isAttributeName(name)
    }

    private static func isAttributeName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !#""'<>/="#.utf8.contains($0) }
    }
}
