import SternaPlatform

/// What a child did.
public struct MutationReport: Sendable, CustomStringConvertible {
    /// Why the run failed, with the input; nil where it did not.
    public let failure: String?

    /// One line with the seed and the figures, and the failure behind it.
    public let description: String

    init(name: String, failure: String) {
        self.failure = failure
        description = "Mutations of \(name): \(failure)"
    }

    init(_ record: MutationRecord, name: String, path: String) {
        let percent = record.executions == 0 ? 0 : 100 * record.accepted / record.executions
        let line =
            "Mutations of \(name): seed \(record.seed), \(record.executions) executions, \(percent)% accepted, "
            + "\(record.nanoseconds / 1_000_000) ms of processor time"
        if record.state == .done {
            unlink(path)
            unlink(path + ".stderr")
            failure = nil
            description = line
            return
        }
        let reason =
            switch record.state {
            case .waiting: "The child did not begin."
            case .running: "The process ended while it read this input."
            case .failed: record.message
            case .hung: "This input was not read in time: \(record.message)"
            case .done: ""
            }
        let input = record.input
        let kept = path + ".input"
        let file = open(kept, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        if file >= 0 {
            _ = write(file, input, input.count)
            close(file)
        }
        let errors = MutationSettings.read(path + ".stderr", limit: 2_000).map { String(decoding: $0, as: UTF8.self) }
        unlink(path)
        unlink(path + ".stderr")
        let failure = """
            \(reason)
            Input of \(input.count) bytes, kept in \(kept); repeat with STERNA_MUTATION_INPUT=\(kept):
            \(Self.escaped(input))
            \(errors ?? "")
            """
        self.failure = failure
        description = line + "\n" + failure
    }

    /// The bytes as a Swift literal, in part where they are many.
    private static func escaped(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes.prefix(2_000) {
            switch byte {
            case 0x5C: text += "\\\\"
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return bytes.count > 2_000 ? text + "…" : text
    }
}
