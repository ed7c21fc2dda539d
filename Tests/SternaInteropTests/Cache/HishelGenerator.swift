@testable import SternaTestSupport

/// Random cases for ``HishelProgram``, from a seed. Most are ordinary; every odd thing is rare, so that few come together.
struct HishelGenerator {
    /// Wed, 01 Jan 2025 00:00:00 GMT.
    static let made: Int64 = 1_735_689_600

    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func next() -> HishelCase {
        var given = HishelCase(now: 0)
        given.isShared = chance(40)
        given.servesStale = chance(15)
        let count = one(of: [1, 1, 1, 1, 1, 1, 1, 2, 2, 3])
        given.stored = (0..<count).map { _ in stored() }
        given.request = request(like: given.stored[0])
        let last = given.stored.map(\.arrived).max() ?? Self.made
        given.now = last + one(of: [0, 0, 1, 5, 9, 10, 11, 49, 50, 59, 60, 61, 99, 100, 101, 3_600, 100_000, -30])
        if chance(1) { given.now -= 10_000 }
        given.markUsed()
        if count == 1, given.stored[0].isUsed, given.request.method == "GET" {
            given.update = update()
            // The same date in another case.
            if chance(8), let text = given.update?["last-modified"].first {
                given.stored[0].fields.set("last-modified", [text.lowercased()])
            }
        }
        return given
    }

    // MARK: Requests

    private static let varied: [(name: String, values: [String])] = [
        ("Accept", ["text/html, a/b", "text/html,a/b", "a/b"]),
        ("Accept-Language", ["de, en;q=0.5", "DE,en; q=0.5", "en"]),
        ("Accept-Encoding", ["gzip, br", "br,gzip;q=1.0", "gzip"]), ("X-A", ["1", "2", "a, b", "a,b"]),
        ("Cookie", ["a=1", "a=2"]),
    ]

    private mutating func variedFields() -> [FieldLine] {
        var lines: [FieldLine] = []
        for (name, values) in Self.varied where chance(35) { lines.append(.init(name: name, value: one(of: values))) }
        return lines
    }

    private mutating func request(like stored: HishelCase.Stored) -> HishelCase.Message {
        var request = HishelCase.Message()
        request.method = chance(90) ? "GET" : one(of: ["HEAD", "HEAD", "OPTIONS", "POST", "DELETE", "TRACE"])
        request.fields = chance(65) ? stored.request.fields : variedFields()
        request.fields.removeAll { ["range", "cache-control"].contains($0.name.lowercased()) }
        if chance(10) {
            request.fields = request.fields.map { .init(name: $0.name, value: $0.value.replacing(", ", with: ",")) }
        }
        if chance(20) {
            var words = [one(of: ["no-cache", "max-age=50", "max-age=0", "max-stale", "max-stale=50", "min-fresh=20"])]
            if chance(20) { words.append(one(of: ["only-if-cached", "no-transform", "stale-if-error=50"])) }
            if chance(10) { words.append(one(of: ["no-cache=x", "foo;", "max-stale=x", "no-cache;x"])) }
            request.fields.append(.init(name: "Cache-Control", value: words.joined(separator: ", ")))
        }
        if chance(3) { request.fields.append(.init(name: "Pragma", value: "no-cache")) }
        if chance(4) {
            request.fields.append(.init(name: "If-None-Match", value: one(of: ["\"1\"", "\"z\"", "*", "x"])))
        }
        if chance(3) {
            request.fields.append(.init(name: "If-Modified-Since", value: Self.date(Self.made - one(of: [0, 9_999]))))
        }
        if chance(2) { request.fields.append(.init(name: "If-Match", value: "\"1\"")) }
        if chance(3) {
            request.fields.append(.init(name: "Range", value: one(of: ["bytes=0-9", "bytes=200-", "x=1"])))
        }
        return request
    }

    // MARK: Responses

