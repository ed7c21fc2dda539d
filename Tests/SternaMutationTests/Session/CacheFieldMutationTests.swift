import HTTPTypes
import MutationKit
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: fields of the cache")
struct CacheFieldMutationTests {
    /// The lines of Cache-Control.
    static let control = MutatedReader(
        "CacheControl",
        seeds: [
            "max-age=60, public", "no-cache=\"set-cookie, x\", s-maxage=\"5\"", "private, must-revalidate\nno-store",
            "max-stale, min-fresh=5, only-if-cached", "a=\"\\\"b\", stale-while-revalidate=5, stale-if-error=6",
        ],
        tokens: [
            ",", "=", "\"", "\\", " ", "\t", "\n", ";", "max-age=", "no-store", "no-cache", "private", "public",
            "max-stale", "min-fresh=", "s-maxage=", "must-understand", "é", "\u{0}", "=\"\"",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let response = CacheControl.Response(lines)
        let request = CacheControl.Request(lines)
        let seconds = [
            response.maxAge, response.sharedMaxAge, response.staleIfError, response.staleWhileRevalidate,
            request.maxAge, request.maxStale, request.minFresh, request.staleIfError,
        ]
        for value in seconds.compactMap({ $0 }) where !(0...CacheControl.longest).contains(value) {
            throw MutationFailure("\(value) seconds are out of range.")
        }
        // Whatever the rest means, a no-store that stands by itself holds.
        let elements = lines.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let isNamed = elements.contains { $0.drop { " \t".contains($0) }.lowercased() == "no-store" }
        if isNamed, !text.contains("\""), !response.noStore || !request.noStore {
            throw MutationFailure("no-store is passed over.")
        }
        if response.isMalformed, response.isPublic || (response.maxAge ?? 0) > 0 || response.immutable {
            throw MutationFailure("A malformed field permits something.")
        }
        return response.isMalformed ? .refused : .accepted
    }

    /// In the first line Vary, then a request's values of its fields.
    static let vary = MutatedReader(
        "Vary",
        seeds: ["Accept, Accept-Encoding\ngzip;q=1.0, br", "cookie\na=1; b=2", "accept-language\nde-CH, en; q=0.5"],
        tokens: [",", "*", "\n", ";", "q=1", "\"", " ", "\t", "accept", "accept-encoding", "x-a", "é"]
    ) { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let vary = Vary(lines: [String(lines.first ?? "")])
        guard case .fields(let names) = vary else { return .refused }
        guard names.count <= Vary.limit, names == Set(names).sorted() else {
            throw MutationFailure("The names are not in order: \(names).")
        }
        var fields = HTTPFields()
        for name in names {
            guard let name = HTTPField.Name(name) else { throw MutationFailure("\(name) is no name.") }
            for line in lines.dropFirst() { fields.append(HTTPField(name: name, value: String(line))) }
        }
        guard let key = VaryKey(vary, request: fields, secrets: VarySecrets()),
            key.matches(fields, secrets: VarySecrets())
        else { throw MutationFailure("A request does not fit its own variant.") }
        // What is normal stays so.
        for part in key.parts {
            guard let value = part.value else { continue }
            guard VaryNormalization.text(part.name, [value]) == value else {
                throw MutationFailure("\(part.name): \(value) is normalised to something else.")
            }
        }
        return .accepted
    }

    /// Entity tags and ranges, which requests carry.
    static let conditions = MutatedReader(
        "Conditions",
        seeds: ["\"a\", W/\"b\"", "*", "bytes=0-9", "bytes=-5", "bytes=5-", "\"a\"\n\"b\"", "W/\"\""],
        tokens: ["\"", "W/", ",", "*", "bytes=", "-", " ", "\t", "\n", "9223372036854775807", "\\", "é"]
    ) { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        var isAccepted = false
        if case .tags(let tags)? = EntityTagList(lines) {
            isAccepted = true
            guard case .tags(let again)? = EntityTagList([tags.map(\.fieldValue).joined(separator: ", ")]),
                again == tags
            else { throw MutationFailure("\(tags) are not read as they were written.") }
        }
        if case .any? = EntityTagList(lines) { isAccepted = true }
        var fields = HTTPFields()
        for line in lines { fields.append(HTTPField(name: .range, value: line)) }
        if let range = RangeRequest(fields), range != .other {
            isAccepted = true
            for length in [nil, 0, 1, 100, .max] as [Int64?] {
                guard let found = range.range(of: length) else { continue }
                guard !found.isEmpty, found.lowerBound >= 0, found.upperBound <= length ?? .max else {
                    throw MutationFailure("\(found) is not within \(length ?? -1).")
                }
            }
        }
        return isAccepted ? .accepted : .refused
    }

    @Test("No mutated Cache-Control ends the process")
    func controlSurvives() async {
        let report = await Self.control.supervise {
            await #expect(processExitsWith: .success) { await CacheFieldMutationTests.control.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated Vary ends the process")
    func varySurvives() async {
        let report = await Self.vary.supervise {
            await #expect(processExitsWith: .success) { await CacheFieldMutationTests.vary.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated condition ends the process")
    func conditionsSurvive() async {
        let report = await Self.conditions.supervise {
            await #expect(processExitsWith: .success) { await CacheFieldMutationTests.conditions.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
