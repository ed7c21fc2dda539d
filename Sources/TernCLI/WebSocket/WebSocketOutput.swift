import NIOCore
import Sterna
import SternaPlatform

/// How the messages of a WebSocket are printed.
enum WebSocketOutput: Sendable {
    /// Text messages as lines.
    case lines
    /// Each message as a line of JSON.
    case json
    /// Each message as it is.
    case binary

    /// Prints a message on standard output. A binary message that is not printed is a note on standard error, unless `isSilent`.
    func show(_ message: WebSocket.Message, at time: Date, isSilent: Bool) throws {
        let output = Descriptor.standardOutput
        let isTerminal = Terminal.standardOutput.isTerminal
        switch (self, message) {
        case (.json, _):
            let line = Self.line(message, at: time)
            try output.write((isTerminal ? TerminalText.block(line) : line) + "\n")
        case (.binary, .text(let text)) where !isTerminal: try output.write(text)
        case (_, .text(let text)): try output.write((isTerminal ? TerminalText.block(text) : text) + "\n")
        case (.binary, .binary(let bytes)) where !isTerminal: try output.write(bytes)
        case (_, .binary(let bytes)):
            guard !isSilent else { return }
            printError("(\(Self.size(bytes)) of binary data\(isTerminal ? "" : "; --binary writes them, and --json"))")
        }
    }

    private static func size(_ bytes: Bytes) -> String {
        bytes.readableBytes == 1 ? "1 byte" : "\(bytes.readableBytes) bytes"
    }

    /// Returns a message as JSON: its type, the time of its arrival by RFC 3339, and its data, which is in base64 if it is binary.
    static func line(_ message: WebSocket.Message, at time: Date) -> String {
        let moment = JSON(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        let members: JSON =
            switch message {
            case .text(let text): ["type": "text", "time": moment, "data": JSON(text)]
            case .binary(let bytes):
                [
                    "type": "binary", "time": moment,
                    "data": JSON(Data(bytes.readableBytesView).base64EncodedString()),
                ]
            }
        return members.description
    }
}
