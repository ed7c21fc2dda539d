import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Copies of a builder")
struct BodyBuilderCopyTests {
    private func text(_ body: Body) async throws -> String {
        var reader = BodyReader(body)
        var all = Bytes()
        while var piece = try await reader.next() { all.writeBuffer(&piece) }
        return all.text
    }

    @Test("Each copy holds what was appended to it, in memory and on disk", arguments: [0, 8, 1 << 20])
    func copies(limit: Int) async throws {
        var first = BodyBuilder(memoryLimit: limit)
        try first.append(Bytes(text: "the start,"))
        var second = first
        try first.append(Bytes(text: "one"))
        let early = first.body()
        try second.append(Bytes(text: "twotwo"))
        try first.append(Bytes(text: ",more"))
        try second.append(Bytes(text: "!"))
        try await expectEqual(text(first.body()), "the start,one,more")
        try await expectEqual(text(second.body()), "the start,twotwo!")
        try await expectEqual(text(early), "the start,one")
        expectEqual(second.length, 17)
    }

    @Test("More in memory than a buffer can hold is not asked for")
    func limit() {
        #expect(BodyBuilder(memoryLimit: .max).memoryLimit <= Int(Int32.max))
        expectEqual(BodyBuilder(memoryLimit: -1).memoryLimit, 0)
    }

    @Test("A path that no file can have")
    func nul() {
        var builder = BodyBuilder(memoryLimit: 0, path: "a\0b")
        let error = #expect(throws: SternaError.self) { try builder.append(Bytes(text: "x")) }
        expectEqual(error?.detail.contains("its path contains a control character"), true, "\(error?.detail ?? "")")
    }
}
