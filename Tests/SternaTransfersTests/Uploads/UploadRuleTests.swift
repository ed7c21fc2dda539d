import HTTPTypes
import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: the next step")
struct UploadRuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var change: @Sendable (inout UploadState, inout UploadPlan) -> Void
        var expected: UploadStep

        init(
            _ name: String, _ expected: UploadStep,
            _ change: @escaping @Sendable (inout UploadState, inout UploadPlan) -> Void
        ) {
            (self.name, self.change, self.expected) = (name, change, expected)
        }

        var testDescription: String { name }
    }

    @Test(
        "An open upload continues with the next content or the offset",
        arguments: [
            Row("all of the rest", .append(100..<1_000, completes: true)) { _, _ in },
            Row("the caller's limit", .append(100..<350, completes: false)) { $1.largestAppend = 250 },
            Row("the server's limit", .append(100..<150, completes: false)) { state, plan in
                (state.limits.maxAppend, plan.largestAppend) = (50, 250)
            },
            Row("the server's minimum", .append(100..<400, completes: false)) { state, plan in
                (state.limits.minAppend, plan.largestAppend) = (300, 250)
            },
            Row("the last part may be smaller", .append(900..<1_000, completes: true)) { state, _ in
                (state.limits.minAppend, state.offset) = (300, 900)
            },
            Row("limits that contradict", .fail(.appendLimits(most: 10))) { state, _ in
                (state.limits.minAppend, state.limits.maxAppend) = (20, 10)
            },
            Row("nothing is taken", .fail(.appendLimits(most: 0))) { state, _ in state.limits.maxAppend = 0 },
            Row("too little is taken", .fail(.appendLimits(most: 1))) { state, _ in
                (state.limits.maxAppend, state.length) = (1, 1_000_000)
            },
            Row("after a 413", .append(100..<110, completes: false)) { state, _ in state.largestAppend = 10 },
            Row("too large by now", .fail(.tooLarge(length: 1_000, most: 999))) { state, _ in
                state.limits.maxSize = 999
            },
            Row("only to be completed", .append(1_000..<1_000, completes: true)) { state, _ in state.offset = 1_000 },
            Row("tus is complete by itself", .finish) { state, _ in
                (state.offset, state.dialect) = (1_000, .tus)
            },
            Row("after a failure", .ask) { state, _ in state.isCurrent = false },
            Row("expired, by this clock", .ask) { state, _ in
                (state.isCurrent, state.expires) = (false, UploadScene.now)
            },
            Row("expires during a run", .append(100..<1_000, completes: true)) { state, _ in state.expires = 0 },
            Row("expired after its last byte, by this clock", .ask) { state, _ in
                (state.isCurrent, state.expires, state.stage) = (false, 0, .completing)
            },
            Row("complete", .finish) { state, _ in state.stage = .complete },
        ])
    func open(row: Row) throws {
        var state = try UploadScene.state(.ietf(.preferred), offset: 100)
        var plan = try UploadScene.plan()
        row.change(&state, &plan)
        expectEqual(UploadRule.next(state, plan), row.expected)
    }

    @Test(
        "A new upload begins with discovery or creation",
        arguments: [
            Row("discovers", .discover) { state, _ in state.dialect = nil },
            Row("is created without content", .create(0..<0, completes: false)) { _, _ in },
            Row("is created with content", .create(0..<1_000, completes: true)) { $1.creation = .withContent },
            Row("is created with a part", .create(0..<10, completes: false)) { state, plan in
                (state.limits.maxAppend, plan.creation) = (10, .withContent)
            },
            Row("content was refused", .create(0..<0, completes: false)) { state, plan in
                (state.createsEmpty, plan.creation) = (true, .withContent)
            },
            Row("is too small to be resumed", .create(0..<1_000, completes: true)) { state, _ in
                state.limits.minSize = 2_000
            },
            Row(
                "is too large to be counted",
                .fail(.tooLarge(length: .max, most: 999_999_999_999_999))
            ) { state, _ in state.length = .max },
            Row("is too large", .fail(.tooLarge(length: 1_000, most: 5))) { state, _ in state.limits.maxSize = 5 },
            Row("was being created with content", .fail(.creationUnknown)) { state, _ in state.stage = .creating },
        ])
    func new(row: Row) throws {
        var state = try UploadScene.state(.ietf(.preferred))
        var plan = try UploadScene.plan()
        row.change(&state, &plan)
        expectEqual(UploadRule.next(state, plan), row.expected)
    }

    @Test(
        "Discovery reads limits and protocols",
        arguments: [
            ("limits", 200, [("Upload-Limit", "min-size=0")], "proceed 0"),
            ("a media type", 204, [("Accept-Patch", "text/a, Application/Partial-Upload;x=1")], "proceed 0"),
            ("another version", 400, [("Upload-Draft-Interop-Version", "6")], "proceed 0 v6"),
            ("tus", 204, [("Tus-Resumable", "1.0.0")], "proceed 0"),
            ("neither", 200, [("Allow", "POST")], "fail noProtocol(status: 200)"),
            ("not allowed", 405, [], "fail noProtocol(status: 405)"),
            ("a limit in a refusal", 403, [("Upload-Limit", "min-size=0")], "fail noProtocol(status: 403)"),
            ("not available", 503, [], "again 0, unavailable(503)"),
            ("moved", 308, [("Location", "/b")], "follow 0 to https://example.com/b"),
        ] as [(String, Int, [(String, String)], String)])
    func discovery(name: String, status: Int, fields: [(String, String)], expected: String) throws {
        let response = try UploadScene.response(status, fields, at: "https://example.com/files")
        let decision = UploadRule.decide(response, to: .discover, try UploadScene.state(nil))
        expectEqual(UploadScene.text(decision), expected)
        if case .proceed(let state) = decision, status < 300 { expectEqual((state.dialect == .tus), (name == "tus")) }
    }

    @Test("An empty creation is repeated after a cut, one with content is not")
    func cuts() throws {
        let state = try UploadScene.state(.ietf(.preferred))
        let empty = UploadStep.create(0..<0, completes: false)
        let full = UploadStep.create(0..<1_000, completes: true)
        func cut(
            _ step: UploadStep, _ state: UploadState, wasSent: Bool = true, sentAll: Bool = true
        ) -> UploadDecision {
            UploadRule.noResponse(to: step, state, wasSent: wasSent, sentAll: sentAll)
        }
        let again = UploadDecision.again(state, .noResponse, after: nil)
        expectEqual(cut(empty, state), again)
        expectEqual(cut(full, state), .fail(.creationUnknown))
        expectEqual(cut(full, state, wasSent: false), again)
        // The server cannot have all of the content if the network did not accept all of it.
        expectEqual(cut(full, state.beginning(full), sentAll: false), again)
        let open = try UploadScene.state(.ietf(.preferred), offset: 5)
        // A 104 named the URL before the cut.
        expectEqual(cut(full, open), .again(open.unsure(), .noResponse, after: nil))
    }

    @Test("Only a last request that was sent as a whole may have completed the upload", arguments: [false, true])
    func lastBytes(sentAll: Bool) throws {
        let last = UploadStep.append(100..<1_000, completes: true)
        let gone = try UploadScene.response(404)
        for dialect in [.tus, .ietf(.preferred)] as [UploadDialect] {
            let state = try UploadScene.state(dialect, offset: 100).beginning(last)
            let decision = UploadRule.noResponse(to: last, state, wasSent: true, sentAll: sentAll)
            guard case .again(let next, .noResponse, _) = decision else {
                Issue.record("\(decision)")
                continue
            }
            let expected = sentAll ? "fail outcomeUnknown" : "anew, gone(404)"
            expectEqual(UploadScene.text(UploadRule.decide(gone, to: .ask, next)), expected)
            // A request for the offset without a response does not change that.
            let asked = UploadRule.noResponse(to: .ask, next, wasSent: true, sentAll: false)
            expectEqual(asked, .again(next, .noResponse, after: nil))
        }
    }

    @Test(
        "Two OPTIONS requests without a response end the discovery; one that was not sent does not count"
    )
    func unanswered() throws {
        var state = try UploadScene.state(nil)
        for wasSent in [false, true, false] {
            guard
                case .again(let next, .noResponse, _) = UploadRule.noResponse(
                    to: .discover, state, wasSent: wasSent, sentAll: true)
            else {
                Issue.record("It is not asked again.")
                return
            }
            state = next
        }
        expectEqual(UploadRule.noResponse(to: .discover, state, wasSent: true, sentAll: true), .fail(.unanswered))
        #expect(UploadFault.unanswered.hasNoProtocol && state.stored.unanswered == 0)
    }

    @Test("The caller's fields are sent only to the origin of the creation")
    func callerFields() throws {
        var plan = try UploadScene.plan()
        plan.headers = ["X-Key": "secret", "Upload-Offset": "7"]
        var state = try UploadScene.state(.tus, offset: 100)
        let own = try UploadRule.request(.append(100..<200, completes: false), state, plan)
        expectEqual(own.headers["X-Key"], "secret")
        expectEqual(own.headers["Upload-Offset"], "100")
        state.url = try UploadScene.url("https://example.com:8443/files/1")
        try expectNil(UploadRule.request(.ask, state, plan).headers["X-Key"])
    }

    @Test("An unknown upload counts as expired if its time is over")
    func expiry() throws {
        var state = try UploadScene.state(.tus, offset: 100).unsure()
        let response = try UploadScene.response(404)
        expectEqual(UploadScene.text(UploadRule.decide(response, to: .ask, state)), "anew, gone(404)")
        state.expires = UploadScene.now
        expectEqual(UploadScene.text(UploadRule.decide(response, to: .ask, state)), "anew, expired")
        state.stage = .completing
        expectEqual(UploadScene.text(UploadRule.decide(response, to: .ask, state)), "fail outcomeUnknown")
    }

    @Test("An offset may decrease three times")
    func rewinds() throws {
        var state = try UploadScene.state(.tus, offset: 100)
        for offset in [90, 80, 70] as [Int64] { try state.confirm(offset) }
        expectEqual(state.reached, 100)
        #expect(throws: UploadFault.offsetWentBack(from: 70, to: 60)) { try state.confirm(60) }
    }
}