    private mutating func stored() -> HishelCase.Stored {
        let sent = Self.made + one(of: [0, 0, 0, 0, 20, 300])
        var stored = HishelCase.Stored(sent: sent, arrived: sent + (chance(85) ? 0 : one(of: [1, 8])))
        stored.request.method = chance(93) ? "GET" : one(of: ["HEAD", "POST", "OPTIONS"])
        stored.request.fields = variedFields()
        if chance(12) { stored.request.fields.append(.init(name: "Authorization", value: "Basic eA==")) }
        if chance(3) { stored.request.fields.append(.init(name: "Cache-Control", value: "no-store")) }
        if chance(22) {
            stored.status = one(of: [
                203, 204, 201, 299, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 408, 410, 412, 414, 416, 421,
                425, 429, 451, 500, 501, 502, 503, 504, 599, 206, 304, 103, 600,
            ])
        }
        let moment = stored.sent - (chance(75) ? 0 : one(of: [1, 30, 5_000, -40]))
        if chance(94) { add("Date", dates(moment), to: &stored.fields) }
        if chance(8) { add("Age", [one(of: ["0", "5", "60", "x", "10, 20", "100000"])], to: &stored.fields) }
        add("Cache-Control", control(), to: &stored.fields)
        if chance(20) { add("Expires", dates(moment + one(of: [-10, 0, 10, 60, 3_600])), to: &stored.fields) }
        if chance(35) {
            add("Last-Modified", dates(moment - one(of: [-10, 0, 100, 1_000, 9_999_999])), to: &stored.fields)
        }
        if chance(45) { add("ETag", [one(of: ["\"1\"", "\"2\"", "W/\"1\"", "\"\""])], to: &stored.fields) }
        if chance(25) {
            let names = [
                "Accept-Language", "X-A", "X-A, Accept", "accept-encoding", "Cookie,,x-a", "*", "X-A, *", "a b",
                "Accept", "Accept",
            ]
            add("Vary", [one(of: names)], to: &stored.fields)
        }
        if chance(6) { add("Connection", ["close, X-Hop"], to: &stored.fields) }
        if chance(25) { add("X-Hop", ["1"], to: &stored.fields) }
        if chance(25) { add("X-Own", ["1", "2"], to: &stored.fields) }
        if chance(25) { add("Set-Cookie", ["a=b"], to: &stored.fields) }
        if chance(50) { add("Content-Type", ["text/plain"], to: &stored.fields) }
        if chance(20) {
            add("Content-Length", one(of: [["5"], ["5"], ["5"], ["5x"], ["5", "6"]]), to: &stored.fields)
        }
        if stored.status == 206 {
            stored.request.fields.append(.init(name: "Range", value: "bytes=0-4"))
            add("Content-Range", ["bytes 0-4/100"], to: &stored.fields)
        }
        return stored
    }

    private func add(_ name: String, _ values: [String], to fields: inout [FieldLine]) {
        fields += values.map { FieldLine(name: name, value: $0) }
    }

    private mutating func update() -> [FieldLine] {
        var fields: [FieldLine] = []
        if chance(50) { add("ETag", [one(of: ["\"1\"", "\"1\"", "\"2\"", "W/\"1\"", "W/\"9\""])], to: &fields) }
        if chance(40) { add("Last-Modified", [Self.date(Self.made - one(of: [0, 100, 1_000]))], to: &fields) }
        if chance(70) { add("Date", [Self.date(Self.made + 77)], to: &fields) }
        if chance(30) { add("Cache-Control", [words().joined(separator: ", ")], to: &fields) }
        if chance(10) { add("Age", ["7"], to: &fields) }
        if chance(10) { add("Connection", ["X-New"], to: &fields) }
        if chance(40) { add("X-New", ["1", "2"], to: &fields) }
        if chance(20) { add("X-Own", ["3"], to: &fields) }
        if chance(10) { add("Set-Cookie", ["c=d", "e=f"], to: &fields) }
        if chance(10) { add("Content-Type", ["a/b"], to: &fields) }
        if chance(10) { add("Content-Length", ["0"], to: &fields) }
        if chance(10) { add("Content-Encoding", ["br"], to: &fields) }
        return fields
    }

    // MARK: Values

