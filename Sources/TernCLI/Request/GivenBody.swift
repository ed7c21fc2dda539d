import NIOCore
import Sterna

/// A body that options give as a whole.
struct GivenBody: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case text(String)
        case file(String)
        case standardInput
        /// Texts that are joined by `&`.
        case pieces([DataPiece])
        case form([FormPart])
    }

    var source: Source
    var mediaType: String?

    /// The name of the option in messages.
    var option: String {
        switch source {
        case .form: "-F"
        case .file where mediaType == nil, .standardInput where mediaType == nil: "-T"
        case .text, .file, .standardInput, .pieces: "--data"
        }
    }

    /// Returns the body of texts; nil without any.
    init?(_ pieces: [DataPiece], mediaType: String) {
        self.mediaType = mediaType
        guard let first = pieces.first else { return nil }
        guard pieces.count == 1, first.isPlain else {
            source = .pieces(pieces)
            return
        }
        switch first.source {
        case .text(let text): source = .text(text)
        case .file(let path): source = .file(path)
        case .standardInput: source = .standardInput
        }
    }

    init(source: Source, mediaType: String?) {
        self.source = source
        self.mediaType = mediaType
    }

    /// Returns the texts, read and joined. Throws `fileUnreadable`.
    static func joined(_ pieces: [DataPiece]) async throws -> [UInt8] {
        var all: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { all.append(UInt8(ascii: "&")) }
            all += piece.sent(try await piece.source.content())
        }
        return all
    }

    /// Returns a form of parts; nil without any. Throws `fileUnreadable`.
    static func form(_ parts: [FormPart]) async throws -> Body? {
        var form = MultipartForm()
        for part in parts {
            let (name, type, fileName) = (part.name, part.mediaType, part.fileName)
            switch part.content {
            case .text(let text):
                form.append(Bytes(text: text), name: name, fileName: fileName, mediaType: type)
            case .textOf(let source):
                form.append(Bytes(bytes: try await source.content()), name: name, fileName: fileName, mediaType: type)
            case .file(.file(let path)): form.append(file: path, name: name, fileName: fileName, mediaType: type)
            case .file(let source):
                form.append(
                    Bytes(bytes: try await source.content()), name: name, fileName: fileName ?? "-",
                    mediaType: type ?? "application/octet-stream")
            }
        }
        return try form.body()
    }
}

extension DataPiece {
    /// Whether the content is sent as it is.
    fileprivate var isPlain: Bool { !isEncoded && !dropsLineEnds }
}

extension DataPiece.Source {
    /// Returns the content; throws `fileUnreadable`.
    func content() async throws -> [UInt8] {
        switch self {
        case .text(let text): return Array(text.utf8)
        case .file(let path): return try ItemFile.bytes(path)
        case .standardInput: return try await StandardInput(patience: nil).content(upTo: ItemFile.longest)
        }
    }
}

extension GivenBody {
    /// Whether standard input is a part of the body.
    var readsInput: Bool {
        switch source {
        case .standardInput: true
        case .text, .file: false
        case .pieces(let pieces): pieces.contains { $0.source == .standardInput }
        case .form(let parts): parts.contains(where: \.readsInput)
        }
    }
}

extension FormPart {
    /// Whether standard input is the content.
    var readsInput: Bool {
        switch content {
        case .file(let source), .textOf(let source): source == .standardInput
        case .text: false
        }
    }
}
