import NIOCore
import SternaCore
import SternaSerialization

/// Something that was fetched for a page, read as far as its references need it.
struct LoadedResource: Sendable {
    enum Content: Sendable {
        case document(HTMLDocument)
        /// A style sheet in UTF-8.
        case sheet([UInt8])
        case data(Bytes)
    }

    let id: Int
    /// The URL that answered.
    let url: HTTPURL
    let mediaType: MediaType?
    let size: Int
    let content: Content
    /// The encoding of its text, in which text that it refers to is, too, if nothing else is said.
    let encoding: TextEncoding
    let location: ReferenceRule.Location

    /// Reads what was fetched; throws `limitExceeded` for a document that is too complex.
    ///
    /// - Parameters:
    ///   - kind: what it was fetched for.
    ///   - environment: the encoding of what refers to it.
    ///   - nodes: the greatest number of pieces of a document.
    init(
        _ fetched: FetchedResource, id: Int, kind: ReferenceKind, environment: TextEncoding,
        nodes: Int = HTMLParser.Limits().nodes
    ) throws(SternaError) {
        self.id = id
        url = fetched.url.replacingFragment(nil)
        mediaType = fetched.mediaType
        size = fetched.body.count
        let charset = fetched.mediaType?.charset
        switch Self.form(of: fetched.mediaType, fetched.url, for: kind) {
        case .document:
            let limits = HTMLParser.Limits(nodes: nodes)
            let document = try HTMLParser.parse(PageEncoding.html(fetched.body, charset: charset), limits: limits)
            content = .document(document)
            encoding = PageEncoding.encodingOfHTML(fetched.body, charset: charset)
            location = ReferenceRule.Location(url: fetched.url, baseReference: document.baseReference)
        case .sheet:
            content = .sheet(PageEncoding.css(fetched.body, charset: charset, environment: environment))
            encoding = .utf8
            location = ReferenceRule.Location(url: fetched.url)
        case .script:
            content = .data(PageEncoding.script(fetched.body, charset: charset, environment: environment))
            encoding = .utf8
            location = ReferenceRule.Location(url: fetched.url)
        case .data:
            content = .data(fetched.body)
            encoding = .utf8
            location = ReferenceRule.Location(url: fetched.url)
        }
    }

    /// How a resource is read.
    enum Form: Sendable, Hashable {
        case document
        case sheet
        case script
        case data
    }

    /// Decides how a resource is read: by its media type, and by what it was fetched for if the server names none.
    static func form(of type: MediaType?, _ url: HTTPURL, for kind: ReferenceKind) -> Form {
        let essence = type?.essence ?? (kind == .frame ? MediaType.ofFile(named: url.path) : "")
        switch essence {
        case "text/html", "application/xhtml+xml": return kind == .frame ? .document : .data
        case "text/css": return .sheet
        default: break
        }
        switch kind {
        case .sheet, .importedSheet: return .sheet
        case .script: return .script
        default: return .data
        }
    }

    /// The number of pieces that it has in memory as a document.
    var nodes: Int {
        if case .document(let document) = content { document.nodes.count } else { 0 }
    }

    /// The uses of references in it, in order.
    func references(_ take: (ReferenceUse) -> Void) {
        switch content {
        case .document(let document):
            _ = HTMLWalker().rewrite(document) { use in
                take(use)
                return nil
            }
        case .sheet(let bytes): for reference in CSSReferences.all(in: bytes) { take(reference.use) }
        case .data: break
        }
    }

    /// What its references lead to, each once, in order; nil for one that is too long.
    func targets(longest: Int) -> [(url: HTTPURL, kind: ReferenceKind)?] {
        var seen: Set<HTTPURL> = []
        var targets: [(url: HTTPURL, kind: ReferenceKind)?] = []
        references { use in
            switch ReferenceRule.target(use, in: location, longest: longest) {
            case .resource(let url, _): if seen.insert(url).inserted { targets.append((url, use.kind)) }
            case .tooLong: targets.append(nil)
            case .kept, .absolute: break
            }
        }
        return targets
    }
}

/// What a server answered.
struct FetchedResource: Sendable {
    var url: HTTPURL
    /// The URLs that redirected there, the requested one first.
    var redirects: [HTTPURL] = []
    var mediaType: MediaType?
    var body: Bytes
}
