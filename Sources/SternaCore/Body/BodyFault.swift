import SternaPlatform

/// The fault of a body, as the `underlying` cause of a ``SternaError``.
public enum BodyFault: Error, Sendable, Hashable {
    /// A URL that is not a file's; carries its scheme.
    case notAFileURL(scheme: String)
    /// The file does not exist or its path is not accessible; carries the system's error number.
    case unreachable(path: String, code: Int32)
    /// The path leads to a directory.
    case directory(path: String)
    /// The path leads to a pipe, socket or device.
    case notAFile(path: String)
    /// The file may not be read; carries the system's error number.
    case unreadable(path: String, code: Int32)
    /// The size of the file has changed since it was added.
    case changed(path: String)
    /// A range of a file begins before the file's first byte; carries the range's lower bound.
    case negativeRange(lowerBound: Int64)
    /// The source delivered fewer bytes than it had declared.
    case tooShort(delivered: Int64, declared: Int64)
    /// The source delivered more bytes than it had declared.
    case tooLong(declared: Int64)
    /// The body was read once and cannot be read again.
    case notReplayable
    /// The method allows no body (RFC 9110, 9.3); carries the method.
    case methodWithoutBody(String)
    /// A control character in a name, a media type or a header field of a part.
    case controlCharacter(in: String)
    /// A backslash at the end of a name that is written without escapes, which servers would read as an escape.
    case backslashAtEnd(of: String)
    /// A character that the form's character set does not have.
    case notInCharset(String)
    /// A boundary that RFC 2046, 5.1.1, does not permit.
    case invalidBoundary
    /// A part's content contains the given boundary; carries the part's name.
    case boundaryInside(String)
}

extension BodyFault: CustomStringConvertible {
    /// One line, without line breaks from names of files.
    public var description: String {
        switch self {
        case .notAFileURL(let scheme): "a URL with the scheme “\(FieldSyntax.printable(scheme))” is not a file URL"
        case .unreachable(_, let code), .unreadable(_, let code): String(cString: strerror(code))
        case .directory: "it is a directory"
        case .notAFile: "it is not a regular file"
        case .changed: "its size changed after it was added"
        case .negativeRange(let lowerBound): "its range begins at \(lowerBound), and the first byte is 0"
        case .tooShort(let delivered, let declared):
            "the source delivered \(delivered) bytes, fewer than the \(declared) it had declared"
        case .tooLong(let declared): "the source delivered more than the \(declared) bytes it had declared"
        case .notReplayable: "it can be read only once and was already read"
        case .methodWithoutBody(let method): "a \(FieldSyntax.printable(method)) request has no body"
        case .controlCharacter(let place): "\(FieldSyntax.printable(place)) contains a control character"
        case .backslashAtEnd(let what):
            "\(FieldSyntax.printable(what)) ends with a backslash, which servers read as an escape"
        case .notInCharset(let what): "the form's character set cannot represent \(FieldSyntax.printable(what))"
        case .boundaryInside(let name): "the content of “\(FieldSyntax.printable(name))” contains the form's boundary"
        case .invalidBoundary:
            "a boundary has 1 to 70 letters, digits, spaces or '()+_,-./:=? and does not end with a space"
        }
    }

    /// Returns the fault as an error of a request's file, in the given phase.
    package func error(_ path: String, phase: SternaError.Phase) -> SternaError {
        SternaError(
            .fileUnreadable, phase: phase, "The file “\(FieldSyntax.printable(path))” cannot be sent: \(self).",
            underlying: self)
    }
}