@Suite("Uploads: errors")
struct UploadFaultTests {
    @Test(
        "Each error says what happened in complete sentences",
        arguments: [
            .noProtocol(status: 405), .versionsRefused, .tusVersion(offered: "2\u{1B}"), .missingExtension(.checksum),
            .missingAlgorithm("sha1"), .noLocation, .locationsDiffer, .locationUnusable, .locationInsecure, .noOffset,
            .offsetBeyondEnd(2, length: 1), .offsetWentBack(from: 2, to: 1), .completeTooEarly(1, length: 2),
            .otherLength(1, length: 2), .tooLarge(length: 2, most: 1), .tooLarge(length: 2, most: nil),
            .appendLimits(most: 1), .refused(403, "no"), .refusedByTarget(422, nil), .redirect(302), .mismatch, .locked,
            .checksum, .unavailable(503), .contentRefused, .waitTooLong(9), .stalled(1), .gone(404), .expired,
            .outcomeUnknown, .creationUnknown, .noResponse, .noRequest, .unanswered, .offsetUnknown(400),
            .redirectLoop(308), .unfinished, .forgotten(404),
        ] as [UploadFault])
    func texts(fault: UploadFault) {
        let error = fault.error()
        expectEqual(error.kind, fault.kind)
        #expect(error.detail.hasSuffix("."))
        expectEqual(error.detail.first?.isUppercase, true)
        #expect(!error.detail.contains("\u{1B}"))
        #expect(!error.detail.contains("Optional"))
        if case .refused = fault { expectEqual(error.serverMessage, "no") }
    }
}

