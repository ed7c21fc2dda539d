import HTTPTypes

@testable import Sterna

/// A known way in which hishel differs from RFC 9111, or from another choice that the RFC leaves.
///
/// It changes a case so that Sterna's rules come to what hishel says of the unchanged one: then the difference is this, and nothing else.
struct HishelDifference: Sendable {
    /// The section of RFC 9111, or of another RFC with its number.
    let section: String
    let reason: String

    let change: @Sendable (inout HishelCase, HishelProgram.Answer) -> Void

    init(
        _ section: String, _ reason: String,
        change: @escaping @Sendable (inout HishelCase, HishelProgram.Answer) -> Void
    ) {
        (self.section, self.reason, self.change) = (section, reason, change)
    }

    /// Changes each stored response.
    static func stored(
        _ section: String, _ reason: String,
        change: @escaping @Sendable (inout HishelCase.Stored, _ given: HishelCase, HishelProgram.Answer.Reading) -> Void
    ) -> HishelDifference {
        HishelDifference(section, reason) { given, answer in
            for place in given.stored.indices { change(&given.stored[place], given, answer.readings[place]) }
        }
    }
}

// MARK: Reading fields

extension HishelDifference {
    static let control = HishelDifference(
        "4.2.1, 5.2",
        """
        hishel passes over what it cannot read in Cache-Control, and the last of several values counts. Invalid freshness information \
        makes a response stale, and a restriction with an argument is one nevertheless.
        """
    ) { given, answer in
        func read(_ fields: inout [FieldLine], _ reading: String) {
            guard HishelGenerator.isOdd(fields["cache-control"]) else { return }
            fields.set("cache-control", reading.isEmpty ? [] : [reading])
        }
        read(&given.request.fields, answer.requestControl)
        for place in given.stored.indices { read(&given.stored[place].fields, answer.readings[place].control) }
    }

    static let dates = stored(
        "4.2",
        "hishel ignores the time zone of dates, and reads several lines as one. GMT alone is valid, and one date."
    ) { stored, _, reading in
        for name in ["date", "expires", "last-modified"] {
            let values = stored.fields[name]
            guard values.count > 1 || values.contains(where: { moment($0) == nil }) else { continue }
            let unreadable = name == "expires" && !values.isEmpty ? ["0"] : []
            stored.fields.set(name, reading.dates[name].map { [$0] } ?? unreadable)
        }
    }

    static let age = stored(
        "4.2.3",
        "hishel's age is the time since Date, or none. Age and the time in the cache and on the way count, too."
    ) { stored, given, _ in
        stored.fields.remove("age")
        stored.arrived = min(stored.fields["date"].first.flatMap(moment) ?? given.now, given.now)
        stored.sent = stored.arrived
    }

    static let heuristic = stored(
        "4.2.2",
        """
        hishel's heuristic lifetime grows with time, for any status. It is a share of the time from Last-Modified to Date, for statuses \
        that are cacheable by themselves and for public.
        """
    ) { stored, given, _ in
        let control = CacheControl.Response(stored.fields["cache-control"])
        guard control.maxAge == nil, !given.isShared || control.sharedMaxAge == nil, stored.fields["expires"].isEmpty,
            let modified = stored.fields["last-modified"].first.flatMap(moment)
        else { return }
        let seconds = min(604_800, max(0, given.now - modified) / 10)
        stored.fields.append(FieldLine(name: "Cache-Control", value: "max-age=\(seconds)"))
    }

    // MARK: Requests

    /// hishel reads no other directive of requests than no-cache.
    static func ignoredDirective(_ name: String, _ section: String) -> HishelDifference {
        HishelDifference(section, "hishel ignores \(name) of requests.") { given, _ in
            let lines = given.request.fields["cache-control"].map { line in
                line.split(separator: ", ").filter { $0.prefix { $0 != "=" } != name }.joined(separator: ", ")
            }
            given.request.fields.set("cache-control", lines.filter { !$0.isEmpty })
        }
    }

    static let pragma = HishelDifference("5.4", "hishel ignores Pragma.") { given, _ in
        given.request.fields.remove("pragma")
    }

    static let conditions = HishelDifference("4.3.2", "hishel judges no conditions, and replaces the caller's.") {
        given, _ in
        for name in ["if-match", "if-none-match", "if-modified-since"] { given.request.fields.remove(name) }
    }

    static let ranges = HishelDifference("3.3", "hishel answers no ranges.") { given, _ in
        if !given.request.fields["range"].isEmpty { given.request.method = "OPTIONS" }
    }

    static let heads = HishelDifference("4", "hishel answers HEAD from no response to GET.") { given, _ in
        if given.request.method == "HEAD" { given.request.method = "OPTIONS" }
    }

    // MARK: Variants

