import PageMutations
import Testing

@testable import SternaPages

@Suite("Mutations: CSS") struct CSSMutationTests {
    static let reader = MutatedReader(
        "CSS",
        seeds: [
            "@charset \"utf-8\"; @import 'a.css' layer(x) supports(display: grid) screen; @import url(b.css);",
            "@font-face{src:url(a.woff2)format('woff2'),url( 'b.woff' )}a{b:image-set('x' 1x,url(y)2x);c:url(\"d\\\"e\")}",
            "@namespace url(x);@media(a){b{c:url(d\\)e)}}/* url(f) */g{h:url(\\41 b)}",
            "a[b='url(c)']{d:'e\\\nf'}<!-- url(g) -->",
        ],
        tokens: [
            "url(", "URL(", "\\75rl(", "@import ", "@namespace ", "@charset \"", "image-set(", "src(", ")", "(", "{",
            "}", "[", "]", "\"", "'", "\\", "\\\n",
            "/*", "*/", ";", "<!--", "-->", "\n", "\r\n", "\u{C}", "\0", "\\0 ", "\\10ffff", "-", "--", "1e", "+.", "#",
            "é",
        ]
    ) { bytes in
        let found = CSSReferences.all(in: bytes)
        guard CSSReferences.rewrite(bytes, { _ in nil }) == bytes else {
            throw MutationFailure("Bytes change without a reference.")
        }
        var end = 0
        for reference in found {
            guard reference.range.lowerBound >= end, reference.range.upperBound <= bytes.count else {
                throw MutationFailure("References overlap: \(found)")
            }
            end = reference.range.upperBound
        }
        // Unclosed ends and a backslash before them take what is written for their own.
        let new = CSSReferences.rewrite(bytes) { _ in "new (\"1').png" }
        let again = CSSReferences.all(in: new)
        guard again.count == found.count, again.allSatisfy({ $0.use.text == "new (\"1').png" }) else {
            throw MutationFailure("What was written is read otherwise: \(again) of \(found)")
        }
        guard zip(found, again).allSatisfy({ $0.use.kind == $1.use.kind && $0.isQuoted == $1.isQuoted }) else {
            throw MutationFailure("The kinds differ: \(again) of \(found)")
        }
        return .accepted
    }

    @Test("No mutated style sheet ends the process, and what is written is read again")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await CSSMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}
