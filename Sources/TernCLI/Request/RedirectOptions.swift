import ArgumentParser
import Sterna

/// Options for redirects, with curl's names and meanings.
struct RedirectOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Follow redirects.")
    var follow = true

    @Flag(name: [.customShort("L"), .long], help: "The same as --follow.")
    var location = false

    @Option(
        name: [.customLong("max-redirects"), .customLong("max-redirs")], parsing: .unconditional,
        help: ArgumentHelp(
            "Follow at most this number of redirects (20 by default); -1 for no limit.", valueName: "number"))
    var limit: Int?

    @Flag(
        help:
            "Send credentials, cookies and fields with secrets on to any host that a redirect leads to; not those of the URL."
    )
    var locationTrusted = false

    @Flag(help: "Repeat a POST as a POST when a 301 redirects it.")
    var post301 = false

    @Flag(help: "Repeat a POST as a POST when a 302 redirects it.")
    var post302 = false

    @Flag(help: "Repeat a POST as a POST when a 303 redirects it.")
    var post303 = false

    /// Whether an option is given that is for redirects which are followed.
    var isGiven: Bool { limit != nil || locationTrusted || post301 || post302 || post303 }

    /// The policy of these options.
    var policy: RedirectPolicy {
        guard follow else { return .doNotFollow }
        var policy = RedirectPolicy.follow
        if let limit { policy.limit = limit < 0 ? .max : limit }
        policy.keepsCredentialsAcrossOrigins = locationTrusted
        let kept = [(post301, 301), (post302, 302), (post303, 303)].filter(\.0).map(\.1)
        if !kept.isEmpty { policy.methods = .fetch.keepingPost(on: Set(kept)) }
        return policy
    }

    func validate() throws {
        if let limit, limit < -1 { throw ValidationError("--max-redirects is 0 or more, or -1 for no limit.") }
        if !follow, location { throw ValidationError("--no-follow and -L exclude each other.") }
        if !follow, isGiven {
            throw ValidationError("--no-follow excludes the options for redirects that are followed.")
        }
    }
}
