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
    private struct State {
        struct Request {
            let url: HTTPURL?
            let body: RecordedBody
        }

        /// How many entries of each group have answered.
        var answered: [Int: Int] = [:]
        /// The requests of groups without secrets.
        var redacted: [Int: Request] = [:]
    }

    /// A request to answer.
    struct Question {
        var method: String
        var url: HTTPURL
        var body: [UInt8] = []
        var mediaType: String?
        var isWebSocket = false
    }

    /// What answers a request.
    enum Answer {
        case entry(RecordedEntry)
        /// The description of the nearest entry, and of its differences.
        case none(String)
    }

    /// Entries of equal requests, in their order.
    private struct Group {
        var entries: [RecordedEntry]
        var first: RecordedEntry { entries[0] }
    }

    private let groups: [Group]
    private let indices: [String: [Int]]
    private let state = Mutex(State())
    /// Whether the host of a URL is compared: a server has its own.
    private let comparesHosts: Bool

    init(_ har: HARDocument, comparesHosts: Bool) {
        self.comparesHosts = comparesHosts
        var groups: [Group] = []
        var places: [RecordedEntry.Key: Int] = [:]
        for (offset, element) in har.entries.enumerated() {
            let entry = RecordedEntry(element, number: offset + 1)
            if let place = places[entry.key] {
                groups[place].entries.append(entry)
            } else {
                places[entry.key] = groups.count
                groups.append(Group(entries: [entry]))
            }
        }
        self.groups = groups
        // By the path, which is the same with and without secrets.
        indices = Dictionary(grouping: groups.indices) { groups[$0].first.url?.path ?? "" }
    }

    /// The origins of the entries.
    var origins: Set<Origin> { Set(groups.compactMap { $0.first.url?.origin }) }

    func answer(_ question: Question) -> Answer {
        let url = question.url.removingUserinfo().removingFragment().forHandshake()
        var question = question
        question.url = url
        let candidates = (indices[url.path] ?? []).filter {
            let entry = groups[$0].first
            return entry.key.method == question.method && entry.key.asksForWebSocket == question.isWebSocket
        }
        let body = RecordedBody(question.body, mediaType: question.mediaType)
        var found = candidates.filter {
            isMatch(url, groups[$0].first.url) && groups[$0].first.body.matches(body)
        }
        if found.isEmpty, !candidates.isEmpty {
            let shown = Self.shown(url)
            let body = RecordedBody(redacting: question.body, mediaType: question.mediaType)
            found = candidates.filter {
                let recorded = redacted($0)
                return isMatch(shown, recorded.url) && recorded.body.matches(body)
            }
        }
        // Where the host is not compared, it still decides between entries of several hosts.
        let ofHost = found.filter { groups[$0].first.url?.authority == url.authority }
        if !ofHost.isEmpty { found = ofHost }
        return next(of: found).map(Answer.entry) ?? .none(nearest(to: question, body))
    }

    /// Returns the first entry of the groups that has not answered yet, or the last entry.
    private func next(of found: [Int]) -> RecordedEntry? {
        state.withLock { state in
            var next: (group: Int, entry: RecordedEntry)?
            for index in found {
                let answered = state.answered[index, default: 0]
                guard answered < groups[index].entries.count else { continue }
                let entry = groups[index].entries[answered]
                if entry.number < next?.entry.number ?? .max { next = (index, entry) }
            }
            if let next {
                state.answered[next.group, default: 0] += 1
                return next.entry
            }
            return found.compactMap { groups[$0].entries.last }.max { $0.number < $1.number }
        }
    }

    /// Returns a group's request without secrets, made on demand, since most requests match as they are.
    private func redacted(_ index: Int) -> State.Request {
        if let known = state.withLock({ $0.redacted[index] }) { return known }
        let entry = groups[index].first
        let made = State.Request(url: entry.url.flatMap(Self.shown), body: RecordedBody(entry.request.redacted()))
        state.withLock { $0.redacted[index] = made }
        return made
    }

    private func isMatch(_ url: HTTPURL?, _ recorded: HTTPURL?) -> Bool {
        guard let url, let recorded else { return false }
        return url.requestTarget == recorded.requestTarget && (!comparesHosts || url.origin == recorded.origin)
    }

    private static func shown(_ url: HTTPURL) -> HTTPURL? { try? HTTPURL(Redaction.show(url)) }

    // MARK: Misses

    /// Returns a sentence about the nearest entry.
    private func nearest(to question: Question, _ body: RecordedBody) -> String {
        let asked = "No recorded request matches \(Self.name(question.method, question.url))."
        let best = groups.map(\.first).max { similarity($0, question) < similarity($1, question) }
        guard let best else { return "\(asked) The document has no entries." }
        guard let url = best.url else { return asked }
        var differences: [String] = []
        if best.key.method != question.method { differences.append("its method is \(best.key.method)") }
        if best.key.asksForWebSocket != question.isWebSocket {
            differences.append(question.isWebSocket ? "it is no WebSocket" : "it is a WebSocket")
        }
        if comparesHosts, url.origin != question.url.origin {
            differences.append("its origin is \(url.scheme)://\(url.authority)")
        }
        if url.path != question.url.path { differences.append("its path is \(url.path)") }
        if url.query != question.url.query { differences += Self.queryDifferences(url, question.url) }
        if !best.body.matches(body) { differences.append(best.body.difference(from: body)) }
        return "\(asked) The nearest is entry \(best.number), \(Self.name(best.key.method, url)): "
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
        if entry.key.method == question.method { score += 300 }
        if entry.key.asksForWebSocket == question.isWebSocket { score += 50 }
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
    /// What a request must have.
    struct Key: Sendable, Hashable {
        let method: String
        let asksForWebSocket: Bool
        /// The URL without user information and fragment; nil if it is invalid, or not one of HTTP.
        let url: HTTPURL?
        let body: RecordedBody
    }

    let entry: HARDocument.Entry
    /// The number in the document, from 1.
    let number: Int
    let key: Key
    /// Whether a WebSocket was opened: programs write messages also for one that the server refused.
    let isWebSocket: Bool

    var request: HARDocument.Request { entry.request }
    var url: HTTPURL? { key.url }
    var body: RecordedBody { key.body }

    init(_ entry: HARDocument.Entry, number: Int) {
        self.entry = entry
        self.number = number
        let (request, response) = (entry.request, entry.response)
        let version = response.httpVersion.lowercased()
        let isHTTP2 = version == "h2" || version.hasPrefix("http/2")
        isWebSocket =
            entry.webSocketMessages.map { messages in
                !messages.isEmpty || response.status == 101 || response.status == 200 && isHTTP2
            } ?? false
        let names = request.headers.filter { $0.name.lowercased() == "upgrade" }.map { $0.value.lowercased() }
        key = Key(
            method: request.method,
            asksForWebSocket: isWebSocket || request.url.lowercased().hasPrefix("ws") || names.contains("websocket"),
            url: (try? HTTPURL(request.url)).map { $0.removingUserinfo().removingFragment().forHandshake() },
            body: RecordedBody(request))
    }
}
