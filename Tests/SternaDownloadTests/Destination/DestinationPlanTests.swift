import HTTPTypes
import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Checking a download's destination")
struct DestinationPlanTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func fault(_ destination: DownloadDestination) -> DestinationFault? {
        let error = #expect(throws: SternaError.self) { try DestinationPlan(destination) }
        expectEqual(error?.kind, .destinationUnusable)
        expectEqual(error?.phase, .prepare)
        expectEqual(error?.requestSent, false)
        return error?.underlying as? DestinationFault
    }

    private func response(_ fields: HTTPFields = HTTPFields(), url: String = "http://h/b.zip") throws -> Response {
        Response(status: .ok, section: FieldSection(fields), url: try HTTPURL(url))
    }

    @Test("The partial file is in the folder of a known destination")
    func partialFolder() throws {
        try expectEqual(DestinationPlan(.file(path("x/a"))).partialFolder, path("x"))
        try expectEqual(DestinationPlan(.file(URL(filePath: path("a")))).partialFolder, folder.path)
        try expectEqual(DestinationPlan(.file(path("a"))).partialPermissions, 0o666)
        #expect(try DestinationPlan(.folder(path("x/y//"))).partialFolder == path("x/y"))
        let chosen = try DestinationPlan(.choose { _, _ in "/nowhere/a" })
        #expect(chosen.partialFolder != "/nowhere")
        expectEqual(chosen.partialPermissions, 0o600)
        try expectEqual(
            DestinationPlan(.file("a-name-that-is-not-taken")).partialFolder, FileManager.default.currentDirectoryPath)
        // Nothing is created before the transfer.
        #expect(folder.names.isEmpty)
        try DestinationPlan(.folder(path("x/y"))).makePartialFolder()
        expectEqual(FileStatus(path: path("x/y"))?.isDirectory, true)
    }

    @Test("An existing file is an error only with `.fail`, the default for files")
    func existing() throws {
        let file = try folder.write([], to: "a")
        expectEqual(fault(.file(file)), .exists(path: file))
        expectEqual(symlink("/nowhere", path("link")), 0)
        expectEqual(fault(.file(path("link"))), .exists(path: path("link")))
        _ = try DestinationPlan(.file(file, existing: .replace))
        _ = try DestinationPlan(.file(file, existing: .addNumber))
    }

    @Test("Folders, devices and invalid paths fail before anything is sent", arguments: ExistingFile.allCases)
    func unusable(existing: ExistingFile) throws {
        expectEqual(fault(.file(folder.path, existing: existing)), .folder(path: folder.path))
        expectEqual(fault(.file(path("new/"), existing: existing)), .folder(path: path("new/")))
        let file = try folder.write([], to: "a")
        expectEqual(fault(.folder(file, existing: existing)), .notAFolder(path: file))
        expectEqual(fault(.file(file + "/b/c", existing: existing)), .notAFolder(path: file))
        let long = path(String(repeating: "x", count: 300))
        expectEqual(fault(.file(long, existing: existing)), .failed(path: long, code: ENAMETOOLONG))
        expectEqual(fault(.file("", existing: existing)), .failed(path: "", code: ENOENT))
        expectEqual(fault(.folder("a\0b", existing: existing)), .failed(path: "a\0b", code: EINVAL))
        if existing == .replace {
            expectEqual(fault(.file("/dev/null", existing: existing)), .notAFile(path: "/dev/null"))
        }
    }

    @Test("A URL that is not a file's fails")
    func remoteURL() throws {
        let url = try #require(URL(string: "https://example.com/a"))
        let error = #expect(throws: SternaError.self) { try DestinationPlan(.file(url)) }
        expectEqual(error?.kind, .destinationUnusable)
        #expect(error?.underlying as? BodyFault == .notAFileURL(scheme: "https"))
    }

    @Test(
        "A folder without write permission fails", .enabled(if: geteuid() != 0, "The superuser may write everywhere."))
    func notWritable() throws {
        expectEqual(mkdir(path("closed"), 0o555), 0)
        expectEqual(fault(.file(path("closed/x/a"))), .notWritable(folder: path("closed"), code: EACCES))
        expectEqual(fault(.folder(path("closed"))), .notWritable(folder: path("closed"), code: EACCES))
    }

    @Test("A folder uses the server's name, and adds a number if it exists")
    func serverName() async throws {
        let plan = try DestinationPlan(.folder(folder.path))
        let plain = try await plan.path(for: try response(), temporary: path("part"))
        expectEqual(plain, path("b.zip"))
        var fields = HTTPFields()
        fields[.contentDisposition] = "attachment; filename=\"../../x y.txt\""
        let named = try await plan.path(for: try response(fields), temporary: path("part"))
        expectEqual(named, path("x y.txt"))
        expectEqual(mkdir(named, 0o777), 0)
        let part = try folder.write(Array("new".utf8), to: "part")
        try expectEqual(plan.place(part, at: named), path("x y (2).txt"))
        var type = HTTPFields()
        type[.contentType] = "image/jpeg"
        let unnamed = try await plan.path(for: try response(type, url: "http://h/"), temporary: path("part"))
        expectEqual(unnamed, path("download.jpg"))
    }

    @Test("A closure chooses by the response, and its errors are kept")
    func chosen() async throws {
        let part = try folder.write(Array("new".utf8), to: "part")
        let target = path("x/200.bin")
        let plan = try DestinationPlan(
            .choose { temporaryFile, response in
                expectEqual(temporaryFile.path, part)
                return target.replacing("200", with: "\(response.status.code)")
            })
        let chosen = try await plan.path(for: try response(), temporary: part)
        expectEqual(chosen, target)
        try expectEqual(plan.place(part, at: chosen), target)
        expectEqual(FileManager.default.contents(atPath: target), Data("new".utf8))

        struct Refusal: Error {}
        let refusing = try DestinationPlan(.choose { _, _ -> URL in throw Refusal() })
        let answer = try response()
        await #expect(throws: Refusal.self) { try await refusing.path(for: answer, temporary: part) }
        let folderPath = folder.path
        let unusable = try DestinationPlan(.choose { _, _ in folderPath + "/" })
        let error = await #expect(throws: SternaError.self) { try await unusable.path(for: answer, temporary: part) }
        #expect(error?.underlying as? DestinationFault == .folder(path: folder.path + "/"))
    }

    @Test("An error says in one line what happened and what to do")
    func texts() {
        let faults: [DestinationFault] = [
            .exists(path: "/a\nb"), .folder(path: "/a\nb"), .notAFolder(path: "/a\nb"), .notAFile(path: "/a\nb"),
            .notWritable(folder: "/a\nb", code: EROFS), .noSpace(path: "/a\nb", code: ENOSPC),
            .vanished(temporaryFile: "/a\nb"), .failed(path: "/a\nb", code: ENAMETOOLONG),
        ]
        for fault in faults {
            let error = fault.error(phase: .read)
            #expect(error.detail.contains("“/a\u{FFFD}b”"))
            expectEqual(error.detail.split(separator: ". ").count, 2, "\(error.detail)")
        }
    }

    @Test(
        "A system error number becomes the fault that it means",
        arguments: [
            (ENOSPC, .noSpace(path: "/a/b", code: ENOSPC)), (EDQUOT, .noSpace(path: "/a/b", code: EDQUOT)),
            (EACCES, .notWritable(folder: "/a", code: EACCES)), (EROFS, .notWritable(folder: "/a", code: EROFS)),
            (EISDIR, .folder(path: "/a/b")), (ENOTDIR, .notAFolder(path: "/a")), (EEXIST, .exists(path: "/a/b")),
            (EIO, .failed(path: "/a/b", code: EIO)),
        ] as [(Int32, DestinationFault)])
    func codes(code: Int32, expected: DestinationFault) {
        let fault = DestinationFault(code: code, path: "/a/b")
        expectEqual(fault, expected)
        let isFull = code == ENOSPC || code == EDQUOT
        expectEqual(fault.error(phase: .read).kind, (isFull ? .writeFailed : .destinationUnusable))
    }

    @Test(
        "A path is split into folder and name",
        arguments: [
            ("/a/b", "/a", "b"), ("/a", "/", "a"), ("/", "/", ""), ("/a//b", "/a", "b"), ("//b", "/", "b"),
        ])
    func paths(path: String, folder: String, name: String) {
        expectEqual(FilePaths.folder(of: path), folder)
        expectEqual(FilePaths.name(of: path), name)
    }
}