    static let varyText = HishelDifference(
        "4.1", "hishel compares the text of fields. White space, case and order have no meaning in some."
    ) { given, _ in
        for name in ["accept", "accept-encoding", "accept-language", "x-a"] {
            var texts: [String: Set<String>] = [:]
            for values in ([given.request] + given.stored.map(\.request)).map({ $0.fields[name] }) where !values.isEmpty
            {
                texts[loosely(values), default: []].insert(values.joined(separator: ", "))
            }
            func tellApart(_ fields: inout [FieldLine]) {
                let values = fields[name]
                guard (texts[loosely(values)]?.count ?? 0) > 1 else { return }
                let digits = values.joined(separator: ", ").utf8.map { String($0, radix: 16) }
                fields.set(name, ["x" + digits.joined()])
            }
            for place in given.stored.indices { tellApart(&given.stored[place].request.fields) }
            tellApart(&given.request.fields)
        }
    }

    private static func loosely(_ values: [String]) -> String {
        values.joined(separator: ",").lowercased().filter { $0 != " " }.replacing(";q=1.0", with: "")
            .split(separator: ",").sorted().joined(separator: ",")
    }

    // MARK: Stale responses

    static let whileRevalidate = stored("5861 3", "hishel knows no stale-while-revalidate.") { stored, _, _ in
        stored.fields.removeDirectives { $0.hasPrefix("stale-while-revalidate") }
    }

    static let sharedStale = stored(
        "4.2.4", "hishel serves stale in spite of proxy-revalidate and s-maxage, which forbid that to shared caches."
    ) { stored, given, _ in
        guard given.servesStale, given.isShared else { return }
        let control = CacheControl.Response(stored.fields["cache-control"])
        stored.fields.removeDirectives { $0 == "proxy-revalidate" }
        guard let seconds = control.sharedMaxAge else { return }
        stored.fields.removeDirectives { $0.hasPrefix("s-maxage") || $0.lowercased().hasPrefix("max-age") }
        stored.fields.append(FieldLine(name: "Cache-Control", value: "max-age=\(seconds)"))
    }

    static let fieldsStale = stored(
        "5.2.2.4", "hishel serves nothing stale that has no-cache with field names, which concerns those fields alone."
    ) { stored, given, _ in
        guard given.servesStale, case .fields = CacheControl.Response(stored.fields["cache-control"]).noCache else {
            return
        }
        stored.fields.append(FieldLine(name: "Cache-Control", value: "must-revalidate"))
    }

    // MARK: Several responses

    static let newest = HishelDifference(
        "4", "hishel prefers an older response that is fresh. The most recent one is asked for, which has replaced it."
    ) { given, _ in
        let serving = given.stored.indices.filter { place in
            var alone = given
            for other in alone.stored.indices where other != place { alone.stored[other].isUsed = false }
            return given.stored[place].isUsed && alone.decision().hasPrefix("hit")
        }
        guard !serving.isEmpty else { return }
        for place in given.stored.indices where !serving.contains(place) { given.stored[place].isUsed = false }
    }

    static let otherVariants = HishelDifference(
        "4.3.1", "hishel validates the most recent response if none fits the request's fields, which a cache may do."
    ) { given, _ in
        guard ["GET", "HEAD"].contains(given.request.method), !given.decision().hasPrefix("hit") else { return }
        for place in given.stored.indices { given.stored[place].fields.remove("vary") }
        given.request.fields.set("cache-control", ["no-cache"])
    }

    // MARK: Storing

    static let storedHeads = stored("3", "hishel stores responses to HEAD. They update stored responses (4.3.5).") {
        stored, _, _ in
        if stored.request.method == "HEAD" { stored.request.method = "GET" }
    }

    static let parts = stored("3.3", "hishel stores no parts.") { stored, _, _ in
        if stored.status == 206 { stored.status = 304 }
    }

    static let requestNoStore = stored("5.2.1.5", "hishel stores the response to a request with no-store.") {
        stored, _, _ in
        stored.request.fields.remove("cache-control")
    }

    static let mustUnderstand = stored("5.2.2.3", "hishel ignores must-understand.") { stored, _, _ in
        stored.fields.removeDirectives { $0 == "must-understand" }
    }

    static let statuses = stored(
        "3, 9110 15",
        "hishel stores responses of any status, also those that speak of a connection, a caller or a moment."
    ) { stored, _, _ in
        if stored.status >= 200, stored.status != 304, CacheStatusCodes.refusal(stored.status) != nil {
            stored.status = 418
        }
    }

    static let legalReasons = stored("7725 3", "hishel does not know that 451 is cacheable by itself.") {
        stored, _, _ in
        if stored.status == 451 { stored.status = 418 }
    }

    static let varyAnything = stored("4.1", "hishel stores what no other request can select.") { stored, _, _ in
        if Vary(lines: stored.fields["vary"]) == .anything { stored.fields.remove("vary") }
    }

