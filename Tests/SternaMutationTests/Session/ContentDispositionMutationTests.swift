import MutationKit
import Sterna
import Testing

@testable import SternaTestSupport

@Suite("Mutations: Content-Disposition")
struct ContentDispositionMutationTests {
    static let reader = MutatedReader(
        "ContentDisposition",
        seeds: [
            "attachment; filename=a.txt", "inline; filename=\"a \\\"b\\\" c.tar.gz\"; size=12",
            "attachment; filename=\"EURO\"; filename*=UTF-8''%e2%82%ac%20rates.txt",
            "filename*=iso-8859-1'en'%A3%2F..%2Fx",
            "attachment; filename=\"..\\\\..\\\\CON.txt\"", "attachment; filename=\"e\u{301}\u{202E}gpj.exe \"",
        ],
        tokens: [
            ";", "=", "\"", "\\", "'", "%", "%2F", "%00", "/", "filename", "filename*=", "UTF-8''", "..", " ", "\t",
            "\u{0}",
            "\u{301}", "\u{F73}", "\u{200D}", "CON", "COM¹", ".tar", "é", "\u{1100}",
        ]
    ) { bytes in
        guard let field = ContentDisposition(Array(bytes)) else { return .refused }
        var names: Set<String> = []
        guard field.parameters.count <= ContentDisposition.Limits.parameters,
            field.parameters.allSatisfy({ names.insert($0.name).inserted && $0.name == $0.name.lowercased() })
        else { throw MutationFailure("The parameters are \(field.parameters).") }
        guard let suggestion = field.filename, let name = DownloadFileName.safe(suggestion) else { return .accepted }
        guard !name.isEmpty, name.utf8.count <= DownloadFileName.maximumLength, name != ".", name != "..",
            name.utf8.first != UInt8(ascii: "."), !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x2F || $0 == 0x5C })
        else { throw MutationFailure("The name is \(name.debugDescription).") }
        guard DownloadFileName.safe(name).map({ Array($0.utf8) }) == Array(name.utf8) else {
            throw MutationFailure("The safe name \(name.debugDescription) changes.")
        }
        return .accepted
    }

    @Test("No mutated field ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await ContentDispositionMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
