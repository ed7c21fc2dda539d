import HTTPTypes
import SternaCore

@testable import Sterna

/// A line of a header section.
struct FieldLine: Codable, Sendable, Hashable, CustomStringConvertible {
    var name: String
    var value: String

    var description: String { "\(name): \(value)" }
}

/// Stored responses and a request at a moment, in the words of both caches.
struct HishelCase: Codable, Sendable, Equatable {
    struct Message: Codable, Sendable, Equatable {
        var method = "GET"
        var fields: [FieldLine] = []
    }

    struct Stored: Codable, Sendable, Equatable {
        var request = Message()
        var status = 200
        var fields: [FieldLine] = []
        var sent: Int64
        var arrived: Int64

        /// Whether it is among the stored responses for the decision.
        var isUsed = false
    }

    var isShared = false

    /// Whether both are set to serve stale responses unasked.
    var servesStale = false
    var now: Int64
    var request = Message()
    var stored: [Stored] = []

    /// The fields of a 304 to a validation of the only stored response.
    var update: [FieldLine]?

    /// Whether the validation names another response as well, so that only the validators of the 304 say what it is about.
    var namesAnother = false
}

extension [FieldLine] {
    /// The values of a field, in any case of its name.
    subscript(name: String) -> [String] {
        filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Replaces all lines of a field.
    mutating func set(_ name: String, _ values: [String]) {
        let place = firstIndex { $0.name.lowercased() == name } ?? count
        removeAll { $0.name.lowercased() == name }
        insert(contentsOf: values.map { FieldLine(name: name, value: $0) }, at: Swift.min(place, count))
    }

    mutating func remove(_ name: String) { removeAll { $0.name.lowercased() == name } }

    var fields: HTTPFields {
        HTTPFields(
            compactMap { line in HTTPField.Name(line.name).map { HTTPField(name: $0, value: line.value) } })
    }

    init(_ fields: HTTPFields) {
        self = fields.map { FieldLine(name: $0.name.canonicalName, value: $0.value) }
    }

    /// In the order of names, with each name's lines in their own.
    var sorted: [FieldLine] {
        enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    }
}

// MARK: What Sterna says

extension HishelCase {
    var settings: CacheRuleSettings {
        var settings = CacheRuleSettings()
        settings.isShared = isShared
        return settings
    }

    private func cacheRequest(_ message: Message) -> CacheRequest? {
        guard let method = HTTPRequest.Method(message.method), let url = try? HTTPURL("https://api.example.com/a")
        else { return nil }
        return CacheRequest(method, url, message.fields.fields)
    }

    private func plan(_ place: Int) -> StorePlan? {
        let stored = stored[place]
        guard let request = cacheRequest(stored.request) else { return nil }
        let response = CacheResponse(
            stored.status, stored.fields.fields, requestTime: stored.sent, responseTime: stored.arrived)
        guard case .store(let plan) = CacheRule.mayStore(request, response, settings: settings) else { return nil }
        return plan
    }

    /// Whether a response is stored.
    func storing(_ place: Int) -> String { plan(place) == nil ? "refuse" : "store" }

    /// The lines that are stored of a response; nil if it is not stored.
    func kept(_ place: Int) -> [FieldLine]? { plan(place).map { [FieldLine]($0.fields) } }

    /// Marks the responses that take part in the decision: those that Sterna stores as a whole.
    mutating func markUsed() {
        for place in stored.indices { stored[place].isUsed = plan(place).map { $0.part == nil } ?? false }
    }

    private func response(_ place: Int) -> StoredResponse? {
        let stored = stored[place]
        let fields = stored.fields.fields
        guard
            let variant = VaryKey(Vary(fields), request: stored.request.fields.fields, secrets: settings.secrets)
        else { return nil }
        let kept = CacheFields.stored(fields, CacheControl.Response(fields[values: .cacheControl]), settings)
        return StoredResponse(
            CacheResponse(stored.status, kept, requestTime: stored.sent, responseTime: stored.arrived),
            variant: variant, extent: .whole(100), settings: settings)
    }

    /// The decision, in the words of ``HishelProgram/Answer/decision``.
    func decision() -> String {
        guard let request = cacheRequest(request) else { return "no request" }
        let places = stored.indices.filter { stored[$0].isUsed }
        let responses = places.compactMap(response)
        guard responses.count == places.count else { return "no variant" }
        let decision = CacheRule.decide(
            request, stored: responses, policy: servesStale ? .cachedElseLoad : .protocolRules, settings: settings,
            now: now)
        switch decision {
        case .serve(let answer), .serveStale(let answer, _, _):
            let content = answer.content == .whole ? "" : " \(answer.content)"
            return "hit \(places[answer.index]) \(answer.age)\(content)"
        case .validate(let validation, _):
            var text = "validate \(places[validation.index])"
            if let tag = validation.fields[.ifNoneMatch] { text += " \(tag)" }
            if let modified = Freshness.date(validation.fields, .ifModifiedSince) {
                text += " \(HishelGenerator.date(modified))"
            }
            return text
        case .forward, .gatewayTimeout: return "forward"
        }
    }

    /// The lines of the only stored response after the update; nil if it is not reused.
    func updated() -> [FieldLine]? {
        guard let request = cacheRequest(request), let response = response(0), let update else { return nil }
        var conditions = CacheRule.conditions(for: response)
        if namesAnother { conditions.append(HTTPField(name: .ifNoneMatch, value: "\"other\", \"further\"")) }
        let outcome = CacheRule.judge(
            CacheResponse(304, update.fields, requestTime: now, responseTime: now), to: request,
            validation: CacheValidation(index: 0, fields: conditions), stored: [response], settings: settings)
        guard case .current(0, let updates, _) = outcome, let new = updates.first?.response else { return nil }
        return [FieldLine](new.fields)
    }
}
