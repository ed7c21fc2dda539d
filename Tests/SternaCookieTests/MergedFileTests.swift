import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaCore
@testable import SternaTestSupport

// Two merged files with one path exclude each other, as those of two processes do.
@Suite("Files: merged")
struct MergedFileTests {
    /// A set of bytes in ascending order. Other files are unusable, also longer ones.
    private struct Bytes: MergedFileFormat {
        let file: PrivateFile
        let reads = Counter()
        let writes = Counter()
        let failures = Counter()

        struct State: Sendable {
            var all: Set<UInt8> = []
            var saved: Set<UInt8> = []
        }

        func read() throws(SternaError) -> Set<UInt8> {
            reads.add()
            return try file.read(upTo: 250) { content throws(FileFault) in
                guard content.bytes == content.bytes.sorted() else { throw FileFault("it is in no order") }
                return Set(content.bytes)
            } ?? []
        }

        func merge(_ saved: Set<UInt8>, into state: inout State) { state.all.formUnion(saved) }

        func write(_ state: State, over saved: Set<UInt8>) throws(SternaError) -> (inout State) -> Void {
            do {
                if state.all != saved { try file.write(state.all.sorted()) }
            } catch {
                failures.add()
                throw error
            }
            writes.add()
            return { $0.saved = state.all }
        }
    }

    /// Pauses that no test waits for.
    private static let never = SavePauses(idle: .seconds(600), longest: .seconds(600))

    private static func merged(_ path: String, _ pauses: SavePauses = never) -> (MergedFile<Bytes>, Bytes) {
        let format = Bytes(file: PrivateFile(path: path, title: "The set"))
        return (MergedFile("sterna.test", format, pauses: pauses, state: Bytes.State()), format)
    }

    private static func add(_ byte: UInt8, to file: MergedFile<Bytes>) {
        _ = file.change { ($0.all.insert(byte).inserted, isChange: true) }
    }

    private static func bytes(_ path: String) throws -> [UInt8]? { try PrivateFile(path: path).read(upTo: 1_000) }

    // MARK: Reading