    private static let requestDirectives = [
        "max-age=50", "max-stale", "max-stale=50", "min-fresh=20", "only-if-cached",
    ]

    private static let directives = [
        "max-age=0", "max-age=10", "max-age=60", "MAX-AGE=100", "max-age=\"60\"", "max-age=3600", "max-age=99999999999",
        "s-maxage=0", "s-maxage=10", "s-maxage=100", "public", "private", "no-cache", "no-store", "must-revalidate",
        "proxy-revalidate", "immutable", "must-understand", "no-transform", "stale-while-revalidate=50",
        "stale-if-error=50", "no-cache=\"x-own\"", "private=\"x-own, set-cookie\"", "foo", "foo=\"a, max-age=5\"",
    ]

    private static let oddDirectives = [
        "max-age=x", "max-age=-1", "max-age", "max-age=60; x", "max-age=5", "s-maxage=x", "s-maxage=+50", "no-store=1",
        "no-cache=x-own", "private=\"\"", "no-cache=\"a b\"", "no-store;", "public=x", "foo=\"", "@", "=",
        "max-age = 60",
        "must-revalidate=0", "max-age=1_0", "max-age=60 public", "no-store private",
    ]

    /// Directives of which each occurs once.
    private mutating func words() -> [String] {
        var words: [String] = []
        for _ in 0..<one(of: [1, 1, 2, 2, 3]) {
            // Most have a lifetime, so that something is decided.
            let word = chance(50) ? Self.directives[Int.random(in: 0..<7, using: &random)] : one(of: Self.directives)
            if !words.contains(where: { Self.name($0) == Self.name(word) }) { words.append(word) }
        }
        return words
    }

    private static func name(_ word: String) -> Substring {
        let name = word.prefix { $0 != "=" }
        return Substring(name.lowercased())
    }

    /// The directives of a line, in lower case.
    static func directives(of line: String) -> [String] {
        var (words, word, isQuoted) = ([String](), "", false)
        for character in line.lowercased() + "," {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                words.append(word.trimmingPrefix(" ").description)
                word = ""
            } else {
                word.append(character)
            }
        }
        return isQuoted ? words + [word] : words
    }

    /// Whether the lines of a Cache-Control have anything that is not ordinary, or a directive twice.
    static func isOdd(_ lines: [String]) -> Bool {
        let words = lines.flatMap(directives)
        let ordinary = directives.map { $0.lowercased() } + requestDirectives
        return !words.allSatisfy(ordinary.contains) || Set(words.map(name)).count < words.count
    }

    private mutating func control() -> [String] {
        guard chance(75) else { return [] }
        var words = words()
        if chance(10) { words.insert(one(of: Self.oddDirectives), at: Int.random(in: 0...words.count, using: &random)) }
        let cut = chance(80) ? 0 : Int.random(in: 0...words.count, using: &random)
        return [words[..<cut], words[cut...]].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }
    }

    private mutating func dates(_ moment: Int64) -> [String] {
        let text = Self.date(moment)
        if chance(92) { return [text] }
        let word = text.split(separator: " ")
        let swapped = [String(word[0].prefix(3)), String(word[2]), String(word[1]), String(word[4]), String(word[3])]
        let values: [[String]] = [
            [text.lowercased()], [text, text], [text, Self.date(moment + 1_000)], ["0"], ["x"], [""],
            [String(text.dropLast(3)) + "CET"], [String(text.dropLast(3)) + "+0100"],
            [swapped.joined(separator: " ")],
        ]
        return one(of: values)
    }

    /// Returns a moment as HTTP writes it; for the years from 1970 to 2099.
    static func date(_ seconds: Int64) -> String {
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        var (year, day) = (Int64(1970), days)
        func length(_ year: Int64) -> Int64 { year % 4 == 0 ? 366 : 365 }
        while day >= length(year) {
            day -= length(year)
            year += 1
        }
        let lengths: [Int64] = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var month = 0
        while day >= lengths[month] {
            day -= lengths[month]
            month += 1
        }
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(weekday), \(two(day + 1)) \(names[month]) \(year) "
            + "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }
}
