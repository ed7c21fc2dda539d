import MutationKit
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookie jar: sharing")
struct CookieJarSharingTests {
    @Test(
        "In any order of operations on jars that share a file, no older change undoes a saved one",
        arguments: [CookieSnapshot.FileFormat.json, .cookiesText], 0..<6)
    func interleavings(format: CookieSnapshot.FileFormat, seed: Int) async throws {
        try await CredentialFolder.with { folder in
            var scene = CookieSharing(path: folder + "/c", format: format, seed: UInt64(seed))
            let difference = try await scene.run(steps: 80)
            expectNil(difference, "seed \(seed)")
        }
    }
}

/// Random operations on jars that share a file, beside models of them.
private struct CookieSharing {
    private var random: MutationGenerator
    private let clock = CookieJarFileTests.Clock()
    private let path: String
    private let format: CookieSnapshot.FileFormat
    private var jars: [(jar: CookieJar, model: SharedModel)] = []
    private var file = SharedModel.File()
    private var value = 0

    init(path: String, format: CookieSnapshot.FileFormat, seed: UInt64) {
        random = MutationGenerator(seed: seed)
        (self.path, self.format) = (path, format)
    }

    /// Returns the first difference; nil if there is none.
    mutating func run(steps: Int) async throws -> String? {
        for _ in 0..<3 { jars.append(newJar()) }
        for step in 0..<steps {
            // Often several changes in one millisecond.
            clock.advance(Int64.random(in: 0...1, using: &random))
            let index = Int.random(in: 0..<jars.count, using: &random)
            let name = ["a", "b", "c", "d"][Int.random(in: 0..<4, using: &random)]
            let now = clock.read()
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                value += 1
                let days: Double? = [nil, 30, 500][Int.random(in: 0..<3, using: &random)]
                try jars[index].jar.set(cookie(name, "\(value)", days))
                jars[index].model.load(file)
                jars[index].model.set(name, "\(value)", now)
            case 8..<11:
                jars[index].jar.remove(try cookie(name, "x", nil))
                jars[index].model.load(file)
                jars[index].model.remove(name, now)
            case 11:
                jars[index].jar.removeAll()
                jars[index].model.load(file)
                jars[index].model.removeAll(now)
            case 12:
                // Another jar takes its place, and reads what was saved.
                try await jars[index].jar.save()
                jars[index].model.save(&file)
                jars[index] = newJar()
            default:
                try await jars[index].jar.save()
                jars[index].model.save(&file)
                let saved = CookieJarFileTests.shown(CookieJarFileTests.jar(path, clock, format: format))
                guard saved == file.shown else { return "step \(step): \(saved) are not \(file.shown)" }
            }
            let (left, right) = (CookieJarFileTests.shown(jars[index].jar), jars[index].model.shown(file))
            jars[index].model.load(file)
            guard left == right else { return "step \(step), jar \(index): \(left) are not \(right)" }
        }
        return nil
    }

    private func newJar() -> (CookieJar, SharedModel) {
        (CookieJarFileTests.jar(path, clock, format: format), SharedModel(hasTimes: format == .json))
    }

    private func cookie(_ name: String, _ value: String, _ days: Double?) throws -> Cookie {
        let now = clock.read()
        return Cookie(
            name: name, value: value, domain: "a.test", isHostOnly: true, path: "/", isSecure: false, isHTTPOnly: false,
            isPartitioned: false, sameSite: nil, expiry: days.map { CookieTime(seconds: now.seconds + $0 * 86_400) },
            creation: now, lastAccess: now, update: now)
    }
}

/// A model of a jar with a file: the last change of each name, without limits.
private struct SharedModel {
    /// A value and when it was set, or nil and when it was removed.
    struct Change: Equatable {
        let value: String?
        let time: Int64
    }

    struct File {
        var changes: [String: Change] = [:]

        var shown: [String] { changes.compactMap { name, change in change.value.map { "\(name)=\($0)" } }.sorted() }
    }

    private let hasTimes: Bool
    private var own = File()
    private var isLoaded = false
    /// Without times: the content of the last load or save, and the names that the jar has changed since.
    private var base = File()
    private var changed: Set<String> = []

    init(hasTimes: Bool) { self.hasTimes = hasTimes }

    /// A jar reads the file when it is first used.
    mutating func load(_ file: File) {
        guard !isLoaded else { return }
        (own, base, isLoaded) = (file, file, true)
    }

    func shown(_ file: File) -> [String] { isLoaded ? own.shown : file.shown }

    mutating func set(_ name: String, _ value: String, _ now: CookieTime) {
        note(name, Change(value: value, time: max(now.milliseconds, (own.changes[name]?.time ?? 0) + 1)))
    }

    mutating func remove(_ name: String, _ now: CookieTime) {
        let known = own.changes[name]
        let time = known?.value == nil ? now.milliseconds + 1 : max(now.milliseconds, (known?.time ?? 0) + 1)
        note(name, Change(value: nil, time: max(time, known?.time ?? 0)))
    }

    mutating func removeAll(_ now: CookieTime) {
        for (name, change) in own.changes where change.value != nil { remove(name, now) }
    }

    private mutating func note(_ name: String, _ change: Change) {
        own.changes[name] = change
        changed.insert(name)
    }

    mutating func save(_ file: inout File) {
        for name in ["a", "b", "c", "d"] {
            let (mine, theirs) = (own.changes[name], file.changes[name])
            if hasTimes {
                if let theirs, mine.map({ $0.time <= theirs.time && $0.isNoRemovalBeside(theirs) }) ?? true {
                    own.changes[name] = theirs
                }
            } else if !changed.contains(name), theirs?.value != base.changes[name]?.value {
                own.changes[name] = theirs
            }
        }
        (file, base, changed, isLoaded) = (own, own, [], true)
    }
}

extension SharedModel.Change {
    /// Of a removal and a cookie of the same moment, the removal counts.
    fileprivate func isNoRemovalBeside(_ other: Self) -> Bool { !(value == nil && time == other.time) }
}
