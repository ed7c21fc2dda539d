import PageMutations
import Testing

@testable import SternaPages

@Suite("Mutations: srcset") struct SrcsetMutationTests {
    static let reader = MutatedReader(
        "srcset",
        seeds: ["a.png 1x, b.png 2x", "a.png 100w 50h,\n data:image/png;base64,AA== (x, y) 2x , c,d", ",, a,, b.png,"],
        tokens: [",", " ", "\t", "\n", "(", ")", "1x", "100w", ", ", " ,", "data:,", "é", "\0"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let found = Srcset.candidates(of: text)
        guard Srcset.rewrite(text, { _ in nil }) == text else {
            throw MutationFailure("Text changes without a reference.")
        }
        let length = text.utf8.count
        guard found.allSatisfy({ !$0.reference.isEmpty && $0.range.upperBound <= length }) else {
            throw MutationFailure("A candidate is empty: \(found)")
        }
        let again = Srcset.candidates(of: Srcset.rewrite(text) { _ in ",new .png," })
        guard again.map(\.reference) == found.map({ _ in "%2Cnew%20.png%2C" }) else {
            throw MutationFailure("What was written is read otherwise: \(again) of \(found)")
        }
        guard again.map(\.descriptors) == found.map(\.descriptors) else {
            throw MutationFailure("The descriptors differ: \(again) of \(found)")
        }
        return .accepted
    }

    @Test("No mutated attribute ends the process, and what is written is read again")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await SrcsetMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}
