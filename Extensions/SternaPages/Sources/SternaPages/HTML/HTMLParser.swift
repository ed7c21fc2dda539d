import CSternaHTML
import SternaCore

/// Reads documents with libxml2's HTML parser.
enum HTMLParser {
    /// The limits on a document.
    struct Limits: Sendable, Hashable {
        /// The greatest length in bytes of UTF-8.
        var bytes = 48 << 20
        /// The greatest number of elements within each other.
        var depth = 512
        /// The greatest number of elements, texts and comments.
        var nodes = 2_000_000
    }

    /// Reads a document; throws `limitExceeded` for one beyond the limits.
    static func parse(_ text: String, limits: Limits = Limits()) throws(SternaError) -> HTMLDocument {
        guard text.utf8.count <= limits.bytes else {
            throw SternaError(.limitExceeded, phase: .decode, "The document has more than \(limits.bytes) bytes.")
        }
        _ = isInitialized
        // The standard replaces NUL in most places; libxml2 would end there.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte == 0 { bytes += [0xEF, 0xBF, 0xBD] } else { bytes.append(byte) }
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let collector = HTMLCollector(limits)
        let result = run(bytes, collector)
        switch result {
        case STERNA_HTML_DONE where collector.finish() == 0: return collector.document
        case _ where collector.hasTooManyNodes:
            throw SternaError(
                .limitExceeded, phase: .decode,
                "The document has more than \(limits.nodes) elements, texts and comments.")
        case STERNA_HTML_NO_MEMORY:
            throw SternaError(.limitExceeded, phase: .decode, "There is not enough memory for the document.")
        case STERNA_HTML_TOO_COMPLEX where !collector.isTooDeep:
            throw SternaError(
                .limitExceeded, phase: .decode,
                "The document has too many attributes, or too many mistakes in nested elements.")
        default:
            throw SternaError(
                .limitExceeded, phase: .decode, "The document's elements are nested more than \(limits.depth) deep.")
        }
    }

    private static let isInitialized: Bool = {
        sterna_html_initialize()
        return true
    }()

    private static func run(_ bytes: [UInt8], _ collector: HTMLCollector) -> sterna_html_result {
        // The collector outlives the call, in which alone the pointer is used.
        var events = sterna_html_events()
        events.context = Unmanaged.passUnretained(collector).toOpaque()
        events.start = { context, name, attributes in
            HTMLCollector.at(context)?.start(HTMLParser.text(name), HTMLParser.attributes(attributes)) ?? 1
        }
        events.end = { context, name in HTMLCollector.at(context)?.end(HTMLParser.text(name)) ?? 1 }
        events.text = { context, bytes, count, isRaw in
            guard let bytes else { return 0 }
            // The parser's buffer has so many bytes.
            let text = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            return HTMLCollector.at(context)?.text(String(decoding: text, as: UTF8.self), isRaw: isRaw != 0) ?? 1
        }
        events.comment = { context, text in HTMLCollector.at(context)?.add(.comment(HTMLParser.text(text))) ?? 1 }
        events.doctype = { context, name, publicID, systemID in
            HTMLCollector.at(context)?.add(
                .doctype(
                    name: HTMLParser.text(name), publicID: publicID.map { HTMLParser.text($0) },
                    systemID: systemID.map { HTMLParser.text($0) })) ?? 1
        }
        let result = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { chars in
                sterna_html_parse(chars.baseAddress, CInt(clamping: chars.count), &events)
            }
        }
        withExtendedLifetime(collector) {}
        return result
    }

    fileprivate static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }

    /// The attributes of a list that ends with NULL, each name once, as browsers have them.
    fileprivate static func attributes(
        _ list: UnsafePointer<UnsafePointer<CChar>?>?
    ) -> [HTMLAttribute] {
        guard var next = list else { return [] }
        var attributes: [HTMLAttribute] = []
        while let name = next.pointee {
            attributes.append(HTMLAttribute(name: text(name), value: next.successor().pointee.map { text($0) }))
            next += 2
        }
        return attributes
    }
}

/// Collects a document; used by one parser on one thread.
private final class HTMLCollector {
    private(set) var document = HTMLDocument()
    private(set) var hasTooManyNodes = false
    private(set) var isTooDeep = false
    private let limits: HTMLParser.Limits
    private var depth = 0
    private var pending = ""
    private var reference: [String] = []
    private var pendingIsRaw = false

    init(_ limits: HTMLParser.Limits) { self.limits = limits }

    /// The collector that a callback's pointer leads to, which `run` made of one that lives on.
    static func at(_ context: UnsafeMutableRawPointer?) -> HTMLCollector? {
        context.map { Unmanaged<HTMLCollector>.fromOpaque($0).takeUnretainedValue() }
    }

    func start(_ name: String, _ attributes: [HTMLAttribute]) -> CInt {
        let element = HTMLElement(name: name.lowercased(), attributes: attributes)
        if !element.isVoid {
            depth += 1
            guard depth <= limits.depth else {
                isTooDeep = true
                return 1
            }
        }
        return add(.start(element))
    }

    func end(_ name: String) -> CInt {
        let name = name.lowercased()
        guard !HTMLElement.void.contains(name) else { return 0 }
        depth -= 1
        return add(.end(name))
    }

    /// Joins texts that libxml2 delivers in pieces.
    ///
    /// Of a character reference that it does not know, it delivers the ampersand, the name and what follows one by one.
    func text(_ text: String, isRaw: Bool) -> CInt {
        if pendingIsRaw != isRaw, flush() != 0 { return 1 }
        pendingIsRaw = isRaw
        switch reference.count {
        case 0 where !isRaw && text == "&", 1 where Self.isReferenceName(text):
            reference.append(text)
            return 0
        case 2 where text.utf8.first == UInt8(ascii: ";"):
            let name = reference[1]
            reference = []
            guard flush() == 0, append(.reference(name)) == 0 else { return 1 }
            pending = String(text.dropFirst())
            return 0
        default:
            pending += reference.joined()
            reference = []
            guard !isRaw, text == "&" else {
                pending += text
                return 0
            }
            reference = [text]
            return 0
        }
    }

    private static func isReferenceName(_ text: String) -> Bool {
        text.utf8.count <= 40
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
    }

    private func flush() -> CInt {
        pending += reference.joined()
        reference = []
        guard !pending.isEmpty else { return 0 }
        let text = pending
        pending = ""
        return append(pendingIsRaw ? .raw(text) : .text(text))
    }

    /// Adds the text that is left.
    func finish() -> CInt { flush() }

    func add(_ node: HTMLNode) -> CInt { flush() != 0 ? 1 : append(node) }

    private func append(_ node: HTMLNode) -> CInt {
        guard document.nodes.count < limits.nodes else {
            hasTooManyNodes = true
            return 1
        }
        document.nodes.append(node)
        return 0
    }
}
