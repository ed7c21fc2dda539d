import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("When a token is used, refreshed or given up")
struct TokenRuleTests {
    private func rule(
        canRefresh: Bool = true, most: Int = 5, leeway: Int64 = 60, window: Int64 = 30
    ) -> TokenRule {
        TokenRule(
            limits: .init(
                leeway: .seconds(leeway), mostRefreshes: most, window: .seconds(window), canRefresh: canRefresh))
    }

    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(1_000_000_000_000) + .seconds(seconds) }

    private func begun(_ decision: TokenRule.Decision, location: SourceLocation = #_sourceLocation) throws -> UInt64 {
        guard case .wait(let number, true) = decision else {
            Issue.record("\(decision) begins no refresh.", sourceLocation: location)
            throw NoRefresh()
        }
        return number
    }

    private struct NoRefresh: Error {}

    @Test("Without a token a refresh obtains the first, and others wait for it")
    func first() throws {
        var rule = rule()
        let number = try begun(rule.ask(at: at(0)))
        expectEqual(rule.ask(at: at(9)), .wait(refresh: number, begins: false))
        let madeTicket = rule.refreshed(number, with: AccessToken("a"), at: at(9))
        let ticket = try #require(madeTicket)
        expectEqual(rule.ask(at: at(9_999)), .use(ticket))
    }

    @Test("Without a refresh a token is sent until it is replaced")
    func noRefresh() throws {
        var rule = rule(canRefresh: false)
        expectEqual(rule.ask(at: at(0)), .send)
        rule.replace(by: AccessToken("a", lifetime: .seconds(1)), at: at(0))
        guard case .use(let ticket) = rule.ask(at: at(100)) else { throw NoRefresh() }
        expectEqual(rule.rejected(ticket, at: at(100)), .giveUp)
        rule.replace(by: AccessToken("b"), at: at(100))
        guard case .use(let other) = rule.rejected(ticket, at: at(100)) else { throw NoRefresh() }
        expectEqual(other.token.value, "b")
    }

    /// Lifetime, leeway, and the first second at which the token is refreshed.
    static let renewals: [(Int64, Int64, Int64)] = [
        (600, 60, 540), (120, 60, 60), (60, 60, 30), (10, 60, 5), (0, 60, 0), (600, 0, 600), (1_000_000, 60, 999_940),
    ]

    @Test("A token is refreshed before it expires, but not in the first half of its lifetime", arguments: renewals)
    func renewal(lifetime: Int64, leeway: Int64, second: Int64) throws {
        var rule = rule(leeway: leeway)
        rule.replace(by: AccessToken("a", lifetime: .seconds(lifetime)), at: at(0))
        if second > 0 {
            guard case .use = rule.ask(at: at(second - 1)) else { throw NoRefresh() }
        }
        _ = try begun(rule.ask(at: at(second)))
    }

    @Test("A new token with a lifetime of zero or less has an unknown lifetime", arguments: [0, -1, Int64.min])
    func noLifetime(seconds: Int64) throws {
        var rule = rule()
        let number = try begun(rule.ask(at: at(0)))
        let madeTicket = rule.refreshed(number, with: AccessToken("a", lifetime: .seconds(seconds)), at: at(0))
        let ticket = try #require(madeTicket)
        expectEqual(rule.ask(at: at(0)), .use(ticket))
        expectEqual(rule.ask(at: at(100_000)), .use(ticket))
        // One that was stored has nothing left.
        rule.replace(by: AccessToken("b", lifetime: .seconds(seconds)), at: at(100_000))
        _ = try begun(rule.ask(at: at(100_000)))
    }

    @Test("When the window admits no refresh, an expired token is sent until it is rejected")
    func expiredBeyondWindow() throws {
        var rule = rule(most: 1)
        let number = try begun(rule.ask(at: at(0)))
        _ = rule.refreshed(number, with: AccessToken("a", lifetime: .seconds(2)), at: at(0))
        guard case .use(let ticket) = rule.ask(at: at(10)) else { throw NoRefresh() }
        expectEqual(rule.rejected(ticket, at: at(11)), .tooMany)
        expectEqual(rule.ask(at: at(12)), .tooMany)
        _ = try begun(rule.ask(at: at(30)))
    }

    @Test("A rejected token is refreshed once for all that were sent with it")
    func rejected() throws {
        var rule = rule()
        rule.replace(by: AccessToken("a"), at: at(0))
        guard case .use(let old) = rule.ask(at: at(0)) else { throw NoRefresh() }
        let number = try begun(rule.rejected(old, at: at(1)))
        expectEqual(rule.rejected(old, at: at(1)), .wait(refresh: number, begins: false))
        expectEqual(rule.ask(at: at(1)), .wait(refresh: number, begins: false))
        let madeNew = rule.refreshed(number, with: AccessToken("b"), at: at(2))
        let new = try #require(madeNew)
        expectEqual(rule.rejected(old, at: at(3)), .use(new))
        expectEqual(rule.ask(at: at(3)), .use(new))
    }

    @Test("A token that was rejected for good is refreshed before it is sent again")
    func known() throws {
        var rule = rule()
        rule.replace(by: AccessToken("a"), at: at(0))
        guard case .use(let ticket) = rule.ask(at: at(0)) else { throw NoRefresh() }
        rule.reject(ticket)
        _ = try begun(rule.ask(at: at(1)))
    }

    @Test("Requests that were under way share a failed refresh; later ones try again")
    func failed() throws {
        var rule = rule()
        rule.replace(by: AccessToken("a"), at: at(0))
        guard case .use(let ticket) = rule.ask(at: at(0)) else { throw NoRefresh() }
        let number = try begun(rule.rejected(ticket, at: at(1)))
        expectNil(rule.refreshed(number, with: nil, at: at(2)))
        expectEqual(rule.rejected(ticket, at: at(3)), .failed)
        let again = try begun(rule.ask(at: at(3)))
        let madeNew = rule.refreshed(again, with: AccessToken("b"), at: at(4))
        let new = try #require(madeNew)
        expectEqual(rule.rejected(ticket, at: at(5)), .use(new))
    }

    @Test("The window admits so many refreshes, and more once it has moved on")
    func window() throws {
        var rule = rule(most: 3, window: 30)
        for second in Int64(0)..<3 {
            let number = try begun(rule.ask(at: at(second)))
            _ = rule.refreshed(number, with: nil, at: at(second))
        }
        expectEqual(rule.ask(at: at(3)), .tooMany)
        expectEqual(rule.ask(at: at(29)), .tooMany)
        _ = rule.refreshed(try begun(rule.ask(at: at(30))), with: nil, at: at(30))
        expectEqual(rule.ask(at: at(30)), .tooMany)
        rule.replace(by: nil, at: at(30))
        _ = try begun(rule.ask(at: at(30)))
        var none = self.rule(most: 0)
        expectEqual(none.ask(at: at(0)), .tooMany)
    }

    @Test("A refresh that ends after the token was replaced has no effect")
    func outdated() throws {
        var rule = rule()
        let number = try begun(rule.ask(at: at(0)))
        rule.replace(by: AccessToken("own"), at: at(1))
        expectNil(rule.currentRefresh)
        expectNil(rule.refreshed(number, with: AccessToken("late"), at: at(2)))
        expectEqual(rule.token?.value, "own")
        rule.replace(by: nil, at: at(3))
        let other = try begun(rule.ask(at: at(3)))
        rule.replace(by: nil, at: at(4))
        expectNil(rule.refreshed(other, with: AccessToken("late"), at: at(5)))
        expectNil(rule.token)
    }

    @Test("In any order of events there is one refresh at a time, and never more than the window admits")
    func random() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var rule = rule(most: 3, window: 10)
            var (second, running, begun, last) = (Int64(0), UInt64?.none, [Int64](), TokenRule.Ticket?.none)
            for _ in 0..<200 {
                second += Int64.random(in: 0...3, using: &random)
                let decision: TokenRule.Decision
                switch Int.random(in: 0..<4, using: &random) {
                case 0: decision = rule.ask(at: at(second))
                case 1: decision = last.map { rule.rejected($0, at: at(second)) } ?? rule.ask(at: at(second))
                default:
                    guard let number = running else { continue }
                    running = nil
                    let token = Bool.random(using: &random) ? AccessToken("t", lifetime: .seconds(20)) : nil
                    _ = rule.refreshed(number, with: token, at: at(second))
                    continue
                }
                switch decision {
                case .wait(let number, true):
                    expectNil(running)
                    running = number
                    begun.append(second)
                    let now = second
                    #expect(begun.count { now - $0 < 10 } <= 3)
                case .wait(let number, false): expectEqual(running, number)
                case .use(let ticket): last = ticket
                case .send, .giveUp: Issue.record("\(decision) with a refresh")
                case .failed, .tooMany: break
                }
            }
        }
    }
}
