import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: stored options", .timeLimit(.minutes(5)))
struct StoredOptionTests {
    private let folder = TransferTestFolder()

    @Test("Descriptions without newer options are read; each option is restored")
    func coding() throws {
        let old = try JSONDecoder().decode(
            TransferOptions.self, from: JSONEncoder().encode(TransferOptions()))
        #expect(old == TransferOptions() && old.priority == .normal)
        #expect(!String(decoding: try JSONEncoder().encode(old), as: UTF8.self).contains("rank"))
        var options = TransferOptions()
        options.priority = .high
        #expect(String(decoding: try JSONEncoder().encode(options), as: UTF8.self).contains("\"rank\":2"))
        try expectEqual(JSONDecoder().decode(TransferOptions.self, from: JSONEncoder().encode(options)).priority, .high)
        var upload = UploadOptions(.tus)
        try expectEqual(JSONDecoder().decode(UploadOptions.self, from: JSONEncoder().encode(upload)), upload)
        (upload.sendsChecksumInTrailer, upload.defersLength) = (true, true)
        try expectEqual(JSONDecoder().decode(UploadOptions.self, from: JSONEncoder().encode(upload)), upload)
    }

    @Test("Transfers begin in the order of their stored priorities, also in a later process")
    func priority() async throws {
        try await TestServer.withServer { server async throws in
            let session = try Session(baseURL: server.url)
            let first = try TransferStore(folder: folder.path + "/store", concurrency: 1)
            for (name, priority) in [("low", Request.Priority.low), ("normal", .normal), ("high", .high)] {
                var options = TransferOptions()
                options.priority = priority
                try await first.download(
                    "range/10?\(name)", to: "\(folder.path)/\(name)", with: session, options: options,
                    startsAtOnce: false)
            }
            // Its locks go with it.
            await first.interrupt()
            let later = try TransferStore(folder: folder.path + "/store", concurrency: 1)
            let gate = Gate()
            server.route("GET", "/held") { _ in
                await gate.wait()
                return .text("held")
            }
            let held = try await later.download("held", to: folder.path + "/held", with: session)
            try await server.waitForRequests(1, within: 60)
            let transfers = try await later.resumeAll(with: session)
            expectEqual(transfers.count, 3)
            gate.open()
            for transfer in transfers + [held] { _ = try await transfer.end() }
            let order = server.requests().dropFirst().map { $0.target.split(separator: "?").last.map(String.init) }
            expectEqual(order, ["high", "normal", "low"])
        }
    }

    @Test("After its lifetime a transfer begins no attempt")
    func lifetime() async throws {
        try await TestServer.withServer { server async throws in
            let session = try Session(baseURL: server.url)
            let store = try TransferStore(folder: folder.path + "/store")
            var options = TransferOptions()
            options.lifetime = .zero
            let transfer = try await store.download(
                "range/10", to: folder.path + "/file", with: session, options: options)
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.kind == "timedOut" && failure.reason.contains("its lifetime, 0.0 seconds, is over"))
            #expect(server.requests().isEmpty)
        }
    }

    @Test(
        "A transfer expires that long after its addition, and never without a lifetime",
        arguments: [(nil, 1_000, false), (.seconds(1), 1_999, false), (.seconds(1), 2_000, true)]
            as [(Duration?, Int64, Bool)])
    func expiry(lifetime: Duration?, now: Int64, isOver: Bool) {
        var options = TransferOptions()
        options.lifetime = lifetime
        expectEqual((TransferRule.expiry(options, now: now, created: 1_000) != nil), isOver)
    }
}
