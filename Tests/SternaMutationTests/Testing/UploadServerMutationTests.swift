import MutationKit
import NIOCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTesting

@Suite("Mutations: fields and queries of uploads")
struct UploadServerMutationTests {
    private static let most: Int64 = 999_999_999_999_999

    static let faults = MutatedReader(
        "UploadFaults",
        seeds: [
            "cut=50000&times=3&lost&slow=100", "status=503&on=POST&retry-after=1", "interop=6&unnamed&interim=5",
            "interim=endless&offset=back", "location=http%3A%2F%2F127.0.0.2%3A9&max-size=10&max-append=5&expires=60",
        ],
        tokens: [
            "&", "=", "%", "%0D%0A", "%2B5", "+", "-", "cut=", "times=", "interim=growing", "offset=beyond",
            "location=",
            "https://", "max-size=", "max-append=", "expires=", "\u{0}", "é", "٣",
        ]
    ) { bytes in
        guard let faults = try? UploadFaults(String(decoding: bytes, as: UTF8.self)) else { return .refused }
        for number in [faults.cut, faults.rate, faults.maxSize, faults.maxAppend, faults.expires] {
            guard number.map({ (0...most).contains($0) }) ?? true else { throw MutationFailure("\(faults)") }
        }
        guard (1...UploadFaults.most).contains(faults.times), faults.rate != 0, faults.maxAppend != 0,
            (400...599).contains(faults.status ?? 400), (3...8).contains(faults.interop ?? 3),
            (0...3_600).contains(faults.retryAfter ?? 0)
        else { throw MutationFailure("\(faults) has a number out of range.") }
        if case .count(let count) = faults.interim, !(0...UploadFaults.most).contains(count) {
            throw MutationFailure("\(count) interim responses.")
        }
        guard faults.location?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
            throw MutationFailure("Location would be “\(faults.location ?? "")”.")
        }
        return .accepted
    }

    static let items = MutatedReader(
        "UploadText", seeds: ["0", "123;a=b", "?1", "?0;x", " 7 "],
        tokens: ["-", "+", "?", ";", "=", " ", "\t", "999999999999999", "1000000000000000", "\u{0}", "٣"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let (number, boolean) = (UploadText.number(text), UploadText.boolean(text))
        guard number == nil || boolean == nil else { throw MutationFailure("A number that is a Boolean.") }
        guard number.map({ (0...most).contains($0) }) ?? true else { throw MutationFailure("\(text) is too large.") }
        // Parameters come behind the value.
        if text.hasPrefix(";"), number != nil || boolean != nil { throw MutationFailure("“\(text)” has no value.") }
        return number == nil && boolean == nil ? .refused : .accepted
    }

    static let checksums = MutatedReader(
        "UploadChecksum",
        seeds: [
            "sha1 BAzwRAexmhYzF0hh+3tW3UaIkYs=", "md5 mgNkuembtIDdJeHwKE8PLQ==",
            "sha256 7XACtDnprIRfIjV9giusFERzD722AW0+yUMrnsn3M/c=", "sha512 AA==", "crc32 AA==",
        ],
        tokens: [" ", "=", "==", "/", "+", "sha1", "md5", "SHA256", "\n", "\u{0}", "é"]
    ) { bytes in
        guard let expected = UploadChecksum.Expected(String(decoding: bytes, as: UTF8.self)) else { return .refused }
        var (one, all) = (UploadChecksum(expected.algorithm), UploadChecksum(nil))
        for text in ["con", "tent"] {
            one.update(ByteBuffer(string: text))
            all.update(ByteBuffer(string: text))
        }
        guard one.matches(expected) == all.matches(expected) else { throw MutationFailure("They disagree.") }
        let isKnown = UploadChecksum.algorithms.split(separator: ",").contains { $0 == expected.algorithm }
        guard one.isKnown == isKnown, (one.matches(expected) != nil) == isKnown else {
            throw MutationFailure("“\(expected.algorithm)” is known or not.")
        }
        return .accepted
    }

    static let metadata = MutatedReader(
        "UploadMetadata", seeds: ["filename d29ybGQ=,is_confidential", "a YQ==, b", "k "],
        tokens: [",", " ", "=", "==", "filename", "\t", "\n", "\u{0}", "é"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard UploadText.isMetadata(text) else { return .refused }
        let pairs = text.split(separator: ",", omittingEmptySubsequences: false)
        let keys = pairs.map { String(ASCIIText.trimmed($0).prefix { $0 != " " }) }
        guard keys.allSatisfy({ !$0.isEmpty }), Set(keys).count == keys.count else {
            throw MutationFailure("The keys of “\(text)” are not unique.")
        }
        guard text.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) }) else {
            throw MutationFailure("“\(text)” is no value of a field.")
        }
        return .accepted
    }

    static let concatenations = MutatedReader(
        "UploadConcat",
        seeds: [
            "final;/uploads/0123456789abcdef0123456789abcdef /uploads/fedcba9876543210fedcba9876543210",
            "final;http://127.0.0.1:80/uploads/0123456789abcdef0123456789abcdef?x=1",
        ],
        tokens: ["final;", "partial", " ", "/", "?", "..", "%2F", "/uploads/", "\u{0}", "\u{301}", "é"]
    ) { bytes in
        guard let ids = UploadText.parts(of: String(decoding: bytes, as: UTF8.self)) else { return .refused }
        guard (1...64).contains(ids.count) else { throw MutationFailure("\(ids.count) parts.") }
        let digits = Set("0123456789abcdef")
        guard ids.allSatisfy({ $0.utf8.count == 32 && digits.isSuperset(of: $0) }) else {
            throw MutationFailure("\(ids) are no ids of uploads.")
        }
        return .accepted
    }

    @Test("No mutated query ends the process") func survivesFaults() async {
        let report = await Self.faults.supervise {
            await #expect(processExitsWith: .success) { await UploadServerMutationTests.faults.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated number or Boolean ends the process") func survivesItems() async {
        let report = await Self.items.supervise {
            await #expect(processExitsWith: .success) { await UploadServerMutationTests.items.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated checksum ends the process") func survivesChecksums() async {
        let report = await Self.checksums.supervise {
            await #expect(processExitsWith: .success) { await UploadServerMutationTests.checksums.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated metadata ends the process") func survivesMetadata() async {
        let report = await Self.metadata.supervise {
            await #expect(processExitsWith: .success) { await UploadServerMutationTests.metadata.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated concatenation ends the process") func survivesConcatenations() async {
        let report = await Self.concatenations.supervise {
            await #expect(processExitsWith: .success) { await UploadServerMutationTests.concatenations.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
