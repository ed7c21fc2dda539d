import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: unreadable descriptions", .timeLimit(.minutes(5)))
struct UnreadableTransferTests {
    private let folder = TransferTestFolder()
    private var path: String { folder.path + "/store" }

    /// Adds downloads that no process carries on.
    private func add(_ names: String..., to folder: StoreFolder) throws -> [TransferID] {
        try names.map { name in
            let description = try TransferDescription(
                .download, created: 1, url: try HTTPURL("https://a.example/\(name)"),
                path: "\(self.folder.path)/\(name)", headers: [], session: "default", options: TransferOptions(),
                context: nil)
            let begun = try folder.begin(description.id)
            try folder.add(description, begun.new)
            begun.lock.release()
            return description.id
        }
    }

    private func change(_ id: TransferID, in folder: StoreFolder, _ change: (String) -> String) throws {
        let file = folder.files(of: id).description
        let text = String(decoding: try #require(try file.read(upTo: 1 << 20)), as: UTF8.self)
        try file.write(Array(change(text).utf8))
    }

    @Test("Unreadable transfers are listed separately, with the reason")
    func listed() async throws {
        let files = StoreFolder(path: path)
        try files.make()
        let ids = try add("whole", "newer", "older", "cut", "missing", "folder", to: files)
        try change(ids[1], in: files) { $0.replacing("\"version\" : 1", with: "\"version\" : 7") }
        try change(ids[2], in: files) { $0.replacing("\"version\" : 1", with: "\"version\" : 0") }
        try change(ids[3], in: files) { String($0.prefix(40)) }
        unlink(files.files(of: ids[4]).description.path)
        unlink(files.files(of: ids[5]).description.path)
        mkdir(files.files(of: ids[5]).description.path, 0o700)
        let store = try TransferStore(folder: path)
        await expectEqual(store.list().map(\.id), [ids[0]])
        let found = await store.unreadable()
        expectEqual(found.map(\.id), ids.dropFirst().sorted { $0.text < $1.text })
        let causes = Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.cause) })
        expectEqual(ids.map { causes[$0] }, [nil, .newer(version: 7), .damaged, .damaged, .damaged, .damaged])
        for (id, reason) in [
            (ids[1], "its version is 7"), (ids[3], "it is damaged"), (ids[4], "it is missing"),
            (ids[5], "it is a folder"),
        ] {
            let text = found.first { $0.id == id }?.reason ?? ""
            #expect(text.contains(reason) && text.contains(files.files(of: id).description.path), "\(text)")
        }
        // Other files and folders are not transfers.
        mkdir(path + "/other", 0o700)
        await expectEqual(store.unreadable().count, 5)
    }

    @Test("Discarding removes the transfer and its partial file")
    func discarded() async throws {
        let files = StoreFolder(path: path)
        try files.make()
        let id = try add("f", to: files)[0]
        let part = folder.path + "/f.sterna-part"
        try Data("abc".utf8).write(to: URL(filePath: part))
        try TransferJournal(files.files(of: id).journal).append(.opened(path: part))
        try change(id, in: files) { _ in "{" }
        let store = try TransferStore(folder: path)
        try await store.discard(id)
        try await store.discard(id)
        #expect(await store.unreadable().isEmpty)
        try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), ["store"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    @Test("A transfer that is readable, that a process runs, or that a newer program can resume is not discarded")
    func kept() async throws {
        let files = StoreFolder(path: path)
        try files.make()
        let ids = try add("a", "b", "c", to: files)
        for id in ids.dropFirst() {
            try change(id, in: files) { $0.replacing("\"version\" : 1", with: "\"version\" : 7") }
        }
        let owner = try #require(try files.own(ids[1]))
        let store = try TransferStore(folder: path)
        for (id, evenIfIntact, reason) in [
            (ids[0], true, "can be read"), (ids[1], true, "a process runs it"),
            (ids[2], false, "a newer program has written it (version 7)"),
        ] {
            let error = await #expect(throws: SternaError.self) {
                try await store.discard(id, evenIfIntact: evenIfIntact)
            }
            #expect(
                error?.kind == .invalidRequest && error?.message.contains(reason) == true,
                "\(String(describing: error))")
        }
        await expectEqual(store.list().count, 1)
        await expectEqual(store.unreadable().count, 2)
        owner.release()
        for id in ids.dropFirst() { try await store.discard(id, evenIfIntact: true) }
        #expect(await store.unreadable().isEmpty)
    }

    @Test(
        "A transfer whose journal has a newer program's events is neither listed, resumed nor discarded",
        arguments: [#"{"event":"synced","data":{"version":2}}"#, #"{"event":"later"}"#])
    func newerEvents(event: String) async throws {
        let files = StoreFolder(path: path)
        try files.make()
        let ids = try add("whole", "newer", to: files)
        let place = files.files(of: ids[1])
        try TransferJournal(place.journal).append(.began(number: 1, at: 1, kept: 0))
        let old = try #require(FileManager.default.contents(atPath: place.journal))
        let line = JournalLine.bytes(Array(event.utf8), number: 1)
        try (old + Data(line)).write(to: URL(filePath: place.journal))
        let written = FileManager.default.contents(atPath: place.journal)

        let store = try TransferStore(folder: path)
        await expectEqual(store.list().map(\.id), [ids[0]])
        let found = await store.unreadable()
        #expect(found.map(\.id) == [ids[1]] && found.first?.cause == .newer(version: TransferDescription.version))
        expectEqual(found.first?.reason.contains("newer program"), true, "\(found)")
        let error = await #expect(throws: SternaError.self) { try await store.discard(ids[1]) }
        #expect(error?.kind == .invalidRequest && error?.message.contains("a newer program") == true)
        let session = try Session()
        let resuming = await #expect(throws: SternaError.self) {
            _ = try await store.resumeAll(with: session, named: "default", startsAtOnce: false)
        }
        expectEqual(resuming?.message.contains("newer program"), true)
        expectEqual(store.transfers.map(\.id), [ids[0]])
        expectEqual(FileManager.default.contents(atPath: place.journal), written)
        try await store.discard(ids[1], evenIfIntact: true)
        #expect(await store.unreadable().isEmpty)
    }

    @Test("A damaged journal is read up to its last complete line")
    func journal() async throws {
        let files = StoreFolder(path: path)
        try files.make()
        let ids = try add("paused", "empty", to: files)
        do {
            let journal = try TransferJournal(files.files(of: ids[0]).journal)
            try journal.append(.began(number: 1, at: 1, kept: 0))
            try journal.append(.paused)
            try journal.append(.cancelled)
        }
        let journal = files.files(of: ids[0]).journal
        var bytes = Array(try #require(FileManager.default.contents(atPath: journal)))
        bytes[bytes.count - 5] ^= 1
        try Data(bytes).write(to: URL(filePath: journal))
        try Data(repeating: 0, count: 9_000).write(to: URL(filePath: files.files(of: ids[1]).journal))
        let store = try TransferStore(folder: path)
        let states = Dictionary(uniqueKeysWithValues: await store.list().map { ($0.id, $0.state) })
        expectEqual(states, [ids[0]: .paused, ids[1]: .waiting])
        #expect(await store.unreadable().isEmpty)
    }
}
