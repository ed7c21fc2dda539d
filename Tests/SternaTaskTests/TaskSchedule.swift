import MutationKit

/// What happens to many tasks, and when: it follows from a seed.
struct TaskSchedule: Sendable {
    enum Kind: CaseIterable, Sendable {
        case download, data, upload, stream
    }

    enum Step: Sendable, Hashable {
        case resume, suspend, cancel, cancelSilently
        /// Of a download: cancels it with resume data.
        case interrupt
    }

    struct Plan: Sendable {
        let kind: Kind
        /// The place of its bytes in the server's content.
        let start: Int
        let count: Int
        /// Whether the server takes its time, so that steps fall into the body.
        let isSlow: Bool
        /// How long a download that is suspended keeps its connection, in milliseconds.
        let grace: Int
        let steps: [Step]

        var cancellation: Step? { steps.first { $0 != .resume && $0 != .suspend } }
        var isCancelledFirst: Bool { steps.first == cancellation }
    }

    let plans: [Plan]

    /// The tasks whose next step is due, in order, with the moment from 0 to 1.
    let events: [(moment: Double, task: Int)]

    /// Plans so many tasks, half of them disturbed, with bytes out of a content of a length.
    init(_ count: Int, contentLength: Int, seed: UInt64) {
        var random = MutationGenerator(seed: seed)
        var events: [(moment: Double, task: Int)] = []
        plans = (0..<count).map { task in
            let kinds: [Kind] = [.download, .download, .download, .data, .data, .upload, .stream]
            let kind = kinds.randomElement(using: &random) ?? .download
            let size = Int.random(in: 1...(random.next() % 8 == 0 ? contentLength / 2 : 1 << 16), using: &random)
            let steps = task % 2 == 0 ? [.resume] : Self.steps(kind, &random)
            // The steps of one task are near each other, so that most of them fall into its work.
            var moment = Double.random(in: 0..<0.9, using: &random)
            for _ in steps {
                events.append((moment, task))
                moment += Double.random(in: 0...0.03, using: &random)
            }
            return Plan(
                kind: kind, start: Int.random(in: 0...(contentLength - size), using: &random), count: size,
                isSlow: random.next() % 4 == 0, grace: [0, 5, 30_000].randomElement(using: &random) ?? 0, steps: steps)
        }
        // The number keeps the order of equal moments.
        self.events = events.enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }
            .map(\.element)
    }

    private static func steps(_ kind: Kind, _ random: inout MutationGenerator) -> [Step] {
        var steps: [Step] = []
        for _ in 0...(random.next() % 3) {
            steps += random.next() % 8 == 0 ? [.resume, .suspend, .suspend] : [.resume, .suspend]
        }
        guard random.next() % 2 == 0 else { return steps + [.resume] }
        let ways: [Step] =
            kind == .download ? [.interrupt, .interrupt, .cancel, .cancelSilently] : [.cancel, .cancelSilently]
        // Before it began, while it is suspended, or while it runs.
        switch random.next() % 8 {
        case 0: steps = []
        case 1...3: steps.append(.resume)
        default: break
        }
        steps.append(ways.randomElement(using: &random) ?? .cancel)
        // What comes behind a cancellation has no effect.
        return random.next() % 4 == 0 ? steps + [.resume, .suspend] : steps
    }
}
