import ArgumentParser
import Sterna

/// Options for a body, with curl's names and meanings, in addition to `--data`.
struct DataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("As --data, but @ has no meaning.", valueName: "text"))
    var dataRaw: [String] = []

    @Option(
        help: ArgumentHelp("As --data, but the line ends of a file are sent, too.", valueName: "text|@file"))
    var dataBinary: [String] = []

    @Option(
        help: ArgumentHelp(
            "As --data, encoded for a form: text, =text, name=text, @file or name@file.", valueName: "text"))
    var dataUrlencode: [String] = []

    @Option(
        help: ArgumentHelp(
            "Add a field to the URL's query, encoded as --data-urlencode does it; +text is added as it is.",
            valueName: "name=text"))
    var urlQuery: [String] = []

    @Flag(
        name: [.customShort("G"), .customLong("get")],
        help: "Send the text of --data and the like as the URL's query, by GET.")
    var get = false

    @Option(
        name: [.customShort("F", allowingJoined: true), .customLong("form-part")],
        help: ArgumentHelp(
            "A part of a form, multipart/form-data: name=text, name=@file or name=<file, with ;type= and ;filename=.",
            valueName: "name=text"))
    var parts: [String] = []

    @Option(help: ArgumentHelp("As -F, but @, < and ; have no meaning.", valueName: "name=text"))
    var formString: [String] = []

    @Option(
        name: [.customShort("T", allowingJoined: true), .customLong("upload-file")],
        help: ArgumentHelp(
            "Send this file, or - for standard input, by PUT; to a URL that ends in a slash under the file's name.",
            valueName: "file"))
    var upload: String?

    /// The kinds of the texts in the order in which they were written, a letter each; the parser keeps one list for each option.
    @Option(name: .customLong("data-order"), help: .hidden)
    var order: String?

    func validate() throws {
        _ = try formParts()
        if upload?.isEmpty == true { throw ValidationError("-T takes the path of a file, or - for standard input.") }
        if get, !parts.isEmpty || !formString.isEmpty || upload != nil {
            throw ValidationError("-G sends --data as the query; -F and -T are bodies. Leave out one of them.")
        }
        if upload != nil, !parts.isEmpty || !formString.isEmpty {
            throw ValidationError("-F and -T exclude each other: each is the whole body.")
        }
    }

    /// Whether an option gives a text.
    var hasTexts: Bool { !dataRaw.isEmpty || !dataBinary.isEmpty || !dataUrlencode.isEmpty }

    /// Whether an option gives a form.
    var hasParts: Bool { !parts.isEmpty || !formString.isEmpty }

    /// Returns the texts with those of `--data`, in the order in which they were written.
    func pieces(with data: [String]) -> [DataPiece] {
        guard !data.isEmpty || hasTexts else { return [] }
        var lists: [DataPiece.Kind: ArraySlice<String>] = [
            .text: data[...], .raw: dataRaw[...], .binary: dataBinary[...], .encoded: dataUrlencode[...],
        ]
        let written = (order ?? "").compactMap { DataPiece.Kind(rawValue: $0) }
        var pieces: [DataPiece] = []
        for kind in written {
            guard let next = lists[kind]?.popFirst() else { continue }
            pieces.append(DataPiece(kind, next))
        }
        for kind in DataPiece.Kind.allCases {
            pieces += (lists[kind] ?? []).map { DataPiece(kind, $0) }
        }
        return pieces
    }

    /// The texts of `--url-query`.
    var queryPieces: [DataPiece] {
        urlQuery.map { $0.hasPrefix("+") ? DataPiece(.raw, String($0.dropFirst())) : DataPiece(.encoded, $0) }
    }

    /// Returns the parts of the form, in the order in which they were written. Throws `ValidationError` for a part without a name.
    func formParts() throws -> [FormPart] {
        var (parsed, plain) = (parts[...], formString[...])
        var result: [FormPart] = []
        for letter in order ?? "" {
            switch letter {
            case "F": if let next = parsed.popFirst() { result.append(try FormPart(next)) }
            case "s": if let next = plain.popFirst() { result.append(try FormPart(plain: next)) }
            default: break
            }
        }
        result += try parsed.map { try FormPart($0) }
        result += try plain.map { try FormPart(plain: $0) }
        return result
    }
}

/// A text of `--data` or a similar option.
struct DataPiece: Hashable, Sendable {
    /// The option that gives it; the letters are those of `--data-order`.
    enum Kind: Character, CaseIterable, Sendable {
        case text = "d"
        case raw = "r"
        case binary = "b"
        case encoded = "u"
    }

    /// Where the content comes from.
    enum Source: Hashable, Sendable {
        case text(String)
        case file(String)
        case standardInput

        init(path: Substring) { self = path == "-" ? .standardInput : .file(String(path)) }
    }

    var source: Source
    /// The encoded name with its equals sign, before the content; empty for none.
    var lead = ""
    /// Whether line ends are left out of the content.
    var dropsLineEnds = false
    /// Whether the content is encoded for a form.
    var isEncoded = false

