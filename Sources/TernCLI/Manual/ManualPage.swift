import ArgumentParser
import Sterna

/// The manual page of `tern`, in the language of man(7), made of the texts of `--help`.
enum ManualPage {
    static var text: String {
        var page = [
            #".TH TERN 1 "" "tern \#(Session.libraryVersion)""#, ".SH NAME",
            #"tern \- \#(escaped("send HTTP requests and show what comes back"))"#,
        ]
        page += lines(of: RequestCommand.self, heading: ".SH")
        page.append(".SH COMMANDS IN DETAIL")
        for command in commands(of: Tern.self) where command.configuration.shouldDisplay {
            page += lines(of: command, heading: ".SS")
        }
        page += [
            ".SH FILES", ".TP", "~/.config/tern/config", "Options for all requests, one on each line.", ".TP",
            "~/.config/tern/sessions", escaped("The files of --session."), ".SH SEE ALSO", "curl(1)",
        ]
        return page.joined(separator: "\n")
    }

    /// The commands below one, those with commands of their own included, in order.
    private static func commands(of type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        type.configuration.subcommands.flatMap { [$0] + commands(of: $0) }
    }

    /// The column of the texts of options.
    private static let column = 26

    private static func lines(of type: any ParsableCommand.Type, heading: String) -> [String] {
        let help = Tern.helpMessage(for: type, columns: 100_000).split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = help.firstIndex { $0.hasPrefix("USAGE: ") } ?? help.endIndex
        let end = help[start...].firstIndex { $0.isEmpty } ?? help.endIndex
        let usage = help[start..<end].map { $0.dropFirst("USAGE: ".count) }
        let isCommand = heading == ".SS"
        let title = isCommand ? usage.first.map { trimmed($0.prefix { $0 != "[" && $0 != "<" }) } ?? "" : "SYNOPSIS"
        var page = ["\(heading) \(escaped(title))"]
        page += literal(usage)
        if !isCommand { page.append(".SH DESCRIPTION") }
        page += description(help[..<start], heading: isCommand ? nil : heading)
        page += options(help[end...], heading: isCommand ? nil : heading)
        return page
    }

    /// Lines that stand as they are.
    private static func literal(_ lines: some Sequence<Substring>) -> [String] {
        [".nf"] + lines.map { escaped($0) } + [".fi"]
    }

    /// The text above the usage.
    private static func description(_ help: ArraySlice<Substring>, heading: String?) -> [String] {
        var page: [String] = []
        var block: [Substring] = []
        for line in help {
            let isTitle = line.hasSuffix(":") && line.first?.isUppercase == true && line == Substring(line.uppercased())
            guard isTitle, let heading else {
                block.append(line.hasPrefix("OVERVIEW: ") ? line.dropFirst("OVERVIEW: ".count) : line)
                continue
            }
            page += literal(block)
            block = []
            page.append("\(heading) \(escaped(line.dropLast()))")
        }
        while block.last?.isEmpty == true { block.removeLast() }
        return page + literal(block)
    }

    /// The groups of options below the usage.
    private static func options(_ help: ArraySlice<Substring>, heading: String?) -> [String] {
        var page: [String] = []
        for (index, line) in zip(help.indices, help) where !line.isEmpty {
            if line.hasPrefix(String(repeating: " ", count: column)) {
                page.append(escaped(line.dropFirst(column)))
            } else if line.hasPrefix("  ") {
                let next = index + 1 < help.endIndex ? help[index + 1] : ""
                let hasOwnLine = next.hasPrefix(String(repeating: " ", count: column)) || line.count <= column
                let label = hasOwnLine ? line : line.prefix(column)
                page += [".TP", #"\fB\#(escaped(trimmed(label)))\fR"#]
                if !hasOwnLine { page.append(escaped(line.dropFirst(column))) }
            } else if let heading, line.hasSuffix(":") {
                let isWhole = line.contains(" ") || line == "ARGUMENTS:" || line == "OPTIONS:"
                page.append("\(heading) \(escaped(line.dropLast()))\(isWhole ? "" : " OPTIONS")")
            } else if !line.hasPrefix(" "), line.hasSuffix(":") {
                page += [".PP", #"\fI\#(escaped(line))\fR"#]
            } else {
                page += [".PP", escaped(line)]
            }
        }
        return page
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Returns a line without what roff would take for a command.
    static func escaped(_ text: some StringProtocol) -> String {
        text.reduce(into: text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") { result, character in
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case _ where character.isASCII: result.append(character)
            default: for scalar in character.unicodeScalars { result += "\\[u\(hexadecimal(scalar))]" }
            }
        }
    }

    /// Four digits or more, as roff names characters.
    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
