import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("The names of partial files and sidecars")
struct PartialNamesTests {
    static let paths = [
        ("big.iso", "big.iso.sterna-part", "big.iso.sterna-resume"),
        ("/a/b/big.iso", "/a/b/big.iso.sterna-part", "/a/b/big.iso.sterna-resume"),
        ("/x", "/x.sterna-part", "/x.sterna-resume"), ("a/ä b", "a/ä b.sterna-part", "a/ä b.sterna-resume"),
    ]

    @Test("Partial files and sidecars are next to the destination", arguments: paths)
    func names(destination: String, partial: String, sidecar: String) throws {
        let names = try #require(PartialNames(destination: destination))
        expectEqual(names.partialPath, partial)
        expectEqual(names.sidecarPath, sidecar)
        expectEqual(names.newSidecarPath, sidecar + "-new")
        expectEqual(PartialNames(partialPath: partial), names)
        expectNil(PartialNames(partialPath: sidecar))
        expectNil(PartialNames(partialPath: destination))
    }

    @Test("A path without a file name has none", arguments: ["", "/", "a/", ".", "a/..", "a\u{0}b"])
    func refuses(destination: String) {
        expectNil(PartialNames(destination: destination))
    }

    @Test("Long names are shortened, and stay distinct", arguments: ["a", "é", "🐦", "e\u{301}"])
    func cuts(unit: String) throws {
        var seen = Set<String>()
        for length in 50...260 {
            let name = String(repeating: unit, count: length)
            guard name.utf8.count <= 255 else { break }
            for name in [name, name.dropLast() + "x"] {
                let names = try #require(PartialNames(destination: "/t/" + name))
                for name in [names.partial, names.sidecar, names.newSidecar] { #expect(name.utf8.count <= 255) }
                #expect(seen.insert(names.partial).inserted)
                expectEqual(PartialNames(destination: "/t/" + name), names)
                expectEqual(PartialNames(partialPath: names.partialPath)?.sidecarPath, names.sidecarPath)
            }
        }
    }
}
