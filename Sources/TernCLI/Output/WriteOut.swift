import HTTPTypes
import Sterna
import SternaPlatform

extension WriteOutTemplate {
    /// Reads the template of `--write-out`: the text itself, or that of `@file` or `@-`.
    ///
    /// Throws `UsageError` for a file that cannot be read.
    static func read(_ text: String) throws(UsageError) -> WriteOutTemplate {
        guard text.hasPrefix("@") else { return WriteOutTemplate(text) }
        let path = String(text.dropFirst())
        guard let content = content(of: path) else {
            throw UsageError(
                "The file “\(path)” of --write-out cannot be read: \(String(cString: strerror(errno))).",
                status: ExitStatus.code(for: .fileUnreadable))
        }
        // As in curl, the ends of lines are for the editor; \n is one in the output.
        return WriteOutTemplate(String(decoding: content.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self))
    }

    /// Returns the content of a file or of standard input; nil with errno if it cannot be read.
    private static func content(of path: String) -> [UInt8]? {
        let number = path == "-" ? StandardInput.number : SternaPlatform.open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        var (all, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = SternaPlatform.read(number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            let reason = errno
            if count > 0 {
                all.append(contentsOf: chunk[..<count])
                continue
            }
            if path != "-" { SternaPlatform.close(number) }
            errno = reason
            return count == 0 ? all : nil
        }
    }
}

/// Writes the text of `--write-out` for a transfer.
///
/// On a terminal control characters in values are replaced, and secrets are `***`; files and pipes get the values unchanged.
struct WriteOut {
    private enum Output {
        case standard(Descriptor, Terminal)
        case file(Descriptor)
    }

    private let facts: TransferRecord.Facts
    private let showsSecrets: Bool
    private var output = Output.standard(.standardOutput, .standardOutput)
    private var text = ""

    private init(_ facts: TransferRecord.Facts, showsSecrets: Bool) {
        self.facts = facts
        self.showsSecrets = showsSecrets
    }

    /// Writes a template's text for a transfer that has ended; throws `OutputError`.
    static func write(_ template: WriteOutTemplate, _ record: TransferRecord, showsSecrets: Bool) throws(OutputError) {
        var writer = WriteOut(record.facts, showsSecrets: showsSecrets)
        defer { writer.close() }
        try writer.write(template)
    }

    private mutating func write(_ template: WriteOutTemplate) throws(OutputError) {
        for piece in template.pieces {
            switch piece {
            case .text(let literal): text += literal
            case .variable(let variable): text += shown(variable)
            case .unknown(let name):
                ErrorLine.show(TerminalText.line("unknown --write-out variable: '\(name)'; docs/Tern.md lists them."))
            case .header(let name): text += header(name)
            case .headerJSON: text += headerJSON()
            case .json: text += json()
            case .standardOutput: try change(to: .standard(.standardOutput, .standardOutput))
            case .standardError: try change(to: .standard(.standardError, .standardError))
            case .file(let path, let appends): try open(path, appends: appends)
            case .onError where facts.status == ExitStatus.success: return try flush()
            case .onError: break
            }
        }
        try flush()
    }

    // MARK: Outputs

    private var isTerminal: Bool {
        if case .standard(_, let terminal) = output { terminal.isTerminal } else { false }
    }

    private mutating func flush() throws(OutputError) {
        defer { text = "" }
        guard !text.isEmpty else { return }
        switch output {
        case .standard(let descriptor, _), .file(let descriptor): try descriptor.write(text)
        }
    }

    private mutating func change(to other: Output) throws(OutputError) {
        try flush()
        close()
        output = other
    }

    // As in curl, a file that cannot be opened leaves the output as it is; here with a warning.
    private mutating func open(_ path: String, appends: Bool) throws(OutputError) {
        let number = SternaPlatform.open(
            path, O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : O_TRUNC), 0o666)
        guard number >= 0 else {
            let reason = String(cString: strerror(errno))
            return printError("Warning: %output{\(path)} of --write-out cannot be opened: \(reason).")
        }
        try change(to: .file(Descriptor(number: number, name: path)))
    }

    private mutating func close() {
        if case .file(let descriptor) = output { SternaPlatform.close(descriptor.number) }
        output = .standard(.standardOutput, .standardOutput)
    }

    // MARK: Values

    private func shown(_ variable: WriteOutVariable) -> String {
        switch variable.value(facts) {
        case .text(let text): return safe(text ?? "", in: variable)
        case .number(let number): return "\(number)"
        case .status(let code): return String(String(1_000 + code).dropFirst())
        case .time(let duration): return TransferTimes.text(duration)
        }
    }

    private func safe(_ text: String, in variable: WriteOutVariable) -> String {
        guard isTerminal else { return text }
        guard !showsSecrets else { return TerminalText.line(text) }
        switch variable {
        case .url, .effectiveURL, .redirectURL, .referer: return TerminalText.line(Redaction.show(reference: text))
        default: return TerminalText.line(text)
        }
    }

    /// Returns the first value of a field, which may be a secret.
    private func header(_ name: String) -> String {
        let name = name.lowercased()
        guard let field = facts.head?.headers.first(where: { $0.name.canonicalName == name }) else { return "" }
        return safe(field)
    }

    private func safe(_ field: HTTPField) -> String {
        guard isTerminal else { return field.value }
        return TerminalText.line(showsSecrets ? field.value : Redaction.shown(field.name.rawName, field.value))
    }

    private func headerJSON() -> String {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in facts.head.map({ Array($0.headers) }) ?? [] {
            let name = field.name.canonicalName
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(safe(field))
        }
        let lines = names.map { name in
            "\(Self.quoted(name)):[" + (values[name] ?? []).map(Self.quoted).joined(separator: ",") + "]"
        }
        return "{" + lines.joined(separator: ",\n") + "\n}"
    }

    private func json() -> String {
        let members = WriteOutVariable.allCases.map { variable in
            let value: String
            switch variable.value(facts) {
            case .text(let text): value = text.map { Self.quoted(safe($0, in: variable)) } ?? "null"
            case .number(let number): value = "\(number)"
            case .status(let code): value = "\(code)"
            case .time(let duration): value = TransferTimes.text(duration)
            }
            return "\"\(variable.rawValue)\":\(value)"
        }
        return "{" + members.joined(separator: ",") + ",\"tern_version\":\(Self.quoted(Session.libraryVersion))}"
    }

    /// Returns a text as a string of JSON.
    static func quoted(_ text: String) -> String { JSON.string(text).description }
}
