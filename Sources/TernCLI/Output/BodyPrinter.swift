import NIOCore
import Sterna

/// Writes a response's body to standard output, unchanged or formatted for reading.
struct BodyPrinter: Sendable {
    /// The longest JSON body, in bytes, that is formatted as a whole; a longer one is passed on as text.
    static let laidOutBytes = 8 << 20

    var style: OutputStyle
    var output = Descriptor.standardOutput
    var progress: ProgressDisplay

    /// Writes the body; throws `OutputError`, or an error of the body's transfer.
    func write(_ response: Response) async throws {
        var chunks = response.body.makeAsyncIterator()
        guard !style.isRaw else { return try await pass(nil, &chunks) }
        guard let first = try await chunks.next() else { return }
        let mediaType = response.mediaType
        switch BodyKind.of(mediaType, start: first) {
        case .binary where style.isTerminal: try notice(response.body.length)
        case .binary: try await pass(first, &chunks)
        case .json where style.isIndented || style.isColoured:
            try await writeWhole(first, &chunks, charset: mediaType?.charset) { json($0, mediaType?.charset) }
        case .xml where style.isIndented || style.isColoured:
            let charset = mediaType?.charset ?? XMLText.charset(first)
            try await writeWhole(first, &chunks, charset: charset) { xml($0, charset) }
        case .json, .xml, .text: try await writeText(first, &chunks, charset: mediaType?.charset)
        }
    }

    private func pass(_ first: Bytes?, _ chunks: inout ResponseBody.AsyncIterator) async throws {
        if let first { try output.write(first) }
        while let chunk = try await chunks.next() {
            try output.write(chunk)
            progress.add(chunk.readableBytes)
        }
    }

    private func notice(_ length: Int64?) throws {
        let amount = length.map { ", \($0) bytes" } ?? ""
        try output.write(Colour.dim.wrap("(binary data\(amount); use -o FILE)", if: style.isColoured) + "\n")
    }

    private func writeText(
        _ first: Bytes, _ chunks: inout ResponseBody.AsyncIterator, charset: String?
    ) async throws {
        guard style.isTerminal else { return try await pass(first, &chunks) }
        var text = TerminalText(charset: charset)
        var endsLine = try show(text.feed(first)) ?? true
        while let chunk = try await chunks.next() { endsLine = try show(text.feed(chunk)) ?? endsLine }
        endsLine = try show(text.finish()) ?? endsLine
        if !endsLine { try output.write("\n") }
    }

    /// Writes a text. Returns whether it ends a line, or nil if it is empty.
    private func show(_ text: String) throws -> Bool? {
        try output.write(text)
        return text.isEmpty ? nil : text.utf8.last == UInt8(ascii: "\n")
    }

    /// Returns JSON formatted for reading; nil if it is invalid.
    private func json(_ bytes: Bytes, _ charset: String?) -> String? {
        var text = bytes.text
        if let charset, charset != "utf-8" {
            text = CharsetDecoder.text(bytes, charset: charset)
        } else if charset == nil, String(validating: bytes.readableBytesView, as: UTF8.self) == nil {
            // JSON is UTF-8 (RFC 8259, 8.1); other JSON without a charset is usually Latin-1.
            text = CharsetDecoder.text(bytes, charset: "windows-1252")
        }
        guard (try? JSON(parsing: text)) != nil else { return nil }
        return JSONText.render(text, indented: style.isIndented, coloured: style.isColoured)
    }

    /// Returns XML formatted for reading; nil if it is not well-formed.
    private func xml(_ bytes: Bytes, _ charset: String?) -> String? {
        XMLText.render(
            CharsetDecoder.text(bytes, charset: charset), indented: style.isIndented, coloured: style.isColoured)
    }

    /// Writes a body as a whole in its rendered form, or as text if there is none.
    private func writeWhole(
        _ first: Bytes, _ chunks: inout ResponseBody.AsyncIterator, charset: String?, _ render: (Bytes) -> String?
    ) async throws {
        var all = first
        var failure: (any Error)?
        do {
            while all.readableBytes <= Self.laidOutBytes, var chunk = try await chunks.next() {
                all.writeBuffer(&chunk)
            }
        } catch {
            failure = error
        }
        // The part before a failure is shown, too.
        guard failure == nil, all.readableBytes <= Self.laidOutBytes, let text = render(all) else {
            if let failure {
                var none = ResponseBody().makeAsyncIterator()
                try await writeText(all, &none, charset: charset)
                throw failure
            }
            return try await writeText(all, &chunks, charset: charset)
        }
        try output.write(text.hasSuffix("\n") ? text : text + "\n")
    }
}

/// The kind of a body, for display.
enum BodyKind: Hashable, Sendable {
    case json, xml, text, binary

    /// Detects the kind from the media type and the start of the body.
    static func of(_ mediaType: MediaType?, start: Bytes) -> BodyKind {
        let bytes = Array(start.readableBytesView.prefix(64 << 10))
        let charset = mediaType?.charset
        if bytes.contains(0), !CharsetDecoder.hasZeros(charset) { return .binary }
        let essence = mediaType?.essence ?? ""
        if essence == "application/json" || essence.hasSuffix("+json") || essence == "text/json" { return .json }
        if essence.hasSuffix("+xml") || essence == "application/xml" || essence == "text/xml" { return .xml }
        if essence.hasPrefix("text/") { return .text }
        if let charset, let encoding = TextEncoding(label: charset), encoding != .utf8 { return .text }
        // A sequence cut at the end of the start is not invalid.
        let complete = bytes.count - TerminalText.incompleteSuffix(bytes)
        return String(validating: bytes[..<complete], as: UTF8.self) == nil ? .binary : .text
    }
}
