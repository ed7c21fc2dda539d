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
        case .json where style.isIndented || style.isColoured: try await writeJSON(first, &chunks)
        case .json, .text: try await writeText(first, &chunks, charset: mediaType?.charset)
        }
    }

    private func pass(_ first: Bytes?, _ chunks: inout ResponseBody.Iterator) async throws {
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
        _ first: Bytes, _ chunks: inout ResponseBody.Iterator, charset: String?
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

    private func writeJSON(_ first: Bytes, _ chunks: inout ResponseBody.Iterator) async throws {
        var all = first
        var failure: (any Error)?
        do {
            while all.readableBytes <= Self.laidOutBytes, var chunk = try await chunks.next() {
                all.writeBuffer(&chunk)
            }
        } catch {
            failure = error
        }
        // The part before a failure is shown all the same.
        guard failure == nil, all.readableBytes <= Self.laidOutBytes, (try? JSON(parsing: all.readableBytesView)) != nil
        else {
            if let failure {
                var none = ResponseBody().makeAsyncIterator()
                try await writeText(all, &none, charset: nil)
                throw failure
            }
            return try await writeText(all, &chunks, charset: nil)
        }
        let text = JSONText.render(all.text, indented: style.isIndented, coloured: style.isColoured)
        try output.write(text.hasSuffix("\n") ? text : text + "\n")
    }
}

/// The kind of a body, for display.
enum BodyKind: Hashable, Sendable {
    case json, text, binary

    /// Detects the kind from the media type and the start of the body.
    static func of(_ mediaType: MediaType?, start: Bytes) -> BodyKind {
        let bytes = Array(start.readableBytesView.prefix(64 << 10))
        if bytes.contains(0) { return .binary }
        let essence = mediaType?.essence ?? ""
        if essence == "application/json" || essence.hasSuffix("+json") || essence == "text/json" { return .json }
        if essence.hasPrefix("text/") || essence.hasSuffix("+xml") || essence == "application/xml" { return .text }
        // A sequence cut at the end of the start is not invalid.
        let complete = bytes.count - TerminalText.incompleteSuffix(bytes)
        return String(validating: bytes[..<complete], as: UTF8.self) == nil ? .binary : .text
    }
}