    @Test("The file is read once, when it is first needed, and merged with earlier changes")
    func loading() async throws {
        try await CredentialFolder.with { folder in
            try PrivateFile(path: folder + "/a").write([1, 2])
            let (file, format) = Self.merged(folder + "/a")
            Self.add(3, to: file)
            #expect(!file.isLoaded)
            expectEqual(format.reads.value, 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await file.load() } }
                try await group.waitForAll()
            }
            file.loadNow()
            #expect(file.isLoaded)
            expectEqual(format.reads.value, 1)
            expectEqual(file.withLock { $0.all }, [1, 2, 3])
            let (other, _) = Self.merged(folder + "/a")
            other.loadNow()
            expectEqual(other.withLock { $0.all }, [1, 2])
        }
    }

    @Test("A state without a file is never saved") func memory() async throws {
        let file = MergedFile<Bytes>("sterna.test", nil, pauses: SavePauses(idle: .zero), state: Bytes.State())
        #expect(file.isLoaded)
        Self.add(1, to: file)
        try await file.load()
        file.loadNow()
        try await file.save()
        expectEqual(file.withLock { $0.all }, [1])
        expectEqual(file.withLock { $0.saved }, [])
    }

    // MARK: Saving

    @Test("A change is saved after a while without further changes") func idle() async throws {
        try await CredentialFolder.with { folder in
            let pause = Duration.milliseconds(100)
            let (file, format) = Self.merged(folder + "/a", SavePauses(idle: pause, longest: .seconds(600)))
            let clock = ContinuousClock()
            let begin = clock.now
            var (byte, last, longest) = (UInt8(0), begin, Duration.zero)
            while clock.now < begin + pause * 4 {
                let before = clock.now
                byte = byte % 200 + 1
                Self.add(byte, to: file)
                longest = max(longest, last.duration(to: clock.now))
                last = before
                try await Task.sleep(for: .milliseconds(5))
            }
            let writes = format.writes.value
            longest = max(longest, last.duration(to: clock.now))
            // On a busy machine this loop itself may have paused for as long.
            #expect(writes == 0 || longest >= pause)
            let isSaved = try await eventually { try Self.bytes(folder + "/a")?.contains(byte) == true }
            #expect(isSaved)
        }
    }

    @Test("A change is saved after a while, also if others follow all the time") func longest() async throws {
        try await CredentialFolder.with { folder in
            let (file, format) = Self.merged(
                folder + "/a", SavePauses(idle: .milliseconds(20), longest: .milliseconds(60)))
            let isSaved = await eventually {
                Self.add(1, to: file)
                return format.writes.value >= 2
            }
            #expect(isSaved)
            try expectEqual(Self.bytes(folder + "/a"), [1])
        }
    }

    @Test("Nothing is saved without a change") func noChange() async throws {
        try await CredentialFolder.with { folder in
            let (file, format) = Self.merged(folder + "/a", SavePauses(idle: .zero, longest: .zero))
            _ = file.change { ($0.all.insert(1).inserted, isChange: false) }
            file.withLock { _ = $0.all.insert(2) }
            // Jobs run in order: a save that the change had scheduled would have run before.
            file.loadNow()
            expectEqual(format.writes.value, 0)
            Self.add(3, to: file)
            let isSaved = await eventually { format.writes.value == 1 }
            #expect(isSaved)
            try expectEqual(Self.bytes(folder + "/a"), [1, 2, 3])
        }
    }

    @Test("A save waits for the lock, and merges the changes that another process has made by then") func merging()
        async throws
    {
        try await CredentialFolder.with { folder in
            let path = folder + "/a"
            let (file, format) = Self.merged(path)
            try PrivateFile(path: path).write([1])
            file.loadNow()
            Self.add(3, to: file)
            let lock = try FileLock.acquire(path: path)
            async let saved: Void = file.save()
            try PrivateFile(path: path).write([1, 2])
            expectEqual(format.reads.value, 1)
            lock.release()
            try await saved
            expectEqual(format.reads.value, 2)
            try expectEqual(Self.bytes(path), [1, 2, 3])
            expectEqual(file.withLock { $0.all }, [1, 2, 3])
            expectEqual(file.withLock { $0.saved }, [1, 2, 3])
        }
    }

    @Test("Concurrent merged files with one path lose no change") func concurrency() async throws {
        try await CredentialFolder.with { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in UInt8(0)..<4 {
                    let (file, _) = Self.merged(folder + "/a")
                    group.addTask {
                        for index in UInt8(0)..<5 {
                            Self.add(5 * number + index, to: file)
                            try await file.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(Self.bytes(folder + "/a"), Array(0..<20))
        }
    }

    @Test("Changes are merged and saved when the last reference is released") func release() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/a"
            try PrivateFile(path: path).write([1])
            Self.add(2, to: Self.merged(path).0)
            let isSaved = try await eventually { try Self.bytes(path) == [1, 2] }
            #expect(isSaved)
        }
    }

    // MARK: Errors

    @Test("An unusable file is left unchanged, and unsaved changes stay in memory", arguments: [false, true])
    func unusable(isLoaded: Bool) async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/a"
            try PrivateFile(path: path).write([2, 1])
            let (file, format) = Self.merged(path)
            if isLoaded {
                let loaded = await #expect(throws: SternaError.self) { try await file.load() }
                expectEqual(loaded?.kind, .fileUnreadable)
                expectEqual(loaded?.detail, "The set “\(path)” cannot be read: it is in no order.")
                // The state is used without the file from then on.
                #expect(file.isLoaded)
                try await file.load()
                expectEqual(format.reads.value, 1)
            }
            Self.add(3, to: file)
            for _ in 0..<2 {
                let saved = await #expect(throws: SternaError.self) { try await file.save() }
                expectEqual(saved?.kind, .fileUnreadable)
            }
            try expectEqual(Self.bytes(path), [2, 1])
            expectEqual(file.withLock { $0.all }, [3])
            expectEqual(file.withLock { $0.saved }, [])
            unlink(path)
            try await file.save()
            try expectEqual(Self.bytes(path), [3])
        }
    }

    @Test("A file that cannot be written is an error of the save, and the changes stay") func unwritable() async throws
    {
        try await CredentialFolder.with { folder in
            let path = folder + "/a"
            // An obstacle to the new file.
            try #require(mkdir(path + PrivateFile.newSuffix, 0o700) == 0)
            let (file, format) = Self.merged(path, SavePauses(idle: .zero, longest: .zero))
            Self.add(1, to: file)
            // The scheduled save fails silently.
            let hasFailed = await eventually { format.failures.value == 1 }
            #expect(hasFailed)
            let error = await #expect(throws: SternaError.self) { try await file.save() }
            #expect(error?.kind == .writeFailed && error?.detail.contains(path) == true)
            expectEqual(file.withLock { $0.saved }, [])
            expectEqual(rmdir(path + PrivateFile.newSuffix), 0)
            // The next change saves both.
            Self.add(2, to: file)
            let isSaved = await eventually { format.writes.value == 1 }
            #expect(isSaved)
            try expectEqual(Self.bytes(path), [1, 2])
        }
    }

    @Test("A lock that cannot be taken is an error of the save, and the changes stay") func noLock() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/a"
            try #require(mkdir(path + FileLock.suffix, 0o700) == 0)
            let (file, _) = Self.merged(path)
            Self.add(1, to: file)
            let error = await #expect(throws: SternaError.self) { try await file.save() }
            expectEqual(error?.kind, .writeFailed)
            expectEqual(rmdir(path + FileLock.suffix), 0)
            try await file.save()
            try expectEqual(Self.bytes(path), [1])
        }
    }

    @Test("A change during a write is saved next, and does not count as saved") func changesDuringWrite()
        async throws
    {
        try await CredentialFolder.with { folder in
            let path = folder + "/a"
            // The new file's lock, which delays the writer.
            let writer = try AtomicFileWriter(beside: path, timeout: .seconds(1))
            let (file, format) = Self.merged(path)
            Self.add(1, to: file)
            async let saved: Void = file.save()
            let isReading = await eventually { file.isLoaded }
            #expect(isReading)
            Self.add(2, to: file)
            try writer.commit()
            try await saved
            expectEqual(file.withLock { $0.saved }, [1])
            expectEqual(file.withLock { $0.all }, [1, 2])
            try await file.save()
            expectEqual(format.writes.value, 2)
            try expectEqual(Self.bytes(path), [1, 2])
        }
    }
}
