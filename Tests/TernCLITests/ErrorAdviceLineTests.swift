import Sterna
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers
@testable import TernCLI

/// The library's advice in the words of the command line, which are shown once.
@Suite("tern: advice for errors")
struct ErrorAdviceLineTests {
    /// Advice that names settings of the library, which a command line does not have.
    private static let settings = [
        "timeouts.", "the session", "the request's", ".doNotFollow", "security policy", "json:",
    ]

    private static func error(_ advice: ErrorAdvice) -> SternaError {
        var error = SternaError(.connectionFailed, phase: .connect, "Not connected.").advised(advice)
        error.url = "http://a.test/"
        return error
    }

    @Test("An error's line has its advice once, and names no setting of the library", arguments: ErrorAdvice.allCases)
    func line(_ advice: ErrorAdvice) throws {
        let line = try #require(ErrorLine.text(for: Self.error(advice)))
        let words = ErrorLine.words(for: advice)
        expectEqual(line, "Not connected.\(words.map { " \($0)" } ?? "") [http://a.test/]")
        for name in Self.settings { #expect(!line.contains(name), "\(line)") }
    }

    @Test("The advice is once in the reason of a failure, not in that of a wait", arguments: ErrorAdvice.allCases)
    func reason(_ advice: ErrorAdvice) {
        let failure = TransferFailure(Self.error(advice))
        let words = ErrorLine.words(for: advice)
        let place = "[http://a.test/, phase: connect]"
        expectEqual(TransferAdvice.reason(failure), "Not connected.\(words.map { " \($0)" } ?? "") \(place)")
        expectEqual(TransferAdvice.reason(failure, isFinal: false), "Not connected. \(place)")
    }

    @Test("The error of an untrusted server names --cacert once")
    func authority() {
        let cause = TrustFailure(.issuer, "its issuer is not known", advice: "Add it to the roots.")
        let error = SternaError(
            .certificateRejected, phase: .tls, "The certificate of a.test is not trusted: \(cause)", underlying: cause)
        for text in [ErrorLine.text(for: error) ?? "", TransferAdvice.reason(TransferFailure(error))] {
            expectEqual(text.ranges(of: "--cacert FILE").count, 1, "\(text)")
        }
    }
}
