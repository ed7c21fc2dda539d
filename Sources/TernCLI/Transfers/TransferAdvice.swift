import Sterna
import SternaTransfers

/// Words errors of transfers in terms of tern's options.
///
/// A store keeps the reasons for failures as text, in the words of the library, whose user is a program.
enum TransferAdvice {
    /// What the library advises, and what a user of tern can do.
    static let phrases: [(library: String, tern: String)] = [
        (
            "Choose another destination, or “.replace” or “.addNumber” for existing files.",
            "Move it away, or add the URL again with another file, by -o FILE."
        ),
        (
            "Name a file in it, or use “.folder” for the server's name.",
            "Name a file in it by -o FILE, or the folder by --into FOLDER."
        ),
        (
            "Try again later, or without resume data.", "Try again later, or cancel the transfer and add it again."
        ),
        (
            "set them on the session, which sends them to its own origin",
            "leave them out of the URL, and write --auth user:password or --netrc"
        ),
        (
            "let the session sign or authorize the request instead",
            "write --auth, --bearer, --aws-sigv4 or --header instead, which are not stored; without a store, tern download and tern upload take such URLs"
        ),
        (
            "set it on the session, which is asked for it at each request, or name it in secrets",
            "give it by --header to each command"
        ),
        ("Set TransferStoreSettings.secret.", "Write tern transfers resume with --header 'NAME: VALUE'."),
        (
            "Add it to TransferStoreSettings.uploadMethods.",
            "tern cannot carry it on: use the program that has added it."
        ),
        ("Upload files, or raise maxStoredBytes.", "Remove transfers that are over."),
        (
            "Wait for its end, cancel it, or choose another file.",
            "Carry it on by tern transfers resume, cancel it by tern transfers cancel, or write another file by -o FILE."
        ),
    ]

    /// Returns a text with tern's advice in place of the library's.
    ///
    /// - Parameter advises: whether to keep advice that follows from the kind of an error.
    static func text(_ text: String, advises: Bool = true) -> String {
        let known = phrases.reduce(text) { $0.replacing($1.library, with: $1.tern) }
        return ErrorAdvice.allCases.filter { $0 != .inDetail }.reduce(known) { text, advice in
            let words = advises ? ErrorLine.words(for: advice) : nil
            return text.replacing(" \(advice.text)", with: words.map { " \($0)" } ?? "")
        }
    }

    /// Returns the reason of a failure, with what to do.
    ///
    /// - Parameter isFinal: whether the transfer has failed for good.
    static func reason(_ failure: TransferFailure, isFinal: Bool = true) -> String {
        let reason = TerminalText.line(text(failure.reason, advises: isFinal))
        // The library's advice for a server that is not trusted names no option.
        guard isFinal, failure.kind == SternaError.Kind.certificateRejected.rawValue,
            let advice = ErrorLine.words(for: .nameRoots), !reason.contains(advice)
        else { return reason }
        return "\(reason) \(advice)"
    }

    /// Runs work on a store, and words its errors for a user of tern.
    static func advising<R>(_ work: () async throws -> R) async throws -> R {
        do {
            return try await work()
        } catch var error as SternaError {
            error.detail = text(error.detail)
            throw error
        }
    }
}