    static let contentLength = stored("9110 8.6", "hishel stores a response whose Content-Length is invalid.") {
        stored, _, _ in
        if stored.fields["content-length"] != ["5"] { stored.fields.remove("content-length") }
    }

    static let zeroSharedAge = stored(
        "3.5",
        "s-maxage=0 permits a shared cache to store an authorized response. Sterna reads an invalid one as 0, and stores neither."
    ) { stored, _, _ in
        let lines = stored.fields["cache-control"]
        stored.fields.set("cache-control", lines.map { $0.replacing("s-maxage=0", with: "s-maxage=1") })
    }

    // MARK: Fields

    static let connection = HishelDifference("3.1, 9110 7.6.1", "hishel stores the fields that Connection names.") {
        given, _ in
        for place in given.stored.indices { given.stored[place].fields.remove("connection") }
        given.update?.remove("connection")
    }

    static let noCacheFields = HishelDifference(
        "5.2.2.4", "hishel does not store the fields that no-cache names. They are stored, and served after validation."
    ) { given, answer in
        for place in given.stored.indices {
            given.stored[place].fields.removeNoCacheFields(of: [answer.readings[place].control])
        }
    }

    // MARK: Updates

    static let otherVariant = HishelDifference(
        "4.3.4", "hishel updates what it asked for. A response that the request's fields do not select is not updated."
    ) { given, _ in
        for place in given.stored.indices { given.stored[place].fields.remove("vary") }
    }

    static let noCacheUpdates = HishelDifference(
        "5.2.2.4", "hishel does not store the fields that the no-cache of an update names. They are stored."
    ) { given, answer in
        guard let update = given.update else { return }
        let own = [answer.readings[0].control]
        let lines = update["cache-control"].isEmpty ? own : update["cache-control"]
        given.stored[0].fields.removeNoCacheFields(of: own)
        given.stored[0].fields.removeNoCacheFields(of: lines)
        given.update?.removeNoCacheFields(of: lines)
    }

    static let weakTag = HishelDifference(
        "4.3.4", "hishel does not compare a weak tag of a 304. It has to be that of the stored response."
    ) { given, _ in
        if given.update?["etag"].first?.hasPrefix("W/") == true { given.update?.remove("etag") }
    }

    static let otherValidators = HishelDifference(
        "4.3.4",
        "hishel asks again after a 304 with other validators. It confirms the only response that was asked about, as in browsers."
    ) { given, _ in given.namesAnother = true }

    static let modifiedText = HishelDifference(
        "4.2, 4.3.4",
        "hishel compares the text of Last-Modified. The case, the form and the repetition of a date have no meaning."
    ) { given, _ in
        let own = given.stored[0].fields["last-modified"]
        guard let new = given.update?["last-modified"], !own.isEmpty, !new.isEmpty, own != new,
            let stored = Freshness.date(given.stored[0].fields.fields, .lastModified),
            stored == given.update.flatMap({ Freshness.date($0.fields, .lastModified) })
        else { return }
        given.update?.set("last-modified", [HishelGenerator.date(0)])
    }

    static let names = HishelDifference(
        "3.2, 4.3.4", "hishel takes ETag and Last-Modified of a 304. Those of the stored bytes stay."
    ) { given, _ in
        for name in ["etag", "last-modified"] {
            guard let new = given.update?[name], !new.isEmpty else { continue }
            given.stored[0].fields.set(name, new)
        }
    }

    static let weakDate = HishelDifference(
        "3.2, 9110 8.8.2.2", "hishel takes the Date of a 304 also where it would make a weak Last-Modified strong."
    ) { given, _ in
        if let new = given.update?["date"], !new.isEmpty { given.stored[0].fields.set("date", new) }
    }

    static let oldAge = HishelDifference(
        "3.2, 4.2.3", "hishel keeps Age and Date if the 304 has none. They speak of another response."
    ) {
        given, _ in
        for name in ["age", "date"] where given.update?[name].isEmpty == true {
            given.update?.set(name, given.stored[0].fields[name])
        }
    }
}

// MARK: Tools

/// Returns the moment of a date in one of HTTP's forms.
private func moment(_ text: String) -> Int64? { Freshness.date([.date: text], .date) }

extension [FieldLine] {
    /// Removes directives of a Cache-Control without odd ones.
    fileprivate mutating func removeDirectives(where isRemoved: (String) -> Bool) {
        let lines = self["cache-control"].map { line in
            HishelGenerator.directives(of: line).filter { !isRemoved($0) }.joined(separator: ", ")
        }
        set("cache-control", lines.filter { !$0.isEmpty })
    }

    /// Removes the fields that no-cache names.
    fileprivate mutating func removeNoCacheFields(of lines: [String]) {
        guard case .fields(let names) = CacheControl.Response(lines).noCache else { return }
        for name in names { remove(name) }
    }
}
