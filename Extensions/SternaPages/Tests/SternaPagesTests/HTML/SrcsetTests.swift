import Testing

@testable import SternaPages

/// The candidates of `srcset` by the HTML Standard's algorithm.
@Suite struct SrcsetTests {
    @Test(
        arguments: [
            ("", []), (" \n\t,, ,", []), ("a.png", ["a.png"]), (" a.png ", ["a.png"]), ("a.png,", ["a.png"]),
            ("a.png,,,", ["a.png"]), ("a.png 1x", ["a.png|1x"]), ("a.png 1x, b.png 2x", ["a.png|1x", "b.png|2x"]),
            ("a.png 1x,b.png 2x", ["a.png|1x", "b.png|2x"]), ("a.png, b.png", ["a.png", "b.png"]),
            // A comma without white space belongs to the URL.
            ("a.png,b.png", ["a.png,b.png"]), ("a.png,b.png 2x", ["a.png,b.png|2x"]),
            ("data:image/png;base64,AA== 1x, b 2x", ["data:image/png;base64,AA==|1x", "b|2x"]),
            (",a.png 1x", ["a.png|1x"]), ("a.png 100w 50h, b 2x", ["a.png|100w|50h", "b|2x"]),
            ("a (x, y) 1x, b", ["a|(x, y)|1x", "b"]), ("a (x, b 2x", ["a|(x, b 2x"]),
            ("a x(,)y , b", ["a|x(,)y", "b"]),
            ("a\u{C}1x,\rb\n2x", ["a|1x", "b|2x"]), ("a 1x , , b", ["a|1x", "b"]), ("ä.png 1x", ["ä.png|1x"]),
            ("a  2x  ,", ["a|2x"]), ("a,, 1x", ["a", "1x"]),
        ] as [(String, [String])])
    func parses(_ text: String, _ expected: [String]) {
        let found = Srcset.candidates(of: text).map { ([$0.reference] + $0.descriptors).joined(separator: "|") }
        #expect(found == expected)
    }

    @Test(
        arguments: [
            ("a.png 1x, b.png 2x", "N(a.png) 1x, N(b.png) 2x"), (" a.png ", " N(a.png) "),
            ("a,b 1x,c", "N(a,b) 1x,N(c)"),
            ("", ""), (",,", ",,"), ("keep 1x, a", "keep 1x, N(a)"),
        ])
    func rewrites(_ text: String, _ expected: String) {
        #expect(Srcset.rewrite(text) { $0 == "keep" ? nil : "N(\($0))" } == expected)
    }

    @Test(arguments: [("x y", "x%20y"), (",x,", "%2Cx%2C"), ("x,y", "x,y"), (",", "%2C"), ("", "")])
    func escapesWhatWouldEndAReference(_ reference: String, _ written: String) {
        #expect(Srcset.rewrite("a 1x, b") { $0 == "a" ? reference : nil } == "\(written) 1x, b")
    }
}
