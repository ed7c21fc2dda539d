import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The circuit of an origin, in values.
@Suite("Circuit")
struct CircuitTests {
    private let rules = CircuitBreaker.Rules(failures: 3, openTime: .seconds(10), probes: 1)
    private let start = NIODeadline.uptimeNanoseconds(1_000)

    private func opened() -> Circuit {
        var circuit = Circuit()
        for _ in 0..<3 { _ = circuit.ended(.failure, isProbe: false, rules, at: start) }
        return circuit
    }

    @Test("Opens after failures in a row, which a success interrupts")
    func opens() {
        var circuit = Circuit()
        let results: [Circuit.Result] = [.failure, .failure, .success, .failure, .unknown, .failure]
        for result in results {
            expectEqual(circuit.ended(result, isProbe: false, rules, at: start), false, "\(result)")
        }
        expectEqual(circuit.admit(rules, at: start), .pass)
        let hasOpened = circuit.ended(.failure, isProbe: false, rules, at: start)
        #expect(hasOpened)
        expectEqual(circuit.admit(rules, at: start + .seconds(4)), .refuse(.seconds(6)))
    }

    @Test("After the time one probe is sent, and its success closes the circuit")
    func probes() {
        var circuit = opened()
        let later = start + .seconds(10)
        expectEqual(circuit.admit(rules, at: later), .probe)
        expectEqual(circuit.admit(rules, at: later), .refuse(.zero))
        // A request from before tells nothing.
        expectEqual(circuit.ended(.success, isProbe: false, rules, at: later), false)
        expectEqual(circuit.admit(rules, at: later), .refuse(.zero))
        expectEqual(circuit.ended(.success, isProbe: true, rules, at: later), false)
        expectEqual(circuit.admit(rules, at: later), .pass)
    }

    @Test("A probe that fails opens it again; one without a result makes room for the next")
    func failingProbe() {
        var circuit = opened()
        let later = start + .seconds(10)
        expectEqual(circuit.admit(rules, at: later), .probe)
        expectEqual(circuit.ended(.unknown, isProbe: true, rules, at: later), false)
        expectEqual(circuit.admit(rules, at: later), .probe)
        expectEqual(circuit.ended(.failure, isProbe: true, rules, at: later), true)
        expectEqual(circuit.admit(rules, at: later + .seconds(9)), .refuse(.seconds(1)))
        expectEqual(circuit.admit(rules, at: later + .seconds(10)), .probe)
    }

    @Test("Any order of events: never more probes than allowed, and always a way back", arguments: 0..<50)
    func random(seed: Int) {
        var generator = SeededRandom(seed: UInt64(seed))
        let rules = CircuitBreaker.Rules(failures: 2, openTime: .seconds(5), probes: 2)
        var circuit = Circuit()
        var now = start
        var underWay: [Bool] = []
        for _ in 0..<400 {
            now = now + .seconds(Int64.random(in: 0...2, using: &generator))
            if underWay.isEmpty || Bool.random(using: &generator) {
                switch circuit.admit(rules, at: now) {
                case .pass: underWay.append(false)
                case .probe: underWay.append(true)
                case .refuse(let rest): #expect(rest <= .seconds(5))
                }
            } else {
                let isProbe = underWay.remove(at: Int.random(in: underWay.indices, using: &generator))
                let result: Circuit.Result =
                    [.success, .failure, .unknown].randomElement(using: &generator) ?? .success
                _ = circuit.ended(result, isProbe: isProbe, rules, at: now)
            }
        }
        for isProbe in underWay { _ = circuit.ended(.unknown, isProbe: isProbe, rules, at: now) }
        let admission = circuit.admit(rules, at: now + .seconds(6))
        #expect(admission == .pass || admission == .probe)
    }

    @Test("Which statuses and errors count as failures of a server")
    func results() {
        #expect([500, 502, 503, 504].allSatisfy { Circuit.result(of: $0) == .failure })
        #expect([200, 304, 404, 429, 501].allSatisfy { Circuit.result(of: $0) == .success })
        func result(_ kind: SternaError.Kind) -> Circuit.Result {
            Circuit.result(of: SternaError(kind, phase: .wait, ""))
        }
        expectEqual(result(.timedOut), .failure)
        expectEqual(Circuit.result(of: SternaError(.timedOut, phase: .proxy, "")), .unknown)
        expectEqual(Circuit.result(of: 407), .unknown)
        expectEqual(result(.cancelled), .unknown)
        expectEqual(Circuit.result(of: CancellationError()), .unknown)
    }
}