@Suite("Uploads: patience")
struct UploadPaceTests {
    @Test("Faults without progress end an upload; progress resets the count")
    func failures() throws {
        let state = try UploadScene.state(.tus, offset: 100)
        var pace = UploadPace()
        var waits: [Duration] = []
        for _ in 0..<8 {
            let move = pace.move(.again(state, .mismatch, after: nil), from: state, latest: state, random: 1)
            if case .go(_, let wait) = move { waits.append(wait) }
        }
        expectEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].map { .milliseconds($0) })
        var forgiving = pace
        let last = pace.move(.again(state, .mismatch, after: nil), from: state, latest: state, random: 0)
        expectEqual(last, .fail(.mismatch, state))
        var next = state
        next.offset = 101
        let move = forgiving.move(.again(next, .mismatch, after: nil), from: state, latest: next, random: 0)
        expectEqual(move, .go(next, after: .milliseconds(250)))
    }

    @Test("A server may request a longer wait, up to a limit")
    func waits() throws {
        let state = try UploadScene.state(.tus, offset: 100)
        var pace = UploadPace()
        let short = pace.move(.again(state, .locked, after: .seconds(60)), from: state, latest: state, random: 0)
        expectEqual(short, .go(state, after: .seconds(60)))
        let long = pace.move(.again(state, .locked, after: .seconds(121)), from: state, latest: state, random: 0)
        expectEqual(long, .fail(.waitTooLong(121), state))
    }

    /// Returns the waits after equal responses, in milliseconds, until the pace gives up, and the reason.
    private static func waits(
        _ decision: UploadDecision, from state: UploadState
    ) -> (waits: [Duration], fault: UploadFault?) {
        var pace = UploadPace()
        var waits: [Duration] = []
        while waits.count < 100 {
            switch pace.move(decision, from: state, latest: state, random: 1) {
            case .go(_, let wait): waits.append(wait)
            case .fail(let fault, _): return (waits, fault)
            case .end: return (waits, nil)
            }
        }
        return (waits, nil)
    }

    @Test("Accepted requests without effect are repeated after growing pauses, at most five times")
    func stalls() throws {
        let state = try UploadScene.state(.tus, offset: 100)
        let growing = [500, 1_000, 2_000, 4_000].map { Duration.milliseconds($0) }
        let content = Self.waits(.proceed(state.unsure()), from: state)
        expectEqual(content.waits, growing)
        expectEqual(content.fault, .stalled(100))
        #expect(!UploadFault.stalled(100).isTransient)
        var back = state
        back.offset = 50
        expectEqual(Self.waits(.proceed(back), from: state).waits, growing)
        // An upload that has all bytes is only asked for its offset.
        var whole = try UploadScene.state(.contentRange, offset: 1_000)
        whole.isCurrent = false
        let asked = Self.waits(.proceed(whole), from: whole)
        expectEqual(asked.waits, growing)
        expectEqual(asked.fault, .unfinished)
        #expect(UploadFault.unfinished.isTransient)
        // The first redirect is followed at once.
        let redirected = Self.waits(.follow(state, status: 308), from: state)
        expectEqual(redirected.waits, [.zero] + growing.dropLast())
        expectEqual(redirected.fault, .redirectLoop(308))
    }

    @Test("Preparing a request is not a stall: the offset, another protocol, smaller content")
    func preparations() throws {
        let state = try UploadScene.state(.tus, offset: 100)
        var (smaller, older) = (state, state)
        smaller.largestAppend = 10
        older.dialect = try UploadScene.ietf(6)
        for (from, next) in [(state.unsure(), state), (state, smaller), (state, older)] {
            let (waits, _) = Self.waits(.proceed(next), from: from)
            expectEqual(waits, Array(repeating: .zero, count: 40))
        }
    }

    @Test("Content between successful requests for the offset counts, progress resets the count")
    func interleaved() throws {
        let state = try UploadScene.state(.tus, offset: 100)
        var pace = UploadPace()
        var sent = 0
        while sent < 100 {
            sent += 1
            // The next request for the offset confirms that it has not changed.
            guard case .go = pace.move(.proceed(state.unsure()), from: state, latest: state, random: 0) else { break }
            guard case .go = pace.move(.proceed(state), from: state.unsure(), latest: state, random: 0) else { break }
            if sent == 3 {
                var next = state
                next.offset += 1
                _ = pace.move(.proceed(next), from: state, latest: state, random: 0)
            }
        }
        expectEqual(sent, 8)
    }

    @Test("Restarts are limited in a run, and over all runs")
    func restarts() throws {
        let state = try UploadScene.state(.tus, offset: 100)
        let run = Self.waits(.startAnew(state, .gone(404)), from: state)
        expectEqual(run.waits, [.milliseconds(500), .seconds(1)])
        expectEqual(run.fault, .gone(404))
        var old = state
        old.restarts = UploadState.mostRestarts
        let last = Self.waits(.startAnew(old, .gone(404)), from: old)
        #expect(last.waits.isEmpty && last.fault == .forgotten(404) && !UploadFault.forgotten(404).isTransient)
        // An expired upload does not count as forgotten.
        expectEqual(Self.waits(.startAnew(old, .expired), from: old).waits.count, 2)
        var pace = UploadPace()
        guard case .go(let anew, _) = pace.move(.startAnew(state, .gone(404)), from: state, latest: state, random: 0)
        else {
            Issue.record("It does not begin anew.")
            return
        }
        #expect(anew.restarts == 1 && anew.url == nil)
    }

    @Test("An upload that the server takes byte by byte ends")
    func trickle() throws {
        var state = try UploadScene.state(.tus, length: 1_000_000, offset: 0)
        var pace = UploadPace()
        while state.offset < state.length {
            var next = state
            next.offset += 1
            guard case .go = pace.move(.proceed(next), from: state, latest: next, random: 0) else { break }
            state = next
        }
        expectEqual(state.offset, UploadPace.most)
    }
}

