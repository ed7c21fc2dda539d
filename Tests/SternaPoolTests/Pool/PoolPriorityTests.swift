import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Who goes first where one connection is allowed.
@Suite("Pool: priorities", .timeLimit(.minutes(5)))
struct PoolPriorityTests {
    /// Names of requests with priorities, in the order in which they are asked for, and in which they must be served.
    struct Case: Sendable, CustomTestStringConvertible {
        let asked: [(String, Request.Priority)]
        let served: [String]

        var testDescription: String { asked.map(\.0).joined(separator: " ") }
    }

    static let cases = [
        Case(asked: [("low", .low), ("normal", .normal), ("high", .high)], served: ["high", "normal", "low"]),
        Case(asked: [("high", .high), ("normal", .normal), ("low", .low)], served: ["high", "normal", "low"]),
        Case(
            asked: [
                ("l1", .low), ("h1", .high), ("n1", .normal), ("l2", .low), ("n2", .normal), ("h2", .high),
                ("l3", .low), ("h3", .high),
            ], served: ["h1", "h2", "h3", "n1", "n2", "l1", "l2", "l3"]),
        Case(asked: [("a", .normal), ("b", .normal), ("c", .normal)], served: ["a", "b", "c"]),
    ]

    @Test("High goes before normal before low, each in order of arrival", arguments: cases)
    func order(item: Case) async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                let (gate, order) = (Gate(), PoolOrder())
                server.hold(gate, nil, order)
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 1 }
                let api = try PoolSupport.session(server.url, engine)
                let first = Task { try await api.get("held/first").status }
                try await server.waitForRequests(1, within: PoolSupport.limit)
                let tasks = await PoolSupport.queue(item.asked.count, engine) { number in
                    let (name, priority) = item.asked[number]
                    return try await api.get("held/\(name)") { $0.priority = priority }.status
                }
                gate.open()
                try await expectEqual(first.value, 200)
                for task in tasks { try await expectEqual(task.value, 200) }
                expectEqual(order.names, ["first"] + item.served)
                expectEqual(server.totalConnections, 1)
            }
        }
    }

    @Test("Priorities count among requests at the limit of all connections")
    func inAll() async throws {
        try await TestServer.withServer { server in
            try await TestServer.withServer { other in
                try await PoolSupport.withLoops { group in
                    let (gate, order) = (Gate(), PoolOrder())
                    server.hold(gate)
                    other.hold(gate, nil, order)
                    let engine = PoolSupport.engine(group: group) { $0.maximumConnections = 1 }
                    let first = try PoolSupport.session(server.url, engine)
                    let second = try PoolSupport.session(other.url, engine)
                    let held = Task { try await first.get("held/first").status }
                    try await server.waitForRequests(1, within: PoolSupport.limit)
                    let names: [(String, Request.Priority)] = [("low", .low), ("normal", .normal), ("high", .high)]
                    let tasks = await PoolSupport.queue(3, engine) { number in
                        let (name, priority) = names[number]
                        return try await second.get("held/\(name)") { $0.priority = priority }.status
                    }
                    gate.open()
                    try await expectEqual(held.value, 200)
                    for task in tasks { try await expectEqual(task.value, 200) }
                    expectEqual(order.names, ["high", "normal", "low"])
                }
            }
        }
    }

    @Test("A task's priority changes while its request waits")
    func changed() async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                let (gate, order) = (Gate(), PoolOrder())
                server.hold(gate, nil, order)
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 1 }
                let api = try PoolSupport.session(server.url, engine)
                let first = api.dataTask(.get("held/first"))
                try await server.waitForRequests(1, within: PoolSupport.limit)
                var tasks: [DataTask] = []
                for number in 0..<4 {
                    tasks.append(api.dataTask(.get("held/\(number)")))
                    await PoolSupport.expect(engine, "request \(number) waits") { $0.waiting == number + 1 }
                }
                expectEqual(tasks.map(\.priority), [.normal, .normal, .normal, .normal])
                tasks[3].priority = .high
                tasks[0].priority = .low
                tasks[2].priority = .high
                // A request that has its connection keeps it.
                first.priority = .low
                expectEqual(tasks.map(\.priority), [.low, .normal, .high, .high])
                gate.open()
                for task in tasks + [first] {
                    let status = try await task.value.status
                    expectEqual(status, 200)
                }
                expectEqual(order.names, ["first", "2", "3", "1", "0"])
            }
        }
    }

    @Test("A task's priority may be set before it begins")
    func setBefore() async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                let (gate, order) = (Gate(), PoolOrder())
                server.hold(gate, nil, order)
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 1 }
                let api = try PoolSupport.session(server.url, engine) { $0.tasks.startsImmediately = false }
                let tasks = ["first", "low", "high"].map { api.dataTask(.get("held/\($0)")) }
                tasks[1].priority = .low
                tasks[2].priority = .high
                for (number, task) in tasks.enumerated() {
                    task.resume()
                    if number == 0 { try await server.waitForRequests(1, within: PoolSupport.limit) }
                    if number > 0 {
                        await PoolSupport.expect(engine, "request \(number) waits") { $0.waiting == number }
                    }
                }
                gate.open()
                for task in tasks { _ = try await task.value }
                expectEqual(order.names, ["first", "high", "low"])
            }
        }
    }
}
