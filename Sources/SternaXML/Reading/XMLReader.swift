import Foundation
import NIOCore
import Sterna

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads a document with Foundation's parser and passes on its events.
///
/// No reader outlives ``read(_:limits:_:)``.
final class XMLReader: NSObject, XMLParserDelegate {
    private let limits: XMLLimits
    private let document: [UInt8]
    private var handler: ((XMLEvent) throws -> Void)?
    private var tags: MarkupScanner
    private var text = ""
    private var cdata: [UInt8]?
    private var open: [(name: String, namespaces: Int)] = []
    private var namespaces = 0
    private var elements = 0
    private var failure: (any Error)?

    private init(_ document: [UInt8], limits: XMLLimits, handler: @escaping (XMLEvent) throws -> Void) {
        self.document = document
        self.limits = limits
        self.handler = handler
        tags = MarkupScanner(document)
    }

    /// Reads the UTF-8 of ``XMLSource``. Throws `SternaError`, or the handler's error.
    static func read(_ source: [UInt8], limits: XMLLimits, _ handler: (XMLEvent) throws -> Void) throws {
        let document: [UInt8]
        do {
            document = try XMLPreparation.prepare(source, limits: limits)
        } catch {
            throw error.error(in: source)
        }
        try withoutActuallyEscaping(handler) { handler in
            let reader = XMLReader(document, limits: limits, handler: handler)
            defer { reader.handler = nil }
            try reader.run()
        }
    }

    private func run() throws {
        // The parser refuses data of more than 10,000,000 bytes, but reads a stream in pieces. It reads nothing of a stream with
        // less than 4 bytes, and reports no error for it.
        let padding = Array(repeating: UInt8.space, count: max(4 - document.count, 0))
        let parser = XMLParser(stream: InputStream(data: Data(document + padding)))
        parser.delegate = self
        parser.shouldProcessNamespaces = false
        parser.shouldReportNamespacePrefixes = false
        parser.shouldResolveExternalEntities = false
        let isDone = parser.parse()
        parser.delegate = nil
        if let failure { throw failure }
        // The parser may report success despite errors, and failure without an error.
        if let error = parser.parserError { throw described(error, parser) }
        guard isDone, open.isEmpty, elements > 0 else {
            throw described("there is no root element, or it is not closed; \(XMLReason.truncated)", parser)
        }
    }

    // MARK: Passing on

    private func pass(_ event: XMLEvent, _ parser: XMLParser) {
        guard failure == nil, let handler else { return }
        do {
            try handler(event)
        } catch {
            stop(error, parser)
        }
    }

    /// Keeps the first failure; the parser may still call its delegate after it was stopped.
    private func stop(_ error: any Error, _ parser: XMLParser) {
        guard failure == nil else { return }
        failure = error
        parser.abortParsing()
    }

    private func finishText(_ parser: XMLParser) {
        if let bytes = cdata {
            cdata = nil
            pass(.cdata(String(decoding: bytes, as: UTF8.self)), parser)
        }
        if !text.isEmpty {
            let whole = text
            text = ""
            pass(.text(whole), parser)
        }
    }

    private func described(_ reason: String, kind: SternaError.Kind = .decodingFailed, _ parser: XMLParser)
        -> SternaError
    {
        // After a failure the parser may have no line.
        XMLFailure.error(
            kind, line: max(parser.lineNumber, 1), column: max(parser.columnNumber, 1), within: open.last?.name, reason)
    }

    private func described(_ error: any Error, _ parser: XMLParser) -> SternaError {
        described(XMLReason.text(code: (error as NSError).code), parser)
    }

    // MARK: XMLParserDelegate

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        finishText(parser)
        guard failure == nil else { return }
        elements += 1
        let declared = attributes.keys.count { $0 == "xmlns" || $0.hasPrefix("xmlns:") }
        namespaces += declared
        guard open.count < limits.depth else {
            return stop(beyond("elements are nested deeper than", limits.depth, "levels", "depth", parser), parser)
        }
        guard elements <= limits.elements else {
            return stop(beyond("there are more than", limits.elements, "elements", "elements", parser), parser)
        }
        guard namespaces <= limits.namespaces else {
            return stop(
                beyond("there are more than", limits.namespaces, "namespaces at a time", "namespaces", parser), parser)
        }
        open.append((elementName, declared))
        pass(.start(elementName, ordered(attributes, of: elementName)), parser)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        finishText(parser)
        guard failure == nil, let last = open.popLast() else { return }
        namespaces -= last.namespaces
        pass(.end(elementName), parser)
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if cdata != nil { finishText(parser) }
        if failure == nil { text += string }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if !text.isEmpty { finishText(parser) }
        guard failure == nil else { return }
        if cdata == nil { cdata = [] }
        cdata?.append(contentsOf: block)
    }

    func parser(_ parser: XMLParser, foundComment comment: String) {
        finishText(parser)
        pass(.comment(comment), parser)
    }

    func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
        finishText(parser)
        pass(.instruction(target: target, data: data ?? ""), parser)
    }

    // After an error the parser would continue with content that may differ from the checked one.
    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        stop(described(parseError, parser), parser)
    }

    // MARK: Attributes

    /// Returns the attributes in document order; the parser has no order.
    private func ordered(_ attributes: [String: String], of element: String) -> XMLAttributes {
        let names = namesInNextTag(of: element)
        guard names.count == attributes.count else { return XMLAttributes(sorting: attributes) }
        var result = XMLAttributes()
        for name in names {
            guard let value = attributes[name] else { return XMLAttributes(sorting: attributes) }
            result.append(name, value)
        }
        return result
    }

    private func namesInNextTag(of element: String) -> [String] {
        while let markup = try? tags.next() {
            guard markup.kind == .startTag else { continue }
            guard document[MarkupScanner.name(of: markup.range, in: document)].elementsEqual(element.utf8) else {
                return []
            }
            return MarkupScanner.attributeNames(of: markup.range, in: document).map {
                String(decoding: document[$0], as: UTF8.self)
            }
        }
        return []
    }

    private func beyond(
        _ what: String, _ limit: Int, _ unit: String, _ setting: String, _ parser: XMLParser
    ) -> SternaError {
        described("\(what) \(limit) \(unit). Raise XMLLimits.\(setting) for more.", kind: .limitExceeded, parser)
    }
}
