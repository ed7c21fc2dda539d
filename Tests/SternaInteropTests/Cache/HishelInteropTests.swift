import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The decisions of the cache beside those of hishel 2.0.0, which `.ci/interop-servers` installs.
///
/// Where both differ, ``HishelDifference`` has to say why. `STERNA_INTEROP_SEED` gives another seed.
@Suite(
    "Interop: decisions of hishel",
    .enabled(if: HishelProgram.isThere, "hishel is not there: .ci/interop-servers installs it"),
    .timeLimit(.minutes(10)))
struct HishelInteropTests {
    /// What is compared, with the differences that may be.
    struct Aspect: Sendable {
        let name: String
        let differences: [HishelDifference]
        /// Sterna's answer; nil if there is none to compare.
        let own: @Sendable (HishelCase) -> String?
        let theirs: @Sendable (HishelProgram.Answer) -> String?
    }

    private static let decision = Aspect(
        name: "decision",
        differences: [
            .control, .dates, .age, .heuristic, .ignoredDirective("max-age", "5.2.1.1"),
            .ignoredDirective("max-stale", "5.2.1.2"), .ignoredDirective("min-fresh", "5.2.1.3"),
            .ignoredDirective("only-if-cached", "5.2.1.7"), .pragma, .conditions, .ranges, .heads, .varyText,
            .whileRevalidate, .sharedStale, .fieldsStale, .newest, .otherVariants,
        ],
        own: { $0.decision() }, theirs: { $0.decision })

    private static let reuse = Aspect(
        name: "reuse after 304", differences: [.otherVariant, .weakTag, .otherValidators, .modifiedText],
        own: { $0.update == nil ? nil : $0.updated() == nil ? "send again" : "reuse" },
        theirs: { $0.updated == nil ? "send again" : "reuse" })

    private static let updated = Aspect(
        name: "fields after 304", differences: [.names, .weakDate, .oldAge, .connection, .noCacheUpdates],
        own: { $0.updated().map(text) },
        theirs: { $0.updated.map(text) })

    private static func storing(_ place: Int) -> Aspect {
        Aspect(
            name: "storing",
            differences: [
                .control, .storedHeads, .parts, .requestNoStore, .mustUnderstand, .statuses, .legalReasons,
                .varyAnything,
                .contentLength, .zeroSharedAge,
            ],
            own: { $0.storing(place) }, theirs: { $0.stored[place] == nil ? "refuse" : "store" })
    }

    private static func fields(_ place: Int) -> Aspect {
        Aspect(
            name: "stored fields", differences: [.connection, .noCacheFields],
            own: { $0.kept(place).map(text) },
            theirs: { $0.stored[place].map(text) })
    }

    /// Returns fields as one text, without Set-Cookie: hishel stores it, while Sterna stores no secret of a caller.
    private static func text(_ lines: [FieldLine]) -> String {
        lines.filter { $0.name.lowercased() != "set-cookie" }.sorted.map(\.description).joined(separator: " | ")
    }

    private static let isLong = ProcessInfo.processInfo.environment["STERNA_LONG_TESTS"] == "1"

    private static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["STERNA_INTEROP_SEED"].flatMap { UInt64($0) }.map { [$0] }
        ?? (isLong ? Array(1...40) : [1, 2, 3])

    @Test("Random cases are decided, stored and updated alike, but for known differences")
    func alike() async throws {
        var figures = (compared: 0, explained: 0)
        var uses: [String: Int] = [:]
        var failures = 0
        for seed in Self.seeds {
            var generator = HishelGenerator(seed: seed)
            let cases = (0..<(Self.isLong ? 1_500 : 700)).map { _ in generator.next() }
            let answers = try await HishelProgram.answers(to: cases)
            try #require(answers.count == cases.count)
            for (number, (given, answer)) in zip(cases, answers).enumerated() {
                for aspect in Self.aspects(of: given) {
                    guard let own = aspect.own(given), let theirs = aspect.theirs(answer) else { continue }
                    figures.compared += 1
                    if own == theirs { continue }
                    guard let reasons = Self.explain(given, answer, aspect, theirs) else {
                        failures += 1
                        if failures <= 5 { Self.report(aspect, seed, number, given, own, theirs) }
                        continue
                    }
                    figures.explained += 1
                    for reason in reasons { uses[reason, default: 0] += 1 }
                }
            }
        }
        print("hishel: \(figures.compared) comparisons, \(figures.explained) known differences, \(failures) others")
        for (reason, count) in uses.sorted(by: { $0.value > $1.value }) { print("hishel: \(count) × \(reason)") }
        expectEqual(failures, 0)
        // A difference that no case shows any more hides others.
        guard Self.seeds.count > 1 else { return }
        for aspect in [Self.decision, Self.reuse, Self.updated, Self.storing(0), Self.fields(0)] {
            for difference in aspect.differences { #expect(uses[Self.text(difference)] != nil, "\(difference.reason)") }
        }
    }

    private static func aspects(of given: HishelCase) -> [Aspect] {
        var aspects = given.stored.indices.flatMap { [storing($0), fields($0)] } + [decision]
        if given.update != nil { aspects += [reuse, updated] }
        return aspects
    }

    private static func text(_ difference: HishelDifference) -> String { "\(difference.section): \(difference.reason)" }

    /// Returns the differences that together explain hishel's answer, and none that is not needed; nil if they do not.
    private static func explain(
        _ given: HishelCase, _ answer: HishelProgram.Answer, _ aspect: Aspect, _ theirs: String
    ) -> [String]? {
        func isExplained(by differences: [HishelDifference]) -> Bool {
            var changed = given
            for difference in differences { difference.change(&changed, answer) }
            return aspect.own(changed) == theirs
        }
        guard isExplained(by: aspect.differences) else { return nil }
        var needed = aspect.differences
        for index in needed.indices.reversed() {
            var fewer = needed
            fewer.remove(at: index)
            if isExplained(by: fewer) { needed = fewer }
        }
        return needed.map(text)
    }

    private static func report(
        _ aspect: Aspect, _ seed: UInt64, _ number: Int, _ given: HishelCase, _ own: String, _ theirs: String
    ) {
        var text = "\(aspect.name), seed \(seed), number \(number), \(given.isShared ? "shared" : "private")"
        text += given.servesStale ? ", serves stale" : ""
        text += "\nSterna \(own)\nhishel \(theirs)\n\(given.request.method) at \(given.now): \(given.request.fields)"
        for stored in given.stored {
            text += "\n\(stored.isUsed ? "stored" : "not stored"): \(stored.request.method) \(stored.request.fields),"
            text += " \(stored.status) from \(stored.sent) to \(stored.arrived): \(stored.fields)"
        }
        if let update = given.update { text += "\n304: \(update)" }
        Issue.record("\(text)")
    }
}
