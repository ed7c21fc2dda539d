/// The reason why a value cannot be a parameter or cannot be encoded, with its place in the parameters.
public struct ParameterError: Error, Sendable, Hashable {
    /// The problem with the value.
    public enum Reason: Sendable, Hashable {
        /// The value's type has no meaning as a parameter; carries the type's name.
        case unsupportedType(String)
        /// A dictionary key is not a string; carries the type's name.
        case unsupportedKey(String)
        /// Containers are nested deeper than the limit; carries the limit in levels.
        case tooDeep(limit: Int)
        /// A number is NaN or infinite and the target format has no such value.
        case nonFiniteNumber
        /// A date is not finite, or its year lies outside 0000 to 9999 (RFC 3339, section 1).
        case dateOutOfRange
        /// The value has no form in the target format, or an encoder refused it; carries an explanation.
        case notEncodable(String)
    }

    package enum Component: Sendable, Hashable {
        case key(String)
        case index(Int)
    }

    /// The problem with the value.
    public let reason: Reason
    private var components: [Component] = []

    package init(_ reason: Reason) {
        self.reason = reason
    }

    /// The place of the value, such as `user.scores[2]`; empty for the value at the top.
    ///
    /// Control characters are replaced by U+FFFD, and a path longer than 256 characters is cut, so that it is safe to
    /// log.
    public var keyPath: String {
        KeyPathText.text(components)
    }

    // Built while unwinding, so that encoding without an error pays nothing for it.
    package func under(_ component: Component) -> ParameterError {
        var copy = self
        copy.components.insert(component, at: 0)
        return copy
    }
}

extension ParameterError: CustomStringConvertible {
    /// One line: the reason, then the key path if there is one.
    public var description: String {
        let path = keyPath
        return path.isEmpty ? "\(reason)" : "\(reason) at \(path)"
    }
}

extension ParameterError.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .unsupportedType(let name): "a value of type \(name) cannot be a parameter"
        case .unsupportedKey(let name): "a dictionary key of type \(name) is not a string"
        case .tooDeep(let limit): "containers are nested deeper than \(limit) levels"
        case .nonFiniteNumber: "a number is not finite"
        case .dateOutOfRange: "a date lies outside the years 0000 to 9999"
        case .notEncodable(let what): what
        }
    }
}

/// Renders the place of a value in a tree for error messages.
package enum KeyPathText {
    static let limit = 256

    package static func text(_ components: [ParameterError.Component]) -> String {
        var text = ""
        var count = 0
        for component in components {
            let part: String
            switch component {
            case .key(let key): part = text.isEmpty ? key : ".\(key)"
            case .index(let index): part = "[\(index)]"
            }
            for scalar in part.unicodeScalars {
                guard count < limit else { return text + "…" }
                count += 1
                text.unicodeScalars.append(FieldSyntax.isControl(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return text
    }
}
