/// What an attribute means for a saved page: a function of values, with a table of tests.
enum HTMLAttributeRule: Sendable, Hashable {
    /// A reference.
    case reference(ReferenceKind)
    /// Candidates of an image, each with a reference.
    case candidates
    /// Declarations of CSS.
    case style
    /// A document within the attribute.
    case document
    /// Binds what is fetched to another place; goes if a reference of the element is rewritten.
    case binding
    /// Goes in any case.
    case dropped

    /// Returns the rule for an attribute; nil for one without references.
    static func rule(for attribute: String, of element: HTMLElement) -> HTMLAttributeRule? {
        switch attribute {
        case "style": return .style
        case "src": return source(of: element.name)
        case "href", "xlink:href": return target(of: element)
        case "srcset": return ["img", "source"].contains(element.name) ? .candidates : nil
        case "imagesrcset": return element.name == "link" ? .candidates : nil
        case "poster": return element.name == "video" ? .reference(.resource) : nil
        case "background":
            return ["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"].contains(element.name)
                ? .reference(.resource) : nil
        case "data": return element.name == "object" ? .reference(.frame) : nil
        case "srcdoc": return element.name == "iframe" ? .document : nil
        case "integrity", "crossorigin": return .binding
        // An application cache, and requests that tell others of clicks.
        case "manifest": return element.name == "html" ? .dropped : nil
        case "ping": return .dropped
        case "action", "formaction", "cite", "longdesc": return .reference(.link)
        default: return nil
        }
    }

    private static func source(of element: String) -> HTMLAttributeRule? {
        switch element {
        case "img", "input", "source", "video", "audio", "track", "bgsound": .reference(.resource)
        case "script": .reference(.script)
        case "iframe", "frame", "embed": .reference(.frame)
        default: nil
        }
    }

    private static func target(of element: HTMLElement) -> HTMLAttributeRule? {
        switch element.name {
        case "link": .reference(linked(element))
        case "image", "use", "feimage": .reference(.resource)
        case "script": .reference(.script)
        case "base": nil
        default: .reference(.link)
        }
    }

    /// What a `link` element leads to (HTML Standard, 4.6.7).
    private static func linked(_ element: HTMLElement) -> ReferenceKind {
        let relations = Set(element.words(of: "rel"))
        if relations.contains("stylesheet") { return .sheet }
        if !relations.isDisjoint(with: icons) { return .resource }
        if relations.contains("modulepreload") { return .script }
        guard relations.contains("preload") else { return .link }
        switch element["as"]?.lowercased() {
        case "style": return .sheet
        case "script": return .script
        case "document", "fetch", nil: return .link
        default: return .resource
        }
    }

    private static let icons: Set<String> = [
        "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon",
        "fluid-icon",
    ]

    /// Whether an element goes because it would keep rewritten references from being used: a policy of content security.
    static func isDropped(_ element: HTMLElement) -> Bool {
        guard element.name == "meta", let name = element["http-equiv"]?.lowercased() else { return false }
        return name == "content-security-policy" || name == "x-webkit-csp" || name == "x-content-security-policy"
    }
}
