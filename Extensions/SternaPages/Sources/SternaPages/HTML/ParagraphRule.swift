/// Decides which end tags of paragraphs are written.
///
/// libxml2 does not know that newer elements end a paragraph, and delivers its end behind them. A browser has no paragraph
/// open there, and would make an empty one of the end tag (HTML Standard, 13.2.6.4.7).
struct ParagraphRule {
    private struct Open {
        var name: String
        /// Whether a browser has ended it already.
        var isEnded = false
    }

    private var open: [Open] = []

    /// Notes a start tag of an element with content.
    mutating func start(_ name: String) {
        if Self.ending.contains(name) { endParagraph() }
        open.append(Open(name: name))
    }

    /// Notes an end tag; returns whether it is written.
    mutating func end(_ name: String) -> Bool {
        guard let last = open.last, last.name == name else { return true }
        open.removeLast()
        return !last.isEnded
    }

    private mutating func endParagraph() {
        for index in open.indices.reversed() {
            if open[index].name == "p" {
                open[index].isEnded = true
                return
            }
            if Self.boundaries.contains(open[index].name) { return }
        }
    }

    /// Elements that end a paragraph around them.
    private static let ending: Set<String> = [
        "address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup",
        "li",
        "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search", "section", "summary", "table", "ul",
        "xmp",
    ]

    /// Elements within which a paragraph around them stays open.
    private static let boundaries: Set<String> = [
        "applet", "button", "caption", "foreignobject", "html", "marquee", "object", "svg", "table", "td", "template",
        "th",
    ]
}