@Suite("Uploads: stored states")
struct UploadStateTests {
    @Test("A state is restored as it was written, without the values of one run")
    func roundTrip() throws {
        var state = try UploadScene.state(try UploadScene.ietf(6), offset: 100)
        state.limits.maxAppend = 7
        state.expires = 12
        state.tus = TusSupport(extensions: [.creation], checksums: ["sha1"], maxSize: 9)
        (state.sent, state.restarts) = (500, 2)
        let read = try JSONDecoder().decode(UploadState.self, from: JSONEncoder().encode(state))
        expectEqual(read, state.unsure())
    }

    @Test(
        "A damaged state is refused",
        arguments: [
            ("\"offset\":100", "\"offset\":-1"), ("\"offset\":100", "\"offset\":101"),
            ("\"offset\":100", "\"offset\":100,\"sent\":1001"), ("\"offset\":100", "\"offset\":100,\"restarts\":99"),
            ("\"length\":1000", "\"length\":99"), ("\"length\":1000", "\"length\":9223372036854775807"),
            ("ietf-8", "ietf-99"), ("ietf-8", "x"), ("\"open\"", "\"x\""), ("\"url\"", "\"uri\""),
            ("https:\\/\\/example.com\\/files\\/1", "file:\\/\\/\\/etc"),
        ])
    func damaged(part: String, replacement: String) throws {
        let state = try UploadScene.state(.ietf(.preferred), offset: 100)
        let text = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
        let broken = text.split(separator: part, omittingEmptySubsequences: false).joined(separator: replacement)
        #expect(broken != text)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(UploadState.self, from: Data(broken.utf8)) }
    }

    @Test("No mirror shows the upload's URL")
    func mirror() throws {
        var state = try UploadScene.state(.tus, offset: 1)
        state.url = try UploadScene.url("https://example.com/files/s3cret")
        var text = "\(state)"
        dump(state, to: &text)
        #expect(!text.contains("s3cret"))
    }
}
