import HTTPTypes
import Sterna
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// The credentials of a proxy: what is in use, what was refused, and the one question under way.
@Suite("Proxies: authentication of a route", .timeLimit(.minutes(5)))
struct ProxyAuthenticationTests {
    /// Keeps what receivers are called with.
    private final class Outcomes: Sendable {
        private let entries = Mutex<[Bool]>([])
        var all: [Bool] { entries.withLock { $0 } }

        func receive(_ result: Result<Void, ProxyAuthentication.NoCredentials>) {
            entries.withLock { $0.append((try? result.get()) != nil) }
        }
    }

    private static func challenge() throws -> ProxyChallenge {
        ProxyChallenge(
            proxy: try Proxy("http://proxy.test"), request: ProxyRequest(method: .connect, target: "origin.test:443"),
            challenges: [], refusedCount: 0,
            response: Response(status: .proxyAuthenticationRequired, url: try HTTPURL("http://proxy.test")))
    }

    @Test("Concurrent receivers share one question, and each is notified once")
    func shared() async throws {
        let (outcomes, gate) = (Outcomes(), Counter())
        let authentication = ProxyAuthentication(
            try Proxy("http://proxy.test"),
            ProxyLogin { _ in
                _ = await eventually { gate.value == 1 }
                return .basic("ada", "pw")
            })
        for _ in 0..<5 {
            #expect(authentication.ask(try Self.challenge(), authentication.progress(), outcomes.receive) != nil)
        }
        expectNil(authentication.answer)
        gate.add()
        #expect(await eventually { outcomes.all.count == 5 })
        #expect(outcomes.all.allSatisfy { $0 })
        expectEqual(authentication.answer?.number, 1)
        // There is one now: those who come later with an older one are told at once.
        expectNil(authentication.ask(try Self.challenge(), authentication.progress(), outcomes.receive))
        expectEqual(outcomes.all.count, 6)
    }

    @Test("An answer that was refused is forgotten, a later one is not")
    func refused() async throws {
        let authentication = ProxyAuthentication(try Proxy("http://eve:no@proxy.test"), ProxyLogin())
        expectEqual(authentication.answer?.number, 0)
        var first = authentication.progress()
        first.sent = 0
        let outcomes = Outcomes()
        _ = authentication.ask(try Self.challenge(), first, outcomes.receive)
        #expect(await eventually { outcomes.all.count == 1 })
        expectEqual(authentication.answer?.number, 1)
        authentication.refused(first)
        expectEqual(authentication.answer?.number, 1)
        first.sent = 1
        authentication.refused(first)
        expectNil(authentication.answer)
    }

    @Test("The question ends with its last waiter; the next waiter asks again")
    func abandoned() async throws {
        let (begun, gate, ended) = (Counter(), Counter(), Counter())
        let login = ProxyLogin { _ in
            let number = begun.add()
            if number == 1 {
                _ = await eventually { Task.isCancelled }
                _ = await eventually { gate.value == 1 }
                ended.add()
                return .basic("late", "pw")
            }
            return .basic("ada", "pw")
        }
        let authentication = ProxyAuthentication(try Proxy("http://proxy.test"), login)
        let outcomes = Outcomes()
        let one = try #require(authentication.ask(try Self.challenge(), authentication.progress(), outcomes.receive))
        let other = try #require(authentication.ask(try Self.challenge(), authentication.progress(), outcomes.receive))
        #expect(await eventually { begun.value == 1 })
        authentication.leave(one)
        authentication.leave(one)
        authentication.leave(other)
        _ = authentication.ask(try Self.challenge(), authentication.progress(), outcomes.receive)
        #expect(await eventually { authentication.answer?.number == 1 })
        gate.add()
        #expect(await eventually { ended.value == 1 })
        expectEqual(outcomes.all, [true])
        guard case .fixed(let authorization) = authentication.answer?.authorization.content else {
            Issue.record("no answer")
            return
        }
        expectEqual(authorization, .basic("ada", "pw"))
    }

    @Test("The question continues for its remaining waiters")
    func oneLeaves() async throws {
        let gate = Counter()
        let login = ProxyLogin { _ in
            _ = await eventually { gate.value == 1 }
            return Task.isCancelled ? nil : .basic("ada", "pw")
        }
        let authentication = ProxyAuthentication(try Proxy("http://proxy.test"), login)
        let (left, stayed) = (Outcomes(), Outcomes())
        let wait = try #require(authentication.ask(try Self.challenge(), authentication.progress(), left.receive))
        #expect(await eventually { login.challenges.count == 1 })
        #expect(authentication.ask(try Self.challenge(), authentication.progress(), stayed.receive) != nil)
        authentication.leave(wait)
        gate.add()
        #expect(await eventually { stayed.all == [true] })
        #expect(left.all.isEmpty && login.challenges.count == 1)
    }

    @Test("Turns that began before the authenticator gave up do not ask again, later ones do")
    func surrender() async throws {
        let login = ProxyLogin { _ in nil }
        let authentication = ProxyAuthentication(try Proxy("http://proxy.test"), login)
        let (early, outcomes) = (authentication.progress(), Outcomes())
        _ = authentication.ask(try Self.challenge(), authentication.progress(), outcomes.receive)
        #expect(await eventually { outcomes.all == [false] })
        expectNil(authentication.ask(try Self.challenge(), early, outcomes.receive))
        expectEqual(outcomes.all, [false, false])
        expectEqual(login.challenges.count, 1)
        _ = authentication.ask(try Self.challenge(), authentication.progress(), outcomes.receive)
        #expect(await eventually { outcomes.all == [false, false, false] })
        expectEqual(login.challenges.count, 2)
    }
}
