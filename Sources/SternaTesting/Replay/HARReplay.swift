import Sterna
import SternaCore
import SternaRecorder
import SternaSerialization
import Synchronization

/// Finds the entry of a HAR document that answers a request.
///
/// Entries match by method, URL without fragment, and body. Matching entries answer in their order, and the last one repeats. If
/// no entry matches, requests and entries are compared without secrets, since documents are usually written without them.
final class HARReplay: Sendable {
    /// A request to answer.
    struct Question {
        var method: String
        var url: HTTPURL
        var body: [UInt8] = []
        var mediaType: String?
    }

    /// What answers a request.
    enum Answer {
        case entry(RecordedEntry)
        /// The description of the nearest entry, and of its differences.
        case none(String)
    }

    private let entries: [RecordedEntry]
    private let indices: [String: [Int]]
    /// The entries that have answered.
    private let used = Mutex<Set<Int>>([])
    /// Whether the host of a URL is compared: a server has its own.
    private let comparesHosts: Bool

    init(_ har: HARDocument, comparesHosts: Bool) {
        self.comparesHosts = comparesHosts
        let entries = har.entries.enumerated().map { RecordedEntry($0.element, number: $0.offset + 1) }
        self.entries = entries
        // By the path, which is the same with and without secrets.
        indices = Dictionary(grouping: entries.indices) { entries[$0].url?.path ?? "" }
    }

    /// The origins of the entries.
    var origins: Set<Origin> { Set(entries.compactMap { $0.url?.origin }) }

    func answer(_ question: Question) -> Answer {
        let url = question.url.removingUserinfo().removingFragment().forHandshake()
        var question = question
        question.url = url
        let candidates = (indices[url.path] ?? []).filter { entries[$0].method == question.method }
        let body = RecordedBody(question.body, mediaType: question.mediaType)
        var found = candidates.filter { isMatch(entries[$0], url, entries[$0].url) && entries[$0].body.matches(body) }
        if found.isEmpty {
            let shown = Self.shown(url)
            let redacted = RecordedBody(redacting: question.body, mediaType: question.mediaType)
            found = candidates.filter {
                isMatch(entries[$0], shown, entries[$0].url.flatMap(Self.shown))
                    && entries[$0].redactedBody.matches(redacted)
            }
        }
        // Where the host is not compared, it still decides between entries of several hosts.
        let ofHost = found.filter { entries[$0].url?.authority == url.authority }
        if !ofHost.isEmpty { found = ofHost }
        guard let last = found.last else { return .none(nearest(to: question, body)) }
        let chosen = used.withLock { used in
            let index = found.first { !used.contains($0) } ?? last
            used.insert(index)
            return index
        }
        return .entry(entries[chosen])
    }

    private func isMatch(_ entry: RecordedEntry, _ url: HTTPURL?, _ recorded: HTTPURL?) -> Bool {
        guard let url, let recorded else { return false }
        return url.requestTarget == recorded.requestTarget && (!comparesHosts || url.origin == recorded.origin)
    }

    private static func shown(_ url: HTTPURL) -> HTTPURL? { try? HTTPURL(Redaction.show(url)) }

    // MARK: Misses

    /// Returns a sentence about the nearest entry.
    private func nearest(to question: Question, _ body: RecordedBody) -> String {
        let asked = "No recorded request matches \(Self.name(question.method, question.url))."
        let best = entries.max { similarity($0, question) < similarity($1, question) }
        guard let best else { return "\(asked) The document has no entries." }
        guard let url = best.url else { return asked }
        var differences: [String] = []
        if best.method != question.method { differences.append("its method is \(best.method)") }
        if comparesHosts, url.origin != question.url.origin {
            differences.append("its origin is \(url.scheme)://\(url.authority)")
        }
        if url.path != question.url.path { differences.append("its path is \(url.path)") }
        if url.query != question.url.query { differences += Self.queryDifferences(url, question.url) }
        if !best.body.matches(body) { differences.append(best.body.difference(from: body)) }
        return "\(asked) The nearest is entry \(best.number), \(Self.name(best.method, url)): "
            + differences.joined(separator: "; ") + "."
    }

    private static func name(_ method: String, _ url: HTTPURL) -> String {
        "\(method) \(Redaction.brief(Redaction.show(url)))"
    }

    private func similarity(_ entry: RecordedEntry, _ question: Question) -> Int {
        guard let url = entry.url else { return -1 }
        let common = zip(url.path.utf8, question.url.path.utf8).prefix { $0 == $1 }.count
        let share = 100 * common / max(url.path.utf8.count, question.url.path.utf8.count, 1)
        var score = url.path == question.url.path ? 1_000 : share
        if entry.method == question.method { score += 300 }
        if url.authority == question.url.authority { score += 200 }
        if url.query == question.url.query { score += 100 }
        return score
    }

    private static func queryDifferences(_ recorded: HTTPURL, _ asked: HTTPURL) -> [String] {
        let (there, here) = (pairs(recorded), pairs(asked))
        var found: [String] = []
        for pair in there where !here.contains(pair) {
            let other = here.first { $0.name == pair.name && !there.contains($0) }
            found.append("its query has \(shown(pair))" + (other.map { " in place of \(shown($0))" } ?? ""))
        }
        for pair in here where !there.contains(pair) && !there.contains(where: { $0.name == pair.name }) {
            found.append("its query has no \(shown(pair))")
        }
        return found.isEmpty ? ["its query has another order or form"] : Array(found.prefix(5))
    }

    private static func pairs(_ url: HTTPURL) -> [ServerHeaders.Field] {
        ASCIIText.formPairs(url.query ?? "", limit: 100)
    }

    private static func shown(_ pair: ServerHeaders.Field) -> String {
        let value = Redaction.isSecret(pair.name[...]) ? Redaction.mark : pair.value
        return Redaction.brief("\(pair.name)=\(value)", limit: 100)
    }
}

/// An entry, prepared for comparisons.
struct RecordedEntry: Sendable {
    let entry: HARDocument.Entry
    /// The number in the document, from 1.
    let number: Int
    let method: String
    /// The URL without user information and fragment; nil if it is invalid, or not one of HTTP.
    let url: HTTPURL?
    let body: RecordedBody

    init(_ entry: HARDocument.Entry, number: Int) {
        self.entry = entry
        self.number = number
        method = entry.request.method
        url = (try? HTTPURL(entry.request.url)).map { $0.removingUserinfo().removingFragment().forHandshake() }
        body = RecordedBody(entry.request)
    }

    /// The body without secrets, made on demand, since most requests match as they are.
    var redactedBody: RecordedBody { RecordedBody(entry.redacted().request) }
}