    init(_ kind: Kind, _ value: String) {
        switch kind {
        case .raw: source = .text(value)
        case .text, .binary:
            guard value.hasPrefix("@") else {
                source = .text(value)
                return
            }
            source = Source(path: value.dropFirst())
            dropsLineEnds = kind == .text
        case .encoded:
            isEncoded = true
            // As in curl, the first = or @ ends the name, which is sent as it is.
            guard let end = value.firstIndex(where: { $0 == "=" || $0 == "@" }) else {
                source = .text(value)
                return
            }
            let rest = value[value.index(after: end)...]
            if end > value.startIndex { lead = "\(value[..<end])=" }
            source = value[end] == "=" ? .text(String(rest)) : Source(path: rest)
        }
    }

    /// Returns what is sent of the content.
    func sent(_ content: [UInt8]) -> [UInt8] {
        if isEncoded { return Array(lead.utf8) + Self.encoded(content) }
        guard dropsLineEnds else { return content }
        // As in curl, which leaves out null bytes, too.
        return content.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    }

    /// Encodes bytes as curl's `--data-urlencode` does: everything but letters, digits, `-`, `.`, `_` and `~`; a space is `+`.
    private static func encoded(_ content: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        for byte in content {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
            case 0x20: result.append(0x2B)
            default: result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return result
    }
}

/// A part of a form, as curl's `-F` writes it.
struct FormPart: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case text(String)
        /// The text of a file, sent as a field without a file name.
        case textOf(DataPiece.Source)
        case file(DataPiece.Source)
    }

    var name: String
    var content: Content
    var mediaType: String?
    var fileName: String?

    /// Parses `name=text`, `name=@file;type=text/csv;filename=b.csv`, `name=<file`. A value in double quotes may contain
    /// semicolons. Throws `ValidationError`, also for text after the closing quote, which would be lost.
    init(_ text: String) throws {
        var rest: Substring
        (name, rest) = try Self.split(text)
        let mark = rest.first
        if mark == "@" || mark == "<" { rest.removeFirst() }
        // As in curl.
        rest = rest.drop { $0 == " " || $0 == "\t" }
        let value = Self.value(&rest)
        switch mark {
        case "@": content = .file(try Self.source(value, name))
        case "<": content = .textOf(try Self.source(value, name))
        default: content = .text(value)
        }
        while rest.first == ";" {
            rest.removeFirst()
            let key = rest.prefix { $0 != "=" && $0 != ";" }.drop { $0 == " " }.lowercased()
            guard rest.drop(while: { $0 != "=" && $0 != ";" }).first == "=" else {
                throw ValidationError(
                    "-F \(name)=… has “;\(key)”, which is neither ;type= nor ;filename=; write the value in double quotes if it has a semicolon."
                )
            }
            rest = rest.drop { $0 != "=" }.dropFirst()
            switch key {
            case "type": mediaType = Self.mediaType(&rest)
            case "filename": fileName = Self.value(&rest)
            default:
                throw ValidationError(
                    "-F \(name)=… has “;\(key)=”, but only ;type= and ;filename= are supported; write the value in double quotes if it has a semicolon."
                )
            }
        }
        guard rest.allSatisfy({ $0 == " " }) else {
            // The text may be secret.
            throw ValidationError(
                "-F \(name)=… has text after a closing quote; write \\\" for a quote in a value, or use --form-string.")
        }
    }

    /// Makes a part of `--form-string`. Throws `ValidationError` for one without a name.
    init(plain text: String) throws {
        let (name, rest) = try Self.split(text)
        self.name = name
        content = .text(String(rest))
    }

    private static func split(_ text: String) throws -> (String, Substring) {
        guard let end = text.firstIndex(of: "="), end > text.startIndex else {
            // The text may be secret.
            throw ValidationError("-F takes a name, an equals sign and a value, as in -F name=text or -F name=@file.")
        }
        return (String(text[..<end]), text[text.index(after: end)...])
    }

    private static func source(_ path: String, _ name: String) throws -> DataPiece.Source {
        guard !path.isEmpty else { throw ValidationError("-F \(name)=@ names no file; write -F \(name)=@FILE.") }
        return DataPiece.Source(path: path[...])
    }

    /// Takes a value up to a semicolon, or one in double quotes.
    private static func value(_ rest: inout Substring) -> String {
        if rest.first == "\"" {
            var quoted = ""
            var tail = rest.dropFirst()
            while let character = tail.popFirst() {
                if character == "\"" {
                    rest = tail
                    return quoted
                }
                if character == "\\", let next = tail.first, next == "\"" || next == "\\" {
                    tail.removeFirst()
                    quoted.append(next)
                } else {
                    quoted.append(character)
                }
            }
        }
        let value = rest.prefix { $0 != ";" }
        rest = rest[value.endIndex...]
        return String(value)
    }

    /// Takes a media type with its parameters, which end where `;filename=` begins.
    private static func mediaType(_ rest: inout Substring) -> String {
        var type = value(&rest)
        while rest.first == ";", !rest.dropFirst().drop(while: { $0 == " " }).lowercased().hasPrefix("filename=") {
            rest.removeFirst()
            type += ";" + value(&rest)
        }
        return type
    }
}
