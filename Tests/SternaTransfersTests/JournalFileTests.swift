import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: the journal's file")
struct JournalFileTests {
    private let folder = TransferTestFolder()
    private var path: String { folder.path + "/journal" }

    private func add(_ json: String, number: Int) throws {
        let old = FileManager.default.contents(atPath: path) ?? Data()
        try (old + Data(JournalLine.bytes(Array(json.utf8), number: number))).write(to: URL(filePath: path))
    }

    @Test("Events of a newer program are an error, and stay in the file")
    func newer() throws {
        try TransferJournal(path).append(.began(number: 1, at: 1, kept: 0))
        try add(#"{"event":"synced","data":{"version":2}}"#, number: 1)
        let before = FileManager.default.contents(atPath: path)
        let error = #expect(throws: SternaError.self) { try TransferJournal(path) }
        #expect(error?.kind == .fileUnreadable && error?.message.contains("newer program") == true)
        #expect(throws: SternaError.self) { try TransferJournal.history(path) }
        expectEqual(FileManager.default.contents(atPath: path), before)
    }

    @Test("An event that could not be read again is refused, and later ones are kept")
    func tooLong() throws {
        let journal = try TransferJournal(path)
        try journal.append(.began(number: 1, at: 1, kept: 0))
        let error = #expect(throws: SternaError.self) {
            try journal.append(.opened(path: String(repeating: "p", count: JournalLine.longest)))
        }
        expectEqual(error?.kind, .limitExceeded)
        try journal.append(.opened(path: "/d/f"))
        try expectEqual(TransferJournal.history(path).partialPath, "/d/f")
    }

    @Test("An idle transfer has no open descriptor, and continues after its last event")
    func rests() throws {
        let journal = try TransferJournal(path)
        #expect(!isOpen && FileStatus(path: path) == nil)
        for event in [TransferEvent.paused, .resumed] {
            try journal.append(.began(number: 1, at: 1, kept: 0))
            #expect(isOpen)
            try journal.append(event)
            #expect(!isOpen)
        }
        try expectEqual(TransferJournal.history(path), journal.history)
        expectEqual(journal.history.attempts.count, 2)
    }

    /// Whether a descriptor of this process has the file; only Linux tells.
    private var isOpen: Bool {
        let links = "/proc/self/fd"
        return FolderNames.all(in: links).contains { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(links)/\(name)")) == path
        }
    }

    @Test("The next event truncates an incomplete last line")
    func torn() throws {
        try TransferJournal(path).append(.began(number: 1, at: 1, kept: 0))
        let whole = try #require(FileManager.default.contents(atPath: path))
        try (whole + Data("0123456789".utf8)).write(to: URL(filePath: path))
        let journal = try TransferJournal(path)
        try journal.append(.opened(path: "/d/f"))
        try expectEqual(TransferJournal.history(path).partialPath, "/d/f")
        try expectEqual(#require(FileManager.default.contents(atPath: path)).prefix(whole.count), whole)
    }

    @Test("A journal that another program has shortened refuses events")
    func shortened() throws {
        let journal = try TransferJournal(path)
        try journal.append(.began(number: 1, at: 1, kept: 0))
        try journal.append(.paused)
        try Data("x".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: SternaError.self) { try journal.append(.resumed) }
        #expect(error?.kind == .writeFailed && error?.message.contains("shortened") == true)
        expectEqual(journal.history.state, .paused)
    }

    @Test("A renamed file is recognized, also with another device number, and no other file is")
    func placed() throws {
        let file = folder.path + "/file"
        try Data("content".utf8).write(to: URL(filePath: file))
        let status = try #require(FileStatus(path: file))
        let placed = TransferFile(file, status)
        #expect(placed.isThere)
        let noted = String(decoding: TransferEvent.placing(placed).json, as: UTF8.self)
        let device = #""device":\#(status.identity.device)"#
        #expect(noted.contains(device))
        func isThere(_ json: String) -> Bool? {
            guard case .placing(let file)? = TransferEvent(json: Array(json.utf8)[...]) else { return nil }
            return file.isThere
        }
        expectEqual(isThere(noted), true)
        expectEqual(isThere(noted.replacing(device, with: #""device":99999"#)), true)
        // As an older program has noted it: without a time the device has to be the same.
        let time = #","modified":\#(status.modified)"#
        let old = noted.replacing(time, with: "")
        #expect(old != noted && isThere(old) == true)
        expectEqual(isThere(old.replacing(device, with: #""device":99999"#)), false)
        try Data("CONTENT".utf8).write(to: URL(filePath: file))
        expectEqual(isThere(noted), false)
    }
}
