extension XMLElement: CustomStringConvertible {
    /// The element as XML, without a declaration and without added white space. Parsing the description of a parsed tree gives an
    /// equal tree.
    ///
    /// In a tree built by hand, a character that XML cannot hold becomes U+FFFD, and one that is invalid in a name becomes “_”. A
    /// prefix that is declared further up is not declared again.
    public var description: String {
        var result = ""
        var steps = [Step.open(self)]
        while let step = steps.popLast() {
            switch step {
            case .text(let text): result += Self.escaped(text, isAttribute: false)
            case .close(let name): result += "</\(name)>"
            case .open(let element):
                let name = Self.safe(element.name)
                result += "<\(name)"
                for attribute in element.attributes {
                    result += " \(Self.safe(attribute.name))=\"\(Self.escaped(attribute.value, isAttribute: true))\""
                }
                guard !element.children.isEmpty else {
                    result += "/>"
                    continue
                }
                result += ">"
                steps.append(.close(name))
                for child in element.children.reversed() {
                    switch child {
                    case .text(let text): steps.append(.text(text))
                    case .element(let element): steps.append(.open(element))
                    }
                }
            }
        }
        return result
    }

    // An explicit stack instead of the thread's, for trees of any depth.
    private enum Step {
        case open(XMLElement)
        case text(String)
        case close(String)
    }

    static func escaped(_ text: String, isAttribute: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            case "\"" where isAttribute: result += "&quot;"
            // The parser turns these characters into spaces in an attribute (XML 1.0, 3.3.3).
            case "\n" where isAttribute: result += "&#10;"
            case "\t" where isAttribute: result += "&#9;"
            default: result.unicodeScalars.append(scalar.isXML ? scalar : "\u{FFFD}")
            }
        }
        return result
    }

    private static func safe(_ name: String) -> String {
        let isSafe = { (scalar: Unicode.Scalar) in
            scalar.value > 0x7F
                ? scalar.isXML : scalar.properties.isAlphabetic || "-.:_0123456789".unicodeScalars.contains(scalar)
        }
        guard !name.isEmpty else { return "_" }
        guard !name.unicodeScalars.allSatisfy(isSafe) else { return name }
        var result = ""
        for scalar in name.unicodeScalars { result.unicodeScalars.append(isSafe(scalar) ? scalar : "_") }
        return result
    }
}
