import Sterna

/// The progress line of a transfer, for any width of terminal.
enum ProgressBar {
    private static let narrowestBar = 8
    /// Narrow enough that on 80 columns the bar keeps its width, whatever the text beside it.
    private static let widestBar = 28

    /// Returns a line shorter than the width, so that the cursor does not wrap; empty if nothing fits.
    static func render(_ progress: TransferProgress, label: String = "", width: Int) -> String {
        let room = width - 1
        guard room > 0 else { return "" }
        for text in texts(progress, label: label) where text.count <= room {
            let barRoom = min(widestBar, room - text.count - 1)
            guard let fraction = progress.fraction, barRoom >= narrowestBar else { return text }
            return "\(bar(fraction, width: barRoom)) \(text)"
        }
        return ""
    }

    /// Returns the texts of the line, from the longest to the shortest.
    private static func texts(_ progress: TransferProgress, label: String) -> [String] {
        let full = progress.description
        let amount = "\(ByteSize(progress.completed))"
        let percent = progress.fraction.map { "\(Int($0 * 100))%" }
        let rate = progress.rate.map { "\(ByteSize(Int64(min(max($0, 0), 9e18))))/s" }
        var texts = label.isEmpty ? [full] : ["\(label): \(full)", full]
        if let percent, let rate {
            texts += ["\(percent) of \(ByteSize(progress.total ?? 0)), \(rate)", "\(percent), \(rate)"]
        }
        if let percent { texts.append(percent) }
        texts.append(amount)
        return texts
    }

    /// Returns the bar; the width includes its brackets.
    private static func bar(_ fraction: Double, width: Int) -> String {
        let inner = width - 2
        let filled = min(inner, max(0, Int(fraction * Double(inner))))
        let head = filled > 0 && filled < inner ? ">" : ""
        let done = String(repeating: "=", count: filled - head.count) + head
        return "[\(done)\(String(repeating: " ", count: inner - filled))]"
    }
}
