import SternaCore

/// Describes the URLs that occur more than once in a chain of redirects.
enum RepeatedURLs {
    /// The maximum number of described URLs, and the maximum length of each in characters.
    private static let (most, longest) = (3, 200)

    /// Returns a sentence, such as "These URLs were repeated: https://a/b (11 times)."; nil if no URL was repeated.
    ///
    /// - Parameters:
    ///   - steps: the redirects that were followed.
    ///   - last: the URL that redirected after them.
    static func sentence(_ steps: [RedirectStep], then last: HTTPURL) -> String? {
        var counts: [HTTPURL: Int] = [:]
        var order: [HTTPURL] = []
        for url in (steps.map(\.url) + [last]).map({ $0.removingUserinfo().removingFragment() }) {
            if counts[url] == nil { order.append(url) }
            counts[url, default: 0] += 1
        }
        let repeated = order.compactMap { url -> String? in
            guard let count = counts[url], count > 1 else { return nil }
            return "\(shown(url)) (\(count) times)"
        }
        guard !repeated.isEmpty else { return nil }
        let more = repeated.count > most ? " and \(repeated.count - most) more" : ""
        let subject = repeated.count == 1 ? "One URL was repeated" : "These URLs were repeated"
        return "\(subject): \(repeated.prefix(most).joined(separator: ", "))\(more)."
    }

    private static func shown(_ url: HTTPURL) -> String {
        Redaction.brief(Redaction.show(url), limit: longest)
    }
}
